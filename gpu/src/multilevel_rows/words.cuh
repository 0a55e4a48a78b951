// A cycle in words on rows, a kernel for each pass over a level. multilevel/cycle.hpp says what is computed. Lengths of
// whole vectors are found by the pass that writes them; who needs the shorter words rounds them as it reads.
#pragma once

#include "rows.cuh"

namespace mantissa::gpu::multilevel_rows {

struct StepWords {
    int significand, shift;
};
/// Numbers of LevelWords.
struct BitsOfLevel {
    int w, e, f, guard, phi, h, n, pl, pc, ac;
};
/// What a cycle finds out about a level's vectors.
struct LevelState {
    unsigned long long t;                ///< the largest magnitude of t as it enters
    unsigned long long e_above, e_below; ///< the largest of e's words above zero, and the largest magnitude below
    int point;                           ///< of e; on the first level also of d: see entered_point
    int entered_point;
};

#ifdef __CUDACC__

using Wide = long long;

__device__ __forceinline__ int bit_length(unsigned long long x) {
    return 64 - __clzll(static_cast<long long>(x));
}
__device__ __forceinline__ Wide half(Wide x, int s) {
    if (s > 62) return 0;
    if (s > 0) return ((x >> (s - 1)) + 1) >> 1;
    if (s == 0 || x == 0) return x;
    const int room = 62 - bit_length(static_cast<unsigned long long>(x < 0 ? -x : x));
    if (-s > room) return x < 0 ? -(Wide{1} << 62) : Wide{1} << 62;
    return x * (Wide{1} << -s);
}
__device__ __forceinline__ Wide cut(Wide x, int bits) {
    const Wide most = (Wide{1} << (bits - 1)) - 1;
    return x < -most ? -most : x > most ? most : x;
}
/// r - ax rounded to the guard's point: r of point q, at most the guard's, and ax of point `at`.
__device__ __forceinline__ Wide rest_of(const BitsOfLevel& b, Wide r, int q, Wide ax, int at) {
    const int up = b.guard - q; // (r has at most 30 bits)
    return cut((r << up) + half(-ax, at - b.guard), b.h);
}
/// A smoothing step's g from r of point q.
__device__ __forceinline__ Wide found(const BitsOfLevel& b, const StepWords& m, Wide r, int q) {
    return cut(half(m.significand * r, m.shift + q - b.phi), b.f);
}

/// The vectors of a level.
struct LevelVectors {
    int *entered, *r, *f, *g, *next_g, *e, *other;
    Wide* t;
};

/// x 2^exponent, by a product where 2^exponent is a normal number far from the ends of the range.
struct PowerOfTwoFactor {
    int exponent;
    double factor;
    __device__ explicit PowerOfTwoFactor(int e) : exponent(e), factor(e > -900 && e < 900 ? scalbn(1.0, e) : 0) {}
    __device__ double operator()(double x) const { return factor != 0 ? x * factor : scalbn(x, exponent); }
};

/// The residual in double becomes words of the first level, with the first smoothing step.
static __global__ void __launch_bounds__(kThreads)
    enter_first(const RowRange rows, const double* d, const double* scale, const LevelVectors v, const BitsOfLevel b,
                const StepWords m, LevelState* state, const Status* status) {
    if (!begin_kernel(status)) return;
    const double largest = __longlong_as_double(static_cast<long long>(status->largest));
    int exponent = 0;
    static_cast<void>(frexp(largest, &exponent));
    const int point = b.w - 1 - exponent;
    if (blockIdx.x == 0 && threadIdx.x == 0) state->entered_point = point;
    const PowerOfTwoFactor up(point);
    const double most = static_cast<double>((1 << (b.w - 1)) - 1);
    for (std::uint32_t i = rows.first + blockIdx.x * kThreads + threadIdx.x; i < rows.end; i += gridDim.x * kThreads) {
        const double word = floor(up(scale != nullptr ? d[i] * scale[i] : d[i]) + 0.5);
        const auto r = static_cast<Wide>(fmin(fmax(word, -most), most));
        v.entered[i] = static_cast<int>(r);
        v.g[i] = v.f[i] = static_cast<int>(found(b, m, r, 0));
    }
}

/// t as the words of a level, which every pass that needs them forms as it reads.
struct FromAbove {
    const Wide* t;
    int shift, bits;
    __device__ FromAbove(const Wide* of, const LevelState& state, int w)
        : t(of), shift(bit_length(state.t) - (w - 1)), bits(w) {}
    __device__ __forceinline__ Wide operator()(std::uint32_t i) const { return cut(half(t[i], shift), bits); }
};

/// What a step leaves in row i: r - A g, and where another one follows (not `last`) its g. Returns that g, or 0.
__device__ __forceinline__ Wide leave_row(const LevelVectors& v, const BitsOfLevel& b, std::uint32_t i, Wide r, int q,
                                          Wide sum, bool last, const StepWords& m) {
    const Wide rest = rest_of(b, r, q, sum, b.phi + b.ac);
    v.r[i] = static_cast<int>(rest);
    if (last) return 0;
    const Wide g = found(b, m, rest, b.guard);
    v.next_g[i] = static_cast<int>(g);
    return g;
}
/// A level's words enter it.
static __global__ void __launch_bounds__(kThreads)
    enter_words(const RowRange rows, const LevelVectors v, const BitsOfLevel b, const StepWords first,
                const LevelState* state, const Status* status) {
    if (!begin_kernel(status)) return;
    const FromAbove entered(v.t, *state, b.w);
    for (std::uint32_t i = rows.first + blockIdx.x * kThreads + threadIdx.x; i < rows.end; i += gridDim.x * kThreads) {
        const Wide r = entered(i);
        v.entered[i] = static_cast<int>(r);
        v.g[i] = v.f[i] = static_cast<int>(found(b, first, r, 0));
    }
}
/// The same, and they leave its first step: each entry of a row rounds what it reads.
template <int Lanes, class C>
__global__ void __launch_bounds__(kThreads)
    enter_and_leave(const Rows<C> a, const LevelVectors v, const BitsOfLevel b, const StepWords first, bool last,
                    const StepWords m, const LevelState* state, const Status* status) {
    if (!begin_kernel(status)) return;
    const FromAbove entered(v.t, *state, b.w);
    for_rows<Lanes, Wide>(
        a, [&](std::uint32_t j) { return found(b, first, entered(j), 0); },
        [&](std::uint32_t i, Wide sum) {
            const Wide r = entered(i), g = found(b, first, r, 0);
            v.entered[i] = static_cast<int>(r);
            const Wide next = leave_row(v, b, i, r, 0, sum, last, m);
            v.f[i] = static_cast<int>(cut(g + next, b.f));
        });
}
/// r - A g, and where another step follows its g. `q`: the point of r.
template <int Lanes, class C>
__global__ void __launch_bounds__(kThreads)
    leave(const Rows<C> a, const LevelVectors v, const int* r, int q, const BitsOfLevel b, bool last, const StepWords m,
          const Status* status) {
    if (!begin_kernel(status)) return;
    for_rows<Lanes, Wide>(
        a, [&](std::uint32_t j) { return v.g[j]; },
        [&](std::uint32_t i, Wide sum) {
            const Wide g = leave_row(v, b, i, r[i], q, sum, last, m);
            if (!last) v.f[i] = static_cast<int>(cut(v.f[i] + g, b.f));
        });
}
/// t of the next level, and the largest.
template <int Lanes, class C>
__global__ void __launch_bounds__(kThreads)
    restrict_words(const Rows<C> restriction, const int* r, Wide* t, LevelState* next, const Status* status) {
    if (!begin_kernel(status)) return;
    Wide largest = 0;
    for_rows<Lanes, Wide>(
        restriction, [&](std::uint32_t j) { return r[j]; },
        [&](std::uint32_t i, Wide sum) {
            t[i] = sum;
            const Wide magnitude = sum < 0 ? -sum : sum;
            largest = magnitude > largest ? magnitude : largest;
        });
    leave_largest(static_cast<unsigned long long>(largest), &next->t);
}

/// The largest words of e above and below zero, as a thread has seen them.
struct Extremes {
    Wide above = 0, below = 0;
    __device__ __forceinline__ void see(Wide e) {
        above = e > above ? e : above;
        below = -e > below ? -e : below;
    }
    __device__ __forceinline__ void leave_at(LevelState* state) const {
        leave_largest(static_cast<unsigned long long>(above), &state->e_above);
        leave_largest(static_cast<unsigned long long>(below), &state->e_below);
    }
};
/// What becomes of a level's finished e: words that the level above rounds; or on the first level, z and its sums.
template <bool First> struct Finish {
    const LoopView& loop;
    const double* scale;
    double factor;
    PowerOfTwoFactor down;
    Extremes extremes{};
    SumsOfZ sums{};

    __device__ Finish(const LoopView& l, const double* s, double f, int point)
        : loop(l), scale(s), factor(f), down(-point) {}
    template <class E> __device__ __forceinline__ void take(std::uint32_t i, Wide e, E* to) {
        if constexpr (First) {
            double z = down(static_cast<double>(e)) * factor;
            if (scale != nullptr) z *= scale[i];
            loop.z[i] = z;
            sums.add(loop, i, z);
        } else {
            to[i] = static_cast<E>(e);
            extremes.see(e);
        }
    }
    __device__ __forceinline__ void leave_at(LevelState* state) {
        if constexpr (First) sums.leave(loop);
        else extremes.leave_at(state);
    }
};

/// e = the last level's inverse times what has entered it, a warp a row.
template <bool First>
__global__ void __launch_bounds__(kThreads)
    solve_last(const int* inverse, std::uint32_t rows, int point, int w, const LevelVectors v, Wide* e,
               const LoopView loop, const double* scale, double factor, LevelState* state, const Status* status) {
    if (!begin_kernel(status)) return;
    const FromAbove from_above(v.t, *state, w);
    if (blockIdx.x == 0 && threadIdx.x == 0) state->point = point;
    Finish<First> finish(loop, scale, factor, First ? point + state->entered_point : 0);
    const std::uint32_t lane = threadIdx.x & 31, warps = gridDim.x * (kThreads / 32);
    for (std::uint32_t row = blockIdx.x * (kThreads / 32) + (threadIdx.x >> 5); row < rows; row += warps) {
        Wide sum = 0;
        for (std::uint32_t j = lane; j < rows; j += 32)
            sum += inverse[static_cast<std::size_t>(row) * rows + j] * (First ? v.entered[j] : from_above(j));
        for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
        if (lane == 0) finish.take(row, sum, e);
    }
    finish.leave_at(state);
}

/// The words v of the level below, as this level reads them, and this level's point of e.
struct FromBelow {
    int n, bits, j, point;
    __device__ FromBelow(const BitsOfLevel& b, const BitsOfLevel& below, const LevelState& state) : bits(below.e) {
        const unsigned long long largest = state.e_above > state.e_below ? state.e_above : state.e_below;
        const int longer = bit_length(largest) - (bits - 1), y = bit_length(state.t);
        n = longer > 0 ? longer : 0;
        const Wide above = (*this)(static_cast<Wide>(state.e_above)),
                   under = -(*this)(-static_cast<Wide>(state.e_below));
        const int length = y == 0 ? 0 : bit_length(static_cast<unsigned long long>(above > under ? above : under));
        j = y == 0 ? 0 : state.point - n + b.guard + b.pc + below.w - 1 - y;
        const int from_x = length + b.pl - j - b.pc, from_f = b.f - 1 - b.phi;
        const int bound = (from_f > from_x ? from_f : from_x) + 1, room = b.n - 1 - bound;
        point = b.phi < room ? b.phi : room;
    }
    __device__ __forceinline__ Wide operator()(Wide e) const { return cut(half(e, n), bits); }
    /// The same of words of at most 27 bits, for it stands in the innermost loop.
    __device__ __forceinline__ Wide operator()(int e) const {
        const int most = (1 << (bits - 1)) - 1, x = n > 0 ? ((e >> (n - 1)) + 1) >> 1 : e;
        return min(max(x, -most), most);
    }
};

/// e = f + P v, words of the level's point. `done`: no step follows.
template <int Lanes, class C, class E, bool First>
__global__ void __launch_bounds__(kThreads)
    rise(const Rows<C> prolongation, const E* below_e, const LevelVectors v, const BitsOfLevel b,
         const BitsOfLevel below, bool done, const LoopView loop, const double* scale, double factor, LevelState* state,
         const LevelState* below_state, const Status* status) {
    if (!begin_kernel(status)) return;
    const FromBelow words(b, below, *below_state);
    if (blockIdx.x == 0 && threadIdx.x == 0) state->point = words.point;
    Finish<First> finish(loop, scale, factor, First ? words.point + state->entered_point : 0);
    const int of_f = b.phi - words.point, of_x = words.j + b.pc - words.point;
    for_rows<Lanes, Wide>(
        prolongation, [&](std::uint32_t j) { return words(below_e[j]); },
        [&](std::uint32_t i, Wide x) {
            const Wide e = half(v.f[i], of_f) + half(x, of_x);
            if (done) finish.take(i, e, v.e);
            else v.e[i] = static_cast<int>(e);
        });
    if (done) finish.leave_at(state);
}
/// A smoothing step from e to `to`. `done`: none follows.
template <int Lanes, class C, bool First>
__global__ void __launch_bounds__(kThreads)
    step_after(const Rows<C> a, const LevelVectors v, const int* e, int* to, const BitsOfLevel b, const StepWords m,
               bool done, const LoopView loop, const double* scale, double factor, LevelState* state,
               const Status* status) {
    if (!begin_kernel(status)) return;
    const int point = state->point;
    Finish<First> finish(loop, scale, factor, First ? point + state->entered_point : 0);
    for_rows<Lanes, Wide>(
        a, [&](std::uint32_t j) { return e[j]; },
        [&](std::uint32_t i, Wide sum) {
            const Wide rest = rest_of(b, v.entered[i], 0, sum, point + b.ac);
            const Wide next = cut(e[i] + half(m.significand * rest, m.shift + b.guard - point), b.n + 1);
            if (done) finish.take(i, next, to);
            else to[i] = static_cast<int>(next);
        });
    if (done) finish.leave_at(state);
}

#endif

} // namespace mantissa::gpu::multilevel_rows
