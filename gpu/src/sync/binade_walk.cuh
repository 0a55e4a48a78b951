// The walk over all chunks' pieces of a running sum, in the accumulator's own arithmetic. See binade_sums.cuh for the
// argument.
#pragma once

#include "sync/binade_sums.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

/// Where chunks have more crossings than their first: each lane takes those of its places, wherever they are from. A
/// lane's chunks have `crossings`, at places begin .. end of the `many` in all.
template <int Each>
__device__ __forceinline__ void place_all(const BinadePlan& b, const int (&crossings)[Each], int end, int begin,
                                          const Piece* from, Piece* pool, int many) {
    const int lane = threadIdx.x & 31;
    for (int k0 = 0; k0 < many; k0 += 32) {
        int owner = 0; // lanes whose crossings all lie before mine
#pragma unroll
        for (int step = 16; step > 0; step >>= 1)
            owner += __shfl_sync(~0u, end, owner + step - 1) <= k0 + lane ? step : 0;
        owner = min(owner, 31);
        int m = k0 + lane - __shfl_sync(~0u, begin, owner), c = owner * Each;
        bool found = false;
#pragma unroll
        for (int k = 0; k < Each; ++k) {
            const int here = __shfl_sync(~0u, crossings[k], owner);
            found |= m < here;
            m -= found ? 0 : here;
            c += found ? 0 : 1;
        }
        if (k0 + lane < many && m > 0) {
            const Piece* const x = from + b.first_slot(c) + m;
            pool[k0 + lane] = {__ldcg(&x->floors), __ldcg(&x->term), __ldcg(&x->binade)};
        }
    }
}

/// The sum `s` and all pieces after it: the additions, and nothing else, one after another; where they lead is written
/// down.
__device__ __forceinline__ double add_pieces(const DoubleUnit& accumulator, const Piece* pool, double* trail, double s,
                                             int many) {
    constexpr int kTogether = 4; // read ahead of what waits for one another
    const auto add_all = [&](auto&& cut) {
        for (int k0 = 0; k0 <= many; k0 += kTogether) {
            double floors[kTogether], term[kTogether];
#pragma unroll
            for (int k = 0; k < kTogether; ++k) floors[k] = pool[k0 + k].floors, term[k] = pool[k0 + k].term;
#pragma unroll
            for (int k = 0; k < kTogether; ++k) {
                trail[2 * (k0 + k)] = s;
                s = __dadd_rn(s, floors[k]);
                trail[2 * (k0 + k) + 1] = s;
                s = cut(__dadd_rz(s, term[k]));
            }
        }
    };
    if (accumulator.mask == ~std::uint64_t{0}) {
        add_all([](double z) { return z; });
    } else {
        add_all([&](double z) {
            return __longlong_as_double(
                static_cast<long long>(static_cast<std::uint64_t>(__double_as_longlong(z)) & accumulator.mask));
        });
    }
    trail[2 * ((many / kTogether + 1) * kTogether)] = s;
    return s;
}

/// Was S where plain sums had it, all the way?
__device__ __forceinline__ bool pieces_sound(const BinadePlan& b, const Piece* pool, const double* trail, int many) {
    const int lane = threadIdx.x & 31;
    const int low = binade_of(b.smallest), range = binade_of(b.limit) - low; // (both powers of two)
    bool sound = true;
    for (int k = lane; k <= many; k += 32) {
        const Piece piece = pool[k];
        const double before = trail[2 * k], between = trail[2 * k + 1], after = trail[2 * k + 2];
        const int binade = binade_of(before), above = (binade_of(after) & 0x7FF) - low;
        const bool no_term = piece.term == 0;
        sound = sound & ((piece.floors == 0) | ((binade == binade_of(between)) & (no_term | (binade == piece.binade))));
        sound = sound & (no_term | (static_cast<unsigned>(above) < static_cast<unsigned>(range)));
    }
    return __all_sync(~0u, sound) != 0;
}

