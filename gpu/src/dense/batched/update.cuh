// The trailing matrices: A22 -= L21 U12 of every system, each product and sum fused in the elements' own arithmetic.
#pragma once

#include "keys.cuh"

namespace mantissa::gpu::batched {

/// Tiles of BM x BN by 256 threads, GM x GN packs of 16 bytes for each; KS columns of L21 and rows of U12 are a stage.
template <class T, int BM, int BN, int KS, int STAGES> struct Update {
    static constexpr int kThreads = 256, kV = kVector<T>, kM = BM / (16 * kV), kN = BN / (16 * kV);
    struct Stage {
        alignas(16) T a[KS][BM];
        alignas(16) T b[KS][BN];
    };
    static __device__ __forceinline__ void load(Stage& stage, const T* l, int lda, int rows, const T* u, int ldu,
                                                int cols, int t) {
#pragma unroll
        for (int i = t; i < KS * BM / kV; i += kThreads) {
            const int k = i / (BM / kV), r = i % (BM / kV) * kV;
            copy16(&stage.a[k][r], l + static_cast<long long>(k) * lda + r, r < rows);
        }
#pragma unroll
        for (int i = t; i < KS * BN / kV; i += kThreads) {
            const int k = i / (BN / kV), c = i % (BN / kV) * kV;
            copy16(&stage.b[k][c], u + static_cast<long long>(k) * ldu + c, c < cols);
        }
        close_copies();
    }
    static __device__ __forceinline__ void multiply(T (&sum)[kM * kV][kN * kV], const Stage& stage, int tx, int ty) {
#pragma unroll
        for (int k = 0; k < KS; ++k) {
            Pack<T, kV> a[kM], b[kN];
#pragma unroll
            for (int i = 0; i < kM; ++i) a[i] = *reinterpret_cast<const Pack<T, kV>*>(&stage.a[k][(tx + 16 * i) * kV]);
#pragma unroll
            for (int j = 0; j < kN; ++j) b[j] = *reinterpret_cast<const Pack<T, kV>*>(&stage.b[k][(ty + 16 * j) * kV]);
#pragma unroll
            for (int i = 0; i < kM * kV; ++i)
#pragma unroll
                for (int j = 0; j < kN * kV; ++j) sum[i][j] = fma(a[i / kV].x[i % kV], b[j / kV].x[j % kV], sum[i][j]);
        }
    }
};

/// `workspace` and `ldu` as swap_solve leaves them. lda, ldu and k0 are multiples of 16 bytes; up to lda, rows after
/// the matrix's end may be written.
template <class T, int OB, int BM, int BN, int KS, int STAGES>
__global__ void __launch_bounds__(256, 2)
    update(T* all, int n, int lda, long long stride, int k0, const T* workspace, int ldu) {
    using U = Update<T, BM, BN, KS, STAGES>;
    constexpr int V = U::kV;
    extern __shared__ __align__(16) unsigned char raw[];
    auto* const stages = reinterpret_cast<typename U::Stage*>(raw);
    const int t = static_cast<int>(threadIdx.x), tx = t % 16, ty = t / 16;
    const int row0 = k0 + OB + static_cast<int>(blockIdx.x) * BM, col0 = k0 + OB + static_cast<int>(blockIdx.y) * BN;
    T* const a = all + blockIdx.z * stride;
    const T* const l = a + static_cast<long long>(k0) * lda + row0;
    const T* const u = workspace + static_cast<long long>(blockIdx.z) * OB * ldu + col0;
    prefetch_tile<T, BM, BN, 256>(a + static_cast<long long>(col0) * lda + row0, lda, n - row0, n - col0, t);
    const auto load = [&](int k) {
        U::load(stages[k / KS % STAGES], l + static_cast<long long>(k) * lda, lda, n - row0,
                u + static_cast<long long>(k) * ldu, ldu, n - col0, t);
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) load(s * KS);
    T sum[U::kM * V][U::kN * V] = {};
    for (int k = 0; k < OB; k += KS) {
        await_copies<STAGES - 2>();
        __syncthreads();
        if (k + (STAGES - 1) * KS < OB) load(k + (STAGES - 1) * KS);
        else close_copies();
        U::multiply(sum, stages[k / KS % STAGES], tx, ty);
    }
#pragma unroll
    for (int j = 0; j < U::kN * V; ++j) {
        const int c = col0 + (ty + 16 * (j / V)) * V + j % V;
        if (c >= n) continue;
#pragma unroll
        for (int i = 0; i < U::kM; ++i) {
            const int r = row0 + (tx + 16 * i) * V;
            if (r >= n) continue;
            auto* const at = reinterpret_cast<Pack<T, V>*>(a + static_cast<long long>(c) * lda + r);
            Pack<T, V> v = *at;
#pragma unroll
            for (int e = 0; e < V; ++e) v.x[e] -= sum[i * V + e][j];
            *at = v;
        }
    }
}

} // namespace mantissa::gpu::batched
