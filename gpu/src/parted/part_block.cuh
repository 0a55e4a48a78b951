// What a block of a part keeps for the exchange behind a pass: sums over its part's blocks in the part's memory, then
// over the parts in packets. The exchange is a barrier over all blocks of all parts.
//
// A part's sums are nine words of integers, three for each sum, that its blocks add to; the top byte of each counts the
// blocks (see grid_reduce.cuh). The part's first block sends the totals to the other parts.
#pragma once

#include "../cg_control.cuh"
#include "../peers/peers.cuh"
#include "order_free_sum.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

__device__ __forceinline__ void fence_gpu() {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}
__device__ __forceinline__ void fence_system() {
    asm volatile("fence.acq_rel.sys;" ::: "memory");
}

/// What blocks wrote before an exchange is visible behind it: to none, to the own part's, to all parts'.
enum class Seen { none, part, all };

/// Clocks of a solve by what they went to, as one block sees them. In shared memory.
struct PartLaps {
    enum { work, exchange, own_sum, parts_sum, scalars, count };
    long long spent[count], last;

    __device__ __forceinline__ void start() {
        for (long long& s : spent) s = 0;
        last = clock64();
    }
    __device__ __forceinline__ void lap(int what) {
        if (threadIdx.x != 0 || blockIdx.x + 1 != gridDim.x) return;
        const long long now = clock64();
        spent[what] += now - last;
        last = now;
    }
};

struct PartBlock {
    const PeerView& view;
    unsigned long long* words;        ///< [2][kSumWords] of the part, zero before the launch
    long long (*scratch)[kPartWords]; ///< one for each warp
    GridState& state;
    bool& dead;               ///< shared: another part does not answer, so leave
    long long cut;            ///< terms of a sum over all parts of which something is cut off
    unsigned long long round; ///< of the next exchange
    PartLaps& laps;

    static constexpr long long kOffset = 1ll << 47, kLimit = 1ll << 45;

    /// Adds the block's sums to the part's. Called by all threads.
    template <class Sums> __device__ __forceinline__ void publish(const Sums& sums, Seen seen) const {
        const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
        long long word[kPartWords];
        sums.words(state.exponent, word);
        long long one = warp_words(word);
        if ((lane & 3) == 0 && lane < 4 * kPartWords) scratch[warp][lane >> 2] = one;
        __syncthreads();
        if (warp != 0) return;
#pragma unroll
        for (int k = 0; k < kPartWords; ++k) word[k] = lane < warps ? scratch[lane][k] : 0;
        one = warp_words(word);
        laps.lap(PartLaps::work);
        if (seen == Seen::all) fence_system();
        else if (seen == Seen::part) fence_gpu();
        laps.lap(PartLaps::exchange);
        // Word 3 k: high of sum k; behind it low's two halves.
        const int k = min(lane, kSumWords - 1) / 3, piece = lane % 3;
        const long long mine = __shfl_sync(~0u, one, 4 * (2 * k + (piece == 0 ? 0 : 1)));
        if (lane >= kSumWords) return;
        const bool bad = mine >= kLimit || mine <= -kLimit;
        const auto part = static_cast<unsigned long long>(piece == 0   ? kOffset + (bad ? kLimit : mine)
                                                          : piece == 1 ? mine & 0xFFFFFFFFll
                                                                       : (mine >> 32) & 0xFFFFFFFFll);
        asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(words + (round & 1) * kSumWords + lane),
                     "l"(part + (1ull << 56))
                     : "memory");
    }

    /// Waits for all blocks of all parts; `sum` becomes their sums, the same bits everywhere. Called by warp 0. Returns
    /// false, and sets `dead`, where a wait has ended without them.
    __device__ __forceinline__ bool collect(double (&sum)[kSums], Seen seen) const {
        const int lane = threadIdx.x & 31;
        bool ok = true;
        unsigned long long got = 0;
        if (lane < kSumWords) {
            const unsigned long long before = state.previous[round & 1][lane];
            const unsigned long long* const word = words + (round & 1) * kSumWords + lane;
            unsigned long long now = 0;
            ok = wait_until(view, kMaxParts, [&] {
                asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(word) : "memory");
                return ((now - before) >> 56) == gridDim.x;
            });
            state.previous[round & 1][lane] = now;
            got = (now - before) & ((1ull << 56) - 1);
        }
        // Lane k < 6: high (even k) or low of sum k / 2.
        const int k = lane < kPartWords ? lane / 2 : 0;
        const unsigned long long first = __shfl_sync(~0u, got, 3 * k), second = __shfl_sync(~0u, got, 3 * k + 1),
                                 third = __shfl_sync(~0u, got, 3 * k + 2);
        unsigned long long total =
            (lane & 1) == 0 ? first - static_cast<unsigned long long>(gridDim.x) * kOffset : second + (third << 32);
        ok = __all_sync(~0u, ok);
        laps.lap(PartLaps::own_sum);
        if (ok && view.parts > 1) ok = over_parts(total, seen);
        laps.lap(PartLaps::parts_sum);
        if (seen == Seen::part || (seen == Seen::all && view.parts == 1)) fence_gpu();
        if (!ok) {
            if (lane == 0) dead = true;
            return false;
        }
#pragma unroll
        for (int i = 0; i < kSums; ++i) {
            const auto high = static_cast<long long>(__shfl_sync(~0u, total, 2 * i));
            const unsigned long long low = __shfl_sync(~0u, total, 2 * i + 1);
            sum[i] = sum_of_words(high, low, state.exponent[i], cut);
        }
        __syncwarp(); // one lane may change `state` behind this
        return true;
    }

private:
    /// Adds the other parts' words to those of lanes 0 to 5.
    __device__ __forceinline__ bool over_parts(unsigned long long& total, Seen seen) const {
        const int lane = threadIdx.x & 31;
        if (blockIdx.x == 0) {
            if (seen == Seen::all) fence_system();
            if (lane < kPartWords) publish_word(view, round, lane, total);
        }
        // Lanes look at five parts at once.
        constexpr int kAtOnce = 5;
        const int word = lane % kPartWords;
        bool ok = true;
        for (int first = 0; first < view.parts; first += kAtOnce) {
            const int p = first + lane / kPartWords;
            PeerPacket packet{};
            if (lane < kAtOnce * kPartWords && p < view.parts && p != view.me) {
                const PeerPacket* const from = &view.box[view.me]->sums[round & 1][p][word];
                ok = wait_until(view, p,
                                [&] {
                                    packet = get_peer_packet(from);
                                    return packet.round == round;
                                }) &&
                     ok;
            }
            __syncwarp();
            for (int i = 0; i < kAtOnce; ++i) {
                const unsigned long long theirs = __shfl_sync(~0u, packet.value, i * kPartWords + word);
                total += first + i < view.parts && first + i != view.me ? theirs : 0;
            }
        }
        if (seen == Seen::all) fence_system();
        return __all_sync(~0u, ok);
    }
};

#endif

} // namespace mantissa::gpu
