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
    unsigned long long previous[2][kSumPieces];
    long long scratch[kPartedWarps][kSparseWords], others[kPartedWarps][kSparseWords];
    int exponent[kSparseSums];
    double sum[kSparseSums];
    unsigned int dead;

    static constexpr long long kOffset = 1ll << 47, kLimit = 1ll << 45;

    /// Where a part's memory has the packets of another part's blocks: four for each, one behind the other.
    static __device__ __forceinline__ int place(unsigned long long round, int from) {
        return (static_cast<int>(round & 1) * kMaxParts + from) * (kMaxBlocks * kSparseSums);
    }

    /// Adds the block's words to its part's, and puts them as packets straight into every other part's memory: so one
    /// wait is the barrier over all blocks of all parts and brings their sums. Words only grow; the top byte of each
    /// counts blocks. (Additions to words of another card's memory come one after the other, and take a microsecond
    /// more than packets.) Called by all threads; `complete` when all of the block's warps have come.
    template <class Complete>
    __device__ __forceinline__ void publish(const PeerView& view, unsigned long long* words,
                                            PeerPacket* const (&slots)[kMaxParts], const PairOfSums& update,
                                            const PairOfSums& product, unsigned long long round, Complete&& complete) {
        const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
        long long word[kSparseWords];
        update.words(0, exponent[0], word[0], word[1]);
        update.words(1, exponent[1], word[2], word[3]);
        product.words(0, exponent[2], word[4], word[5]);
        product.words(1, exponent[3], word[6], word[7]);
        long long one = warp_eight(word);
        if ((lane & 3) == 0) scratch[warp][lane >> 2] = one;
        __syncthreads();
        complete();
        if (warp != 0) return;
#pragma unroll
        for (int k = 0; k < kSparseWords; ++k) word[k] = lane < kPartedWarps ? scratch[lane][k] : 0;
        one = warp_eight(word);
        if (view.parts > 1) put(view, slots, round, one);
        const int k = min(lane, kSumPieces - 1) / 3, piece = lane % 3;
        const long long mine = __shfl_sync(~0u, one, 4 * (2 * k + (piece == 0 ? 0 : 1)));
        if (lane >= kSumPieces) return;
        const bool bad = mine >= kLimit || mine <= -kLimit;
        const auto part = static_cast<unsigned long long>(piece == 0   ? kOffset + (bad ? kLimit : mine)
                                                          : piece == 1 ? mine & 0xFFFFFFFFll
                                                                       : (mine >> 32) & 0xFFFFFFFFll);
        asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(words + (round & 1) * kSumPieces + lane),
                     "l"(part + (1ull << 56))
                     : "memory");
    }

    /// Waits for all blocks of all parts and leaves their sums in `sum`, for warp 0; sets `dead` where a wait has ended
    /// without them. Called by all threads: warp 0 has the own part's words, the others the packets.
    __device__ __forceinline__ void collect(const PeerView& view, const unsigned long long* words,
                                            const PeerPacket* slots, long long terms, unsigned long long round) {
        const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
        if (view.parts > 1) {
            if (warp != 0) get(view, slots, round);
        }
        unsigned long long total = warp == 0 ? own(view, words, round) : 0;
        if (view.parts > 1) {
            __syncthreads();
            if (warp != 0) return;
            for (int w = 1 + lane / kSparseWords; w < kPartedWarps; w += 32 / kSparseWords)
                total += static_cast<unsigned long long>(others[w][lane % kSparseWords]);
            total += __shfl_xor_sync(~0u, total, 8);
            total += __shfl_xor_sync(~0u, total, 16);
        } else if (warp != 0) return;
        const unsigned long long low = __shfl_down_sync(~0u, total, 1);
        const int k = lane % kSparseWords / 2;
        const double mine = sum_of_words(static_cast<long long>(total), low, exponent[k], terms);
        if (lane < kSparseWords && (lane & 1) == 0) sum[k] = mine;
        __syncwarp();
    }

