// After a panel: its row exchanges in columns right and left of it and, right of it, the triangular solve with the
// panel's unit lower triangle, in one kernel. A block takes 32 columns: it gathers the rows that come into the panel's
// band, sends the band's old rows to where they go, and solves with one thread for each column.
#pragma once

#include <algorithm>
#include <cstddef>

#include "panel.cuh"

namespace mantissa::gpu::dense {

constexpr int kSwapColumns = 32; ///< of a block
constexpr int kSwapThreads = 256;
constexpr int kBandMax = 128;

/// Follows row `row` backwards (where it came from) through the band's panels.
__device__ __forceinline__ int came_from(int row, int first, int width, int step, const int* source,
                                         const int* target) {
    for (int begin = first + (width - 1) / step * step; begin >= first; begin -= step) {
        const int end = min(begin + step, first + width);
        if (row >= begin && row < end) row = source[row];
        else if (row >= end)
            for (int r = begin; r < end; ++r)
                if (target[r] == row) {
                    row = r;
                    break;
                }
    }
    return row;
}

__device__ __forceinline__ int went_to(int row, int first, int width, int step, const int* source, const int* target) {
    for (int begin = first; begin < first + width; begin += step) {
        const int end = min(begin + step, first + width);
        if (row >= begin && row < end) row = target[row];
        else if (row >= end)
            for (int r = begin; r < end; ++r)
                if (source[r] == row) {
                    row = r;
                    break;
                }
    }
    return row;
}

/// y[e] -= l[e] x for the elements of one 16-byte piece of a column of L that are after element `after`.
template <class T, int kPiece> __device__ __forceinline__ void subtract_piece(T* y, T x, const T* l, int after) {
    T piece[kPiece];
    *reinterpret_cast<uint4*>(piece) = *reinterpret_cast<const uint4*>(l);
#pragma unroll
    for (int e = 0; e < kPiece; ++e)
        if (e > after) y[e] = Magnitude<T>::fma(-piece[e], x, y[e]);
}

/// Bytes of dynamic shared memory for a band of `width` rows.
template <class T> constexpr std::size_t swap_shared_bytes(int width) {
    return sizeof(T) * static_cast<std::size_t>(width) * (width + kSwapColumns + 1);
}

/// Exchanges rows in columns `begin` .. of the matrix; the rows that come into the band go to `band`, [row][column],
/// or, where that is null, to their places. A warp has all it reads of its four columns in registers before it writes.
template <class T, int kEach>
__device__ __forceinline__ void exchange_columns(const SwapTask<T>& task, const int* source, const int* target,
                                                 int begin, int columns, T* band) {
    constexpr int kWarps = kSwapThreads / 32, kColumns = kSwapColumns / kWarps;
    const int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) >> 5;
    T incoming[kColumns][kEach], outgoing[kColumns][kEach];
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
        const int j = warp + kWarps * c;
        const T* const column = task.matrix + (begin + j) * task.stride;
#pragma unroll
        for (int i = 0; i < kEach; ++i)
            if (const int k = lane + 32 * i; j < columns && k < task.width) {
                incoming[c][i] = column[source[k]];
                outgoing[c][i] = column[task.first + k];
            }
    }
    __syncwarp();
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
        const int j = warp + kWarps * c;
        T* const column = task.matrix + (begin + j) * task.stride;
#pragma unroll
        for (int i = 0; i < kEach; ++i)
            if (const int k = lane + 32 * i; j < columns && k < task.width) {
                if (target[k] >= task.first + task.width) column[target[k]] = outgoing[c][i];
                if (band != nullptr) band[k * (kSwapColumns + 1) + j] = incoming[c][i];
                else column[task.first + k] = incoming[c][i];
            }
    }
}

/// The same exchanges in the list of the rows' origins.
template <class T>
__device__ __forceinline__ void exchange_order(const SwapTask<T>& task, const int* source, const int* target) {
    const int k = static_cast<int>(threadIdx.x);
    int incoming = 0, outgoing = 0;
    if (k < task.width) {
        incoming = task.order[source[k]];
        outgoing = task.order[task.first + k];
    }
    __syncthreads();
    if (k >= task.width) return;
    if (target[k] >= task.first + task.width) task.order[target[k]] = outgoing;
    task.order[task.first + k] = incoming;
}

__host__ __device__ inline int swap_blocks(int left, int right) {
    return (left + kSwapColumns - 1) / kSwapColumns + (right + kSwapColumns - 1) / kSwapColumns;
}

