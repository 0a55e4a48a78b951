// From plain sums to the running sum: the way of S through each chunk, and the walk over all of them. See
// binade_sums.cuh for the argument.
#pragma once

#include "binade_sums.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

/// The binade of a plain sum that is off by less than d, or 0 where it does not tell.
__device__ __forceinline__ int surely(const BinadePlan& b, double s, double d) {
    const int low = binade_of(s - d), high = binade_of(s + d), exponent = low & 0x7FF;
    const bool tells = static_cast<int>(low == high) & static_cast<int>(exponent >= binade_of(b.smallest)) &
                       static_cast<int>(exponent < binade_of(b.limit));
    return tells ? low : 0;
}

__device__ __forceinline__ double warp_total(double value) {
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) value += __shfl_xor_sync(~0u, value, d);
    return value;
}

/// The ways of all partial sums through this block's chunks. Each warp takes every kBinadeWarps-th of them.
struct ChunkWays {
    const BinadePlan& b;
    BinadeShared& shared;

    /// Where partial sums `mine` of the three dot products stand at the start of chunk c. Called by a warp.
    __device__ void begin(int mine, int c) {
        const int lane = threadIdx.x & 31;
        const double* row[4]; // plain sums, and magnitudes of p.q
#pragma unroll
        for (int v = 0; v < 4; ++v)
            row[v] = b.sums + (static_cast<long long>((v < 3 ? v : 1) * b.partials + mine) * 2 + v / 3) * b.chunks;
        double before[4] = {}, here[4];
#pragma unroll
        for (int v = 0; v < 4; ++v) here[v] = __ldcg(row[v] + c);
        // Four at a time, whether they are there or not: what is not, loads the sum of chunk c and drops it.
        for (int k0 = 0; k0 < c; k0 += 128) {
            const int k = k0 + lane;
            double x[4][4];
#pragma unroll
            for (int n = 0; n < 4; ++n)
#pragma unroll
                for (int v = 0; v < 4; ++v) x[n][v] = __ldcg(row[v] + min(k + 32 * n, c));
#pragma unroll
            for (int n = 0; n < 4; ++n)
#pragma unroll
                for (int v = 0; v < 4; ++v) before[v] += k + 32 * n < c ? x[n][v] : 0.0;
        }
#pragma unroll
        for (int d = 16; d > 0; d >>= 1)
#pragma unroll
            for (double& x : before) x += __shfl_xor_sync(~0u, x, d);
        if (lane >= 3) return; // one for each dot product
        const double s = lane == 0 ? before[0] : lane == 1 ? before[1] : before[2], m = lane == 1 ? before[3] : s;
        const double all_here = lane == 0 ? here[0] : lane == 1 ? here[3] : here[2];
        WayState w;
        w.s = s;
        w.open = 0;
        w.magnitudes = m;
        w.flat = b.slack * (m + all_here);
        w.crossings = 0;
        // Where a chunk begins far below what it adds, the magnitudes are followed too.
        w.graded = m < 0x1p-16 * (m + all_here);
        w.fresh = m == 0; // S is zero and stays so up to the first term that is not
        w.sound = all_here == 0 || w.fresh || surely(b, s, w.graded ? b.slack * m : w.flat) != 0; // (not NaN)
        shared.look.way[lane * b.partials + mine] = w;
    }

