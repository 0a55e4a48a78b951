// What a launch over fixed-point words is given, the scalars between its passes, and how a run ends.
#pragma once

#include "mantissa/system.hpp"
#include "quick_rounding.cuh"
#include "words.cuh"

namespace mantissa::gpu {

/// How rows are formed.
enum class FixedRow : std::uint8_t {
    box,     ///< a constant stencil with eight equal neighbours, in 32-bit sums
    stencil, ///< any other constant stencil, in 64-bit sums
    bands,   ///< nine bands of words, in 64-bit sums
    sparse,  ///< compressed rows
};

struct FixedResult {
    Scalars scalars;
    std::uint64_t passes = 0, guards = 0;
    RunEnd end = RunEnd::passes;
    bool beyond = false; ///< the next pass needs longer integers than this kernel has: that over memory runs it
};

inline constexpr int kFixedSums = 16; ///< words of a pass's sums, in a line of their own; [2] of these

struct FixedParams {
    WordFormat u, r, p, q;
    DoubleUnit u_unit; ///< of a floating u
    DoubleUnit operand, scalar;
    QuickScalars quick;
    System::Kind kind;
    FixedRow row;
    bool wide;     ///< a row's sum takes 128 bits
    int row_shift; ///< to the right, below zero to the left
    long long row_half;
    int box_centre, box_around; ///< q = centre p + around (sum of the nine), of FixedRow::box
    long long stencil[kBands];
    const int* band[kBands];
    const std::uint64_t* row_begin;
    const std::uint32_t* column;
    const int* value;
    long long size;
    int columns, rows; ///< of the grid
    int limbs;         ///< of a thread's sum of products, see sums.cuh
    void* u_words;
    int *r_words, *p_words, *q_words;
    unsigned long long* sums;    ///< [2][kFixedSums], then the barrier's counter; zero before the launch
    unsigned long long* packets; ///< [2][2][blocks][columns]: a block's first and its last row of q
    unsigned first_tag;          ///< of the first pass; all earlier launches had smaller ones
    unsigned long long* apart;   ///< [4]: sign_apart() of all words of u, r, p and q
    double sum_unit[3];          ///< of rho, pq and qq
    bool unfit;                  ///< a value written before this run did not fit
    Scalars start;
    std::uint64_t passes, rho_stop_from;
    double rho_stop;
    FixedResult* result;
};

#ifdef __CUDACC__

/// Bits that a product with alpha or beta may leave in a kernel's sums: in u, and in r and p.
struct FactorLimits {
    int u, vectors;
};

/// alpha and beta of a pass as the vectors take them.
struct FixedFactors {
    WordScale u, r, p;
    WordScalar alpha, beta;
    double rounded_alpha;
    bool fits; ///< in WordScale's integers
    bool wide; ///< but not within the limits
};

__device__ __forceinline__ void form_factors(const FixedParams& a, const Scalars& s, FactorLimits limits,
                                             FixedFactors& f) {
    constexpr int kMost = 62; // so that sums have 63 bits
    f.rounded_alpha = a.operand.convert(s.alpha);
    f.alpha = WordScalar(f.rounded_alpha, a.operand.format.fraction_bits);
    f.beta = WordScalar(a.operand.convert(s.beta), a.operand.format.fraction_bits);
    int bits_u = 0, bits_r = 0, bits_p = 0;
    const bool u =
        a.u.bits == 0 || f.u.set(f.alpha, f.alpha.shift(a.p.point, a.u.point), a.p.bits, a.u.down, kMost, bits_u);
    const bool r = f.r.set(f.alpha, f.alpha.shift(a.q.point, a.r.point), a.q.bits, a.r.down, kMost, bits_r);
    const bool p = f.p.set(f.beta, f.beta.shift(a.p.point, a.p.point), a.p.bits, a.p.down, kMost, bits_p);
    f.fits = u && r && p;
    f.wide = bits_u >= limits.u || bits_r >= limits.vectors || bits_p >= limits.vectors;
}

/// The scalars after pass `pass` and whether the run ends there, from the exact sums; by one thread.
__device__ __forceinline__ void step_fixed(const FixedParams& a, std::uint64_t pass, double rho, double pq, double qq,
                                           bool overflow, FixedResult& run) {
    RunEnd now = RunEnd::passes;
    Scalars next;
    const bool over = overflow || (a.unfit && pass == 1);
    const bool guarded = a.scalar.way == DoubleUnit::Way::truncate
                             ? engine_scalars(TruncatingUnit(a.scalar), rho, pq, qq, over, next, now)
                             : engine_scalars(a.scalar, rho, pq, qq, over, next, now);
    if (guarded) ++run.guards;
    if (now == RunEnd::passes && pass >= a.rho_stop_from && next.rho < a.rho_stop) now = RunEnd::rho_reached;
    run.scalars = next;
    run.passes = pass;
    run.end = now;
}

/// The point of dot product 0, 1 or 2.
__device__ __forceinline__ int sum_point(const FixedParams& a, int dot) {
    return (dot == 0 ? a.r.point : a.q.point) + (dot == 0 ? a.r.point : dot == 1 ? a.p.point : a.q.point);
}

/// ORs a thread's bits of vector `v` into the run's; called by whole warps.
__device__ __forceinline__ void note_apart(const FixedParams& a, int v, unsigned long long bits) {
    const unsigned low = __reduce_or_sync(~0u, static_cast<unsigned>(bits)),
                   high = __reduce_or_sync(~0u, static_cast<unsigned>(bits >> 32));
    if ((threadIdx.x & 31) == 0)
        atomicOr(a.apart + v, static_cast<unsigned long long>(high) << 32 | static_cast<unsigned long long>(low));
}

#endif

} // namespace mantissa::gpu
