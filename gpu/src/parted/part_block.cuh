// What a block of a part keeps for the exchange after a pass: sums over all blocks of all parts, which are their
// barrier.
//
// Sums are nine words of integers, three for each sum, that a part's blocks add to, in their own part's memory and in
// every other's at once: so there is one hop from any block to any other. The top byte of each word counts the blocks
// (see grid_reduce.cuh); a part's memory has nine words for each part.
#pragma once

#include "../peers/peers.cuh"
#include "order_free_sum.cuh"
#include "schedules/cg_control.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

__device__ __forceinline__ void fence_gpu() {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}
__device__ __forceinline__ void fence_system() {
    asm volatile("fence.acq_rel.sys;" ::: "memory");
}

/// What blocks wrote before an exchange is visible after it: to none, to the own part's, to all parts'.
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

/// Words as the last round but one left them: in shared memory, zero before the first round.
using PartWordsBefore = unsigned long long[2][kMaxParts][kSumWords];
/// Words of a part's memory, zero before the launch.
inline constexpr std::size_t kPartSumWords = std::size_t{2} * kMaxParts * kSumWords;

struct PartBlock {
    const PeerView& view;
    unsigned long long* const (&words)[kMaxParts]; ///< each part's, kPartSumWords
    PartWordsBefore& previous;
    long long (*scratch)[kPartWords]; ///< one for each warp
    GridState& state;
    bool& dead;               ///< shared: another part does not answer, so leave
    const bool& leave;        ///< shared: the sums of all shall be no numbers, so that all leave
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
        // Word 3 k: high of sum k; after it low's two halves.
        const int k = min(lane, kSumWords - 1) / 3, piece = lane % 3;
        const long long mine = __shfl_sync(~0u, one, 4 * (2 * k + (piece == 0 ? 0 : 1)));
        if (lane >= kSumWords) return;
        const bool bad = leave || mine >= kLimit || mine <= -kLimit;
        const auto part = static_cast<unsigned long long>(piece == 0   ? kOffset + (bad ? kLimit : mine)
                                                          : piece == 1 ? mine & 0xFFFFFFFFll
                                                                       : (mine >> 32) & 0xFFFFFFFFll);
        const unsigned long long more = part + (1ull << 56);
        for (int p = 0; p < view.parts; ++p)
            if (p != view.me)
                asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" ::"l"(words[p] + place(round, view.me) + lane),
                             "l"(more)
                             : "memory");
        asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(words[view.me] + place(round, view.me) + lane),
                     "l"(more)
                     : "memory");
    }

    /// Waits for all blocks of all parts; `sum` becomes their sums, the same bits everywhere. Called by warp 0. Returns
    /// false, and sets `dead`, where a wait has ended without them.
    __device__ __forceinline__ bool collect(double (&sum)[kSums], Seen seen) const {
        unsigned long long total = 0;
        bool ok = add_words(view.me, total);
        laps.lap(PartLaps::own_sum);
        for (int from = 0; ok && from < view.parts; ++from)
            if (from != view.me) ok = add_words(from, total);
        if (seen == Seen::all && view.parts > 1) fence_system();
        laps.lap(PartLaps::parts_sum);
        if (seen == Seen::part || (seen == Seen::all && view.parts == 1)) fence_gpu();
        if (!ok) {
            if ((threadIdx.x & 31) == 0) dead = true;
            return false;
        }
#pragma unroll
        for (int i = 0; i < kSums; ++i) {
            const auto high = static_cast<long long>(__shfl_sync(~0u, total, 2 * i));
            const unsigned long long low = __shfl_sync(~0u, total, 2 * i + 1);
            sum[i] = sum_of_words(high, low, state.exponent[i], cut);
        }
        __syncwarp(); // one lane may change `state` after this
        return true;
    }

private:
    static __device__ __forceinline__ int place(unsigned long long round, int from) {
        return (static_cast<int>(round & 1) * kMaxParts + from) * kSumWords;
    }

    /// Waits for the blocks of part `from` and adds their words to `total`: lane k < 6 has high (even k) or low of sum
    /// k / 2.
    __device__ __forceinline__ bool add_words(int from, unsigned long long& total) const {
        const int lane = threadIdx.x & 31;
        bool ok = true;
        unsigned long long got = 0;
        if (lane < kSumWords) {
            unsigned long long& before = previous[round & 1][from][lane];
            const unsigned long long* const word = words[view.me] + place(round, from) + lane;
            unsigned long long now = 0;
            ok = wait_until(view, from == view.me ? kMaxParts : from, [&] {
                if (from == view.me)
                    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(word) : "memory");
                else now = load_relaxed(word);
                return ((now - before) >> 56) == gridDim.x;
            });
            got = (now - before) & ((1ull << 56) - 1);
            before = now;
        }
        const int k = lane < kPartWords ? lane / 2 : 0;
        const unsigned long long first = __shfl_sync(~0u, got, 3 * k), second = __shfl_sync(~0u, got, 3 * k + 1),
                                 third = __shfl_sync(~0u, got, 3 * k + 2);
        total +=
            (lane & 1) == 0 ? first - static_cast<unsigned long long>(gridDim.x) * kOffset : second + (third << 32);
        return __all_sync(~0u, ok);
    }
};

#endif

} // namespace mantissa::gpu
