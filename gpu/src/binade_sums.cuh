// The sums that a truncating floating-point accumulator forms term after term, formed in parallel with the same bits.
//
// While the running sum S stays in one binade, 2^e <= |S| < 2^(e+1), truncating S + t to f fraction bits adds a
// multiple of ulp = 2^(e-f) that does not depend on S: floor(t / ulp) ulps for S > 0, and the mirror image for S < 0.
// Such multiples add up in any order, exactly, in double. So
//   1. the terms of a partial sum are cut into chunks, and the floors of every chunk are summed for three neighbouring
//      binades around a guess (chunk_sums), together with the plain sum and the sum of magnitudes;
//   2. plain sums tell, to `slack` times the magnitudes, where S goes. A chunk that S crosses inside one binade counts
//      with its sum of floors. The others, one for each doubling of S, are looked at term by term, many at a time:
//      between two terms that carry S into another binade floors are summed as before (Chain);
//   3. the pieces are added up one after another, crossing terms by the accumulator's own addition (walk), and S is
//      checked to be where it was expected; where it was not, a warp adds the terms in order (add_in_order).
#pragma once

#include <type_traits>

#include "engine_arithmetic.cuh"

namespace mantissa::gpu {

inline constexpr int kBinadeThreads = 512, kBinadeWarps = kBinadeThreads / 32;
inline constexpr int kMaxChunks = kBinadeThreads; ///< a thread looks at one chunk
inline constexpr int kMaxBinadePartials = 64;
inline constexpr int kChunkValues = 6; ///< floors below, at and above the guess; plain sum; magnitudes; the guess
inline constexpr int kItems = 128;     ///< chunks looked at term by term
inline constexpr int kRuns = 1024;     ///< groups of 128 terms in them
inline constexpr int kPool = 5000;     ///< pieces of the way of a running sum
inline constexpr int kAhead = 4;       ///< elements of a thread whose loads are under way together

struct BinadePlan {
    int partials = 0, chunks = 0;
    long long chunk = 0; ///< elements, a multiple of partials
    int fraction = 52;
    double smallest = 0, limit = 0; ///< binades from `smallest` to below `limit` are handled so
    double slack = 0;               ///< a plain sum is off by less than this share of the sum of magnitudes
    double* sums = nullptr;         ///< [3 * partials][kChunkValues][chunks]
    double* guess = nullptr;        ///< [3 * partials][chunks]: the running sum at the start of a chunk, last time

    /// Whether sums in this format can be formed so. `terms`: of one partial sum.
    static bool fits(const Format& f, int partials, long long terms) {
        return f.truncates() && f.flushes() && partials <= kMaxBinadePartials &&
               slack_for(f.fraction_bits, terms) < 0x1p-12 && f.exponent_bits >= 5;
    }
    /// A truncation loses less than an ulp of the largest sum so far, and rounding a plain sum half of that.
    static double slack_for(int fraction, long long terms) {
        return 2.0 * static_cast<double>(terms + kMaxChunks) * std::ldexp(1.0, -fraction);
    }
};

#ifdef __CUDACC__

/// One piece of the way of S: floors within the binade `binade`, then the term that leaves it (0: none).
struct Piece {
    double floors, term;
    int binade;
};
static_assert(std::is_trivial_v<Piece>);

struct BinadeShared {
    union {
        double reduce[13 * kBinadeWarps * 32]; ///< chunk_sums
        Piece piece[kPool];                    ///< Chain
    };
    int run_at[kRuns + 1], run_pieces[kRuns + 1],
        run_begin[kRuns + 1];                      ///< pieces of a group: where, how many, behind how many
    int pool;                                      ///< pieces in use
    double start[kMaxChunks], clean[kMaxChunks];   ///< S, and the floors of a chunk that is no item
    double before[kMaxChunks], behind[kMaxChunks]; ///< magnitudes up to the start and to the end of a chunk
    double warp_plain[kBinadeWarps], warp_magnitude[kBinadeWarps];
    int warp_items[kBinadeWarps];
    int item[kItems + 1];
    int items, failed;
    double total;
};

/// Sign and exponent field.
__device__ __forceinline__ int binade_of(double s) {
    return __double2hiint(s) >> 20;
}
/// The double whose spacing above it is an ulp of `fraction` bits in the binade of |s|.
__device__ __forceinline__ double binade_base(double s, int fraction) {
    return __hiloint2double((__double2hiint(s) & 0x7FF00000) + ((52 - fraction) << 20), 0);
}
/// floor(t / ulp) ulps, t not below zero.
__device__ __forceinline__ double floors_positive(double t, double base) {
    return __dadd_rn(__dadd_rd(base, t), -base);
}
/// The same for any t: below zero from the next power of two, so that the spacing is the same on that side.
__device__ __forceinline__ double floors(double t, double base) {
    const int sign = static_cast<int>(static_cast<unsigned>(__double2hiint(t)) >> 31);
    return floors_positive(t, __hiloint2double(__double2hiint(base) + (sign << 20), 0));
}
__device__ __forceinline__ double floors_toward(double s, double t, int fraction) {
    const double base = binade_base(s, fraction);
    return s < 0 ? -floors(-t, base) : floors(t, base);
}

/// Adds `value` of the lanes below.
__device__ __forceinline__ double warp_inclusive(double value) {
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const double other = __shfl_up_sync(~0u, value, d);
        if (lane >= d) value += other;
    }
    return value;
}