    /// Takes kWayLanes << `deep` terms from place `at` on, in order, those of a lane one after another. Called by a
    /// warp for 32 / kWayLanes partial sums.
    __device__ __forceinline__ void advance(WayState& w, int at, int deep, Piece* crossings, int room) {
        const int lane = threadIdx.x & 31, g = lane & (kWayLanes - 1), others = lane & ~(kWayLanes - 1);
        const int mine = at + g, count = 1 << deep;
        double all = 0, up_to = 0;
        for (int q0 = 0; q0 < count; q0 += 4) {
            double t[4];
#pragma unroll
            for (int q = 0; q < 4; ++q) t[q] = shared.look.term[mine + (q0 + q) * kWayLanes];
#pragma unroll
            for (double x : t) all += x, up_to += fabs(x);
        }
        const double lane_up_to = up_to;
        const unsigned some = __ballot_sync(~0u, up_to != 0) >> others & ((1u << kWayLanes) - 1); // (NaN too)
#pragma unroll
        for (int d = 1; d < kWayLanes; d <<= 1) {
            const double x = __shfl_up_sync(~0u, all, d, kWayLanes), y = __shfl_up_sync(~0u, up_to, d, kWayLanes);
            if (g >= d) all += x, up_to += y;
        }
        double below = __shfl_up_sync(~0u, all, 1, kWayLanes), magnitude = __shfl_up_sync(~0u, up_to, 1, kWayLanes);
        below = g == 0 ? w.s : w.s + below;
        magnitude = g == 0 ? w.magnitudes : w.magnitudes + magnitude;
        // Mostly S stays in one binade for all that a lane adds.
        const double far = lane_up_to + (w.graded ? b.slack * (magnitude + lane_up_to) : w.flat);
        const bool quiet = (lane_up_to == 0) | (!w.fresh & (surely(b, below, far) != 0));
        // The first term that is not zero, where S is fresh.
        bool first = w.fresh && g == __ffs(static_cast<int>(some)) - 1;
        w.fresh = w.fresh && some == 0;
        // Floors since the last crossing in this lane.
        double local = g == 0 ? w.open : 0.0, was = below, sum = 0;
        unsigned crossing = 0;
        bool sound = true;
        if (__all_sync(~0u, quiet)) {
            for (int q0 = 0; q0 < count; q0 += 4) {
                double t[4];
#pragma unroll
                for (int q = 0; q < 4; ++q) t[q] = shared.look.term[mine + (q0 + q) * kWayLanes];
#pragma unroll
                for (double x : t) local += floors_toward(below, x, b.fraction); // (nothing for a term of zero)
            }
        } else {
            for (int q0 = 0; q0 < count; q0 += 4) {
                double t[4]; // loaded ahead of the stores below, which might lie there for all the compiler knows
#pragma unroll
                for (int q = 0; q < 4; ++q) t[q] = shared.look.term[mine + (q0 + q) * kWayLanes];
#pragma unroll
                for (int q = 0; q < 4; ++q) {
                    const double x = t[q];
                    sum += x;
                    const double is = below + sum;
                    const bool some_term = x != 0;
                    magnitude += fabs(x);
                    const double d = first      ? 0.0
                                     : w.graded ? b.slack * magnitude
                                                : w.flat; // (the first sum is its term)
                    const int to = surely(b, is, d), from = binade_of(was);
                    const bool crosses = some_term & (first | (from != to));
                    sound = sound & (!some_term | (to != 0));
                    shared.look.front[mine + (q0 + q) * kWayLanes] = local;
                    shared.look.from[mine + (q0 + q) * kWayLanes] = from;
                    crossing |= crosses ? 1u << (q0 + q) : 0u;
                    const double behind = local + floors_toward(was, x, b.fraction); // (nothing for a term of zero)
                    local = crosses ? 0 : behind;
                    first = first & !some_term;
                    was = is;
                }
            }
        }
        double carried = local;
        int closed = crossing != 0 ? 1 : 0, place = __popc(crossing);
        const int many = place;
#pragma unroll
        for (int d = 1; d < kWayLanes; d <<= 1) {
            const double x = __shfl_up_sync(~0u, carried, d, kWayLanes);
            const int y = __shfl_up_sync(~0u, closed, d, kWayLanes), z = __shfl_up_sync(~0u, place, d, kWayLanes);
            if (g >= d) {
                if (closed == 0) carried += x;
                closed |= y;
                place += z;
            }
        }
        double enters = __shfl_up_sync(~0u, carried, 1, kWayLanes);
        if (g == 0) enters = 0; // `local` began with it
        w.open = __shfl_sync(~0u, carried, kWayLanes - 1, kWayLanes);
        w.s += __shfl_sync(~0u, all, kWayLanes - 1, kWayLanes);
        w.magnitudes += __shfl_sync(~0u, up_to, kWayLanes - 1, kWayLanes);
        int to = w.crossings + place - many;
        w.crossings += __shfl_sync(~0u, place, kWayLanes - 1, kWayLanes);
        const unsigned unsure = __ballot_sync(~0u, !sound) >> others & ((1u << kWayLanes) - 1);
        w.sound = w.sound && unsure == 0 && w.crossings <= room;
        if (!w.sound) return;
        for (; crossing != 0; crossing &= crossing - 1) {
            const int k = mine + (__ffs(static_cast<int>(crossing)) - 1) * kWayLanes;
            crossings[to++] = {shared.look.front[k] + enters, shared.look.term[k], shared.look.from[k]};
            enters = 0;
        }
    }