/// Partial sum `way` from its chunks' pieces; false where they did not tell, or S was not where plain sums had it.
/// Called by a warp; a lane has Each chunks. The pieces go to `pool`, of kPool, and what S passes through to `trail`,
/// twice as long.
template <int Each>
__device__ __forceinline__ bool walk_of(const BinadePlan& b, const DoubleUnit& accumulator, Piece* pool, double* trail,
                                        int way, double* result) {
    const int lane = threadIdx.x & 31, first = lane * Each;
    const long long row = static_cast<long long>(way) * b.chunks;
    const Piece* const from = b.crossings + way * b.slots();
    const double start = __ldcg(b.start + way);
    double tail[Each];
    int crossings[Each];
#pragma unroll
    for (int k = 0; k < Each; ++k) { // (what is not there, loads the last chunk and drops it)
        const int c = min(first + k, b.chunks - 1);
        const double x = __ldcg(b.tail + row + c);
        const int y = __ldcg(b.counts + row + c);
        tail[k] = first + k < b.chunks ? x : 0.0;
        crossings[k] = first + k < b.chunks ? y : 0;
    }
    const auto load_first = [&](int k) {
        const long long c = row + min(first + k, b.chunks - 1);
        return Piece{__ldcg(b.first_floors + c), __ldcg(b.first_term + c), __ldcg(b.first_binade + c)};
    };
    constexpr bool kAtOnce = Each <= 5; // as registers allow
    Piece ahead[kAtOnce ? Each : 1];    // first crossings, whether they are there or not
    if constexpr (kAtOnce)
#pragma unroll
        for (int k = 0; k < Each; ++k) ahead[k] = load_first(k);

    double carried = 0; // floors since the last crossing
    int place = 0, unsure = 0;
#pragma unroll
    for (int k = 0; k < Each; ++k) {
        const double longer = carried + tail[k];
        carried = crossings[k] != 0 ? tail[k] : longer;
        place += crossings[k];
        unsure |= crossings[k];
    }
    if (__any_sync(~0u, unsure < 0)) return false;
    const int mine = place;
#pragma unroll
    for (int step = 1; step < 32; step <<= 1) {
        const double x = __shfl_up_sync(~0u, carried, step), longer = x + carried;
        const int y = __shfl_up_sync(~0u, place, step);
        const bool takes = lane >= step;
        carried = takes & (place == 0) ? longer : carried;
        place += takes ? y : 0;
    }
    const int many = __shfl_sync(~0u, place, 31);
    if (many >= kPool - 4) return false;
    double enters = __shfl_up_sync(~0u, carried, 1);
    enters = lane == 0 ? 0.0 : enters;
    int at = place - mine;
    bool more = false;
#pragma unroll
    for (int k = 0; k < Each; ++k) {
        const int here = crossings[k];
        if (here > 0) {
            Piece piece;
            if constexpr (kAtOnce) piece = ahead[k];
            else piece = load_first(k);
            piece.floors += enters;
            pool[at] = piece;
        }
        more |= here > 1;
        at += here;
        const double longer = enters + tail[k];
        enters = here != 0 ? tail[k] : longer;
    }
    if (__any_sync(~0u, more)) place_all<Each>(b, crossings, place, place - mine, from, pool, many);
    if (lane >= 28) pool[many + 31 - lane] = {lane < 31 ? 0.0 : carried, 0.0, 0}; // the end, and nothing after it
    __syncwarp();
    const double s = add_pieces(accumulator, pool, trail, start, many);
    __syncwarp();
    const bool sound = pieces_sound(b, pool, trail, many);
    __syncwarp(); // all have read the pool
    if (sound && lane == 0) hand_over(s, result);
    return sound;
}

/// The same for at most Most chunks.
template <int Most>
__device__ __forceinline__ bool walk(const BinadePlan& b, const DoubleUnit& accumulator, Piece* pool, double* trail,
                                     int way, double* result) {
    constexpr int kFew = 5;
    static_assert(Most <= 32 * 16);
    if constexpr (Most > 32 * kFew)
        if (b.chunks > 32 * kFew) return walk_of<16>(b, accumulator, pool, trail, way, result);
    return walk_of<kFew>(b, accumulator, pool, trail, way, result);
}

#endif

} // namespace mantissa::gpu
