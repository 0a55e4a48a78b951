// The matrix as the sparse core reads it: which row comes when, on which lane, and in which order its entries come. The
// one source of that order for every engine that has the core (RTL, HLS, SystemC).
//
// The core has `lanes` lanes and as many banks of memory for p. Rows get a place in the core's own numbering, their
// position: element i of every vector stands at position[i], in lane (bank) position % lanes at address position /
// lanes. Rows are sorted by length, longest first (stable), over the whole matrix or within windows of it, so that the
// rows of one slice, the `lanes` positions of one address, are of nearly the same length. Slices come one after
// another; a slice takes as many beats as its longest row has entries, and a beat holds one entry for each lane:
// {column, coefficient}. Shorter rows are filled up with entries whose coefficient is 0.
//
// A bank can be read twice a clock (block RAM has two ports), and half of the lanes read at each port (port_of()). Sums
// are exact, so entries may come in any order: they are ordered such that no beat reads a port twice. That is the
// colouring of the edges of a bipartite graph of lanes and ports, which as many colours are enough for as the largest
// degree is (König): a slice takes more beats than its longest row only where a port has more entries than that. If any
// lane could read any port, fewer slices would; but then each lane would choose among twice as many words, and each
// port among twice as many addresses, which is half of the gather's area.
//
// The last beat of a slice holds the diagonal of each of its rows (coefficient 0 where there is none), which each lane
// reads from its own bank at the slice's own address: so p of the row itself comes past as its q is complete, and
// an empty row takes a beat.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa::sparse_core {

/// The most lanes: a power of two.
inline constexpr int kMostLanes = 64;

/// Which of a bank's two ports a lane reads at: the parity of the lane's number. Neighbours then read at different
/// ports, and so do rows that are two apart: matrices with two unknowns a vertex have the columns of the one in even
/// banks.
[[nodiscard]] constexpr std::uint32_t port_of(std::uint32_t lane) {
    return static_cast<std::uint32_t>(std::popcount(lane)) & 1;
}

/// How the sparse core reads a matrix: its lanes and the coding of columns.
struct StreamOptions {
    int lanes = 1;               ///< 1, 2, 4 and so on to kMostLanes
    std::size_t sort_window = 0; ///< rows of a window within which rows are sorted, a multiple of the lanes; 0: all
    bool delta = true;           ///< code columns as differences from the slice's address where that takes fewer bits
};

/// What the order costs; all of one pass.
struct StreamFigures {
    std::uint64_t nonzeros = 0;       ///< entries of the matrix
    std::uint64_t padded = 0;         ///< entries of slices as long as their longest rows: nonzeros and fill
    std::uint64_t beats = 0;          ///< entries a lane: padded / lanes, and what conflicts add
    std::uint64_t conflict_beats = 0; ///< beats more than padded / lanes
    std::uint64_t queued_beats = 0;   ///< beats if each row came in the matrix's order, and a beat waited for its ports
    [[nodiscard]] double fill() const; ///< padded / nonzeros; 1 where there are none
};

/// The order of one matrix's entries for a number of lanes. Immutable once made.
class RowStream {
public:
    /// No entry of the matrix: a place that is filled up.
    static constexpr std::uint64_t kPadding = ~std::uint64_t{0};

    /// Throws InvalidInput, one line, where the lanes are none of those above or the window is no multiple of them.
    RowStream(const CompressedRows& matrix, const StreamOptions& options);

    [[nodiscard]] int lanes() const { return lanes_; }
    [[nodiscard]] std::size_t rows() const { return position_.size(); }
    /// Addresses of a bank: rows / lanes, rounded up. Positions after the last row are empty rows.
    [[nodiscard]] std::size_t slices() const { return beat_begin_.size() - 1; }
    [[nodiscard]] std::uint64_t beats() const { return beat_begin_.back(); }
    /// Of row i, and so of element i of every vector. A permutation of 0 .. rows() - 1.
    [[nodiscard]] std::span<const std::uint32_t> position() const { return position_; }
    /// Slice s takes the beats beat_begin()[s] .. beat_begin()[s + 1] - 1, at least one; slices() + 1 numbers.
    [[nodiscard]] std::span<const std::uint64_t> beat_begin() const { return beat_begin_; }
    /// Position of the column of beat b on lane l, at b * lanes() + l. Those of padding are read and multiplied by 0.
    [[nodiscard]] std::span<const std::uint32_t> column() const { return column_; }
    /// Its entry in the matrix (value()[entry]), or kPadding.
    [[nodiscard]] std::span<const std::uint64_t> entry() const { return entry_; }
    [[nodiscard]] const StreamFigures& figures() const { return figures_; }

    // ---- Columns as bits: {address, bank}, the bank lowest --------------------------------------------------------
    [[nodiscard]] int bank_bits() const { return bank_bits_; }
    /// Bits of an address as it stands, at least one.
    [[nodiscard]] int address_bits() const { return address_bits_; }
    /// Bits of the two's complement difference of an address and its slice's, at least one.
    [[nodiscard]] int delta_bits() const { return delta_bits_; }
    /// Are addresses coded as differences? Where asked for and shorter.
    [[nodiscard]] bool delta() const { return delta_; }
    /// Bits of a column in the stream.
    [[nodiscard]] int column_bits() const { return bank_bits_ + (delta_ ? delta_bits_ : address_bits_); }
    /// The column's field for beat b on lane l, with `address_field` bits for the address or its difference (at least
    /// as many as column_bits() - bank_bits()).
    [[nodiscard]] std::uint64_t column_field(std::uint64_t beat, int lane, std::size_t slice, int address_field) const;
    /// Bits of a pass's stream with coefficients of so many bits and one bit a beat that marks a slice's last.
    [[nodiscard]] std::uint64_t bits(int coefficient_bits) const;

private:
    void sort_rows(const CompressedRows& matrix, std::size_t window);
    void count_bits(bool delta);

    int lanes_;
    int bank_bits_ = 0, address_bits_ = 1, delta_bits_ = 1;
    bool delta_ = false;
    std::vector<std::uint32_t> position_;
    std::vector<std::uint32_t> row_at_; // of a position
    std::vector<std::uint64_t> beat_begin_;
    std::vector<std::uint32_t> column_;
    std::vector<std::uint64_t> entry_;
    StreamFigures figures_;
};

} // namespace mantissa::sparse_core
