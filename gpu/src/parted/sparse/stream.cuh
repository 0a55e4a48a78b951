// A warp's stream of chunks through shared memory, by the bulk copy engine, without end: after its last chunk comes
// its first again, so the next product's first chunks are on their way while sums and updates go on.
#pragma once

#include <cstdint>
#include <type_traits>

#include "layout.hpp"

namespace mantissa::gpu {

#ifdef __CUDACC__

__device__ __forceinline__ std::uint32_t shared_address(const void* p) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

/// Waits until an mbarrier has left the phase of this parity. An end is sure: copies from own memory come or fail the
/// kernel.
__device__ __forceinline__ void wait_mbarrier(std::uint32_t barrier, std::uint32_t phase) {
    std::uint32_t there = 0;
    for (std::uint32_t i = 0; there == 0 && i < (1u << 24); ++i)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(there)
                     : "r"(barrier), "r"(phase)
                     : "memory");
}

/// Where a warp's chunks come from: what the one lane needs that asks for them.
struct ChunkSource {
    const unsigned char *first, *second; ///< the warp's first chunk of either kind
    std::uint64_t apart;                 ///< bytes between chunks of the first kind
    std::uint64_t stays_policy, goes_policy;
    std::uint32_t first_bytes, second_bytes; ///< of a chunk of either kind
    std::uint32_t kept;
};

/// SourceShared: the source is in shared memory, where the product wants the registers.
template <bool SourceShared> struct ChunkStream {
    std::conditional_t<SourceShared, const ChunkSource&, ChunkSource> source;
    unsigned char* ring;         ///< the warp's stages
    unsigned long long* arrived; ///< an mbarrier for each stage
    std::uint32_t stages, stage_bytes;
    std::uint32_t first_chunks, second_chunks; ///< of either kind
    std::uint32_t next, next_stage;            ///< chunk that is asked for next, and its place
    std::uint32_t stage, phase;                ///< chunk that comes next
    std::uint32_t in_flight;

    [[nodiscard]] __device__ __forceinline__ std::uint32_t all() const { return first_chunks + second_chunks; }
    /// All chunks have a place: they are read once.
    [[nodiscard]] __device__ __forceinline__ bool stays() const { return all() <= stages; }

    /// Asks for the next chunk. Lane 0 copies; all lanes keep count.
    __device__ __forceinline__ void ask() {
        if ((threadIdx.x & 31) == 0) {
            const bool one = next < first_chunks;
            const std::uint32_t at = one ? next : next - first_chunks;
            const std::uint32_t size = one ? source.first_bytes : source.second_bytes;
            const unsigned char* const from =
                one ? source.first + at * source.apart : source.second + std::size_t{at} * source.second_bytes;
            const std::uint32_t barrier = shared_address(arrived + next_stage);
            const bool stays = (static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(from) >> 6) * 0x9E3779B1u >>
                                24) < source.kept;
            const std::uint64_t policy = stays ? source.stays_policy : source.goes_policy;
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(size) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
                         "[%0], [%1], %2, [%3], %4;" ::"r"(shared_address(ring + next_stage * stage_bytes)),
                         "l"(from), "r"(size), "r"(barrier), "l"(policy)
                         : "memory");
        }
        if (++next == all()) next = 0;
        if (++next_stage == stages) next_stage = 0;
        ++in_flight;
    }
    __device__ __forceinline__ void begin() {
        const std::uint32_t count = min(stages, all());
        for (std::uint32_t i = 0; i < count; ++i) ask();
    }
    /// Waits for the chunk in `stage`.
    __device__ __forceinline__ void wait() const { wait_mbarrier(shared_address(arrived + stage), phase); }
    /// Called by all lanes after their loads from the chunk in `stage`: its place is free. The engine writes there
    /// without regard to loads that are still on their way, which may wait for many gathers. So they end first:
    /// the fence orders each lane's loads before the engine's writes, and the barrier all lanes' before lane 0 asks.
    __device__ __forceinline__ void release() {
        if (stays()) {
            if (++stage == all()) stage = 0; // `phase` stays 0: each has come once
            return;
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncwarp();
        --in_flight;
        if (++stage == stages) {
            stage = 0;
            phase ^= 1;
        }
        ask();
    }
    /// Waits for what is still on its way, for no copy may come after the kernel's end.
    __device__ __forceinline__ void drain() {
        const std::uint32_t count = min(in_flight, stages);
        for (std::uint32_t i = 0; i < count; ++i) {
            wait();
            if (++stage == (stays() ? all() : stages)) {
                stage = 0;
                if (!stays()) phase ^= 1;
            }
        }
    }
};

#endif

} // namespace mantissa::gpu
