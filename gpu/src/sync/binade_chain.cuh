// From plain sums to the running sum: the way of S through each chunk. See binade_sums.cuh for the argument.
#pragma once

#include "sync/binade_sums.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

/// The binade of a plain sum that is off by less than d, or 0 where it does not tell.
__device__ __forceinline__ int surely(const BinadePlan& b, double s, double d) {
    const int low = binade_of(s - d), high = binade_of(s + d), exponent = low & 0x7FF;
    const bool tells = static_cast<int>(low == high) & static_cast<int>(exponent >= binade_of(b.smallest)) &
                       static_cast<int>(exponent < binade_of(b.limit));
    return low & (tells ? ~0 : 0);
}

/// The ways of all partial sums through this block's chunks. Each warp takes every kBinadeWarps-th of them.
struct ChunkWays {
    const BinadePlan& b;
    BinadeShared& shared;
    long long mask; ///< of the accumulator's format

    /// Chunks' plain sums of the dot products 0, 1 and 2, and magnitudes of p.q.
    __device__ __forceinline__ long long row_of(int mine, int value) const {
        return (static_cast<long long>((value < 3 ? value : 1) * b.partials + mine) * 2 + value / 3) * b.chunks;
    }

    /// Where partial sums `mine` of the three dot products stand at the start of chunk c. Called by a warp.
    __device__ void begin(int mine, int c) {
        const int lane = threadIdx.x & 31;
        double before[4] = {};
        // Four at a time, whether they are there or not: what is not, loads the sum of chunk c and drops it.
        const int mine_of_four = lane >> 3; // the value that this lane ends up with
        const double all = __ldcg(b.sums + row_of(mine, mine_of_four) + c);
        for (int k0 = 0; k0 < c; k0 += 128) {
            const int k = k0 + lane;
            double x[4][4];
#pragma unroll
            for (int n = 0; n < 4; ++n)
#pragma unroll
                for (int v = 0; v < 4; ++v) x[n][v] = __ldcg(b.sums + row_of(mine, v) + min(k + 32 * n, c));
#pragma unroll
            for (int n = 0; n < 4; ++n)
#pragma unroll
                for (int v = 0; v < 4; ++v) before[v] += k + 32 * n < c ? x[n][v] : 0.0;
        }
        // Lanes hand on what others end up with.
        const bool upper = (lane & 16) != 0, odd = (lane & 8) != 0;
        double two[2];
#pragma unroll
        for (int v = 0; v < 2; ++v)
            two[v] = (upper ? before[v + 2] : before[v]) + __shfl_xor_sync(~0u, upper ? before[v] : before[v + 2], 16);
        double s = (odd ? two[1] : two[0]) + __shfl_xor_sync(~0u, odd ? two[0] : two[1], 8);
#pragma unroll
        for (int d = 4; d > 0; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
        const double magnitudes = __shfl_sync(~0u, s, 24), all_magnitudes = __shfl_sync(~0u, all, 24);
        if ((lane & 7) != 0 || lane == 24) return; // one for each dot product
        const int dot = lane >> 3;
        const double m = dot == 1 ? magnitudes : s, all_here = dot == 1 ? all_magnitudes : all;
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
        shared.look.way[dot * b.partials + mine] = w;
    }

    /// `local` and the floors of `count` terms from place `mine` on, of all lanes, where S stays in one binade.
    [[nodiscard]] __device__ __forceinline__ double quiet_floors(double below, double local, int mine,
                                                                 int count) const {
        for (int q0 = 0; q0 < count; q0 += 4) {
            double t[4];
#pragma unroll
            for (int q = 0; q < 4; ++q) t[q] = shared.look.term[mine + (q0 + q) * kWayLanes];
#pragma unroll
            for (double& x : t) x = floors_toward(below, x, b.fraction); // (nothing for a term of zero)
            local += (t[0] + t[1]) + (t[2] + t[3]);
        }
#pragma unroll
        for (int d = 1; d < kWayLanes; d <<= 1) local += __shfl_xor_sync(~0u, local, d);
        return local;
    }

    /// A lane's crossings: the floors before each, the first of them with those that enter the lane, go to the pieces
    /// of chunk c, from number `to` on.
    __device__ __forceinline__ void record(unsigned crossing, int mine, double enters, int to, int way, int c) const {
        for (; crossing != 0; crossing &= crossing - 1) {
            const int k = mine + (__ffs(static_cast<int>(crossing)) - 1) * kWayLanes;
            const double floors = shared.look.front[k] + enters, term = shared.look.term[k];
            const int from = shared.look.from[k];
            if (to == 0) {
                const long long entry = static_cast<long long>(way) * b.chunks + c;
                b.first_floors[entry] = floors;
                b.first_term[entry] = term;
                b.first_binade[entry] = from;
            } else {
                b.crossings[way * b.slots() + b.first_slot(c) + to] = {floors, term, from};
            }
            ++to;
            enters = 0;
        }
    }

    /// Takes kWayLanes << `deep` terms from place `at` on, in order, those of a lane one after another. Called by a
    /// warp for 32 / kWayLanes partial sums.
    __device__ __forceinline__ void advance(WayState& w, int at, int deep, int way, int c) {
        const int lane = threadIdx.x & 31, g = lane & (kWayLanes - 1), others = lane & ~(kWayLanes - 1);
        const int mine = at + g, count = 1 << deep;
        double all = 0, up_to = 0;
        for (int q0 = 0; q0 < count; q0 += 4) {
            double t[4];
#pragma unroll
            for (int q = 0; q < 4; ++q) t[q] = shared.look.term[mine + (q0 + q) * kWayLanes];
            all += (t[0] + t[1]) + (t[2] + t[3]);
            up_to += (fabs(t[0]) + fabs(t[1])) + (fabs(t[2]) + fabs(t[3]));
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
            w.open = quiet_floors(below, local, mine, count);
            w.s += __shfl_sync(~0u, all, kWayLanes - 1, kWayLanes);
            w.magnitudes += __shfl_sync(~0u, up_to, kWayLanes - 1, kWayLanes);
            return;
        }
        const auto follow = [&](auto plain) { // plain: S is neither fresh nor graded, in any lane
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
                    double d = w.flat;
                    if constexpr (!plain) {
                        magnitude += fabs(x);
                        d = first ? 0.0 : w.graded ? b.slack * magnitude : w.flat; // (the first sum is its term)
                    }
                    const int to = surely(b, is, d), from = binade_of(was);
                    const bool crosses = some_term & ((!plain & first) | (from != to));
                    sound = sound & (!some_term | (to != 0));
                    shared.look.front[mine + (q0 + q) * kWayLanes] = local;
                    shared.look.from[mine + (q0 + q) * kWayLanes] = from;
                    crossing |= crosses ? 1u << (q0 + q) : 0u;
                    const double after = local + floors_toward(was, x, b.fraction); // (nothing for a term of zero)
                    local = crosses ? 0 : after;
                    if constexpr (!plain) first = first & !some_term;
                    was = is;
                }
            }
        };
        if (__any_sync(~0u, first | w.graded)) follow(std::false_type{});
        else follow(std::true_type{});
        double carried = local;
        int place = __popc(crossing);
        const int many = place;
#pragma unroll
        for (int d = 1; d < kWayLanes; d <<= 1) {
            const double x = __shfl_up_sync(~0u, carried, d, kWayLanes);
            const int y = __shfl_up_sync(~0u, place, d, kWayLanes);
            if (g >= d) {
                if (place == 0) carried += x;
                place += y;
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
        w.sound = w.sound && unsure == 0 && w.crossings <= (c < kEarlyChunks ? kEarlyCrossings : kCrossings);
        if (!w.sound) return;
        record(crossing, mine, enters, to, way, c);
    }

    /// The first tile of all, its terms one after another: from zero, S crosses most of its binades here. Called by a
    /// thread for partial sum `way`.
    __device__ __forceinline__ void add_first(WayState& w, int way) {
        const double* const term = shared.look.term + way * (b.each() + 1);
        const int each = b.each(), period = kWayLanes << b.deep(); // (as place() has it)
        const auto add_all = [&](auto&& add) {
            // Both powers of two, so that the upper words tell. A sum of zero is sound, and no other of its exponent.
            const unsigned low = __double2hiint(b.smallest), range = __double2hiint(b.limit) - low;
            double s = 0, magnitudes = 0, next[4], last[4] = {};
            unsigned bad = 0;
            const auto check = [&](double x) {
                const unsigned high = __double2hiint(x) & 0x7FFFFFFF;
                const unsigned outside = high - low >= range ? ~0u : 0u;
                bad |= outside & (high | static_cast<unsigned>(__double2loint(x)));
            };
            int at = 0;
#pragma unroll
            for (int q = 0; q < 4; ++q) next[q] = term[q * kWayLanes];
            for (int k = 4; k <= each; k += 4) {
                at += 4 * kWayLanes;
                if ((at & (period - 1)) < kWayLanes)
                    at += (at & (kWayLanes - 1)) == kWayLanes - 1 ? 1 - kWayLanes : 1 - period;
                double t[4];
#pragma unroll
                for (int q = 0; q < 4; ++q)
                    t[q] = next[q], next[q] = term[at + q * kWayLanes]; // (at the end what follows)
#pragma unroll
                for (int q = 0; q < 4; ++q) {
                    check(last[q]); // while this one waits
                    last[q] = s = add(s, t[q]);
                }
                magnitudes += (fabs(t[0]) + fabs(t[1])) + (fabs(t[2]) + fabs(t[3]));
            }
#pragma unroll
            for (double x : last) check(x);
            const bool sound = bad == 0;
            w.s = s;
            w.magnitudes = magnitudes;
            w.sound = w.sound && sound;
        };
        // What waits for every sum is short: mostly the accumulator has all bits of a double.
        if (mask == -1) {
            add_all([](double sum, double t) { return __dadd_rz(sum, t); });
        } else {
            add_all([&](double sum, double t) {
                return __longlong_as_double(__double_as_longlong(__dadd_rz(sum, t)) & mask);
            });
        }
        w.fresh = w.magnitudes == 0;
    }

    /// terms as for plain_sums; with Kept, they are in shared memory. Called by all threads.
    template <bool Kept, class Terms> __device__ void run(long long size, Terms&& terms) {
        constexpr int kPerWarp = 32 / kWayLanes;
        const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, ways = 3 * b.partials;
        const int each = b.each(), deep = b.deep();
        for (int c = blockIdx.x; c < b.chunks; c += gridDim.x) {
            const long long chunk_begin = c * b.chunk, end = min(size, chunk_begin + b.chunk);
            for (int mine = warp; mine < b.partials; mine += kBinadeWarps) begin(mine, c);
            for (long long at = chunk_begin; at < end; at += kTile) {
                if constexpr (!Kept) {
                    double t[kAhead][3];
                    terms(at + tid, end, t);
#pragma unroll
                    for (int k = 0; k < kAhead; ++k)
#pragma unroll
                        for (int dot = 0; dot < 3; ++dot)
                            shared.look.term[b.place(dot, tid + k * kBinadeThreads)] = t[k][dot];
                }
                __syncthreads();
                const bool last = at + kTile >= end;
                const auto keep = [&](int way, const WayState& w) {
                    const long long entry = static_cast<long long>(way) * b.chunks + c;
                    if (last) {
                        b.tail[entry] = w.open;
                        b.counts[entry] = w.sound ? w.crossings : -1;
                    } else {
                        shared.look.way[way] = w;
                    }
                };
                if (at == 0 && each <= kMostInOrder) {
                    if (tid < ways) {
                        WayState w = shared.look.way[tid];
                        add_first(w, tid);
                        b.start[tid] = w.s;
                        keep(tid, w);
                    }
                } else {
                    if (at == 0 && tid < ways) b.start[tid] = 0;
                    for (int base = warp * kPerWarp; base < ways; base += kBinadeWarps * kPerWarp) {
                        const int way = min(base + lane / kWayLanes, ways - 1);
                        WayState w = shared.look.way[way];
                        for (int k0 = 0; k0 < each; k0 += kWayLanes << deep)
                            advance(w, way * (each + 1) + k0, deep, way, c);
                        if ((lane & (kWayLanes - 1)) == 0) keep(way, w);
                    }
                }
                __syncthreads();
            }
        }
    }
};

#endif

} // namespace mantissa::gpu
