// Matrices of a nine-point grid: a constant stencil, or nine bands of coefficients.
//
// The grid has `row_length` columns and is numbered row by row: element i couples to i + band_offset(b, row_length).
//
//     band            0   1   2   3  4  5   6   7   8
//     neighbour       SW  S   SE  W  C  E   NW  N   NE
//     offset         -n-1 -n -n+1 -1 0 +1  n-1  n  n+1      n = row_length
//
// That is also the order in which a chained row sum adds. Elements of p outside 0..size-1 are +0.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace mantissa {

inline constexpr int kBands = 9;

/// Index distance from an element to its neighbour in `band`, 0..8.
[[nodiscard]] constexpr std::ptrdiff_t band_offset(int band, std::size_t row_length) {
    return static_cast<std::ptrdiff_t>(row_length) * (band / 3 - 1) + (band % 3 - 1);
}

/// Row sums within this part of the sum of a row's magnitudes are rounding errors of whoever formed the row, and count
/// as zero: nine coefficients, each within 2^-53 of itself, and eight additions.
inline constexpr double kZeroRowSum = 0x1p-50;

/// The sum of a row's nine coefficients, added in the bands' order in double; +0 where it counts as zero.
[[nodiscard]] double row_sum(const std::array<double, kBands>& coefficients);

/// "south-west", ..., "north-east", in the bands' order.
[[nodiscard]] const char* neighbour_name(std::size_t band);

/// A constant stencil on a grid whose edge nodes are homogeneous Dirichlet nodes: their rows give q = +0 and nothing is
/// computed there.
class Stencil {
public:
    /// Columns and rows of the grid, edge nodes included, at least 3 each; finite coefficients in the bands' order.
    /// Throws InvalidInput, one line that names the fault.
    Stencil(std::size_t row_length, std::size_t rows, const std::array<double, kBands>& coefficients);

    [[nodiscard]] std::size_t row_length() const { return row_length_; }
    [[nodiscard]] std::size_t rows() const { return rows_; }
    [[nodiscard]] std::size_t size() const { return rows_ * row_length_; }
    [[nodiscard]] const std::array<double, kBands>& coefficients() const { return coefficients_; }

    /// Is element i a Dirichlet node?
    [[nodiscard]] bool on_edge(std::size_t i) const {
        const std::size_t column = i % row_length_;
        return i < row_length_ || i >= size() - row_length_ || column == 0 || column == row_length_ - 1;
    }

    friend bool operator==(const Stencil&, const Stencil&) = default;

private:
    std::size_t row_length_, rows_;
    std::array<double, kBands> coefficients_;
};

/// Nine bands of coefficients, one element each for every node. (One that was moved from may only be assigned to or
/// destroyed.)
class Bands {
public:
    using Array = std::array<std::vector<double>, kBands>;

    /// Columns of the grid, at least 3, and nine bands of equally many elements, a multiple of the columns: finite, and
    /// zero where a coupling would leave the grid. Throws InvalidInput, one line that names the first fault (band and
    /// element, counted from 0) and the mend. Symmetry is not checked.
    Bands(std::size_t row_length, Array bands);

    [[nodiscard]] std::size_t row_length() const { return row_length_; }
    [[nodiscard]] std::size_t size() const { return bands_[0].size(); }
    [[nodiscard]] const std::vector<double>& band(std::size_t b) const { return bands_[b]; }
    [[nodiscard]] const Array& bands() const { return bands_; }

    friend bool operator==(const Bands&, const Bands&) = default;

private:
    std::size_t row_length_;
    Array bands_;
};

} // namespace mantissa