/// What the sums of a chunk are expected to be, as the bases of their binades: of this thread's partial sum in each dot
/// product, at `scale` times the guess.
struct ChunkBases {
    double base[3];

    /// Loads what derive() needs, early.
    __device__ __forceinline__ void load(const BinadePlan& b, int c) {
        const int mine = threadIdx.x & (b.partials - 1);
#pragma unroll
        for (int dot = 0; dot < 3; ++dot)
            base[dot] = __ldcg(b.guess + (static_cast<long long>(dot) * b.partials + mine) * b.chunks + c);
    }
    __device__ __forceinline__ void derive(const BinadePlan& b, double scale) {
#pragma unroll
        for (double& x : base) {
            const double g = fabs(x * scale);
            x = g >= b.smallest && g < b.limit ? binade_base(g, b.fraction) : 1.0;
        }
    }
};

/// The sums of this block's chunks. terms(i, end, t) sets the terms r.r, p.q and q.q of elements i, i + kBinadeThreads,
/// ... below `end`, zeros for the others. Called by all threads.
template <class Terms>
__device__ void chunk_sums(const BinadePlan& b, long long size, double scale, BinadeShared& shared, Terms&& terms) {
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int width = min(b.partials, 32);
    for (int c = blockIdx.x; c < b.chunks; c += gridDim.x) {
        const long long begin = c * b.chunk, end = min(size, begin + b.chunk);
        ChunkBases bases;
        bases.load(b, c);
        bool derived = false;
        double sum[13] = {}; // floors three times and the plain sum of each; magnitudes of p.q
        for (long long i = begin + tid; i < end; i += kAhead * kBinadeThreads) {
            double t[kAhead][3];
            terms(i, end, t);
            if (!derived) bases.derive(b, scale); // behind the first elements' loads
            derived = true;
#pragma unroll
            for (int k = 0; k < kAhead; ++k) {
#pragma unroll
                for (int dot = 0; dot < 3; ++dot) {
                    const double x = t[k][dot];
                    const int sign = dot == 1 ? static_cast<int>(static_cast<unsigned>(__double2hiint(x)) >> 31) : 0;
                    const int high = __double2hiint(bases.base[dot]) + (sign << 20);
#pragma unroll
                    for (int which = 0; which < 3; ++which)
                        sum[4 * dot + which] += floors_positive(x, __hiloint2double(high + (which - 1) * (1 << 20), 0));
                    sum[4 * dot + 3] += x;
                }
                sum[12] += fabs(t[k][1]);
            }
        }
        for (int d = 16; d >= width; d >>= 1)
#pragma unroll
            for (double& s : sum) s += __shfl_xor_sync(~0u, s, d);
        if (lane < width)
#pragma unroll
            for (int v = 0; v < 13; ++v) shared.reduce[(v * kBinadeWarps + warp) * width + lane] = sum[v];
        if (!derived) bases.derive(b, scale); // (no element was mine)
        if (tid < b.partials)
#pragma unroll
            for (int dot = 0; dot < 3; ++dot)
                b.sums[((static_cast<long long>(dot) * b.partials + tid) * kChunkValues + 5) * b.chunks + c] =
                    bases.base[dot];
        __syncthreads();
        // Two threads for each value and partial sum. (13 * partials * 2 is a multiple of 32 from partials = 16 on.)
        const int step = b.partials > 32 ? b.partials / 32 : 1;
        for (int o = tid; o < (26 * b.partials + 31) / 32 * 32; o += kBinadeThreads) {
            const int v = min(o / 2 / b.partials, 12), j = o / 2 % b.partials;
            double s = 0;
#pragma unroll 8
            for (int w = (b.partials > 32 ? j / 32 : 0) + (o & 1) * step; w < kBinadeWarps; w += 2 * step)
                s += shared.reduce[(v * kBinadeWarps + w) * width + j % width];
            s += __shfl_xor_sync(~0u, s, 1);
            const int dot = v < 12 ? v / 4 : 1, kind = v < 12 ? v % 4 : 4;
            if ((o & 1) == 0 && o / 2 < 13 * b.partials)
                b.sums[((static_cast<long long>(dot) * b.partials + j) * kChunkValues + kind) * b.chunks + c] = s;
        }
        __syncthreads();
    }
}

