// The sums that a truncating floating-point accumulator forms term after term, formed in parallel with the same bits.
//
// While the running sum S stays in one binade, 2^e <= |S| < 2^(e+1), truncating S + t to f fraction bits adds a
// multiple of ulp = 2^(e-f) that does not depend on S: floor(t / ulp) ulps for S > 0, and the mirror image for S < 0.
// Such multiples add up in any order, exactly, in double. So
//   1. the terms of a partial sum are cut into chunks, a block each, which forms plain sums of its own (plain_sums);
//   2. from the plain sums of the chunks before it a block knows, to `slack` times the magnitudes, where S goes in its
//      chunk: it finds the terms that carry S into another binade, mostly once for each doubling of S, and sums the
//      floors in between (ChunkWays). From zero S crosses most of its binades: the first tile is added in order;
//   3. these pieces are added up one after another, crossing terms by the accumulator's own addition (walk), and S is
//      checked to be where it was expected. Where a plain sum is too close to a power of two to tell, or a chunk has
//      more crossings than room, a warp adds the terms in order (add_in_order).
#pragma once

#include <type_traits>

#include "engine/engine_arithmetic.cuh"

namespace mantissa::gpu {

inline constexpr int kBinadeThreads = 512, kBinadeWarps = kBinadeThreads / 32;
inline constexpr int kMaxChunks = 512;
inline constexpr int kMostBlocks = 160; ///< where blocks keep their vectors, a chunk each
inline constexpr int kMaxBinadePartials = 64;
inline constexpr int kMaxWays = 3 * kMaxBinadePartials;         ///< partial sums of the three dot products
inline constexpr int kCrossings = 128;                          ///< that a chunk may have
inline constexpr int kEarlyChunks = 16, kEarlyCrossings = 1024; ///< the first ones have more: S is small, and near zero
inline constexpr int kMostInOrder = 256;                        ///< terms of the first tile's partial sums
inline constexpr int kPool = 3072;                              ///< crossings of a partial sum
inline constexpr int kAhead = 4;                      ///< elements of a thread whose loads are under way together
inline constexpr int kTile = kAhead * kBinadeThreads; ///< elements whose terms are in shared memory together
inline constexpr int kTileShift = 11;
inline constexpr int kWayLanes = 8, kWayShift = 3; ///< lanes that follow one partial sum
static_assert(kTile == 1 << kTileShift && kWayLanes == 1 << kWayShift);

/// One piece of the way of S: floors within the binade `binade`, then the term that leaves it (0: none).
struct Piece {
    double floors, term;
    int binade;
};

struct BinadePlan {
    int partials = 0, chunks = 0, shift = 0; ///< partials = 2^shift
    long long chunk = 0;                     ///< elements, a multiple of partials
    int fraction = 52;
    double smallest = 0, limit = 0; ///< binades from `smallest` to below `limit` are handled so
    double slack = 0;               ///< a plain sum is off by less than this share of the sum of magnitudes
    double* sums = nullptr;         ///< [3 * partials][2][chunks]: plain sum, and of p.q magnitudes
    Piece* crossings = nullptr;     ///< [3 * partials][slots()]: without the first of each chunk
    double* first_floors = nullptr; ///< [3 * partials][chunks]: a chunk's first crossing, mostly its only one
    double* first_term = nullptr;
    int* first_binade = nullptr;
    double* start = nullptr; ///< [3 * partials]: S after the terms that are added in order
    double* tail = nullptr;  ///< [3 * partials][chunks]: floors after the last crossing
    int* counts = nullptr;   ///< [3 * partials][chunks]: crossings, or -1 where nothing was sure

    /// Where the crossings of chunk c begin among those of its partial sum, and of all chunks end.
    [[nodiscard]] MANTISSA_BOTH long long first_slot(int c) const {
        return c < kEarlyChunks
                   ? c * kEarlyCrossings
                   : kEarlyChunks * kEarlyCrossings + static_cast<long long>(c - kEarlyChunks) * kCrossings;
    }
    [[nodiscard]] MANTISSA_BOTH long long slots() const { return first_slot(chunks); }

