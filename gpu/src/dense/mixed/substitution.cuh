// z = A^-1 v by the factors: forward and backward substitution in one launch, all blocks at work at once. A block row
// of 128 waits only for the pieces of the solution it needs; a piece carries its own flag, so that one read fetches
// both.
#pragma once

#include "control.cuh"

namespace mantissa::gpu::mixed {

constexpr int kPiece = 128; // rows of a block row
constexpr int kSubstituteThreads = 512;

/// The inverses of the 128 x 128 blocks on the diagonals of L (grid y = 0) and U (y = 1), row after row.
constexpr int kInvertShared = 2 * kPiece * kPiece * 4;
__global__ void __launch_bounds__(128)
    invert_diagonals(const float* __restrict__ a, long ld, float* __restrict__ lower, float* __restrict__ upper) {
    extern __shared__ __align__(16) float words[];
    float* const m = words;
    float* const x = words + kPiece * kPiece;
    const int t = static_cast<int>(threadIdx.x);
    const long first = static_cast<long>(blockIdx.x) * kPiece;
    for (int r = 0; r < kPiece; ++r) m[r * kPiece + t] = a[(first + r) * ld + first + t];
    __syncthreads();
    const bool up = blockIdx.y == 1;
    for (int step = 0; step < kPiece; ++step) {
        const int r = up ? kPiece - 1 - step : step;
        float s[4] = {r == t ? 1.0F : 0.0F, 0.0F, 0.0F, 0.0F};
        const int begin = up ? r + 1 : 0, end = up ? kPiece : r;
        int q = begin;
        for (; q + 4 <= end; q += 4)
#pragma unroll
            for (int e = 0; e < 4; ++e) s[e] = fmaf(-m[r * kPiece + q + e], x[(q + e) * kPiece + t], s[e]);
        for (; q < end; ++q) s[0] = fmaf(-m[r * kPiece + q], x[q * kPiece + t], s[0]);
        const float value = (s[0] + s[1]) + (s[2] + s[3]);
        x[r * kPiece + t] = up ? value / m[r * kPiece + r] : value;
    }
    float* const out = (up ? upper : lower) + first * kPiece;
    for (int r = 0; r < kPiece; ++r) out[r * kPiece + t] = x[r * kPiece + t];
}

struct SubstituteTask {
    const float* a;
    long ld;
    const float *lower, *upper; ///< inverses of the diagonal blocks
    int blocks, n;              ///< rows / 128 (rounded up), and rows that are the user's
    const int* permutation;
    const double* column_scale;
    double factor;
    const double* v;           ///< right-hand side of the scaled rows
    double* z;                 ///< in the matrix's own columns
    unsigned long long *y, *x; ///< pieces with their flags
    unsigned epoch;            ///< flag of this call, never 0
    const Control* control;
};

class Substitution {
public:
    struct Shared {
        float piece[2][kPiece];
        float right[kPiece], rest[kPiece];
    };
    __device__ __forceinline__ Substitution(const SubstituteTask& task, Shared& shared)
        : task_(task), s_(shared), thread_(static_cast<int>(threadIdx.x)), warp_(thread_ / 32), lane_(thread_ & 31) {}

    /// Block row i of L (Up = false) or of U: waits for the pieces, multiplies, publishes its own.
    template <bool Up> __device__ __forceinline__ void sweep(int i) {
        const int count = Up ? task_.blocks - 1 - i : i;
        const float* const row = task_.a + static_cast<long>(i * kPiece + 8 * warp_) * task_.ld + 4 * lane_;
        const float* const own =
            (Up ? task_.upper : task_.lower) + static_cast<long>(i * kPiece + 8 * warp_) * kPiece + 4 * lane_;
        float4 now[8], next[8];
        if (count > 0) load(now, row + piece_of<Up>(0) * kPiece, task_.ld);
        else load(now, own, kPiece);
        if (thread_ < kPiece) s_.right[thread_] = right<Up>(i * kPiece + thread_);
        float sum[8] = {};
        __syncthreads();
        for (int s = 0; s < count; ++s) {
            if (s + 1 < count) load(next, row + piece_of<Up>(s + 1) * kPiece, task_.ld);
            else load(next, own, kPiece);
            if (warp_ == 0) fetch(Up ? task_.x : task_.y, piece_of<Up>(s), s_.piece[s & 1]);
            __syncthreads();
            multiply(sum, now, s_.piece[s & 1]);
#pragma unroll
            for (int r = 0; r < 8; ++r) now[r] = next[r];
        }
        const int at = 8 * warp_ + (lane_ & 16 ? 4 : 0) + (lane_ & 8 ? 2 : 0) + (lane_ & 4 ? 1 : 0);
        const float others = reduce(sum);
        if ((lane_ & 3) == 0) s_.rest[at] = s_.right[at] - others;
        __syncthreads();
#pragma unroll
        for (float& r : sum) r = 0.0F;
        multiply(sum, now, s_.rest);
        const float value = reduce(sum);
        if ((lane_ & 3) == 0) {
            const int to = i * kPiece + at;
            const unsigned long long word = static_cast<unsigned long long>(task_.epoch) << 32 | __float_as_uint(value);
            asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"((Up ? task_.x : task_.y) + to), "l"(word)
                         : "memory");
            if (Up && to < task_.n) task_.z[to] = task_.column_scale[to] * static_cast<double>(value);
        }
        __syncthreads();
    }

private:
    template <bool Up> [[nodiscard]] __device__ __forceinline__ long piece_of(int s) const {
        return Up ? task_.blocks - 1 - s : s;
    }

