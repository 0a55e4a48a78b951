#include "mantissa/sparse_core/limits.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "mantissa/fixed_rows.hpp"
#include "mantissa/format.hpp"

namespace mantissa::sparse_core {

namespace {

/// Symmetric but for the roundings of who scaled the matrix.
bool same(double a, double b) {
    return a == b || std::abs(a - b) <= 0x1p-40 * std::max(std::abs(a), std::abs(b));
}

} // namespace

std::string matrix_refusal(const CompressedRows& a) {
    const auto& begin = a.row_begin();
    // Rows in order take each column's entries from the top down, so every entry's mirror is where its column stands.
    std::vector<std::uint64_t> next(begin.begin(), begin.end() - 1);
    const auto asymmetric = [&](std::size_t row, std::uint32_t column) {
        return fmt::format(
            "the sparse core takes symmetric matrices, and a({}, {}) is not a({}, {}), counted from 0; give a "
            "symmetric one",
            row, column, column, row);
    };
    for (std::size_t i = 0; i < a.rows(); ++i) {
        bool positive = begin[i] == begin[i + 1];
        for (std::uint64_t e = begin[i]; e < begin[i + 1]; ++e) {
            const std::uint32_t j = a.column()[e];
            const std::uint64_t mirror = next[j]++;
            if (mirror >= begin[j + 1] || a.column()[mirror] != i || !same(a.value()[mirror], a.value()[e]))
                return asymmetric(i, j);
            if (j == i) positive = a.value()[e] > 0;
        }
        if (!positive)
            return fmt::format("the sparse core takes positive definite matrices, and the diagonal of row {}, counted "
                               "from 0, is not above zero; give another matrix",
                               i);
    }
    return {};
}

std::string refusal(const DatapathSpec& spec, const System& system) {
    const auto* matrix = std::get_if<CompressedRows>(&system.matrix());
    if (matrix == nullptr) return "the sparse core takes sparse rows; grids run on the integer core";
    if (matrix->rows() > kMostRows)
        return fmt::format("{} rows are too many for the sparse core's memory on the chip, which holds {}; use engine "
                           "emulated or gpu",
                           matrix->rows(), kMostRows);
    if (std::string why = matrix_refusal(*matrix); !why.empty()) return why;
    try {
        const fixed::ProductRows rows = fixed::product_rows(system, spec);
        if (rows.longest > kMostCoefficientBits)
            return fmt::format("the sparse core's coefficients have at most {} bits, and one takes {}; shorten coef=",
                               kMostCoefficientBits, rows.longest);
        if (rows.terms > 1 << kMostRowLog)
            return fmt::format("a row has {} entries, and the sparse core adds {} at most", rows.terms,
                               1 << kMostRowLog);
    } catch (const InvalidInput& e) {
        return e.what();
    }
    return {};
}

} // namespace mantissa::sparse_core
