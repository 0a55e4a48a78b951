// What the blocks of a cluster need to hand each other words through shared memory: addresses, a barrier that counts
// bytes, and stores that report to it.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

namespace mantissa::gpu::dense {

__device__ __forceinline__ std::uint32_t shared_address(const void* p) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

__device__ __forceinline__ std::uint32_t cluster_blocks() {
    std::uint32_t n;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
    return n;
}

__device__ __forceinline__ std::uint32_t cluster_rank() {
    std::uint32_t r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

/// Where block `rank` of the cluster has what lies at `local` here.
__device__ __forceinline__ std::uint32_t remote_address(std::uint32_t local, std::uint32_t rank) {
    std::uint32_t remote;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(local), "r"(rank));
    return remote;
}

__device__ __forceinline__ void cluster_barrier() {
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

/// One arrival a phase: that of the thread which says how many bytes to expect.
__device__ __forceinline__ void byte_barrier_start(std::uint64_t* barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}

__device__ __forceinline__ void byte_barrier_fence() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void byte_barrier_expect(std::uint64_t* barrier, std::uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

/// Waits for the phase of this parity. A wait that outlasts every sound one ends the kernel with an error.
__device__ __forceinline__ void byte_barrier_wait(std::uint64_t* barrier, std::uint32_t parity) {
    constexpr std::uint64_t kNanoseconds = 2'000'000'000;
    std::uint64_t begin = 0;
    for (std::uint32_t tries = 0;; ++tries) {
        std::uint32_t done;
        asm volatile("{\n.reg .pred p;\n"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
        if (done != 0) return;
        if ((tries & 255U) == 255U) {
            std::uint64_t now;
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
            if (begin == 0) begin = now;
            else if (now - begin > kNanoseconds) __trap();
        }
    }
}

/// Sixteen bytes to `address` of some block's shared memory, reported to that block's `barrier`.
__device__ __forceinline__ void send(std::uint32_t address, uint4 words, std::uint32_t barrier) {
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
            address),
        "r"(words.x), "r"(words.y), "r"(words.z), "r"(words.w), "r"(barrier)
        : "memory");
}

} // namespace mantissa::gpu::dense
