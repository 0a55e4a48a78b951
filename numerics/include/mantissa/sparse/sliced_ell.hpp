// Sliced ELL: rows in slices that a warp of 32 threads takes, entries stored in steps of 32, one a thread (Monakov,
// Lokhmotov, Avetisyan 2010; sorted by length within windows: SELL-C-sigma of Kreutzer et al. 2014).
//
// Here a slice also says how many threads ("lanes") share a row: one and 32 rows, two and 16, up to 32 and one. Entry e
// of a row is in step e / lanes, lane e % lanes. Rows longer than `longest_piece` steps of 32 entries are cut into
// pieces, a slice each, so that no warp works long at one row: rows of very unequal length then cost what their entries
// cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mantissa/sparse/complex_blocks.hpp"
#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa {

/// A matrix as sliced ELL: slices of rows, their entries in steps of kWidth, padded to the longest row.
struct SlicedEll {
    static constexpr std::uint32_t kWidth = 32; ///< entries of a step
    static constexpr std::uint32_t kWhole = 0xFFFFFFFF;
    /// Rows that are worked on together.
    struct Slice {
        std::uint32_t begin = 0; ///< first step: its entries start at begin * kWidth
        std::uint32_t steps = 0;
        std::uint32_t row = 0;           ///< first stored row
        std::uint32_t lanes = 1;         ///< threads a row, a power of two; kWidth / lanes rows
        std::uint32_t long_row = kWhole; ///< index in long_row, where the slice is a piece of it
    };
    /// A row in pieces: `pieces` slices one after another from first_slice.
    struct LongRow {
        std::uint32_t row = 0, first_slice = 0, pieces = 0;
    };
    std::uint32_t rows = 0;
    std::vector<Slice> slice;
    std::vector<LongRow> long_row;
    std::vector<std::uint32_t> permutation; ///< stored row t is the matrix's row permutation[t]
    std::vector<std::uint32_t> row_count;   ///< entries of stored row t
    std::vector<std::uint32_t> column;      ///< padding: a column of the same row (0 in an empty one), value 0
    std::vector<double> value;              ///< of complex blocks two for each entry, x and y; rows are rows of blocks
    [[nodiscard]] std::uint32_t steps() const { return static_cast<std::uint32_t>(column.size() / kWidth); }
};

/// How rows are sorted into slices and shared among lanes.
struct SlicedOptions {
    /// Rows are sorted by length, the longest first, within windows of so many rows (rounded up to a multiple of 32);
    /// 0: all of them. Rows of equal length keep their order.
    std::uint32_t window = 0;
    /// A row gets so many lanes that it takes at most this many steps; 0: one lane always, the plain format.
    std::uint32_t depth = 0;
    /// Steps of 32 lanes above which a row is cut into pieces of this many; 0: never.
    std::uint32_t longest_piece = 0;
};
/// What the two formats of this kind are made with: "SELL", plain; "SELL by lengths", where lanes and pieces go by a
/// row's length.
inline constexpr SlicedOptions kPlainSell{.window = 1024, .depth = 0, .longest_piece = 0};
inline constexpr SlicedOptions kSellByLengths{.window = 0, .depth = 4, .longest_piece = 8};
/// Threads that a device of 132 multiprocessors has at once.
inline constexpr std::uint64_t kUsualThreads = std::uint64_t{132} * 2048;
/// The second with the depth that a matrix's size asks for: short rows of steps while a device has threads to spare
/// (`threads` at once), longer ones where it has not.
inline SlicedOptions sell_by_lengths(const CompressedRows& a, std::uint64_t threads = kUsualThreads) {
    // (Measured with the usual ones: 4 up to 700000 entries, 8 up to 1500000.)
    const std::uint64_t size = a.nonzeros() * kUsualThreads;
    const std::uint32_t depth = size <= 700000 * threads ? 4 : size <= 1500000 * threads ? 8 : 12;
    return {.window = 0, .depth = depth, .longest_piece = 2 * depth};
}

/// Throws InvalidInput on a matrix whose indices, padding included, need more than 32 bits.
SlicedEll to_sliced_ell(const CompressedRows& a, const SlicedOptions& options);
/// The blocks of a complex matrix as entries. Throws as above; no row is cut into pieces.
SlicedEll to_sliced_ell(const ComplexBlocks& a, const SlicedOptions& options);
/// Where entry `e` of stored row `t` of `slice` (its first piece, where it is in pieces) is among column and value.
inline std::size_t sliced_place(const SlicedEll::Slice& slice, std::uint32_t t, std::uint32_t e) {
    return (std::size_t{slice.begin} + e / slice.lanes) * SlicedEll::kWidth + (t - slice.row) * slice.lanes +
           e % slice.lanes;
}
/// Back again, without padding and zeros.
CompressedRows to_compressed_rows(const SlicedEll& a);
/// Slices of 32 rows as they come, a thread a row: entry e of row i stands in step begin[i / 32] + e, place i % 32.
struct OrderedEll {
    static constexpr std::uint32_t kMostEntries = 255; ///< of a row
    std::uint32_t rows = 0;
    std::vector<std::uint32_t> begin;  ///< of each slice: its first step; and the end
    std::vector<std::uint8_t> count;   ///< entries of each row: what is after them is padding, and need not be read
    std::vector<std::uint32_t> column; ///< padding: 0
    std::vector<double> value;         ///< padding: 0
};
/// Throws InvalidInput on a row of more than kMostEntries entries, and where indices need more than 32 bits.
OrderedEll to_ordered_ell(const CompressedRows& a);
/// Back again, without padding and zeros.
CompressedRows to_compressed_rows(const OrderedEll& a);
/// Steps that to_ordered_ell() would store; 0: a row has too many entries.
std::size_t ordered_steps(const CompressedRows& a);

/// Steps that to_sliced_ell() would store and slices that it would make, without making it.
struct SlicedSize {
    std::size_t steps = 0, slices = 0, long_rows = 0;
};
SlicedSize sliced_size(const CompressedRows& a, const SlicedOptions& options);

} // namespace mantissa
