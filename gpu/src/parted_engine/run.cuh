// Passes over several parts in one launch for each device. A pass of a part:
//
//     u, r and p of own elements; those of p that other parts need go straight into their memory
//     barrier of the part's blocks; a flag to each of those parts
//     rows that need no ghost, while flags and elements are on their way; wait for the flags; the other rows
//     sums of the part's blocks, which are integers; barrier; each part sends its sums to all others and adds theirs up
//     every block forms the scalars for itself
//
// One set of ghosts is enough: a part writes into the next pass's only when it has the sums of this one, and those have
// come from blocks that had done their rows. Every wait has an end (peers.cuh).
#pragma once

#include "../peers/peers.cuh"
#include "halo.cuh"

namespace mantissa::gpu {

inline constexpr int kPartSums = 7;  ///< low and high of three sums, and a count of what ends a run
inline constexpr int kPartLine = 16; ///< words between the sums of odd and even passes

struct PartShape {
    long long own_begin, own_end, inner_begin, inner_end;
    PeerView view;
    unsigned long long first_round;
    unsigned long long* sums; ///< [2][kPartLine], then the barrier's counter; zero before the launch
    int sends, receives;
    int send_to[kMaxParts], receive_from[kMaxParts];
};

template <class Pass> struct PartEntry {
    typename Pass::Params params;
    PartShape shape;
    HaloSend<typename Pass::Element> halo;
};
template <class Pass> struct PartLaunch { PartEntry<Pass> part[kMaxParts]; };

#ifdef __CUDACC__

/// All blocks of a part meet; false where the solve ends.
class PartBarrier {
public:
    __device__ PartBarrier(const PeerView& view, unsigned long long* counter) : view_(view), counter_(counter) {}
    __device__ __forceinline__ bool wait() {
        __syncthreads();
        expected_ += gridDim.x;
        bool met = true;
        if (threadIdx.x == 0) {
            asm volatile("red.release.gpu.global.add.u64 [%0], 1;" ::"l"(counter_) : "memory");
            met = wait_until(view_, kMaxParts, [&] {
                unsigned long long now;
                asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(counter_) : "memory");
                return now >= expected_;
            });
        }
        return __syncthreads_and(static_cast<int>(met)) != 0;
    }

private:
    const PeerView& view_;
    unsigned long long* counter_;
    unsigned long long expected_ = 0;
};

/// Pass: what runs on a part.
template <class Pass>
__global__ void __launch_bounds__(Pass::kThreads) parted_run(const __grid_constant__ PartLaunch<Pass> all) {
    static_assert(sizeof(PartLaunch<Pass>) <= 32764, "a launch's parameters have at most this many bytes");
    __shared__ typename Pass::Shared shared;
    __shared__ unsigned long long total[kPartSums], previous[2][kPartSums];
    const PartEntry<Pass>& e = all.part[blockIdx.y];
    const PartShape& s = e.shape;
    const int tid = static_cast<int>(threadIdx.x);
    if (tid < kPartSums) previous[0][tid] = previous[1][tid] = 0;
    Pass pass(e.params, shared);
    __syncthreads();
    PartBarrier barrier(s.view, s.sums + 2 * kPartLine);
    for (std::uint64_t k = 1; k <= e.params.passes; ++k) {
        const unsigned long long round = s.first_round + k - 1;
        if (pass.update(e.halo, s.own_begin, s.own_end)) __threadfence_system();
        if (!barrier.wait()) return;
        if (blockIdx.x == 0 && tid < s.sends) raise_flag(s.view, s.send_to[tid], s.view.me, round);
        pass.rows(s.inner_begin, s.inner_end);
        if (s.receives > 0) {
            bool there = true;
            if (tid < s.receives) there = wait_flag(s.view, s.receive_from[tid], s.receive_from[tid], round);
            if (__syncthreads_and(static_cast<int>(there)) == 0) return;
        }
        // (Where a matrix's pattern is not symmetric a part may send and receive nothing.)
        pass.rows(s.own_begin, s.inner_begin);
        pass.rows(s.inner_end, s.own_end);
        unsigned long long* const words = s.sums + (k & 1) * kPartLine;
        pass.send(words);
        if (!barrier.wait()) return;
        bool there = true;
        if (tid < kPartSums) {
            const unsigned long long now = __ldcg(words + tid);
            unsigned long long word = now - previous[k & 1][tid];
            previous[k & 1][tid] = now;
            if (blockIdx.x == 0) publish_word(s.view, round, tid, word);
            there = collect_word(s.view, round, tid, word);
            total[tid] = word;
        }
        if (__syncthreads_and(static_cast<int>(there)) == 0) return;
        if (tid < 32) pass.close(k, total);
        __syncthreads();
        if (shared.run.end != RunEnd::passes) break;
    }
    pass.finish();
}

#endif

} // namespace mantissa::gpu
