// L U x = P b for one right-hand side, two launches: the forward and the backward substitution. A block has 64 rows; it
// adds up the products with the parts of x that are known, as they become known, and solves with its own square on the
// diagonal. Blocks take their rows in the order in which they start, so those they wait for are running.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "panel.cuh"

namespace mantissa::gpu::dense {

constexpr int kSubstituteThreads = 256;

/// Waits until *count is `wanted` or more.
__device__ __forceinline__ void await_count(const int* count, int wanted) {
    constexpr std::uint64_t kNanoseconds = 2'000'000'000;
    std::uint64_t begin = 0;
    for (std::uint32_t tries = 0;; ++tries) {
        int value;
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(count) : "memory");
        if (value >= wanted) return;
        if ((tries & 255U) == 255U) {
            std::uint64_t now;
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
            if (begin == 0) begin = now;
            else if (now - begin > kNanoseconds) __trap();
        }
    }
}
__device__ __forceinline__ void await_flag(const int* flag) {
    await_count(flag, 1);
}

/// ceil(n / 64) blocks of kSubstituteThreads. kUpper: U from the last row up, else the unit L from the first row down.
template <class T, bool kUpper>
__global__ void __launch_bounds__(kSubstituteThreads) substitute(const SubstituteTask<T> task) {
    constexpr int kRows = kSubstituteRows, kGroups = kSubstituteThreads / kRows, kEach = kRows / kGroups;
    __shared__ T square[kRows][kRows + 1]; // [column][row]
    __shared__ T part[kRows], partial[kGroups][kRows];
    __shared__ int ticket;
    const int thread = static_cast<int>(threadIdx.x), r = thread % kRows, group = thread / kRows;
    if (thread == 0) ticket = atomicAdd(task.started, 1);
    __syncthreads();
    const int blocks = (task.n + kRows - 1) / kRows, turn = ticket;
    const int mine = kUpper ? blocks - 1 - turn : turn, row = mine * kRows + r;
    const bool inside = row < task.n;
    for (int c = group; c < kRows; c += kGroups) {
        const int column = mine * kRows + c;
        square[c][r] = inside && column < task.n ? task.factors[row + column * task.stride] : T(0);
    }
    T sum = T(0), next[kEach];
    const auto fetch = [&](int t) {
        const int j = kUpper ? blocks - 1 - t : t;
#pragma unroll
        for (int e = 0; e < kEach; ++e) {
            const int column = j * kRows + group * kEach + e;
            next[e] = inside && column < task.n ? task.factors[row + column * task.stride] : T(0);
        }
    };
    if (turn > 0) fetch(0);
    for (int t = 0; t < turn; ++t) {
        const int j = kUpper ? blocks - 1 - t : t;
        if (thread == 0) await_flag(&task.known[j]);
        __syncthreads();
        if (thread < kRows) part[thread] = j * kRows + thread < task.n ? __ldcg(&task.x[j * kRows + thread]) : T(0);
        __syncthreads();
        T current[kEach];
#pragma unroll
        for (int e = 0; e < kEach; ++e) current[e] = next[e];
        if (t + 1 < turn) fetch(t + 1);
#pragma unroll
        for (int e = 0; e < kEach; ++e) sum = Magnitude<T>::fma(current[e], part[group * kEach + e], sum);
    }
    partial[group][r] = sum;
    __syncthreads();
    if (thread < 32) {
        T y[2]; // rows lane and lane + 32
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const int q = thread + 32 * h, at = mine * kRows + q;
            y[h] = T(0);
            if (at < task.n) {
                y[h] = task.b[task.order != nullptr ? task.order[at] : at];
#pragma unroll
                for (int g = 0; g < kGroups; ++g) y[h] -= partial[g][q];
            }
        }
        const int rows = min(kRows, task.n - mine * kRows);
        for (int step = 0; step < rows; ++step) {
            const int k = kUpper ? rows - 1 - step : step;
            T x = __shfl_sync(0xffffffffU, k < 32 ? y[0] : y[1], k & 31);
            if (kUpper) x = Magnitude<T>::quotient(x, square[k][k]);
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                const int q = thread + 32 * h;
                if (q == k) y[h] = x;
                else if (kUpper ? q < k : q > k) y[h] = Magnitude<T>::fma(-square[k][q], x, y[h]);
            }
        }
#pragma unroll
        for (int h = 0; h < 2; ++h)
            if (const int at = mine * kRows + thread + 32 * h; at < task.n) __stcg(&task.x[at], y[h]);
        __syncwarp();
        if (thread == 0) {
            __threadfence();
            asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(&task.known[mine]) : "memory");
        }
    }
}

} // namespace mantissa::gpu::dense
