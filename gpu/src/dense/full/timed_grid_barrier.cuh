// A barrier over the grid of a cooperative launch that gives up: a fault ends the kernel and does not hang the device.
#pragma once

namespace mantissa::gpu::dense {

/// How often a waiting thread looks before it gives up: seconds.
inline constexpr int kSpins = 1 << 22;

#ifdef __CUDACC__

/// All blocks meet; what they wrote before, all see after it.
class TimedGridBarrier {
public:
    __device__ explicit TimedGridBarrier(unsigned long long* counter) : counter_(counter) {}
    /// Called by all threads of all blocks. False where a block did not come, now or before.
    __device__ __forceinline__ bool wait() {
        __syncthreads();
        expected_ += gridDim.x;
        bool late = late_;
        if (threadIdx.x == 0 && !late) {
            asm volatile("red.release.gpu.global.add.u64 [%0], 1;" ::"l"(counter_) : "memory");
            unsigned long long now;
            int spin = 0;
            do asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(counter_) : "memory");
            while (now < expected_ && ++spin < kSpins);
            late = now < expected_;
        }
        late_ = __syncthreads_or(late);
        return !late_;
    }

private:
    unsigned long long* counter_;
    unsigned long long expected_ = 0;
    bool late_ = false;
};

#endif

} // namespace mantissa::gpu::dense