/// band <- lower^-1 band. kSub rows at a time: the first warp solves with their square, a thread for each column; then
/// all warps take what was found out of the rows below, a few rows each. kWidth: the width, or 0 where it is told.
template <class T, int kWidth> __device__ __forceinline__ void solve_band(const T* lower, T* band, int told) {
    constexpr int kPitch = kSwapColumns + 1, kPiece = 16 / sizeof(T);
    constexpr int kSub = 32 / (sizeof(T) / 4); // rows in registers at a time
    static_assert(kSwapColumns == 32 && kWidth % kSub == 0);
    const int width = kWidth != 0 ? kWidth : told;
    const int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) >> 5;
    const auto inside = [&](int row) { return kWidth != 0 || row < width; };
    for (int from = 0; from < width; from += kSub) {
        if (warp == 0) {
            T x[kSub];
#pragma unroll
            for (int i = 0; i < kSub; ++i) x[i] = inside(from + i) ? band[(from + i) * kPitch + lane] : T(0);
#pragma unroll
            for (int i = 0; i < kSub; ++i) {
                const T* const column = &lower[(from + i) * width + from];
#pragma unroll
                for (int r = i / kPiece * kPiece; r < kSub; r += kPiece)
                    if (inside(from + i) && inside(from + r)) subtract_piece<T, kPiece>(&x[r], x[i], &column[r], i - r);
            }
#pragma unroll
            for (int i = 0; i < kSub; ++i)
                if (inside(from + i)) band[(from + i) * kPitch + lane] = x[i];
        }
        __syncthreads();
        for (int r = from + kSub + warp * kPiece; r < width; r += kSwapThreads / 32 * kPiece) {
            T sum[kPiece];
#pragma unroll
            for (int e = 0; e < kPiece; ++e) sum[e] = band[(r + e) * kPitch + lane];
#pragma unroll
            for (int i = 0; i < kSub; ++i)
                subtract_piece<T, kPiece>(sum, band[(from + i) * kPitch + lane], &lower[(from + i) * width + r], -1);
#pragma unroll
            for (int e = 0; e < kPiece; ++e) band[(r + e) * kPitch + lane] = sum[e];
        }
        __syncthreads();
    }
}

/// The square at the band's head, by columns, into shared memory.
template <class T, int kWidth> __device__ __forceinline__ void load_lower(const SwapTask<T>& task, T* lower) {
    constexpr int kPiece = 16 / sizeof(T);
    const int width = kWidth != 0 ? kWidth : task.width, down = width / kPiece;
    const T* const square = task.matrix + task.first + task.first * task.stride;
#pragma unroll 8
    for (int i = static_cast<int>(threadIdx.x); i < down * width; i += kSwapThreads) {
        const int column = i / down, row = i % down * kPiece;
        *reinterpret_cast<uint4*>(&lower[column * width + row]) =
            *reinterpret_cast<const uint4*>(&square[row + column * task.stride]);
    }
}

/// Blocks: swap_blocks() and one more for task.order, of kSwapThreads. Where columns are solved, width is a multiple of
/// 16 bytes.
/// kWidth: task.width, or 0 for any.
template <class T, int kWidth> __global__ void __launch_bounds__(kSwapThreads) swap_and_solve(const SwapTask<T> task) {
    constexpr int kPitch = kSwapColumns + 1;
    __shared__ int source[kBandMax], target[kBandMax];
    extern __shared__ __align__(16) unsigned char memory[];
    const int width = kWidth != 0 ? kWidth : task.width;
    const int thread = static_cast<int>(threadIdx.x), lane = thread & 31;
    T* const lower = reinterpret_cast<T*>(memory); // column-major, width x width
    T* const band = lower + width * width;         // [row][column of this block]
    cudaGridDependencySynchronize();
    for (int k = thread; k < width; k += kSwapThreads) {
        source[k] = came_from(task.first + k, task.first, width, task.step, task.source, task.target);
        target[k] = went_to(task.first + k, task.first, width, task.step, task.source, task.target);
    }
    const int left_blocks = (task.left_to - task.left_from + kSwapColumns - 1) / kSwapColumns;
    const int block = static_cast<int>(blockIdx.x);
    const bool solves = block >= left_blocks;
    if (task.order != nullptr && block == swap_blocks(task.left_to - task.left_from, task.to - task.from)) {
        __syncthreads();
        exchange_order(task, source, target);
        return;
    }
    const int begin = solves ? task.from + (block - left_blocks) * kSwapColumns : task.left_from + block * kSwapColumns;
    const int columns = min(kSwapColumns, (solves ? task.to : task.left_to) - begin);
    if (solves) load_lower<T, kWidth>(task, lower);
    __syncthreads();
    if (kWidth != 0 || width <= kBandMax / 2)
        exchange_columns<T, kWidth != 0 ? kWidth / 32 : kBandMax / 64>(task, source, target, begin, columns,
                                                                       solves ? band : nullptr);
    else exchange_columns<T, kBandMax / 32>(task, source, target, begin, columns, solves ? band : nullptr);
    cudaTriggerProgrammaticLaunchCompletion();
    if (!solves) return;
    __syncthreads();
    solve_band<T, kWidth>(lower, band, width);
#pragma unroll 4
    for (int j = thread >> 5; j < columns; j += kSwapThreads / 32)
#pragma unroll 4
        for (int k = lane; k < width; k += 32)
            task.matrix[task.first + k + (begin + j) * task.stride] = band[k * kPitch + j];
    if (task.solved != nullptr)
#pragma unroll 8
        for (int k = thread / kSwapColumns; k < width; k += kSwapThreads / kSwapColumns)
            if (const int j = thread % kSwapColumns; j < columns)
                task.solved[k * task.pitch + begin - task.from + j] = band[k * kPitch + j];
}

} // namespace mantissa::gpu::dense