/// s and `count` terms, one after another. Called by a warp.
template <class Term>
__device__ __noinline__ double add_in_order(const BinadePlan& b, const DoubleUnit& accumulator, double s,
                                            long long count, Term&& term) {
    const int lane = threadIdx.x & 31;
    for (long long k0 = 0; k0 < count; k0 += 128) {
        double t[4]; // what is added already becomes zero, which changes no sum
#pragma unroll
        for (int q = 0; q < 4; ++q) t[q] = k0 + 4 * lane + q < count ? term(k0 + 4 * lane + q) : 0.0;
        while (true) {
            if (isnan(s)) return s;
            const double magnitude = fabs(s);
            const bool inside = magnitude >= b.smallest && magnitude < b.limit;
            double after[5];
            int bad = 4; // my first term that leads out of the binade
            if (inside) {
                double v[4], sum = 0;
#pragma unroll
                for (int q = 0; q < 4; ++q) v[q] = sum += floors(s < 0 ? -t[q] : t[q], binade_base(s, b.fraction));
                // Exact up to the first term that leads out. (Subtracting my sum from the inclusive one would not be.)
                double below = __shfl_up_sync(~0u, warp_inclusive(sum), 1);
                if (lane == 0) below = 0;
                after[0] = magnitude + below;
#pragma unroll
                for (int q = 0; q < 4; ++q) after[q + 1] = magnitude + (below + v[q]);
#pragma unroll
                for (int q = 3; q >= 0; --q)
                    if (binade_of(after[q + 1]) != binade_of(magnitude)) bad = q;
            } else {
#pragma unroll
                for (int q = 0; q < 5; ++q) after[q] = magnitude;
#pragma unroll
                for (int q = 3; q >= 0; --q)
                    if (t[q] != 0) bad = q;
            }
            const unsigned bads = __ballot_sync(~0u, bad < 4);
            if (bads == 0) {
                const double last = __shfl_sync(~0u, after[4], 31);
                s = s < 0 ? -last : last;
                break;
            }
            const int where = __ffs(static_cast<int>(bads)) - 1;
            double from = after[0], leaving = t[0];
#pragma unroll
            for (int q = 1; q < 4; ++q)
                if (bad == q) from = after[q], leaving = t[q];
            from = __shfl_sync(~0u, from, where);
            leaving = __shfl_sync(~0u, leaving, where);
            const int position = __shfl_sync(~0u, bad, where);
            s = accumulator.add(s < 0 ? -from : from, leaving);
#pragma unroll
            for (int q = 0; q < 4; ++q)
                if (lane < where || (lane == where && q <= position)) t[q] = 0;
        }
    }
    return s;
}

#endif

} // namespace mantissa::gpu
