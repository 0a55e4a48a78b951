// Hopper's own instructions: barriers in shared memory, the tensor copy engine, and warpgroup matrix products.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace mantissa::gpu::mixed {

__device__ __forceinline__ std::uint32_t shared_address(const void* p) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void barrier_init(std::uint64_t* barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count));
}
/// The next kernel may start as far as there is room, and this one waits for those before it.
__device__ __forceinline__ void begin_after_earlier() {
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

/// Barriers as initialised, for the copy engine and for the cluster's other blocks.
__device__ __forceinline__ void fence_barriers() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void barrier_expect(std::uint64_t* barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}
__device__ __forceinline__ void barrier_arrive(std::uint64_t* barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
/// Waits for the end of the phase of this parity. A wait that never ends is a fault of the program: it traps.
__device__ __forceinline__ void barrier_wait(std::uint64_t* barrier, unsigned parity) {
    for (unsigned tries = 0; tries < (1u << 24); ++tries) {
        unsigned done;
        asm volatile("{\n.reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
        if (done != 0) return;
    }
    __trap();
}
__device__ __forceinline__ unsigned cluster_size() {
    unsigned n;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
    return n;
}
__device__ __forceinline__ unsigned cluster_rank() {
    unsigned r;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
/// All threads of the cluster meet; what they wrote to each other's shared memory, all see after it.
__device__ __forceinline__ void cluster_meet() {
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}
/// Four words into the shared memory of block `rank` of the cluster, at this block's address `to`.
__device__ __forceinline__ void store_at(float* to, unsigned rank, float4 v) {
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                 "st.shared::cluster.v4.f32 [there], {%2, %3, %4, %5};\n}" ::"r"(shared_address(to)),
                 "r"(rank), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
                 : "memory");
}

/// Four words into the shared memory of block `rank` of the cluster, counted on that block's barrier when they are
/// there.
__device__ __forceinline__ void send(float* to, unsigned rank, float4 v, std::uint64_t* barrier) {
    asm volatile(
        "{\n.reg .b32 there, on;\nmapa.shared::cluster.u32 there, %0, %2;\nmapa.shared::cluster.u32 on, %1, %2;\n"
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [there], {%3, %4, %5, %6}, [on];\n}" ::"r"(
            shared_address(to)),
        "r"(shared_address(barrier)), "r"(rank), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
        : "memory");
}
/// The same for two words of another kind.
__device__ __forceinline__ void send(unsigned* to, unsigned rank, unsigned x, unsigned y, std::uint64_t* barrier) {
    asm volatile(
        "{\n.reg .b32 there, on;\nmapa.shared::cluster.u32 there, %0, %2;\nmapa.shared::cluster.u32 on, %1, %2;\n"
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [there], {%3, %4}, [on];\n}" ::"r"(
            shared_address(to)),
        "r"(shared_address(barrier)), "r"(rank), "r"(x), "r"(y)
        : "memory");
}
/// Waits for the end of the phase of this parity, and sees what blocks of the cluster sent in it.
__device__ __forceinline__ void barrier_wait_cluster(std::uint64_t* barrier, unsigned parity) {
    for (unsigned tries = 0; tries < (1u << 24); ++tries) {
        unsigned done;
        asm volatile("{\n.reg .pred p;\n"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
        if (done != 0) return;
    }
    __trap();
}

/// Copies the box at (x, y) of a tensor into shared memory, and counts its bytes on the barrier.
__device__ __forceinline__ void copy_box(void* to, const CUtensorMap* map, int x, int y, std::uint64_t* barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
            shared_address(to)),
        "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y)
        : "memory");
}

/// Descriptor of a tile in shared memory whose rows are 128 bytes, in the copy engine's 128-byte swizzle.
__device__ __forceinline__ std::uint64_t tile_descriptor(const void* tile) {
    const std::uint64_t address = shared_address(tile);
    return ((address & 0x3FFFF) >> 4) | (std::uint64_t{1} << 16) | (std::uint64_t{1024 >> 4} << 32) |
           (std::uint64_t{1} << 62);
}
__device__ __forceinline__ void matrix_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void matrix_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int Left> __device__ __forceinline__ void matrix_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
}

#define MANTISSA_F8(i)                                                                                                 \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]),        \
        "+f"(d[i + 7])
#define MANTISSA_WGMMA(TYPE)                                                                                           \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"                                                          \
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32." TYPE "." TYPE " "                                      \
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                             \
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "                    \
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                    \
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "                   \
                 "%64, %65, p, -1, 1, 0, 0;\n}"                                                                        \
                 : MANTISSA_F8(0), MANTISSA_F8(8), MANTISSA_F8(16), MANTISSA_F8(24), MANTISSA_F8(32), MANTISSA_F8(40), \
                   MANTISSA_F8(48), MANTISSA_F8(56)                                                                    \
                 : "l"(a), "l"(b), "r"(static_cast<int>(add)))

/// d = (add ? d : 0) - A B^T for a 64 x 16 tile A and a 128 x 16 tile B, both with k contiguous.
template <class T>
__device__ __forceinline__ void subtract_tile(float (&d)[64], std::uint64_t a, std::uint64_t b, bool add);
template <>
__device__ __forceinline__ void subtract_tile<__half>(float (&d)[64], std::uint64_t a, std::uint64_t b, bool add) {
    MANTISSA_WGMMA("f16");
}
template <>
__device__ __forceinline__ void subtract_tile<__nv_bfloat16>(float (&d)[64], std::uint64_t a, std::uint64_t b,
                                                             bool add) {
    MANTISSA_WGMMA("bf16");
}
#undef MANTISSA_WGMMA
#undef MANTISSA_F8

} // namespace mantissa::gpu::mixed
