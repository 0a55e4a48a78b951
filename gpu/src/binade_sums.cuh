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
//   3. one thread adds it all up: floors as they are, crossing terms by the accumulator's own addition (walk). It
//   checks that
//      S was where it was expected; if not, a warp goes through the terms in order (add_in_order).
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

/// The partial sums themselves, from the chunk sums.
template <class Term> struct Chain {
    const BinadePlan& b;
    const DoubleUnit& accumulator;
    BinadeShared& shared;
    long long size;
    const Term& term; ///< term(i): of element i

    /// The binade of a plain sum that is off by less than d, or 0 where it does not tell.
    __device__ int surely(double s, double d) const {
        const int low = binade_of(s - d), high = binade_of(s + d), exponent = low & 0x7FF;
        return low == high && exponent >= binade_of(b.smallest) && exponent < binade_of(b.limit) ? low : 0;
    }

    /// Groups of 128 terms in a chunk.
    __device__ int groups() const { return static_cast<int>((b.chunk / b.partials + 127) / 128); }

    /// Room for the pieces of a run; called by a warp.
    __device__ int reserve(int run, int count) {
        int at = 0;
        if ((threadIdx.x & 31) == 0) {
            at = atomicAdd(&shared.pool, count);
            if (at + count > kPool) {
                shared.failed = 1;
                at = 0;
            }
            shared.run_at[run] = at;
            shared.run_pieces[run] = count;
        }
        return __shfl_sync(~0u, at, 0);
    }

    /// Item n: the clean chunks behind the item before it, then its own terms. Called by a warp.
    __device__ void look(int n, int mine) {
        const int lane = threadIdx.x & 31;
        const int first = n > 0 ? shared.item[n - 1] + 1 : 0, c = shared.item[n];
        // Floors since the last crossing. Every sum formed on the way is one of neighbours, which S bounds.
        double open = 0;
        const int each = (c - first + 31) / 32;
        for (int k = first + lane * each; k < min(c, first + (lane + 1) * each); ++k) open += shared.clean[k];
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) open += __shfl_xor_sync(~0u, open, d);
        bool sound = true;
        if (c == b.chunks) { // the end
            const int at = reserve(n * groups(), 1);
            if (lane == 0) shared.piece[at] = {open, 0.0, binade_of(shared.start[first < b.chunks ? first : 0])};
        } else {
            double s = shared.start[c];
            // How far off plain sums are. Where a chunk begins far below what it adds, the magnitudes are followed too.
            double magnitudes = shared.before[c];
            const bool graded = magnitudes < 0x1p-16 * shared.behind[c];
            const double flat = b.slack * shared.behind[c];
            bool fresh = shared.before[c] == 0; // S is zero and stays so up to the first term that is not
            sound = fresh || surely(s, graded ? b.slack * magnitudes : flat) != 0;
            const long long begin = c * b.chunk + mine, end = min(size, c * b.chunk + b.chunk);
            const long long terms = begin < end ? (end - begin + b.partials - 1) / b.partials : 0;
            for (int group = 0; group < groups(); ++group) {
                const long long k0 = 128LL * group;
                double t[4], sum[4], total = 0;
#pragma unroll
                for (int q = 0; q < 4; ++q) {
                    const long long k = k0 + 4 * lane + q;
                    t[q] = k < terms ? term(begin + k * b.partials) : 0.0;
                }
#pragma unroll
                for (int q = 0; q < 4; ++q) sum[q] = total += t[q];
                const double all = warp_inclusive(total);
                double magnitude = 0;
                if (graded) {
                    const double mine_all = fabs(t[0]) + fabs(t[1]) + fabs(t[2]) + fabs(t[3]);
                    const double up_to = warp_inclusive(mine_all);
                    magnitude = magnitudes + __shfl_up_sync(~0u, up_to, 1);
                    if (lane == 0) magnitude = magnitudes;
                    magnitudes += __shfl_sync(~0u, up_to, 31);
                }
                double was = s + __shfl_up_sync(~0u, all, 1);
                if (lane == 0) was = s;
                int first_term = -1; // the first that is not zero, where S is fresh
                if (fresh) {
                    const unsigned some = __ballot_sync(~0u, t[0] != 0 || t[1] != 0 || t[2] != 0 || t[3] != 0);
                    if (some != 0) {
                        fresh = false;
                        if (lane == __ffs(static_cast<int>(some)) - 1)
                            first_term = t[0] != 0 ? 0 : t[1] != 0 ? 1 : t[2] != 0 ? 2 : 3;
                    }
                }
                // Floors since the last crossing in this lane, in front of each term.
                double local = lane == 0 ? open : 0.0, in_front[4];
                int crossing = 0, from[4];
                const double below = was;
#pragma unroll
                for (int q = 0; q < 4; ++q) {
                    const double is = below + sum[q];
                    in_front[q] = local;
                    from[q] = binade_of(was);
                    if (t[q] != 0) {
                        magnitude += fabs(t[q]);
                        const double d = graded ? b.slack * magnitude : flat;
                        const int to = surely(is, q == first_term ? 0.0 : d); // (the first sum is its term)
                        sound = sound && to != 0;
                        if (q == first_term || from[q] != to) {
                            crossing |= 1 << q;
                            local = 0;
                        } else {
                            local += floors_toward(was, t[q], b.fraction);
                        }
                    }
                    was = is;
                }
                double carried = local;
                int closed = crossing != 0 ? 1 : 0;
#pragma unroll
                for (int step = 1; step < 32; step <<= 1) {
                    const double x = __shfl_up_sync(~0u, carried, step);
                    const int y = __shfl_up_sync(~0u, closed, step);
                    if (lane >= step) {
                        if (closed == 0) carried += x;
                        closed |= y;
                    }
                }
                double enters = __shfl_up_sync(~0u, carried, 1);
                if (lane == 0) enters = 0;
                open = __shfl_sync(~0u, carried, 31);
                int place = 0, count = 0;
#pragma unroll
                for (int q = 0; q < 4; ++q) {
                    const unsigned lanes = __ballot_sync(~0u, (crossing >> q & 1) != 0);
                    place += __popc(lanes & ((1u << lane) - 1));
                    count += __popc(lanes);
                }
                const bool last = group + 1 == groups();
                const int at = reserve(n * groups() + group, count + (last ? 1 : 0));
                s += __shfl_sync(~0u, all, 31);
                if (__any_sync(~0u, !sound) || shared.failed != 0) break;
                bool leading = true;
#pragma unroll
                for (int q = 0; q < 4; ++q)
                    if (crossing >> q & 1) {
                        shared.piece[at + place] = {in_front[q] + (leading ? enters : 0.0), t[q], from[q]};
                        leading = false;
                        ++place;
                    }
                if (last && lane == 0) shared.piece[at + count] = {open, 0.0, binade_of(s)};
            }
        }
        if (__any_sync(~0u, !sound) && lane == 0) shared.failed = 1;
    }

    /// Adds up the pieces; false when S was not where the plain sums had it. Called by a warp.
    __device__ bool walk() const {
        const int lane = threadIdx.x & 31;
        // Where the pieces of a run begin.
        const int runs = shared.items * groups() + 1;
        int many = 0;
        for (int n0 = 0; n0 < runs; n0 += 32) {
            const int count = n0 + lane < runs ? shared.run_pieces[n0 + lane] : 0;
            int sum = count;
#pragma unroll
            for (int d = 1; d < 32; d <<= 1) {
                const int x = __shfl_up_sync(~0u, sum, d);
                if (lane >= d) sum += x;
            }
            if (n0 + lane < runs) shared.run_begin[n0 + lane] = many + sum - count;
            many += __shfl_sync(~0u, sum, 31);
        }
        __syncwarp();
        double s = 0;
        bool sound = true;
        for (int at = 0; at < many; at += 32) {
            Piece piece{0.0, 0.0, 0};
            if (at + lane < many) {
                int low = 0, high = runs - 1; // the last run that begins at or before my piece
                while (low < high) {
                    const int middle = (low + high + 1) / 2;
                    if (shared.run_begin[middle] <= at + lane) low = middle;
                    else high = middle - 1;
                }
                piece = shared.piece[shared.run_at[low] + at + lane - shared.run_begin[low]];
            }
            double before = 0, between = 0, behind = 0;
            const int these = min(32, many - at);
#pragma unroll 4
            for (int k = 0; k < these; ++k) {
                const double f = __shfl_sync(~0u, piece.floors, k), t = __shfl_sync(~0u, piece.term, k);
                const double x = __dadd_rn(s, f);
                const double z = __longlong_as_double(static_cast<long long>(
                    static_cast<std::uint64_t>(__double_as_longlong(__dadd_rz(x, t))) & accumulator.mask));
                if (lane == k) before = s, between = x, behind = z;
                s = z;
            }
            if (piece.floors != 0)
                sound = sound && binade_of(before) == piece.binade && binade_of(between) == piece.binade;
            if (piece.term != 0) sound = sound && fabs(behind) >= b.smallest && fabs(behind) < b.limit;
        }
        if (lane == 0) shared.total = s;
        return __all_sync(~0u, sound);
    }

    /// Partial sum `mine` of a dot product into `result`. False when so many guesses were off that the chunks had
    /// better be summed again; `last` does without them. Called by all threads.
    __device__ bool run(int dot, int mine, bool last, double* result) {
        const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
        const long long sequence = static_cast<long long>(dot) * b.partials + mine;
        const double* const values = b.sums + sequence * kChunkValues * b.chunks;
        const bool here = tid < b.chunks;
        double value[kChunkValues];
#pragma unroll
        for (int k = 0; k < kChunkValues; ++k)
            value[k] = here && (k != 4 || dot == 1) ? values[k * b.chunks + tid] : 0.0;
        const double plain = value[3], magnitude = dot == 1 ? value[4] : plain;
        double s = plain, m = magnitude;
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            const double x = __shfl_up_sync(~0u, s, d), y = __shfl_up_sync(~0u, m, d);
            if (lane >= d) s += x, m += y;
        }
        if (lane == 31) shared.warp_plain[warp] = s, shared.warp_magnitude[warp] = m;
        if (tid == 0) shared.failed = shared.pool = 0;
        __syncthreads();
        double below = lane < warp ? shared.warp_plain[lane] : 0.0,
               below_all = lane < warp ? shared.warp_magnitude[lane] : 0.0;
