// A matrix as the passes of Jacobi-PCG read it. Internal to numerics/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "complex_rows.hpp"
#include "mantissa/sparse/compressed_rows.hpp"
#include "mantissa/sparse/row_slices.hpp"
#include "passes.hpp"

namespace mantissa::detail {

/// The matrix as passes read it, made once for all right-hand sides: real, or of complex numbers; in the order given,
/// or in that of reverse Cuthill and McKee.
class PcgRows {
public:
    /// Throws InvalidInput, naming the element, where a diagonal element is not above zero. `a` is read as long as this
    /// lives.
    explicit PcgRows(const CompressedRows& a);
    /// From now on products of one column read slices of rows: the same bits in less time.
    void slice(int threads) { at_.slices = slices_.emplace(ordered_ ? *ordered_ : a_, threads).at(); }
    [[nodiscard]] bool sliced() const { return slices_.has_value(); }
    /// Where row `i` of the matrix given (of complex numbers: the i-th of them) is.
    [[nodiscard]] std::size_t place(std::size_t i) const { return place_.empty() ? i : place_[i]; }
    [[nodiscard]] bool complex() const { return complex_.has_value(); }
    [[nodiscard]] std::size_t rows() const { return rows_; }
    [[nodiscard]] std::size_t padded() const { return padded_; }
    [[nodiscard]] std::size_t blocks() const { return (padded_ + kRowBlock - 1) / kRowBlock; }
    [[nodiscard]] const PcgMatrix& at() const { return at_; }
    [[nodiscard]] const std::vector<double>& inverse() const { return inverse_; }
    /// Imaginary entries in front of a block of rows.
    [[nodiscard]] std::size_t imaginary(std::size_t block) const { return complex_ ? imaginary_begin_[block] : 0; }
    /// The first block of a share of the rows, shares of equal bytes.
    [[nodiscard]] std::size_t share(std::size_t part, std::size_t parts, std::size_t columns) const;

private:
    void reorder(const CompressedRows& a);

    std::optional<ComplexRows> complex_;
    const CompressedRows& a_;
    std::optional<CompressedRows> ordered_;
    std::optional<SlicedRows<double>> slices_;
    std::vector<std::uint32_t> place_; ///< empty: as given
    std::size_t rows_ = 0, padded_ = 0;
    std::vector<std::uint64_t> begin_;
    std::vector<double> inverse_;
    std::vector<std::size_t> imaginary_begin_;
    PcgMatrix at_;
};

} // namespace mantissa::detail
