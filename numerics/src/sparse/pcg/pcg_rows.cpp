#include "pcg_rows.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "mantissa/format.hpp"
#include "mantissa/sparse/reorder.hpp"

namespace mantissa::detail {

namespace {

std::size_t up_to(std::size_t n, std::size_t unit) {
    return (n + unit - 1) / unit * unit;
}

std::vector<double> diagonal_of(const CompressedRows& a) {
    std::vector<double> diagonal(a.rows(), 0.0);
    for (std::size_t i = 0; i < a.rows(); ++i) {
        const auto first = a.column().begin() + static_cast<std::ptrdiff_t>(a.row_begin()[i]);
        const auto last = a.column().begin() + static_cast<std::ptrdiff_t>(a.row_begin()[i + 1]);
        const auto at = std::lower_bound(first, last, static_cast<std::uint32_t>(i));
        if (at != last && *at == i) diagonal[i] = a.value()[static_cast<std::size_t>(at - a.column().begin())];
        if (!(diagonal[i] > 0))
            throw InvalidInput("Jacobi preconditioner: diagonal element " + std::to_string(i + 1) +
                               " is not above zero: the matrix is not positive definite");
    }
    return diagonal;
}

/// Is most of what a product gathers far away? Then rows are put in another order: neighbours next to one another.
bool scattered(const std::vector<std::uint64_t>& begin, const std::vector<std::uint32_t>& column) {
    constexpr double kNear = 16384; // rows: what a core's own cache holds of a vector
    double sum = 0;
    for (std::size_t i = 0; i + 1 < begin.size(); ++i)
        for (std::uint64_t k = begin[i]; k < begin[i + 1]; ++k)
            sum += std::abs(static_cast<double>(column[k]) - static_cast<double>(i));
    return sum > kNear * static_cast<double>(column.size());
}

} // namespace

PcgRows::PcgRows(const CompressedRows& a) : complex_(complex_rows(a)), a_(a) {
    const std::vector<double> diagonal = diagonal_of(a);
    rows_ = complex_ ? a.rows() / 2 : a.rows();
    padded_ = up_to(rows_, kRowGroup);
    if (scattered(complex_ ? complex_->begin : a.row_begin(), complex_ ? complex_->column : a.column())) reorder(a);
    begin_ = complex_ ? std::move(complex_->begin) : (ordered_ ? *ordered_ : a).row_begin();
    begin_.resize(padded_ + 1, begin_.back());
    inverse_.assign(padded_, 0.0);
    for (std::size_t i = 0; i < rows_; ++i) inverse_[place(i)] = 1 / diagonal[complex_ ? 2 * i : i];
    const CompressedRows& rows = ordered_ ? *ordered_ : a;
    at_ = {begin_.data(), rows.column().data(), rows.value().data(), nullptr, nullptr, nullptr, {}};
    if (!complex_) return;
    if (!ordered_) {
        at_.column = complex_->column.data();
        at_.value = complex_->value.data();
    }
    at_.imaginary_row = complex_->imaginary_row.data();
    at_.imaginary_column = complex_->imaginary_column.data();
    at_.imaginary_value = complex_->imaginary_value.data();
    const auto& of = complex_->imaginary_row;
    for (std::size_t row = 0; row < padded_ + kRowBlock; row += kRowBlock)
        imaginary_begin_.push_back(static_cast<std::size_t>(std::lower_bound(of.begin(), of.end(), row) - of.begin()));
}

std::size_t PcgRows::share(std::size_t part, std::size_t parts, std::size_t columns) const {
    const auto bytes = [&](std::size_t block) {
        const std::size_t row = std::min(block * kRowBlock, padded_);
        return 12 * begin_[row] + 88 * columns * row;
    };
    std::size_t low = 0, high = blocks();
    const std::uint64_t wanted = bytes(high) / parts * part;
    while (part < parts && low < high) {
        const std::size_t middle = (low + high) / 2;
        if (bytes(middle) < wanted) low = middle + 1;
        else high = middle;
    }
    return part == parts ? blocks() : low;
}

void PcgRows::reorder(const CompressedRows& a) {
    if (complex_) ordered_.emplace(std::move(complex_->begin), std::move(complex_->column), std::move(complex_->value));
    const CompressedRows& rows = complex_ ? *ordered_ : a;
    const std::vector<std::uint32_t> order = reverse_cuthill_mckee(rows);
    CompressedRows sorted = permuted(rows, order);
    ordered_.emplace(std::move(sorted));
    place_.resize(rows_);
    for (std::uint32_t k = 0; k < order.size(); ++k) place_[order[k]] = k;
    if (!complex_) return;
    complex_->begin = ordered_->row_begin();
    struct Entry {
        std::uint32_t row, column;
        double value;
    };
    std::vector<Entry> entries;
    for (std::size_t e = 0; e < complex_->imaginary_row.size(); ++e)
        entries.push_back(
            {place_[complex_->imaginary_row[e]], place_[complex_->imaginary_column[e]], complex_->imaginary_value[e]});
    std::sort(entries.begin(), entries.end(),
              [](const Entry& x, const Entry& y) { return x.row != y.row ? x.row < y.row : x.column < y.column; });
    for (std::size_t e = 0; e < entries.size(); ++e) {
        complex_->imaginary_row[e] = entries[e].row;
        complex_->imaginary_column[e] = entries[e].column;
        complex_->imaginary_value[e] = entries[e].value;
    }
}

} // namespace mantissa::detail