#pragma unroll
        for (int d = 8; d > 0; d >>= 1) {
            below += __shfl_xor_sync(~0u, below, d);
            below_all += __shfl_xor_sync(~0u, below_all, d);
        }
        below = __shfl_sync(~0u, below, 0);
        below_all = __shfl_sync(~0u, below_all, 0);
        s = below + (s - plain);
        m = below_all + (m - magnitude);
        if (lane == 0) s = below, m = below_all;
        bool item = false;
        double clean = 0;
        if (here) {
            b.guess[sequence * b.chunks + tid] = s;
            if (magnitude != 0) { // (NaN too)
                const double d = b.slack * (m + magnitude);
                const double low = s - 0.5 * (magnitude - plain) - d, high = s + 0.5 * (magnitude + plain) + d;
                const int which = binade_of(s) + 52 - b.fraction - binade_of(value[5]) + 1;
                item = !(low >= b.smallest && high < b.limit && binade_of(low) == binade_of(high) && which >= 0 &&
                         which <= 2);
                if (!item) clean = which == 0 ? value[0] : which == 1 ? value[1] : value[2];
            }
            shared.start[tid] = s;
            shared.before[tid] = m;
            shared.behind[tid] = m + magnitude;
            shared.clean[tid] = clean;
        }
        const unsigned items = __ballot_sync(~0u, item);
        if (lane == 0) shared.warp_items[warp] = __popc(items);
        __syncthreads();
        const int items_here = lane < kBinadeWarps ? shared.warp_items[lane] : 0;
        int place = __reduce_add_sync(~0u, lane < warp ? items_here : 0);
        const int many = __reduce_add_sync(~0u, items_here);
        const bool few = many <= kItems && many * groups() < kRuns;
        if (!few && !last) return false;
        if (few) {
            place += __popc(items & ((1u << lane) - 1));
            if (item) shared.item[place] = tid;
            if (tid == 0) {
                shared.item[many] = b.chunks;
                shared.items = many;
            }
            __syncthreads();
            for (int n = warp; n <= many; n += kBinadeWarps) look(n, mine);
            __syncthreads();
            if (warp == 0 && shared.failed == 0 && !walk() && lane == 0) shared.failed = 1;
            __syncthreads();
        }
        if (!few || shared.failed != 0) {
            const long long terms = mine < size ? (size - mine + b.partials - 1) / b.partials : 0;
            if (warp == 0) {
                const double exact =
                    add_in_order(b, accumulator, 0.0, terms, [&](long long k) { return term(mine + k * b.partials); });
                if (lane == 0) shared.total = exact;
            }
        }
        if (tid == 0) *result = shared.total;
        __syncthreads();
        return true;
    }
};

#endif

} // namespace mantissa::gpu
