// A chain of panels of a blocked LU factorisation in one launch: what the launches of lu_sequence.cpp do between two
// panels costs as much as half a panel, where there are few rows. Beside the chain, in another stream, the rest of the
// matrix gets its exchanges and updates; the two hear of each other by words in the device's memory.
#pragma once

#include "steps.hpp"

namespace mantissa::gpu::dense {

constexpr int kChainWidth = 32; ///< columns of a panel of a chain; the matrix' last may have less

template <class T> struct ChainTask {
    T* matrix;          ///< the whole matrix, columns `stride` apart
    std::size_t stride; ///< elements
    int n;
    int first;  ///< the first panel's first row and column; everything before has been done to its columns
    int panels; ///< at least 1; all but the last of the matrix have kChainWidth columns
    int *pivots, *source, *target; ///< of the whole matrix
    LuFlags* flags;
    int* started;       ///< set to 1 when the chain is running
    const int* ready;   ///< [panel]: 1 when all but the last panel before that one has been done to later columns
    int* finished;      ///< [panel]: counts the blocks that have written that panel and its lists; 0 at the start
    bool early = false; ///< may start while the kernel before it in the stream, an update, ends
};

/// Rows, from the first panel down, up to which a chain pays; a chain has two panels or more.
template <class T> int chain_rows();
/// Where a chain of so many rows had better end, for another of fewer blocks or threads: when so many rows are left.
int chain_end(int rows);
/// Blocks that a chain of so many rows has.
int chain_blocks(int rows);

/// Factors `panels` panels with partial pivoting, and brings what each does to the next one's columns. The factors of
/// all panels are in the matrix then, rows exchanged within each; the exchanges in other columns are left to do.
template <class T> void launch_chain(const ChainTask<T>& task, cudaStream_t stream);

/// A kernel of one thread that sets *ready to 1 and ends when *finished is `blocks`.
void launch_relay(int* ready, const int* finished, int blocks, cudaStream_t stream);

} // namespace mantissa::gpu::dense
