// The steps of a blocked LU factorisation on the device, column-major, each launched into a stream without a word to
// the host: factor a panel with partial pivoting; bring its row exchanges to other columns and solve with its unit
// lower triangle; update what is after it. T: float or double.
//
//     for each panel of `width` columns from `first` on
//         launch_panel            L and U of the panel, pivots[first ..], source[first ..], target[first ..]
//         launch_swap_and_solve   rows exchanged left and right; U right of the panel, also row-major in `solved`
//         launch_update           matrix right of and below the panel -= L * solved
//
// All pointers are device pointers. Matrices and strides are multiples of 16 bytes, `first` a multiple of four.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

namespace mantissa::gpu::dense {

/// What a factorisation says of its end: the first column (from 1) whose pivot is zero, and whose pivot is not finite;
/// 0 where there is none.
struct LuFlags {
    int zero_pivot;
    int not_finite;
};

template <class T> struct PanelTask {
    T* a;               ///< the panel's diagonal element, columns `stride` apart
    std::size_t stride; ///< elements
    int rows;           ///< from the diagonal down, at least `columns`
    int columns;        ///< at most the kernel's width
    int first;          ///< the panel's first row and column in the matrix
    int* pivots;        ///< of this panel: the row that was exchanged with row first + k at step k, from 0
    int* source;        ///< of this panel: the row, before the panel, that now stands at first + k
    int* target;        ///< of this panel: where the row that stood at first + k is now
    LuFlags* flags;
    T* scratch;         ///< kPanelScratch elements; only for panels of several parts
    int* started;       ///< set to 1 when the panel's blocks are running; null: not wanted
    bool early = false; ///< may start while the kernel before it in the stream, an update, ends
};

constexpr int kPanelScratch = 4 * 32 * 32;

/// Columns that one panel of `rows` rows may have, 128; zero: too many rows for one cluster (98304 fit).
template <class T> int panel_width(int rows);

/// Factors a panel, by launch_block_panel() where that can, else by launch_cluster_panel(): the bits are the same.
/// task.columns at most panel_width(task.rows).
template <class T> void launch_panel(const PanelTask<T>& task, cudaStream_t stream);

/// In one cluster of 4, 8 or 16 blocks.
template <class T> void launch_cluster_panel(const PanelTask<T>& task, cudaStream_t stream);

/// In one block, for few rows; false, and nothing launched, where rows and columns do not fit.
template <class T> bool launch_block_panel(const PanelTask<T>& task, cudaStream_t stream);

/// A kernel of one thread that ends when *flag is no longer 0: then a panel that had to be told to is running,
/// and a large kernel cannot keep its cluster from finding room.
void launch_await(const int* flag, cudaStream_t stream);

/// Columns that a panel without pivoting may have.
constexpr int kPlainWidth = 64;

/// The same without pivoting: pivots, source and target say that no row moved. `done`: one int on the device, 0 before
/// and after.
template <class T> void launch_plain_panel(const PanelTask<T>& task, int* done, cudaStream_t stream);

/// The exchanges of rows first .. first + width - 1, made by panels of `step` columns each (the last may have less).
template <class T> struct SwapTask {
    T* matrix;          ///< the whole matrix, columns `stride` apart
    std::size_t stride; ///< elements
    int first, width;   ///< of the band: the panels' columns and rows
    int step;
    const int* source; ///< of the whole matrix, as panels wrote them
    const int* target;
    int left_from, left_to; ///< columns that only exchange
    int from, to;           ///< columns that are solved too
    T* solved;              ///< element (k, j) of the solved band also at [k * pitch + j - from]; null: nowhere
    std::size_t pitch;
    int* order = nullptr; ///< the row of the first matrix that stands at i now, exchanged too; null: not wanted
    bool early = false;   ///< may start while the kernel before it in the stream, a panel, ends
};

/// width at most 128; where columns are solved, a multiple of four.
template <class T> void launch_swap_and_solve(const SwapTask<T>& task, cudaStream_t stream);

/// c -= a b.
template <class T> struct UpdateTask {
    const T* a;           ///< rows x depth, column-major, 16-byte aligned
    std::size_t a_stride; ///< a multiple of 16 bytes, as the others
    const T* b;           ///< depth x columns, row-major
    std::size_t b_stride;
    T* c; ///< rows x columns, column-major
    std::size_t c_stride;
    int rows, columns, depth;
    bool early = false; ///< may start while the kernel before it in the stream, an exchange, ends
};

/// For double by double tensor cores, for float by fused multiply-adds.
template <class T> void launch_update(const UpdateTask<T>& task, cudaStream_t stream);

constexpr int kSubstituteRows = 64; ///< of a block of the substitutions

template <class T> struct SubstituteTask {
    const T* factors;   ///< L below the diagonal, U on and above it, column-major
    std::size_t stride; ///< elements
    int n;
    const int* order; ///< row i of P b is element order[i] of b; null: b as it is
    const T* b;
    T* x;         ///< may be b where order is null
    int* started; ///< how many blocks began
    int* known;   ///< of every 64 rows: their part of x is written
};

/// L U x = P b. `known` has two ints for every kSubstituteRows rows; it and `started` need not be cleared before.
template <class T> void launch_solve(const SubstituteTask<T>& task, cudaStream_t stream);

} // namespace mantissa::gpu::dense
