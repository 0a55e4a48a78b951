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

/// Sums of eight words over the lanes of a warp. Lane 4 k has word k (and so have the three after it).
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

/// The same of four words: lane 8 k has word k (and so have the seven after it).
__device__ __forceinline__ long long warp_four(const long long (&word)[4]) {
    const int lane = threadIdx.x & 31;
    const bool first = (lane & 16) != 0, second = (lane & 8) != 0;
    long long two[2];
#pragma unroll
    for (int k = 0; k < 2; ++k)
        two[k] = (first ? word[2 + k] : word[k]) + __shfl_xor_sync(~0u, first ? word[k] : word[2 + k], 16);
    long long one = (second ? two[1] : two[0]) + __shfl_xor_sync(~0u, second ? two[0] : two[1], 8);
    for (int d = 4; d > 0; d /= 2) one += __shfl_xor_sync(~0u, one, d);
    return one;
}

/// In shared memory.
struct SparseExchange {
    unsigned long long previous[2][kMaxParts][kSumPieces];
    long long scratch[kPartedWarps][kSparseWords];
    int exponent[kSparseSums];
    double sum[kSparseSums];
    unsigned int dead, leave; ///< leave: the block's next sums are no numbers, and so all parts' blocks end

    static constexpr long long kOffset = 1ll << 47, kLimit = 1ll << 45;

    /// Is this piece of the sums in use? Without a preconditioner the update has one sum (`Second`: two): a fourth less
    /// to send.
    template <bool Second> static __device__ __forceinline__ bool used(int piece) {
        return piece < kSumPieces && (Second || piece / 3 != 1);
    }

    /// Where blocks of part `from` add their sums of a round, in the memory of the part that has `words`.
    static __device__ __forceinline__ std::size_t place(unsigned long long round, int from) {
        return ((round & 1) * kMaxParts + static_cast<unsigned>(from)) * kSumPieces;
    }

    /// Takes a warp's sums to the block's. By all threads.
    __device__ __forceinline__ void keep(const PairOfSums& update, const PairOfSums& product) {
        const int lane = threadIdx.x & 31;
        long long word[kSparseWords];
        update.words(0, exponent[0], word[0], word[1]);
        update.words(1, exponent[1], word[2], word[3]);
        product.words(0, exponent[2], word[4], word[5]);
        product.words(1, exponent[3], word[6], word[7]);
        const long long one = warp_eight(word);
        if ((lane & 3) == 0) scratch[threadIdx.x >> 5][lane >> 2] = one;
    }
    /// The same of the update (`first` 0) or of the product (2) alone: where registers are short, those of the update
    /// before the product.
    __device__ __forceinline__ void keep(const PairOfSums& sums, int first) {
        const int lane = threadIdx.x & 31;
        long long word[4];
        sums.words(0, exponent[first], word[0], word[1]);
        sums.words(1, exponent[first + 1], word[2], word[3]);
        const long long one = warp_four(word);
        if ((lane & 7) == 0) scratch[threadIdx.x >> 5][2 * first + (lane >> 3)] = one;
    }

    /// Adds the block's words to every part's, straight into their memory: so one wait is the barrier over all blocks
    /// of all parts and brings their sums. Words only grow; the top byte of each counts blocks. Called by all threads
    /// when they have kept all sums; `complete` when all of the block's warps have come.
    template <bool Second, class Complete>
    __device__ __forceinline__ void publish(const PeerView& view, unsigned long long* const (&words)[kMaxParts],
                                            unsigned long long round, Complete&& complete) {
        const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
        __syncthreads();
        complete();
        if (warp != 0) return;
        long long word[kSparseWords];
#pragma unroll
        for (int k = 0; k < kSparseWords; ++k) word[k] = lane < kPartedWarps ? scratch[lane][k] : 0;
        const long long one = warp_eight(word);
        const int k = min(lane, kSumPieces - 1) / 3, piece = lane % 3;
        const long long mine = __shfl_sync(~0u, one, 4 * (2 * k + (piece == 0 ? 0 : 1)));
        if (!used<Second>(lane)) return;
        const bool bad = leave != 0 || mine >= kLimit || mine <= -kLimit;
        const auto part = static_cast<unsigned long long>(piece == 0   ? kOffset + (bad ? kLimit : mine)
                                                          : piece == 1 ? mine & 0xFFFFFFFFll
                                                                       : (mine >> 32) & 0xFFFFFFFFll);
        for (int p = 0; p < view.parts; ++p)
            if (p != view.me)
                asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" ::"l"(words[p] + place(round, view.me) + lane),
                             "l"(part + (1ull << 56))
                             : "memory");
        asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(words[view.me] + place(round, view.me) + lane),
                     "l"(part + (1ull << 56))
                     : "memory");
    }

    /// Waits for all blocks of all parts and leaves their sums in `sum`; sets `dead` where a wait has ended without
    /// them. Called by warp 0, half of which waits for one part each, for two parts at a time.
    template <bool Second>
    __device__ __forceinline__ void collect(const PeerView& view, const unsigned long long* words, long long terms,
                                            unsigned long long round) {
        const int lane = threadIdx.x & 31, half = lane >> 4, piece = lane & 15;
        const int word = lane % kSparseWords, k = word / 2; // every eight lanes have the words
        unsigned long long total = 0;
        bool ok = true;
        for (int pair = 0; pair < view.parts; pair += 2) {
            const int from = pair + half;
            unsigned long long got = 0;
            if (from < view.parts && used<Second>(piece)) {
                unsigned long long& before = previous[round & 1][from][piece];
                const unsigned long long* const at = words + place(round, from) + piece;
                unsigned long long now = 0;
                ok = wait_until(
                         view, from == view.me ? kMaxParts : from,
                         [&] {
                             if (from == view.me)
                                 asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(at) : "memory");
                             else now = load_relaxed(at);
                             return ((now - before) >> 56) == gridDim.x;
                         }) &&
                     ok;
                got = (now - before) & ((1ull << 56) - 1);
                before = now;
            }
            __syncwarp();
            for (int h = 0; h < min(2, view.parts - pair); ++h) {
                const unsigned long long first = __shfl_sync(~0u, got, 16 * h + 3 * k),
                                         second = __shfl_sync(~0u, got, 16 * h + 3 * k + 1),
                                         third = __shfl_sync(~0u, got, 16 * h + 3 * k + 2);
                total += (word & 1) == 0 ? first - static_cast<unsigned long long>(gridDim.x) * kOffset
                                         : second + (third << 32);
            }
        }
        ok = __all_sync(~0u, ok);
        const unsigned long long low = __shfl_down_sync(~0u, total, 1);
        if (lane < kSparseWords && (lane & 1) == 0)
            sum[k] = Second || k != 1 ? sum_of_words(static_cast<long long>(total), low, exponent[k], terms) : 0.0;
        if (!ok && lane == 0) dead = 1;
        __syncwarp();
    }
};

#endif

} // namespace mantissa::gpu
