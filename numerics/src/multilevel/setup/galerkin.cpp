#include "galerkin.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "../rows.hpp"
#include "mantissa/multilevel/aggregation.hpp"

namespace mantissa::detail {

namespace {

using multilevel::kTiny, multilevel::kWayAround, multilevel::kLongRow;

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

/// The whole matrix from its triangles, which share the diagonal: the last entry of a lower row, the first of an upper.
class Whole {
public:
    Whole(const RealRows& upper, const RealRows& lower, const std::vector<double>& function, int threads)
        : upper_(upper), lower_(lower), function_(function), threads_(threads) {}

    [[nodiscard]] NextMatrix scaled() {
        NextMatrix next;
        RealRows& a = next.a;
        a.rows = a.columns = upper_.rows;
        a.begin.assign(std::size_t{upper_.rows} + 1, 0);
        std::vector<double> scale(upper_.rows, 0.0);
        choose(a.begin, scale);
        if (std::find(scale.begin(), scale.end(), 0.0) != scale.end()) return next;
        std::uint64_t entries = 0;
        for (std::size_t row = 0; row < upper_.rows; ++row) {
            entries += a.begin[row + 1];
            if (entries > UINT32_MAX) throw InvalidInput("multilevel: a level has more entries than 32 bits number");
            a.begin[row + 1] = static_cast<std::uint32_t>(entries);
        }
        a.column.resize(entries);
        a.value.resize(entries);
        for_each_row(upper_.rows, threads_, [&](std::size_t row) {
            std::uint32_t to = a.begin[row];
            const auto put = [&](std::uint32_t column, double v) {
                a.column[to] = column;
                a.value[to++] = v;
            };
            for (std::uint32_t k = lower_.begin[row]; k + 1 < lower_.begin[row + 1]; ++k)
                if (stays_below_[k]) put(lower_.column[k], scale[row] * scale[lower_.column[k]] * lower_.value[k]);
            put(static_cast<std::uint32_t>(row), 1);
            for (std::uint32_t k = upper_.begin[row] + 1; k < upper_.begin[row + 1]; ++k)
                if (stays_above_[k]) put(upper_.column[k], scale[row] * scale[upper_.column[k]] * upper_.value[k]);
        });
        next.scale = std::move(scale);
        return next;
    }

private:
    /// Which entries stay, how many of each row, and the scales of the diagonal.
    void choose(std::vector<std::uint32_t>& entries, std::vector<double>& scale) {
        stays_below_.assign(lower_.value.size(), 1);
        stays_above_.assign(upper_.value.size(), 1);
        const auto rows = static_cast<std::ptrdiff_t>(upper_.rows);
#pragma omp parallel num_threads(threads_) if (upper_.rows >= kWorthThreads)
        {
            std::vector<double> joined(function_.empty() ? 0 : upper_.rows, 0.0); // conductances of the row
#pragma omp for schedule(static)
            for (std::ptrdiff_t r = 0; r < rows; ++r) {
                const auto row = static_cast<std::uint32_t>(r);
                double diagonal = diagonal_of(row);
                std::uint32_t count = 1;
                if (!function_.empty())
                    for_others(row, [&](std::uint32_t column, double v, std::uint8_t&) {
                        joined[column] = conductance(row, column, v);
                    });
                for_others(row, [&](std::uint32_t column, double v, std::uint8_t& stays) {
                    if (!function_.empty() && is_tiny(row, column, v) && has_way_around(row, column, v, joined)) {
                        diagonal += v * (function_[column] / function_[row]);
                        stays = 0;
                    } else {
                        ++count;
                    }
                });
                if (!function_.empty())
                    for_others(row, [&](std::uint32_t column, double, std::uint8_t&) { joined[column] = 0; });
                entries[row + 1] = count;
                if (diagonal > 0 && std::isfinite(diagonal)) scale[row] = 1 / std::sqrt(diagonal);
            }
        }
    }
    [[nodiscard]] double diagonal_of(std::size_t row) const {
        return upper_.value[upper_.begin[row]];
    }
    /// visit(column, value, stays) of the entries beside the diagonal, ascending.
    template <class Visit> void for_others(std::size_t row, const Visit& visit) {
        for (std::uint32_t k = lower_.begin[row]; k + 1 < lower_.begin[row + 1]; ++k)
            visit(lower_.column[k], lower_.value[k], stays_below_[k]);
        for (std::uint32_t k = upper_.begin[row] + 1; k < upper_.begin[row + 1]; ++k)
            visit(upper_.column[k], upper_.value[k], stays_above_[k]);
    }
    /// What an entry is between unknowns for which the function is 1: of an M-matrix above zero.
    [[nodiscard]] double conductance(std::size_t row, std::size_t column, double v) const {
        return -v * (function_[row] * function_[column]);
    }
    [[nodiscard]] std::size_t length(std::size_t row) const {
        return std::size_t{lower_.begin[row + 1]} - lower_.begin[row] + upper_.begin[row + 1] - upper_.begin[row] - 1;
    }
    [[nodiscard]] bool is_tiny(std::size_t row, std::size_t column, double v) const {
        const double here = std::abs(function_[row]), there = std::abs(function_[column]);
        return std::abs(v) * there < kTiny * (diagonal_of(row) * here) &&
               std::abs(v) * here < kTiny * (diagonal_of(column) * there) &&
               std::max(length(row), length(column)) <= kLongRow;
    }
    /// Are both joined to a third unknown by far more? (Then the energy of the entry is a small part of theirs. An
    /// entry that alone joins two parts of the graph is tiny beside the diagonal too, but all that matters of it
    /// later.)
    [[nodiscard]] bool has_way_around(std::size_t row, std::uint32_t column, double v,
                                      const std::vector<double>& joined) const {
        const double least = kWayAround * std::abs(conductance(row, column, v));
        const auto by = [&](std::uint32_t third, double w) {
            return joined[third] >= least && conductance(column, third, w) >= least;
        };
        for (std::uint32_t k = lower_.begin[column]; k + 1 < lower_.begin[column + 1]; ++k)
            if (by(lower_.column[k], lower_.value[k])) return true;
        for (std::uint32_t k = upper_.begin[column] + 1; k < upper_.begin[column + 1]; ++k)
            if (by(upper_.column[k], upper_.value[k])) return true;
        return false;
    }

    const RealRows &upper_, &lower_;
    const std::vector<double>& function_;
    int threads_;
    std::vector<std::uint8_t> stays_below_, stays_above_; ///< of the lower and the upper triangle's entries
};

} // namespace

NextMatrix next_matrix(const RealRows& a, const RealRows& prolongation, const RealRows& restriction,
                       const std::vector<double>& function, int threads) {
    const auto scratch = [&] { return RowSum<double>(prolongation.columns); };
    const auto times_p = [&](std::size_t first, std::size_t end, RowsPart<double>& part, RowSum<double>& sum) {
        for (std::size_t row = first; row < end; ++row) {
            for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
                const double v = a.value[k];
                const std::uint32_t j = a.column[k];
                for (std::uint32_t m = prolongation.begin[j]; m < prolongation.begin[j + 1]; ++m)
                    sum.add(prolongation.column[m], v * prolongation.value[m]);
            }
            sum.hand_over(part);
        }
    };
    const RealRows upper =
        upper_triangle(parts_of_rows<double>(a.rows, threads, scratch, times_p), restriction, threads);
    return Whole(upper, transposed(upper, threads), function, threads).scaled();
}

} // namespace mantissa::detail
