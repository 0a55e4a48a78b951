// Symmetric matrices of a nine-point grid as couplings and row sums: what rows of differences are formed from, at half
// the storage of nine bands.
//
//     weight      0   1   2   3
//     neighbour   E  NW   N  NE         of elements numbered as in nine_point.hpp
//     offset      1 n-1   n n+1         n = row_length
//
// With w_d(i) = -a(i, i + d) the product is a sum of fluxes, each used by two rows, and of row sums c:
//
//     (A p)_i = sum over d of [ w_d(i) (p_i - p_(i+d)) - w_d(i-d) (p_(i-d) - p_i) ] + c_i p_i
//
// c is zero for diffusion inside a domain. The diagonal is no number of its own: it is c_i plus the eight weights.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "mantissa/nine_point.hpp"

namespace mantissa {

inline constexpr std::size_t kWeights = 4;

/// The band (0..8) to the neighbour of weight d, and the band back.
[[nodiscard]] constexpr std::size_t weight_band(std::size_t d) {
    return d + 5;
}
[[nodiscard]] constexpr std::size_t mirrored_band(std::size_t band) {
    return 8 - band;
}
/// Index distance from an element to the neighbour of weight d.
[[nodiscard]] constexpr std::ptrdiff_t weight_offset(std::size_t d, std::size_t row_length) {
    return band_offset(static_cast<int>(weight_band(d)), row_length);
}

/// A symmetric matrix of a nine-point grid. Zeros among its numbers are +0. (One that was moved from may only be
/// assigned to or destroyed.)
class SymmetricBands {
public:
    using Array = std::array<std::vector<double>, kWeights>;

    /// Columns of the grid, at least 3; four weights w_d = -a of equally many elements, a multiple of the columns:
    /// finite, and zero where a coupling would leave the grid; row sums, as many elements or none. A row sum within
    /// kZeroRowSum of the sum of its row's magnitudes becomes zero, and where none is left there are no row sums.
    /// Throws InvalidInput, one line that names the first fault and the mend.
    SymmetricBands(std::size_t row_length, Array weights, std::vector<double> row_sums = {});

    /// From weights and the diagonal, as many elements: row sums are formed by row_sum().
    static SymmetricBands with_diagonal(std::size_t row_length, Array weights, const std::vector<double>& diagonal);

    /// From nine bands. Throws InvalidInput with asymmetry()'s line where a(i, j) is not a(j, i).
    static SymmetricBands from(const Bands& bands);

    [[nodiscard]] std::size_t row_length() const { return row_length_; }
    [[nodiscard]] std::size_t size() const { return weights_[0].size(); }
    [[nodiscard]] const std::vector<double>& weight(std::size_t d) const { return weights_[d]; }
    [[nodiscard]] const Array& weights() const { return weights_; }
    /// One for each element; empty where all are zero.
    [[nodiscard]] const std::vector<double>& row_sums() const { return row_sums_; }

    /// The diagonal entry of row i: its eight weights added in the bands' order, in double, and its row sum at last.
    [[nodiscard]] double diagonal(std::size_t i) const;
    /// Row i's entry in one of the nine bands; +0 where the band leaves the vector.
    [[nodiscard]] double coefficient(std::size_t band, std::size_t i) const;
    /// The same matrix as nine bands, diagonal() in the centre.
    [[nodiscard]] Bands bands() const;

    friend bool operator==(const SymmetricBands&, const SymmetricBands&) = default;

private:
    std::size_t row_length_;
    Array weights_;
    std::vector<double> row_sums_;
};

/// The first entry (by element, then by neighbour: E, NW, N, NE) that differs from its mirror image, in one line; empty
/// where the matrix is symmetric.
[[nodiscard]] std::string asymmetry(const Bands& bands);

} // namespace mantissa
