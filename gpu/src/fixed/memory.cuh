// Passes in fixed-point words over memory: any kind of matrix and any size, words of up to 32 bits (u: 53), integers as
// long as they need to be. Two barriers of the grid a pass.
//
//     device memory per element and pass: read u p q r, write u r p; read p r, write q; and the matrix
#pragma once

#include <type_traits>

#include "params.cuh"
#include "sync/grid_barrier.cuh"

namespace mantissa::gpu {

inline constexpr int kMemoryThreads = 256;

#ifdef __CUDACC__

/// What a thread finds out in a pass.
struct FixedFound {
    unsigned long long u_apart = 0, r_apart = 0, p_apart = 0, q_apart = 0;
    bool overflow = false;

    /// The word of `units` in a format; T: an integer that holds it, Sum: one that holds the units.
    template <class T, class Sum>
    __device__ __forceinline__ T keep(Sum units, bool lost, int bits, unsigned long long& apart) {
        const T word = cut_word(static_cast<T>(units), bits);
        const bool over = lost || Sum{word} != units;
        overflow |= over;
        apart |= over ? 1ull << bits : sign_apart(static_cast<long long>(word));
        return word;
    }
};

/// rnd(scalar * word): by the pass's short integers, or whatever they are.
template <bool Short> using MemorySum = std::conditional_t<Short, long long, Wide>;
template <bool Short>
__device__ __forceinline__ MemorySum<Short> product(const WordScale& scale, const WordScalar& s, int word, int shift,
                                                    bool down, bool& lost) {
    if constexpr (Short) return scale.times(word);
    else return scaled_word(s, word, shift, down, lost);
}

/// A word of r on p's grid; Short: which is no finer.
template <bool Short> __device__ __forceinline__ MemorySum<Short> align(const FixedParams& a, int r, bool& lost) {
    const int up = a.r.point - a.p.point;
    if constexpr (Short) {
        if (up == 0) return r;
        return up > 62 ? (a.p.down && r < 0 ? -1 : 0) : (r + (a.p.down ? 0 : 1ll << (up - 1))) >> up;
    } else {
        lost = -up > 72 && r != 0;
        return lost ? Wide{0} : fixed::shift_round(r, up, a.p.down ? Rounding::down : Rounding::nearest_up);
    }
}

template <bool Short, class U>
__device__ __forceinline__ void fixed_update(const FixedParams& a, const FixedFactors& f, long long i,
                                             FixedFound& found) {
    using Sum = MemorySum<Short>;
    const int old_p = a.p_words[i];
    U* const u = static_cast<U*>(a.u_words) + i;
    if constexpr (std::is_same_v<U, double>) {
        const double step = a.u_unit.mul(f.rounded_alpha, old_p * Format::power_of_two(-a.p.point));
        *u = a.u_unit.add(*u, step);
    } else {
        bool lost = false;
        const Sum step = product<Short>(f.u, f.alpha, old_p, f.alpha.shift(a.p.point, a.u.point), a.u.down, lost);
        *u = found.keep<U, Sum>(*u + step, lost, a.u.bits, found.u_apart);
    }
    bool lost = false;
    const Sum back = product<Short>(f.r, f.alpha, a.q_words[i], f.alpha.shift(a.q.point, a.r.point), a.r.down, lost);
    const int r = found.keep<int, Sum>(a.r_words[i] - back, lost, a.r.bits, found.r_apart);
    a.r_words[i] = r;
    lost = false;
    const Sum aligned = align<Short>(a, r, lost);
    const Sum along = product<Short>(f.p, f.beta, old_p, f.beta.shift(a.p.point, a.p.point), a.p.down, lost);
    a.p_words[i] = found.keep<int, Sum>(aligned + along, lost, a.p.bits, found.p_apart);
}

/// The exact sum of row i; Sum holds it.
template <class Sum> __device__ __forceinline__ Sum fixed_row(const FixedParams& a, long long i) {
    Sum sum = 0;
    if (a.kind == System::Kind::sparse) {
        for (std::uint64_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k)
            sum += static_cast<Sum>(static_cast<long long>(a.value[k]) * a.p_words[a.column[k]]);
        return sum;
    }
    const bool constant = a.kind == System::Kind::stencil;
    if (constant) {
        const auto y = static_cast<int>(i / a.columns), x = static_cast<int>(i - static_cast<long long>(y) * a.columns);
        if (x == 0 || x == a.columns - 1 || y == 0 || y == a.rows - 1) return 0;
    }
#pragma unroll
    for (int b = 0; b < kBands; ++b) {
        const long long j = i + static_cast<long long>(a.columns) * (b / 3 - 1) + (b % 3 - 1);
        if (j < 0 || j >= a.size) continue;
        sum += static_cast<Sum>(constant ? a.stencil[b] : static_cast<long long>(__ldg(a.band[b] + i))) * a.p_words[j];
    }
    return sum;
}
__device__ __forceinline__ int bits_of_wide(Wide x) {
    const auto m = static_cast<UnsignedWide>(x < 0 ? ~x : x);
    return m == 0 ? 1 : 129 - exact::detail::leading_zeros(m);
}
__device__ __forceinline__ int form_q(const FixedParams& a, long long i, FixedFound& found) {
    int q;
    if (a.wide) {
        const Wide sum = fixed_row<Wide>(a, i);
        const bool lost = -a.row_shift > 8 && sum != 0 && bits_of_wide(sum) - a.row_shift > 126;
        const Wide units =
            lost ? Wide{0} : fixed::shift_round(sum, a.row_shift, a.q.down ? Rounding::down : Rounding::nearest_up);
        q = found.keep<int, Wide>(units, lost, a.q.bits, found.q_apart);
    } else {
        q = found.keep<int, long long>((fixed_row<long long>(a, i) + a.row_half) >> a.row_shift, false, a.q.bits,
                                       found.q_apart);
    }
    a.q_words[i] = q;
    return q;
}

/// Block sums of the dot products into their words: low and high of each, then blocks that saw an overflow.
__device__ __forceinline__ void add_to_grid(UnitSum (&sum)[3], bool over, unsigned long long* words) {
    constexpr int kWarps = kMemoryThreads / 32;
    __shared__ unsigned long long scratch[6][kWarps];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
#pragma unroll
        for (UnitSum& s : sum) {
            s.low += __shfl_xor_sync(~0u, s.low, d);
            s.high += __shfl_xor_sync(~0u, s.high, d);
        }
    if (lane == 0)
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            scratch[2 * k][warp] = sum[k].low;
            scratch[2 * k + 1][warp] = static_cast<unsigned long long>(sum[k].high);
        }
    const int any = __syncthreads_or(static_cast<int>(over));
    if (threadIdx.x < 6) {
        unsigned long long total = 0;
        for (int w = 0; w < kWarps; ++w) total += scratch[threadIdx.x][w];
        atomicAdd(words + threadIdx.x, total);
    } else if (threadIdx.x == 6 && any != 0) {
        atomicAdd(words + 6, 1ull);
    }
}

