// Rows on their way from memory: copied into shared memory some rows ahead, each lane its own columns.
#pragma once

#include <cstddef>

#include "arithmetic.cuh"

namespace mantissa::gpu::cycle_words {

/// One array's rows. A slot holds a row of each array that a pass reads; its place is `slot` bytes after the first.
/// Where a lane's columns have 32 bytes, a lane that moved its own would touch every sector twice: there the warp's
/// bytes are dealt out, so that each instruction moves 512 in a row, and all lanes meet between a move and who reads
/// it.
template <class T, int kColumns> struct Ring {
    static constexpr int kBytes = static_cast<int>(sizeof(T)) * kColumns, kChunk = kBytes < 16 ? kBytes : 16;
    static constexpr int kChunks = kBytes / kChunk;
    static constexpr bool kDealt = kChunks == 2;
    int place; ///< in memory[], of the lane's first chunk in the first slot
    __device__ explicit Ring(int& free) : place(free + static_cast<int>(threadIdx.x) * kBytes) {
        free += kThreads * kBytes;
    }
    /// Where `wanted`, of the row, is false, or the grid has no such columns, zeros come and nothing is read.
    __device__ __forceinline__ void fetch(int slot, const T* from, bool wanted, const Place& at) const {
#pragma unroll
        for (int c = 0; c < kChunks; ++c) {
            const int bytes = wanted && (kDealt ? at.inside_dealt[c] : at.inside) ? kChunk : 0;
            const unsigned to = address(slot) + static_cast<unsigned>(kDealt ? dealt(c) - first() : 0);
            const unsigned char* const source =
                reinterpret_cast<const unsigned char*>(from) + (kDealt ? to_moved(c) : 0);
            if constexpr (kChunk == 16)
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(source), "r"(bytes)
                             : "memory");
            else
                asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(to), "l"(source), "r"(bytes),
                             "n"(kChunk)
                             : "memory");
        }
    }
    /// The lane's columns. Where this stands the reads begin.
    __device__ __forceinline__ Pack<T, kColumns> get(int slot) const {
        union {
            Pack<T, kColumns> words;
            unsigned part[kBytes / 4];
        } out;
#pragma unroll
        for (int c = 0; c < kChunks; ++c)
            read(address(slot) + static_cast<unsigned>(kDealt ? own(c) - first() : 0), out.part + c * kChunk / 4);
        return out.words;
    }
    /// Stores the lane's columns to `to`, by way of the slot where they are dealt. `mine`: of the lane's columns;
    /// `row`: of all lanes'.
    __device__ __forceinline__ void store(int slot, const Pack<T, kColumns>& x, T* to, bool mine, bool row,
                                          const Place& at) const {
        if constexpr (!kDealt) {
            if (mine) *reinterpret_cast<Pack<T, kColumns>*>(to) = x;
        } else {
            if (!row) return;
            const auto* const parts = reinterpret_cast<const uint4*>(&x);
#pragma unroll
            for (int c = 0; c < 2; ++c) *reinterpret_cast<uint4*>(memory + place + slot + own(c) - first()) = parts[c];
            __syncwarp();
#pragma unroll
            for (int c = 0; c < 2; ++c)
                if (at.own_dealt[c])
                    *reinterpret_cast<uint4*>(reinterpret_cast<unsigned char*>(to) + to_moved(c)) =
                        *reinterpret_cast<const uint4*>(memory + place + slot + dealt(c) - first());
        }
    }

private:
    __device__ static int lane() {
        return static_cast<int>(threadIdx.x) & (kLanes - 1);
    }
    __device__ static int first() {
        return lane() * kBytes;
    } ///< of the lane, in the warp's bytes
    /// Of chunk i of the warp's: neighbours change places so that eight lanes' reads meet no bank twice.
    __device__ static int swapped(int i) {
        return (i ^ ((i >> 3) & 1)) * kChunk;
    }
    __device__ static int own(int c) {
        return swapped(2 * lane() + c);
    }
    __device__ static int dealt(int c) {
        return swapped(c * kLanes + lane());
    }
    /// From a lane's columns to the chunk that it moves.
    __device__ static int to_moved(int c) {
        return (c * kLanes - lane()) * kChunk;
    }
    __device__ __forceinline__ unsigned address(int slot) const {
        return static_cast<unsigned>(__cvta_generic_to_shared(memory)) + static_cast<unsigned>(place + slot);
    }
    __device__ static void read(unsigned at, unsigned* to) {
        if constexpr (kChunk == 16)
            asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                         : "r"(at)
                         : "memory");
        else if constexpr (kChunk == 8)
            asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "r"(at) : "memory");
        else asm volatile("ld.shared.u32 %0, [%1];" : "=r"(to[0]) : "r"(at) : "memory");
    }
};
__device__ __forceinline__ void close_row() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
/// The oldest row but kRows - 1 is here, for all lanes.
template <int kRows> __device__ __forceinline__ void await_row() {
    asm volatile("cp.async.wait_group %0;" ::"n"(kRows - 1) : "memory");
    __syncwarp();
}
__device__ __forceinline__ void await_rows() {
    asm volatile("cp.async.wait_group 0;" ::: "memory");
}

} // namespace mantissa::gpu::cycle_words
