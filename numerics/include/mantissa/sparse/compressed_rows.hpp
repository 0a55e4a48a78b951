// A sparse matrix by rows, in compressed row storage (CRS, CSR): the one form that readers make, engines load and other
// formats are converted from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mantissa {

/// A square matrix by rows: row i holds the entries row_begin()[i] .. row_begin()[i + 1] - 1 of column() and value().
/// An object is always consistent: its parts are checked once, when it is made, and cannot be changed afterwards. (One
/// that was moved from may only be assigned to or destroyed.)
class CompressedRows {
public:
    /// `row_begin`: one entry for each row and the end, from 0, ascending, to the number of entries; at least one row.
    /// `column`: below the number of rows, ascending within a row, none twice. `value`: finite, one for each column.
    /// Throws InvalidInput, one line that names the first fault (row or column, counted from 0) and the mend. Symmetry
    /// is not checked.
    CompressedRows(std::vector<std::uint64_t> row_begin, std::vector<std::uint32_t> column, std::vector<double> value);

    [[nodiscard]] std::size_t rows() const { return row_begin_.size() - 1; }
    /// Stored entries, zeros that were given among them.
    [[nodiscard]] std::size_t nonzeros() const { return value_.size(); }
    [[nodiscard]] const std::vector<std::uint64_t>& row_begin() const { return row_begin_; }
    [[nodiscard]] const std::vector<std::uint32_t>& column() const { return column_; }
    [[nodiscard]] const std::vector<double>& value() const { return value_; }

    /// The same pattern with other values, one for each entry. Throws InvalidInput on a wrong number of them or one
    /// that is not finite.
    [[nodiscard]] CompressedRows with_values(std::vector<double> value) const;

    friend bool operator==(const CompressedRows&, const CompressedRows&) = default;

private:
    std::vector<std::uint64_t> row_begin_;
    std::vector<std::uint32_t> column_;
    std::vector<double> value_;
};

} // namespace mantissa