    __device__ __forceinline__ static void load(float4 (&to)[8], const float* from, long ld) {
#pragma unroll
        for (int r = 0; r < 8; ++r) to[r] = __ldg(reinterpret_cast<const float4*>(from + r * ld));
    }
    __device__ __forceinline__ void multiply(float (&sum)[8], const float4 (&m)[8], const float* piece) const {
        const float4 v = reinterpret_cast<const float4*>(piece)[lane_];
#pragma unroll
        for (int r = 0; r < 8; ++r)
            sum[r] = fmaf(m[r].x, v.x, fmaf(m[r].y, v.y, fmaf(m[r].z, v.z, fmaf(m[r].w, v.w, sum[r]))));
    }
    /// Sums over the warp: lanes of four get the row their bits 4, 3, 2 name.
    __device__ __forceinline__ float reduce(const float (&sum)[8]) const {
        float four[4], two[2];
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            const float keep = lane_ & 16 ? sum[q + 4] : sum[q], give = lane_ & 16 ? sum[q] : sum[q + 4];
            four[q] = keep + __shfl_xor_sync(0xffffffffU, give, 16);
        }
#pragma unroll
        for (int q = 0; q < 2; ++q) {
            const float keep = lane_ & 8 ? four[q + 2] : four[q], give = lane_ & 8 ? four[q] : four[q + 2];
            two[q] = keep + __shfl_xor_sync(0xffffffffU, give, 8);
        }
        const float keep = lane_ & 4 ? two[1] : two[0], give = lane_ & 4 ? two[0] : two[1];
        float one = keep + __shfl_xor_sync(0xffffffffU, give, 4);
        one += __shfl_xor_sync(0xffffffffU, one, 2);
        return one + __shfl_xor_sync(0xffffffffU, one, 1);
    }
    [[nodiscard]] __device__ __forceinline__ bool fresh(unsigned long long word) const {
        return static_cast<unsigned>(word >> 32) == task_.epoch;
    }
    __device__ __forceinline__ float await(const unsigned long long* word) const {
        unsigned long long w = 0;
        for (unsigned tries = 0; tries < (1U << 23); ++tries) {
            asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(w) : "l"(word) : "memory");
            if (fresh(w)) return __uint_as_float(static_cast<unsigned>(w));
        }
        __trap();
        return 0.0F;
    }
    /// One warp brings 128 words into shared memory as soon as all are there.
    __device__ __forceinline__ void fetch(const unsigned long long* words, long piece, float* to) const {
        const unsigned long long* const from = words + piece * kPiece + lane_;
        unsigned long long w[4];
        for (unsigned tries = 0;; ++tries) {
#pragma unroll
            for (int q = 0; q < 4; ++q)
                asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(w[q]) : "l"(from + 32 * q) : "memory");
            if (__all_sync(0xffffffffU, fresh(w[0]) && fresh(w[1]) && fresh(w[2]) && fresh(w[3]))) break;
            if (tries == (1U << 23)) __trap();
        }
#pragma unroll
        for (int q = 0; q < 4; ++q) to[lane_ + 32 * q] = __uint_as_float(static_cast<unsigned>(w[q]));
    }
    template <bool Up> [[nodiscard]] __device__ __forceinline__ float right(int row) const {
        if (Up) return await(task_.y + row);
        const int from = task_.permutation[row];
        return from < task_.n ? static_cast<float>(task_.factor * task_.v[from]) : 0.0F;
    }

    const SubstituteTask& task_;
    Shared& s_;
    int thread_, warp_, lane_;
};

/// A cooperative launch of at most one block per multiprocessor.
__global__ void __launch_bounds__(kSubstituteThreads, 1) substitute(const SubstituteTask task) {
    __shared__ __align__(16) Substitution::Shared shared;
    if (task.control->end != 0 || task.control->cycle_done != 0) return;
    Substitution work(task, shared);
    for (int i = static_cast<int>(blockIdx.x); i < task.blocks; i += static_cast<int>(gridDim.x)) work.sweep<false>(i);
    for (int i = static_cast<int>(blockIdx.x); i < task.blocks; i += static_cast<int>(gridDim.x))
        work.sweep<true>(task.blocks - 1 - i);
}

} // namespace mantissa::gpu::mixed
