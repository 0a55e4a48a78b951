#include "mantissa/sparse/compressed_rows.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "mantissa/format.hpp"

namespace mantissa {

namespace {

/// Columns of one row: within the matrix, ascending, none twice; finite values.
void check_row(const CompressedRows& a, std::size_t row) {
    const auto& column = a.column();
    const std::uint64_t begin = a.row_begin()[row], end = a.row_begin()[row + 1];
    for (std::uint64_t k = begin; k < end; ++k) {
        if (column[k] >= a.rows())
            throw InvalidInput(fmt::format("sparse rows: row {} has column {}, the matrix has {}: columns count from 0 "
                                           "to {}",
                                           row, column[k], a.rows(), a.rows() - 1));
        if (k > begin && column[k] <= column[k - 1])
            throw InvalidInput(fmt::format("sparse rows: row {} has column {} after column {}: give each column once, "
                                           "in ascending order",
                                           row, column[k], column[k - 1]));
        if (!std::isfinite(a.value()[k]))
            throw InvalidInput(
                fmt::format("sparse rows: row {} column {} is {}: give finite numbers", row, column[k], a.value()[k]));
    }
}

void check(const CompressedRows& a) {
    constexpr std::size_t kMost = std::size_t{1} << 32;
    const auto& row_begin = a.row_begin();
    const std::size_t entries = a.value().size();
    if (row_begin.size() < 2)
        throw InvalidInput("sparse rows: no row: row_begin needs an entry for each row and the end");
    if (a.rows() > kMost)
        throw InvalidInput(fmt::format("sparse rows: {} rows: columns of 32 bits reach {}", a.rows(), kMost));
    if (a.column().size() != entries)
        throw InvalidInput(fmt::format("sparse rows: {} columns and {} values: they must be equally many",
                                       a.column().size(), entries));
    if (row_begin.front() != 0)
        throw InvalidInput(fmt::format("sparse rows: row_begin starts at {}: it must start at 0", row_begin.front()));
    if (row_begin.back() != entries)
        throw InvalidInput(fmt::format("sparse rows: row_begin ends at {}: it must end at the number of entries, {}",
                                       row_begin.back(), entries));
    for (std::size_t row = 0; row < a.rows(); ++row) {
        if (row_begin[row + 1] < row_begin[row] || row_begin[row + 1] > entries)
            throw InvalidInput(
                fmt::format("sparse rows: row {} begins at entry {} and ends at {} of {}: row_begin must "
                            "ascend to the number of entries",
                            row, row_begin[row], row_begin[row + 1], entries));
        check_row(a, row);
    }
}

} // namespace

CompressedRows::CompressedRows(std::vector<std::uint64_t> row_begin, std::vector<std::uint32_t> column,
                               std::vector<double> value)
    : row_begin_(std::move(row_begin)), column_(std::move(column)), value_(std::move(value)) {
    check(*this);
}

CompressedRows CompressedRows::with_values(std::vector<double> value) const {
    return {row_begin_, column_, std::move(value)};
}

} // namespace mantissa
