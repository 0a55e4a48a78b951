#include "galerkin.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "../rows.hpp"

namespace mantissa::detail {

namespace {

/// The rows of R (a P) from the diagonal on, columns ascending.
RealRows upper_triangle(const std::vector<RowsPart<double>>& ap, const RealRows& restriction, int threads) {
    const auto parts = parts_of_rows<double>(
        restriction.rows, threads, [&] { return RowSum<double>(restriction.rows); },
        [&](std::size_t first, std::size_t end, RowsPart<double>& part, RowSum<double>& sum) {
            for (std::size_t row = first; row < end; ++row) {
                for (std::uint32_t k = restriction.begin[row]; k < restriction.begin[row + 1]; ++k) {
                    const std::uint32_t j = restriction.column[k];
                    const double v = restriction.value[k];
                    const RowsPart<double>& of = ap[j / kRowsOfPart];
                    const std::size_t i = j % kRowsOfPart;
                    for (std::uint32_t m = i == 0 ? 0 : of.end[i - 1]; m < of.end[i]; ++m)
                        sum.add(of.column[m], v * of.value[m]);
                }
                sum.hand_over_ascending(part, static_cast<std::uint32_t>(row));
            }
        });
    JoinedRows<double> rows = joined(parts, restriction.rows, threads);
    return {restriction.rows, restriction.rows, std::move(rows.begin), std::move(rows.column), std::move(rows.value)};
}

} // namespace

RealRows galerkin(const RealRows& a, const RealRows& prolongation, const RealRows& restriction, int threads) {
    const std::vector<RowsPart<double>> ap = parts_of_rows<double>(
        a.rows, threads, [&] { return RowSum<double>(prolongation.columns); },
        [&](std::size_t first, std::size_t end, RowsPart<double>& part, RowSum<double>& sum) {
            for (std::size_t row = first; row < end; ++row) {
                for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
                    const double v = a.value[k];
                    const std::uint32_t j = a.column[k];
                    for (std::uint32_t m = prolongation.begin[j]; m < prolongation.begin[j + 1]; ++m)
                        sum.add(prolongation.column[m], v * prolongation.value[m]);
                }
                sum.hand_over(part);
            }
        });
    const RealRows upper = upper_triangle(ap, restriction, threads);
    const RealRows lower = transposed(upper, threads);
    RealRows next;
    next.rows = next.columns = upper.rows;
    next.begin.assign(std::size_t{upper.rows} + 1, 0);
    std::uint64_t entries = 0;
    for (std::size_t row = 0; row < upper.rows; ++row) {
        // The diagonal is in both.
        entries += (lower.begin[row + 1] - lower.begin[row]) + (upper.begin[row + 1] - upper.begin[row]) - 1;
        if (entries > UINT32_MAX) throw InvalidInput("multilevel: a level has more entries than 32 bits number");
        next.begin[row + 1] = static_cast<std::uint32_t>(entries);
    }
    next.column.resize(entries);
    next.value.resize(entries);
    for_each_row(upper.rows, threads, [&](std::size_t row) {
        std::uint32_t to = next.begin[row];
        for (std::uint32_t k = lower.begin[row]; k + 1 < lower.begin[row + 1]; ++k, ++to) {
            next.column[to] = lower.column[k];
            next.value[to] = lower.value[k];
        }
        for (std::uint32_t k = upper.begin[row]; k < upper.begin[row + 1]; ++k, ++to) {
            next.column[to] = upper.column[k];
            next.value[to] = upper.value[k];
        }
    });
    return next;
}

std::vector<double> scale_to_unit_diagonal(RealRows& a, int threads) {
    std::vector<double> scale(a.rows, 0.0);
    for_each_row(a.rows, threads, [&](std::size_t row) {
        for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k)
            if (a.column[k] == row && a.value[k] > 0 && std::isfinite(a.value[k]))
                scale[row] = 1 / std::sqrt(a.value[k]);
    });
    if (std::find(scale.begin(), scale.end(), 0.0) != scale.end()) return scale;
    for_each_row(a.rows, threads, [&](std::size_t row) {
        for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k)
            a.value[k] = a.column[k] == row ? 1.0 : scale[row] * scale[a.column[k]] * a.value[k];
    });
    return scale;
}

RealRows without_tiny_entries(const RealRows& a, const std::vector<double>& function, double least, int threads) {
    const auto parts = parts_of_rows<double>(
        a.rows, threads, [] { return 0; },
        [&](std::size_t first, std::size_t end, RowsPart<double>& part, int) {
            for (std::size_t row = first; row < end; ++row) {
                std::size_t diagonal = 0;
                double more = 0;
                for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
                    if (a.column[k] == row) diagonal = part.value.size();
                    else if (std::abs(a.value[k]) < least && function[row] != 0) {
                        more += a.value[k] * (function[a.column[k]] / function[row]);
                        continue;
                    }
                    part.column.push_back(a.column[k]);
                    part.value.push_back(a.value[k]);
                }
                part.value[diagonal] += more;
                part.end.push_back(static_cast<std::uint32_t>(part.value.size()));
            }
        });
    JoinedRows<double> rows = joined(parts, a.rows, threads);
    return {a.rows, a.columns, std::move(rows.begin), std::move(rows.column), std::move(rows.value)};
}

} // namespace mantissa::detail
