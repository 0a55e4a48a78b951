// From chunk sums to the running sum: which chunks count as they are, which are looked at term by term, and the walk
// over the pieces. See binade_sums.cuh for the argument.
#pragma once

#include "binade_sums.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

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
