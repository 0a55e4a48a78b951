// Rows on their way from memory: copied into shared memory some rows ahead, each lane its own columns.
#pragma once

#include <cstddef>

#include "arithmetic.cuh"

namespace mantissa::gpu::cycle_words {

/// One array's rows. `Row` number is that of the iteration which reads them.
template <class T, int kColumns> struct Ring {
    static constexpr int kBytes = static_cast<int>(sizeof(T)) * kColumns, kChunk = kBytes < 16 ? kBytes : 16;
    static constexpr int kChunks = kBytes / kChunk;
    int place; ///< in memory[]
    __device__ explicit Ring(int& free) : place(free + static_cast<int>(threadIdx.x) * kChunk) {
        free += kRows * kThreads * kBytes;
    }
    /// Where `wanted` is false, zeros come.
    __device__ __forceinline__ void fetch(int iteration, const T* from, bool wanted) const {
        const int slot = iteration & (kRows - 1);
#pragma unroll
        for (int c = 0; c < kChunks; ++c) {
            const auto to = static_cast<unsigned>(__cvta_generic_to_shared(memory)) +
                            static_cast<unsigned>(place + (slot * kChunks + c) * kThreads * kChunk);
            const unsigned char* const source = reinterpret_cast<const unsigned char*>(from) + c * kChunk;
            const int bytes = wanted ? kChunk : 0;
            if constexpr (kChunk == 16)
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(source), "r"(bytes)
                             : "memory");
            else
                asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(to), "l"(source), "r"(bytes),
                             "n"(kChunk)
                             : "memory");
        }
    }
    __device__ __forceinline__ Pack<T, kColumns> get(int iteration) const {
        const int slot = iteration & (kRows - 1);
        Pack<T, kColumns> out;
#pragma unroll
        for (int c = 0; c < kChunks; ++c) {
            using Part = Pack<T, kColumns / kChunks>;
            const Part part = *reinterpret_cast<const Part*>(memory + place + (slot * kChunks + c) * kThreads * kChunk);
#pragma unroll
            for (int i = 0; i < kColumns / kChunks; ++i) out.v[c * (kColumns / kChunks) + i] = part.v[i];
        }
        return out;
    }
};
__device__ __forceinline__ void close_row() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
/// The oldest row but kRows - 1 is here.
__device__ __forceinline__ void await_row() {
    asm volatile("cp.async.wait_group %0;" ::"n"(kRows - 1) : "memory");
}
__device__ __forceinline__ void await_rows() {
    asm volatile("cp.async.wait_group 0;" ::: "memory");
}

} // namespace mantissa::gpu::cycle_words
