// A part's rows as one stream of bytes for each warp: what the kernel of kernel.cuh copies through shared memory.
//
// Rows are numbered by the part in the order of the matrix (or one that is given), sorted by length within windows and
// with those apart that wait for other parts' elements. A slice is 32 / lanes neighbouring rows; a step has one entry
// for each thread of a warp; `lanes` follows from a row's length and the whole matrix's size alone, so the order in
// which a row is summed does not depend on the parts. A chunk is eight steps (the last of a list is filled up with
// zeros): sixteen bytes (the first column, and a bit for each step where a slice ends) and eight words that say where
// slices end, then columns (16 bits from the chunk's first column where they reach, else 32), then values. A thread's
// columns of several steps lie together in pieces of 16 bytes, and so do its values: it reads a piece at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mantissa/partition/partition.hpp"
#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa::gpu {

inline constexpr std::uint32_t kChunkSteps = 8, kChunkHead = 16 + 4 * kChunkSteps;
inline constexpr std::uint32_t kNoEnd = 0xFFFFFFFF;
/// What a step's word says where a slice ends: its first row, below 2^24, above it rows - 1 in five bits and the
/// binary logarithm of lanes in three.
constexpr std::uint32_t slice_end(std::uint32_t row, std::uint32_t rows, std::uint32_t log_lanes) {
    return row | (rows - 1) << 24 | log_lanes << 29;
}
constexpr std::uint32_t chunk_bytes(bool narrow, std::size_t value_bytes) {
    return kChunkHead + kChunkSteps * (32 * (narrow ? 2U : 4U) + 32 * static_cast<std::uint32_t>(value_bytes));
}

/// Where a chunk has the column (of `bytes` bytes) or, after the columns, the value of a step's thread.
constexpr std::uint32_t place_in_pieces(std::uint32_t step, std::uint32_t lane, std::uint32_t bytes) {
    const std::uint32_t each = 16 / bytes; // steps of a piece
    return (step / each * 32 + lane) * 16 + step % each * bytes;
}
constexpr std::uint32_t column_place(std::uint32_t step, std::uint32_t lane, bool narrow) {
    return kChunkHead + place_in_pieces(step, lane, narrow ? 2 : 4);
}
constexpr std::uint32_t value_place(std::uint32_t step, std::uint32_t lane, bool narrow, std::size_t value_bytes) {
    return kChunkHead + kChunkSteps * 32 * (narrow ? 2 : 4) +
           place_in_pieces(step, lane, static_cast<std::uint32_t>(value_bytes));
}

/// Threads that share a row of `length` entries, as a binary logarithm; `depth` is row_depth() of the whole matrix.
std::uint32_t log_lanes_of(std::uint64_t length, std::uint32_t depth);
std::uint32_t row_depth(std::uint64_t nonzeros);

struct SparseSend {
    std::uint32_t row_and_peer; ///< own row, the peer above bit 24
    std::uint32_t place;        ///< in the peer's vector p
};

struct SparseLayout {
    std::uint32_t rows = 0;
    std::uint32_t ghost_base = 0; ///< ghosts follow the own rows from here
    std::uint32_t ghosts = 0;
    std::vector<std::uint32_t> row; ///< of the matrix, by own number
    /// Chunks of rows that do not wait: the first of each warp, the second of each, so that what is read at the same
    /// time lies together; then those of rows that wait, warp by warp.
    std::vector<std::byte> stream;
    std::vector<std::uint64_t> warp_offset; ///< bytes, one for each warp: its first chunk that waits
    std::vector<std::uint32_t> warp_steps;  ///< two for each warp: steps that do not wait, steps that do
    std::vector<std::uint32_t> block_row;   ///< own rows of each block: blocks + 1
    std::vector<std::uint32_t> block_send;  ///< sends of each block: blocks + 1
    std::vector<SparseSend> send;
    bool narrow[2] = {true, true};                 ///< columns of 16 bits: rows that do not wait, rows that do
    std::uint32_t sends_to = 0, receives_from = 0; ///< a bit for each part
    std::uint64_t steps = 0;
};

/// Layouts of all parts. `rank`, if any, is a place for each row of the matrix: a part numbers its rows by it, for
/// neighbours in the matrix to be neighbours in memory. `shares`, if any: of a part's steps, what each of its blocks
/// gets, part by part; empty: equal ones. It changes no bit of a solve. Throws InvalidInput where a part has 2^24 rows
/// or more.
std::vector<SparseLayout> sparse_layouts(const CompressedRows& a, const Partition& partition,
                                         std::span<const std::uint32_t> rank, std::uint32_t blocks,
                                         std::uint32_t warps_a_block, bool single_precision,
                                         std::span<const double> shares = {});

/// New shares of a part's blocks, which lie one after the other, such that all take equally long if steps take what
/// they took where they are. `took`: what each block took with its share.
std::vector<double> shares_of_equal_time(std::span<const double> shares, std::span<const double> took);

} // namespace mantissa::gpu