    /// Where a term lies in a tile: those of a partial sum together, and of these what the lanes of advance() read at a
    /// time; a word between partial sums keeps writers in different banks.
    __device__ __forceinline__ int place(int dot, int element, int deep) const {
        const int j = element & (b.partials - 1), k = element >> b.shift, each = kTile >> b.shift;
        const int within = k & ((kWayLanes << deep) - 1);
        return (dot * b.partials + j) * (each + 1) + (k - within) + (within & ((1 << deep) - 1)) * kWayLanes +
               (within >> deep);
    }

    /// terms as for plain_sums. Called by all threads.
    template <class Terms> __device__ void run(long long size, Terms&& terms) {
        constexpr int kPerWarp = 32 / kWayLanes;
        const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, ways = 3 * b.partials;
        const int each = kTile >> b.shift; // terms of a partial sum in a tile
        const int deep = min(4, 31 - __clz(each) - kWayShift);
        for (int c = blockIdx.x; c < b.chunks; c += gridDim.x) {
            const long long chunk_begin = c * b.chunk, end = min(size, chunk_begin + b.chunk);
            for (int mine = warp; mine < b.partials; mine += kBinadeWarps) begin(mine, c);
            for (long long at = chunk_begin; at < end; at += kTile) {
                double t[kAhead][3];
                terms(at + tid, end, t);
#pragma unroll
                for (int k = 0; k < kAhead; ++k)
#pragma unroll
                    for (int dot = 0; dot < 3; ++dot)
                        shared.look.term[place(dot, tid + k * kBinadeThreads, deep)] = t[k][dot];
                __syncthreads();
                const bool last = at + kTile >= end;
                for (int base = warp * kPerWarp; base < ways; base += kBinadeWarps * kPerWarp) {
                    const int way = min(base + lane / kWayLanes, ways - 1);
                    const long long entry = static_cast<long long>(way) * b.chunks + c;
                    WayState w = shared.look.way[way];
                    for (int k0 = 0; k0 < each; k0 += kWayLanes << deep)
                        advance(w, way * (each + 1) + k0, deep, b.crossings + way * b.slots() + b.first_slot(c),
                                c < kEarlyChunks ? kEarlyCrossings : kCrossings);
                    if ((lane & (kWayLanes - 1)) == 0) {
                        if (last) {
                            b.tail[entry] = w.open;
                            b.counts[entry] = w.sound ? w.crossings : -1;
                        } else {
                            shared.look.way[way] = w;
                        }
                    }
                }
                __syncthreads();
            }
        }
    }
};

