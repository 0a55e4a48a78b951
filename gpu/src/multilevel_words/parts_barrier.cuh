// Where the blocks of all parts meet.
#pragma once

#include "../peers/peers.cuh"
#include "arithmetic.cuh"

namespace mantissa::gpu::cycle_words {

/// All blocks of all parts meet; what they wrote before, all see after it. Each part has as many blocks. Where one does
/// not come, the first wait that has lasted too long ends, all others with it (peers.cuh), and later ones do not wait.
class PartsBarrier {
public:
    /// `counter`: zero, of this part's blocks alone.
    __device__ explicit PartsBarrier(unsigned long long* counter) : counter_(counter) {}
    __device__ void wait() {
        const PartPlan& here = parts[blockIdx.y];
        __syncthreads();
        expected_ += gridDim.x;
        const auto p = static_cast<int>(threadIdx.x);
        bool gone = false;
        if (p < here.view.parts && alive_) {
            asm volatile("red.release.sys.global.add.u64 [%0], 1;" ::"l"(&here.arrivals[p][here.view.me].blocks)
                         : "memory");
            const unsigned long long* const come = &here.arrivals[here.view.me][p].blocks;
            gone = !wait_until(here.view, p, [&] { return load_acquire(come) >= expected_; });
        }
        alive_ = __syncthreads_or(gone ? 1 : 0) == 0 && alive_;
    }
    /// The blocks of this part alone.
    __device__ void wait_alone() {
        const PartPlan& here = parts[blockIdx.y];
        __syncthreads();
        expected_alone_ += gridDim.x;
        bool gone = false;
        if (threadIdx.x == 0 && alive_) {
            asm volatile("red.release.gpu.global.add.u64 [%0], 1;" ::"l"(counter_) : "memory");
            gone = !wait_until(here.view, kMaxParts, [&] {
                unsigned long long now;
                asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(counter_) : "memory");
                return now >= expected_alone_;
            });
        }
        alive_ = __syncthreads_or(gone ? 1 : 0) == 0 && alive_;
    }
    /// Have all come so far?
    [[nodiscard]] __device__ bool alive() const { return alive_; }

private:
    unsigned long long* counter_;
    unsigned long long expected_ = 0, expected_alone_ = 0;
    bool alive_ = true;
};

} // namespace mantissa::gpu::cycle_words
