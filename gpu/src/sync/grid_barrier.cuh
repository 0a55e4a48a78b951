// A barrier over the grid of a cooperative launch.
#pragma once

namespace mantissa::gpu {

#ifdef __CUDACC__

/// All blocks meet; what they wrote before, all see after it.
class GridBarrier {
public:
    __device__ explicit GridBarrier(unsigned long long* counter) : counter_(counter) {}
    __device__ __forceinline__ void wait() {
        arrive();
        await();
    }
    /// The first half: this block has come. What its threads wrote before, all blocks see after await().
    __device__ __forceinline__ void arrive() {
        __syncthreads();
        expected_ += gridDim.x;
        if (threadIdx.x == 0) asm volatile("red.release.gpu.global.add.u64 [%0], 1;" ::"l"(counter_) : "memory");
    }
    /// The second half: all blocks have come.
    __device__ __forceinline__ void await() {
        if (threadIdx.x == 0) {
            unsigned long long now;
            do asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(counter_) : "memory");
            while (now < expected_);
        }
        __syncthreads();
    }

private:
    unsigned long long* counter_;
    unsigned long long expected_ = 0;
};

#endif

} // namespace mantissa::gpu
