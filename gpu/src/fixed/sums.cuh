// The three dot products of a pass over the grid, exactly, in one exchange that is the grid's barrier as well.
//
// A thread's sum is cut into two or three limbs of 22 bits, the last one signed. Limbs are added by the warp's own
// reduction, over the block in shared memory (a block has at most 1024 threads, so 32 bits hold them), and then with
// one `red` each into words of 64 bits in memory:
//
//     bit  63 .. 56      55 .. 48                     47 .. 0
//          blocks        blocks with an overflow      sum of the limb (of the last one over a bias)
//          that added    (of the first word)
//
// so that a word tells by itself when it is complete. Nothing is ever reset: a pass is the difference to what the one
// before in the same place had left.
#pragma once

#include "scalars.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

inline constexpr int kLimbBits = 22, kMostLimbs = 9;
inline constexpr unsigned long long kLimbBias = 1ull << 32, kSumMask = (1ull << 48) - 1;

/// What a block keeps for the exchange, in shared memory; zero at first.
struct FixedExchange {
    unsigned limb[kMostLimbs];                  ///< of the block
    unsigned before[kMostLimbs];                ///< as the last pass left them
    unsigned long long previous[2][kMostLimbs]; ///< the words as the last pass but one left them
};

/// A warp's part of the block's sums.
__device__ __forceinline__ void add_limbs(int limbs, FixedExchange& x, const long long (&sum)[3]) {
    constexpr unsigned kLow = (1u << kLimbBits) - 1;
    const int lane = static_cast<int>(threadIdx.x & 31);
    unsigned mine = 0;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        const unsigned low = __reduce_add_sync(~0u, static_cast<unsigned>(sum[k]) & kLow);
        if (lane == k) mine = low;
    }
    if (limbs == 2) {
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            const unsigned high = __reduce_add_sync(~0u, static_cast<unsigned>(sum[k] >> kLimbBits));
            if (lane == 3 + k) mine = high;
        }
        if (lane < 6) atomicAdd(x.limb + lane, mine);
        return;
    }
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        const unsigned middle = __reduce_add_sync(~0u, static_cast<unsigned>(sum[k] >> kLimbBits) & kLow);
        const unsigned high = __reduce_add_sync(~0u, static_cast<unsigned>(sum[k] >> (2 * kLimbBits)));
        if (lane == 3 + k) mine = middle;
        if (lane == 6 + k) mine = high;
    }
    if (lane < kMostLimbs) atomicAdd(x.limb + lane, mine);
}

/// The block's part of the grid's sums, by one warp after a barrier of the block.
__device__ __forceinline__ void send_limbs(int limbs, FixedExchange& x, bool over, unsigned long long* words) {
    const int lane = static_cast<int>(threadIdx.x & 31), count = 3 * limbs;
    if (lane >= count) return;
    const unsigned now = x.limb[lane], limb = now - x.before[lane];
    x.before[lane] = now;
    const bool top = lane >= count - 3;
    unsigned long long part = top ? kLimbBias + static_cast<long long>(static_cast<int>(limb)) : limb;
    part += (1ull << 56) + (lane == 0 && over ? 1ull << 48 : 0ull);
    asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(words + lane), "l"(part) : "memory");
}

/// Waits for all blocks, by one thread; whether a word overflowed. previous: see FixedExchange.
template <int Limbs>
__device__ __forceinline__ bool collect(const unsigned long long* words, unsigned long long* previous, PassSums& sums) {
    constexpr int kCount = 3 * Limbs, kPairs = (kCount + 1) / 2;
    unsigned long long now[2 * kPairs], before[kCount];
#pragma unroll
    for (int k = 0; k < kCount; ++k) before[k] = previous[k];
    bool complete;
    do {
#pragma unroll
        for (int k = 0; k < kPairs; ++k)
            asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                         : "=l"(now[2 * k]), "=l"(now[2 * k + 1])
                         : "l"(words + 2 * k)
                         : "memory");
        complete = true;
#pragma unroll
        for (int k = 0; k < kCount; ++k) complete &= (now[k] - before[k]) >> 56 == gridDim.x;
    } while (!complete);
    const auto bias = static_cast<long long>(gridDim.x * kLimbBias);
#pragma unroll
    for (int k = 0; k < kCount; ++k) previous[k] = now[k];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        const auto limb = [&](int j) { return static_cast<long long>((now[j] - before[j]) & kSumMask); };
        const long long low = limb(k);
        long long high;
        if constexpr (Limbs == 2) high = limb(3 + k) - bias;
        else high = ((limb(6 + k) - bias) << kLimbBits) + limb(3 + k);
        (k == 0   ? sums.rr
         : k == 1 ? sums.pq
                  : sums.qq) = {high + (low >> kLimbBits), static_cast<unsigned>(low) & ((1u << kLimbBits) - 1)};
    }
    return ((now[0] - before[0]) >> 48 & 0xFF) != 0;
}

#endif

} // namespace mantissa::gpu