/// Partial sum `way` from its chunks' pieces; false where they did not tell, or S was not where plain sums had it.
/// Called by all threads; each warp brings the pieces of 32 chunks, the first one walks.
__device__ bool walk(const BinadePlan& b, const DoubleUnit& accumulator, BinadeShared& shared, int way,
                     double* result) {
    static_assert(kMaxChunks <= 32 * kBinadeWarps);
    __shared__ double group_open[kBinadeWarps];
    __shared__ int group_crossings[kBinadeWarps];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, c = threadIdx.x, groups = (b.chunks + 31) / 32;
    const long long row = static_cast<long long>(way) * b.chunks;
    const double tail = c < b.chunks ? __ldcg(b.tail + row + c) : 0.0;
    const int crossings = c < b.chunks ? __ldcg(b.counts + row + c) : 0;
    double carried = tail; // floors since the last crossing
    int closed = crossings != 0 ? 1 : 0, place = crossings;
    if (warp < groups) {
#pragma unroll
        for (int step = 1; step < 32; step <<= 1) {
            const double x = __shfl_up_sync(~0u, carried, step);
            const int y = __shfl_up_sync(~0u, closed, step), z = __shfl_up_sync(~0u, place, step);
            if (lane >= step) {
                if (closed == 0) carried += x;
                closed |= y;
                place += z;
            }
        }
        if (lane == 31) {
            group_open[warp] = carried;
            group_crossings[warp] = place;
        }
    }
    if (__syncthreads_or(static_cast<int>(crossings < 0)) != 0) return false;
    double open = 0; // at the start of my group; behind the last one: at the end
    int many = 0, before = 0;
    for (int g = 0; g < groups; ++g) {
        if (g == warp) before = many;
        if (g <= warp && g > 0) open = group_crossings[g - 1] != 0 ? group_open[g - 1] : open + group_open[g - 1];
        many += group_crossings[g];
    }
    if (many >= kPool) {
        __syncthreads(); // all have read the groups
        return false;
    }
    if (warp < groups) {
        double enters = __shfl_up_sync(~0u, carried, 1);
        const int opened = __shfl_up_sync(~0u, closed, 1);
        if (lane == 0) enters = open;
        else if (opened == 0) enters += open;
        // Lane by lane the crossings of this group of chunks, each found by its place.
        const int here = group_crossings[warp];
        for (int at = 0; at < here; at += 32) {
            const int mine = at + lane;
            int owner = 0; // chunks whose crossings all lie before mine
#pragma unroll
            for (int step = 16; step > 0; step >>= 1)
                if (__shfl_sync(~0u, place, owner + step - 1) <= mine) owner += step;
            owner = min(owner, 31);
            const int first = __shfl_sync(~0u, place - crossings, owner);
            const double entering = __shfl_sync(~0u, enters, owner);
            if (mine < here) {
                const Piece* const from =
                    b.crossings + way * b.slots() + b.first_slot(32 * warp + owner) + (mine - first);
                shared.piece[before + mine] = {__ldcg(&from->floors) + (mine == first ? entering : 0.0),
                                               __ldcg(&from->term), __ldcg(&from->binade)};
            }
        }
        if (warp == groups - 1 && lane == 31)
            shared.piece[many] = {closed != 0 ? carried : open + carried, 0.0, 0}; // the end
    }
    __syncthreads();
    bool sound = true;
    if (warp == 0) {
        double s = 0;
        for (int at = 0; at <= many; at += 32) {
            Piece piece{0.0, 0.0, 0};
            if (at + lane <= many) piece = shared.piece[at + lane];
            double before_floors = 0, between = 0, behind = 0;
            const int these = min(32, many + 1 - at);
#pragma unroll 8
            for (int k = 0; k < these; ++k) {
                const double x = __dadd_rn(s, shared.piece[at + k].floors);
                const double z = __longlong_as_double(static_cast<long long>(
                    static_cast<std::uint64_t>(__double_as_longlong(__dadd_rz(x, shared.piece[at + k].term))) &
                    accumulator.mask));
                if (lane == k) before_floors = s, between = x, behind = z;
                s = z;
            }
            if (piece.floors != 0)
                sound = sound && binade_of(before_floors) == binade_of(between) &&
                        (piece.term == 0 || binade_of(before_floors) == piece.binade);
            if (piece.term != 0) sound = sound && fabs(behind) >= b.smallest && fabs(behind) < b.limit;
        }
        if (lane == 0) *result = s;
    }
    return __syncthreads_and(static_cast<int>(sound)) != 0;
}

#endif

} // namespace mantissa::gpu
