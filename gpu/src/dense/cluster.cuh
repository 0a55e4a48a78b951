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

/// Where `here`: how many bytes this phase brings. Predicated, like what follows: a branch costs more than the call.
__device__ __forceinline__ void byte_barrier_expect(bool here, std::uint64_t* barrier, std::uint32_t bytes) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n"
                 "@p mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], %2;\n}" ::"r"(static_cast<unsigned>(here)),
                 "r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

/// Waits for the phase of this parity. The order is that of the block, which is enough for what send() brings into its
/// own shared memory; a cluster's order would empty the first-level cache at every wait. A wait that outlasts every
/// sound one ends the kernel with an error.
__device__ __forceinline__ void byte_barrier_wait(std::uint64_t* barrier, std::uint32_t parity) {
    asm volatile("{\n.reg .pred p;\n.reg .u32 tries;\nmov.u32 tries, 0;\n"
                 "AGAIN:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@p bra.uni DONE;\n"
                 "add.u32 tries, tries, 1;\n"
                 "setp.lt.u32 p, tries, 4194304;\n"
                 "@p bra.uni AGAIN;\n"
                 "trap;\n"
                 "DONE:\n}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

/// Where `here`: sixteen bytes to `address` of some block's shared memory, reported to that block's `barrier`.
__device__ __forceinline__ void send(bool here, std::uint32_t address, uint4 words, std::uint32_t barrier) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n"
        "@p st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%1], {%2, %3, %4, %5}, [%6];\n}" ::"r"(
            static_cast<unsigned>(here)),
        "r"(address), "r"(words.x), "r"(words.y), "r"(words.z), "r"(words.w), "r"(barrier)
        : "memory");
}

/// Where `here`: sixteen bytes to this block's shared memory.
__device__ __forceinline__ void store(bool here, void* to, uint4 words) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n"
                 "@p st.shared.v4.b32 [%1], {%2, %3, %4, %5};\n}" ::"r"(static_cast<unsigned>(here)),
                 "r"(shared_address(to)), "r"(words.x), "r"(words.y), "r"(words.z), "r"(words.w)
                 : "memory");
}

} // namespace mantissa::gpu::dense