private:
    /// A sum's packet: its upper part, then 32 lower bits and the round's last 32, which tell that it has come. Lane
    /// 4 w of `one` has the block's word w.
    static __device__ __forceinline__ void put(const PeerView& view, PeerPacket* const (&slots)[kMaxParts],
                                               unsigned long long round, long long one) {
        const int lane = threadIdx.x & 31, k = lane % kSparseSums, to = lane / kSparseSums;
        const long long high = __shfl_sync(~0u, one, 8 * k), low = __shfl_sync(~0u, one, 8 * k + 4);
        if (to >= view.parts || to == view.me) return;
        const bool bad = high >= kLimit || high <= -kLimit;
        const long long upper = bad ? kLimit : high + (low >> 32);
        put_peer_packet(slots[to] + place(round, view.me) + blockIdx.x * kSparseSums + k,
                        static_cast<unsigned long long>(upper),
                        (static_cast<unsigned long long>(low) & 0xFFFFFFFFull) | round << 32);
    }

    /// The other parts' sums as this warp has seen them: packets are dealt to the threads of all warps but the first.
    __device__ __forceinline__ void get(const PeerView& view, const PeerPacket* slots, unsigned long long round) {
        constexpr int kThreads = (kPartedWarps - 1) * 32, kAtOnce = 2;
        static_assert(32 % kSparseSums == 0 && kThreads % kSparseSums == 0);
        const int lane = threadIdx.x & 31, each = static_cast<int>(gridDim.x) * kSparseSums;
        const auto tag = static_cast<std::uint32_t>(round);
        long long high = 0;
        unsigned long long low = 0;
        bool ok = true;
        for (int from = 0; from < view.parts; ++from) {
            if (from == view.me) continue;
            const PeerPacket* const at = slots + place(round, from);
            for (int i = static_cast<int>(threadIdx.x) - 32; i < each; i += kAtOnce * kThreads) {
                bool here[kAtOnce];
#pragma unroll
                for (int j = 0; j < kAtOnce; ++j) here[j] = i + j * kThreads >= each;
                ok = wait_until(view, from,
                                [&] {
                                    PeerPacket packet[kAtOnce];
#pragma unroll
                                    for (int j = 0; j < kAtOnce; ++j)
                                        if (!here[j]) packet[j] = get_peer_packet(at + i + j * kThreads);
                                    bool all = true;
#pragma unroll
                                    for (int j = 0; j < kAtOnce; ++j) {
                                        if (here[j]) continue;
                                        if (packet[j].round >> 32 != tag) {
                                            all = false;
                                            continue;
                                        }
                                        here[j] = true;
                                        high += static_cast<long long>(packet[j].value);
                                        low += packet[j].round & 0xFFFFFFFFull;
                                    }
                                    return all;
                                }) &&
                     ok;
            }
        }
        if (!ok) dead = 1;
        __syncwarp();
#pragma unroll
        for (int d = kSparseSums; d < 32; d *= 2) {
            high += __shfl_xor_sync(~0u, high, d);
            low += __shfl_xor_sync(~0u, low, d);
        }
        if (lane >= kSparseSums) return;
        others[threadIdx.x >> 5][2 * lane] = high;
        others[threadIdx.x >> 5][2 * lane + 1] = static_cast<long long>(low);
    }

    /// The own part's words: lane w < 8 has word w, other lanes zero.
    __device__ __forceinline__ unsigned long long own(const PeerView& view, const unsigned long long* words,
                                                      unsigned long long round) {
        const int lane = threadIdx.x & 31, word = lane % kSparseWords, k = word / 2;
        unsigned long long got = 0;
        bool ok = true;
        if (lane < kSumPieces) {
            unsigned long long& before = previous[round & 1][lane];
            const unsigned long long* const at = words + (round & 1) * kSumPieces + lane;
            unsigned long long now = 0;
            ok = wait_until(view, kMaxParts, [&] {
                asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(at) : "memory");
                return ((now - before) >> 56) == gridDim.x;
            });
            got = (now - before) & ((1ull << 56) - 1);
            before = now;
        }
        if (!ok) dead = 1;
        __syncwarp();
        const unsigned long long first = __shfl_sync(~0u, got, 3 * k), second = __shfl_sync(~0u, got, 3 * k + 1),
                                 third = __shfl_sync(~0u, got, 3 * k + 2);
        if (lane >= kSparseWords) return 0;
        return (word & 1) == 0 ? first - static_cast<unsigned long long>(gridDim.x) * kOffset : second + (third << 32);
    }
};

#endif

} // namespace mantissa::gpu
