// The four sums of an iteration, order-free (order_free_sum.cuh), over a part's blocks and over the parts.
#pragma once

#include "../order_free_sum.cuh"
#include "../part_block.cuh"
#include "part.hpp"

namespace mantissa::gpu {

#ifdef __CUDACC__

/// Two order-free sums of a thread.
struct PairOfSums {
    double high[2], low[2];

    __device__ __forceinline__ PairOfSums(int first, int second) {
        high[0] = OrderFreeSums::start(first + kHighStart);
        low[0] = OrderFreeSums::start(first + kLowStart);
        high[1] = OrderFreeSums::start(second + kHighStart);
        low[1] = OrderFreeSums::start(second + kLowStart);
    }
    __device__ __forceinline__ void add(int k, double term) {
        const double sum = __dadd_rd(high[k], term);
        const double rest = __dadd_rn(term, -__dadd_rn(sum, -high[k]));
        high[k] = sum;
        low[k] = __dadd_rd(low[k], rest);
    }
    __device__ __forceinline__ void words(int k, int exponent, long long& upper, long long& lower) const {
        const long long h =
            __double_as_longlong(high[k]) - __double_as_longlong(OrderFreeSums::start(exponent + kHighStart));
        const bool bad = h > (1ll << 50) || h < -(1ll << 50);
        upper = bad ? 1ll << 46 : h;
        lower =
            bad ? 0 : __double_as_longlong(low[k]) - __double_as_longlong(OrderFreeSums::start(exponent + kLowStart));
    }
};

/// Sums of eight words over the lanes of a warp. Lane 4 k has word k (and so have the three behind it).
__device__ __forceinline__ long long warp_eight(const long long (&word)[kSparseWords]) {
    const int lane = threadIdx.x & 31;
    const bool first = (lane & 16) != 0, second = (lane & 8) != 0, third = (lane & 4) != 0;
    long long four[4], two[2];
#pragma unroll
    for (int k = 0; k < 4; ++k)
        four[k] = (first ? word[4 + k] : word[k]) + __shfl_xor_sync(~0u, first ? word[k] : word[4 + k], 16);
#pragma unroll
    for (int k = 0; k < 2; ++k)
        two[k] = (second ? four[2 + k] : four[k]) + __shfl_xor_sync(~0u, second ? four[k] : four[2 + k], 8);
    long long one = (third ? two[1] : two[0]) + __shfl_xor_sync(~0u, third ? two[0] : two[1], 4);
    one += __shfl_xor_sync(~0u, one, 2);
    one += __shfl_xor_sync(~0u, one, 1);
    return one;
}

/// In shared memory.
struct SparseExchange {
    unsigned long long previous[2][3 * kSparseSums];
    long long scratch[kPartedWarps][kSparseWords];
    int exponent[kSparseSums];
    double sum[kSparseSums];
    unsigned int dead;

    static constexpr long long kOffset = 1ll << 47, kLimit = 1ll << 45;

    /// Adds the block's words to the part's, whose `words` are [2][12] and only grow; the top byte of each counts
    /// blocks. Called by all threads.
    __device__ __forceinline__ void publish(unsigned long long* words, const PairOfSums& update,
                                            const PairOfSums& product, unsigned long long round) {
        const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
        long long word[kSparseWords];
        update.words(0, exponent[0], word[0], word[1]);
        update.words(1, exponent[1], word[2], word[3]);
        product.words(0, exponent[2], word[4], word[5]);
        product.words(1, exponent[3], word[6], word[7]);
        long long one = warp_eight(word);
        if ((lane & 3) == 0) scratch[warp][lane >> 2] = one;
        __syncthreads();
        if (warp != 0) return;
#pragma unroll
        for (int k = 0; k < kSparseWords; ++k) word[k] = lane < kPartedWarps ? scratch[lane][k] : 0;
        one = warp_eight(word);
        const int k = min(lane, 11) / 3, piece = lane % 3;
        const long long mine = __shfl_sync(~0u, one, 4 * (2 * k + (piece == 0 ? 0 : 1)));
        if (lane >= 3 * kSparseSums) return;
        const bool bad = mine >= kLimit || mine <= -kLimit;
        const auto part = static_cast<unsigned long long>(piece == 0   ? kOffset + (bad ? kLimit : mine)
                                                          : piece == 1 ? mine & 0xFFFFFFFFll
                                                                       : (mine >> 32) & 0xFFFFFFFFll);
        asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(words + (round & 1) * 3 * kSparseSums + lane),
                     "l"(part + (1ull << 56))
                     : "memory");
    }

    /// Waits for all blocks of all parts and leaves their sums in `sum`; sets `dead` where a wait has ended without
    /// them. Called by warp 0.
    __device__ __forceinline__ void collect(const PeerView& view, const unsigned long long* words, long long terms,
                                            unsigned long long round) {
        const int lane = threadIdx.x & 31;
        bool ok = true;
        unsigned long long got = 0;
        if (lane < 3 * kSparseSums) {
            const unsigned long long before = previous[round & 1][lane];
            const unsigned long long* const word = words + (round & 1) * 3 * kSparseSums + lane;
            unsigned long long now = 0;
            ok = wait_until(view, kMaxParts, [&] {
                asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(word) : "memory");
                return ((now - before) >> 56) == gridDim.x;
            });
            previous[round & 1][lane] = now;
            got = (now - before) & ((1ull << 56) - 1);
        }
        const int word = lane % kSparseWords, k = word / 2; // every eight lanes have the eight words
        const unsigned long long first = __shfl_sync(~0u, got, 3 * k), second = __shfl_sync(~0u, got, 3 * k + 1),
                                 third = __shfl_sync(~0u, got, 3 * k + 2);
        unsigned long long total =
            (word & 1) == 0 ? first - static_cast<unsigned long long>(gridDim.x) * kOffset : second + (third << 32);
        ok = __all_sync(~0u, ok);
        if (ok && view.parts > 1) {
            if (blockIdx.x == 0 && lane < kSparseWords) publish_word(view, round, lane, total);
            for (int begin = 0; begin < view.parts; begin += 4) {
                const int p = begin + lane / kSparseWords;
                PeerPacket packet{};
                if (p < view.parts && p != view.me) {
                    const PeerPacket* const from = &view.box[view.me]->sums[round & 1][p][word];
                    ok = wait_until(view, p,
                                    [&] {
                                        packet = get_peer_packet(from);
                                        return packet.round == round;
                                    }) &&
                         ok;
                }
                __syncwarp();
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    const unsigned long long theirs = __shfl_sync(~0u, packet.value, i * kSparseWords + word);
                    total += begin + i < view.parts && begin + i != view.me ? theirs : 0;
                }
            }
            ok = __all_sync(~0u, ok);
        }
        const unsigned long long low = __shfl_down_sync(~0u, total, 1);
        if (lane < kSparseWords && (lane & 1) == 0)
            sum[k] = sum_of_words(static_cast<long long>(total), low, exponent[k], terms);
        if (!ok && lane == 0) dead = 1;
        __syncwarp();
    }
};

#endif

} // namespace mantissa::gpu