    /// Terms of one partial sum in a tile.
    [[nodiscard]] MANTISSA_BOTH int each() const { return kTile >> shift; }
    /// Each of kWayLanes lanes takes 1 << deep() terms at a time.
    [[nodiscard]] MANTISSA_BOTH int deep() const { return shift < 4 ? 4 : kTileShift - kWayShift - shift; }
    /// Where a term lies in a tile: those of a partial sum together, and of these what the lanes read at a time; a word
    /// between partial sums keeps writers in different banks.
    [[nodiscard]] MANTISSA_BOTH int place(int dot, int element) const {
        const int j = element & (partials - 1), k = element >> shift, d = deep();
        const int within = k & ((kWayLanes << d) - 1);
        return (dot * partials + j) * (each() + 1) + (k - within) + (within & ((1 << d) - 1)) * kWayLanes +
               (within >> d);
    }

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

/// Where the running sum of one partial sum stands within a chunk.
struct WayState {
    double s;          ///< plain sum
    double open;       ///< floors since the last crossing
    double magnitudes; ///< of all terms so far
    double flat;       ///< what plain sums are off by at most, up to the end of the chunk
    int crossings;
    bool graded, fresh, sound;
};

/// Of one block; each phase has it for itself.
union BinadeShared {
    struct {
        double term[3 * (kTile + kMaxBinadePartials) + 4 * kWayLanes];
        union {
            double reduce[4 * kBinadeWarps * 32];           ///< plain_sums, which may keep its terms
            double front[3 * (kTile + kMaxBinadePartials)]; ///< floors since a crossing, of its lane, before a term
        };
        int from[3 * (kTile + kMaxBinadePartials)]; ///< and the binade
        WayState way[kMaxWays];
    } look;
    struct {
        Piece piece[kPool];
        double trail[2 * kPool];
    } walk;
};
static_assert(std::is_trivial_v<Piece>);

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
/// t, or -t where the sign of s is set. (A choice would be a branch.)
__device__ __forceinline__ double mirrored(double s, double t) {
    return __hiloint2double(__double2hiint(t) ^ (__double2hiint(s) & 0x80000000), __double2loint(t));
}
__device__ __forceinline__ double floors_toward(double s, double t, int fraction) {
    return mirrored(s, floors(mirrored(s, t), binade_base(s, fraction)));
}

/// A sum that other blocks wait for.
__device__ __forceinline__ void hand_over(double sum, double* to) {
    asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" ::"l"(to), "d"(sum) : "memory");
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

/// The plain sums of this block's chunks. terms(i, end, t) sets the terms r.r, p.q and q.q of elements i, i +
/// kBinadeThreads, ... below `end`, zeros for the others; with Keep, where a block has one tile, they stay in shared
/// memory. Called by all threads.
template <bool Keep, class Terms>
__device__ void plain_sums(const BinadePlan& b, long long size, BinadeShared& shared, Terms&& terms) {
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int width = min(b.partials, 32);
    for (int c = blockIdx.x; c < b.chunks; c += gridDim.x) {
        const long long begin = c * b.chunk, end = min(size, begin + b.chunk);
        double sum[4] = {}; // of each, and the magnitudes of p.q
        for (long long i = begin + tid; Keep || i < end; i += kAhead * kBinadeThreads) {
            double t[kAhead][3];
            terms(i, end, t);
#pragma unroll
            for (int k = 0; k < kAhead; ++k) {
#pragma unroll
                for (int dot = 0; dot < 3; ++dot) {
                    sum[dot] += t[k][dot];
                    if constexpr (Keep) shared.look.term[b.place(dot, tid + k * kBinadeThreads)] = t[k][dot];
                }
                sum[3] += fabs(t[k][1]);
            }
            if constexpr (Keep) break;
        }
        for (int d = 16; d >= width; d >>= 1)
#pragma unroll
            for (double& s : sum) s += __shfl_xor_sync(~0u, s, d);
        if (lane < width)
#pragma unroll
            for (int v = 0; v < 4; ++v) shared.look.reduce[(v * kBinadeWarps + warp) * width + lane] = sum[v];
        __syncthreads();
        // Two threads for each value and partial sum.
        const int step = b.partials > 32 ? b.partials / 32 : 1;
        const int o = tid;
        if (o < (8 * b.partials + 31) / 32 * 32) {
            const int v = min(o / 2 >> b.shift, 3), j = o / 2 & (b.partials - 1);
            double s = 0;
            const int first = (b.partials > 32 ? j / 32 : 0) + (o & 1) * step;
#pragma unroll
            for (int n = 0; n < kBinadeWarps / 2; ++n) {
                const int w = first + 2 * step * n;
                const double x =
                    shared.look.reduce[(v * kBinadeWarps + min(w, kBinadeWarps - 1)) * width + (j & (width - 1))];
                s += w < kBinadeWarps ? x : 0.0;
            }
            s += __shfl_xor_sync(~0u, s, 1);
            const int dot = v < 3 ? v : 1, kind = v < 3 ? 0 : 1;
            if ((o & 1) == 0 && o / 2 < 4 * b.partials)
                b.sums[((static_cast<long long>(dot) * b.partials + j) * 2 + kind) * b.chunks + c] = s;
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