/// After the sums of a pass, by one thread: the scalars and the factors of the next one. previous: the words as the
/// last pass but one left them.
__device__ __forceinline__ void close_memory_pass(const FixedParams& a, std::uint64_t pass,
                                                  unsigned long long* previous, FixedFactors& factors,
                                                  FixedResult& run) {
    const unsigned long long* const words = a.sums + (pass & 1) * kFixedSums;
    unsigned long long word[7];
    for (int k = 0; k < 7; ++k) {
        const unsigned long long now = __ldcg(words + k);
        word[k] = now - previous[k];
        previous[k] = now;
    }
    double sum[3];
    for (int k = 0; k < 3; ++k)
        sum[k] =
            total_into(a.scalar, (Wide{static_cast<long long>(word[2 * k + 1])} << 32) + word[2 * k], sum_point(a, k));
    step_fixed(a, pass, sum[0], sum[1], sum[2], word[6] != 0, run);
    form_factors(a, run.scalars, {62, 62}, factors);
}

template <class U>
__global__ void __launch_bounds__(kMemoryThreads) fixed_memory(const __grid_constant__ FixedParams a) {
    __shared__ FixedFactors factors;
    __shared__ FixedResult run;
    __shared__ unsigned long long previous[2][7];
    if (threadIdx.x == 0) {
        run = {};
        run.scalars = a.start;
        for (auto& words : previous)
            for (auto& w : words) w = 0;
        form_factors(a, a.start, {62, 62}, factors);
    }
    __syncthreads();
    GridBarrier barrier(a.sums + 2 * kFixedSums);
    const long long begin = static_cast<long long>(blockIdx.x) * kMemoryThreads + threadIdx.x,
                    step = static_cast<long long>(gridDim.x) * kMemoryThreads;
    FixedFound found;
    for (std::uint64_t pass = 1; pass <= a.passes; ++pass) {
        if (factors.fits && a.r.point >= a.p.point)
            for (long long i = begin; i < a.size; i += step) fixed_update<true, U>(a, factors, i, found);
        else
            for (long long i = begin; i < a.size; i += step) fixed_update<false, U>(a, factors, i, found);
        barrier.wait();
        UnitSum sum[3];
        for (long long i = begin; i < a.size; i += step) {
            const int q = form_q(a, i, found), r = a.r_words[i], p = a.p_words[i];
            sum[0].add(static_cast<long long>(r) * r);
            sum[1].add(static_cast<long long>(p) * q);
            sum[2].add(static_cast<long long>(q) * q);
        }
        add_to_grid(sum, found.overflow, a.sums + (pass & 1) * kFixedSums);
        barrier.wait();
        if (threadIdx.x == 0) close_memory_pass(a, pass, previous[pass & 1], factors, run);
        __syncthreads();
        if (run.end != RunEnd::passes) break;
    }
    note_apart(a, 0, found.u_apart);
    note_apart(a, 1, found.r_apart);
    note_apart(a, 2, found.p_apart);
    note_apart(a, 3, found.q_apart);
    if (blockIdx.x == 0 && threadIdx.x == 0) *a.result = run;
}

#endif

} // namespace mantissa::gpu
