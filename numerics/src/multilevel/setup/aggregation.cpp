#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "../blocked_sums.hpp"
#include "aggregates.hpp"
#include "largest.hpp"
#include "levels.hpp"
#include "mantissa/format.hpp"
#include "mantissa/multilevel/hierarchy.hpp"
#include "prolongation.hpp"
#include "strength.hpp"

namespace mantissa::multilevel {

namespace {

constexpr double kThreshold = 0.25; ///< of strong couplings
constexpr double kLeastThreshold = 0.01;
constexpr double kShrinks = 0.7; ///< the share of its unknowns that a level may leave before weaker couplings are tried
constexpr double kStalls = 0.9;  ///< and before there is no next level
constexpr double kAlone = 0.1;   ///< of a row's magnitudes beside the diagonal: the smoother does the rest
constexpr double kMostComplexity = 4;
/// Of A P, for each function and entry of A: 2 to 5 on grids, meshes and circuits.
constexpr double kMostAdditions = 12;

/// The matrix with a unit diagonal and without stored zeros; `scale` gets S.
RealRows scaled_rows(const CompressedRows& a, int threads, std::vector<double>& scale) {
    if (a.nonzeros() > UINT32_MAX)
        throw InvalidInput(fmt::format("multilevel: {} entries: 32 bits number them here", a.nonzeros()));
    const auto& begin = a.row_begin();
    scale.assign(a.rows(), 0.0);
    RealRows scaled;
    scaled.rows = scaled.columns = static_cast<std::uint32_t>(a.rows());
    scaled.begin.assign(a.rows() + 1, 0);
    detail::for_each_row(a.rows(), threads, [&](std::size_t row) {
        std::uint32_t entries = 0;
        for (std::uint64_t k = begin[row]; k < begin[row + 1]; ++k) {
            if (a.column()[k] == row && a.value()[k] > 0) scale[row] = 1 / std::sqrt(a.value()[k]);
            entries += a.value()[k] != 0 ? 1 : 0;
        }
        scaled.begin[row + 1] = entries;
    });
    const auto none = std::find(scale.begin(), scale.end(), 0.0);
    if (none != scale.end())
        throw InvalidInput(fmt::format("multilevel: the diagonal entry of row {} is not above zero: the matrix is not "
                                       "positive definite",
                                       none - scale.begin() + 1));
    for (std::size_t row = 0; row < a.rows(); ++row) scaled.begin[row + 1] += scaled.begin[row];
    scaled.column.resize(scaled.begin.back());
    scaled.value.resize(scaled.begin.back());
    detail::for_each_row(a.rows(), threads, [&](std::size_t row) {
        std::uint32_t to = scaled.begin[row];
        for (std::uint64_t k = begin[row]; k < begin[row + 1]; ++k) {
            const std::uint32_t column = a.column()[k];
            if (a.value()[k] == 0) continue;
            scaled.column[to] = column;
            scaled.value[to++] = column == row ? 1.0 : scale[row] * scale[column] * a.value()[k];
        }
    });
    return scaled;
}

/// The functions of the scaled unknowns, S^-1 times those that were given.
detail::Unknowns first_unknowns(const NearKernel& kernel, const std::vector<double>& scale, int threads) {
    const std::size_t rows = scale.size();
    for (std::size_t f = 0; f < kernel.functions.size(); ++f)
        if (kernel.functions[f].size() != rows)
            throw InvalidInput(
                fmt::format("multilevel: near-kernel function {} has {} elements, the matrix has {} rows: "
                            "give one for each",
                            f + 1, kernel.functions[f].size(), rows));
    detail::Unknowns unknowns;
    unknowns.functions = std::max<std::size_t>(1, kernel.functions.size());
    unknowns.kernel.resize(rows * unknowns.functions);
    detail::for_each_row(rows, threads, [&](std::size_t i) {
        for (std::size_t f = 0; f < unknowns.functions; ++f)
            unknowns.kernel[i * unknowns.functions + f] =
                (kernel.functions.empty() ? 1.0 : kernel.functions[f][i]) / scale[i];
    });
    return unknowns;
}

std::vector<double> first_function(const detail::Unknowns& unknowns) {
    std::vector<double> function(unknowns.count());
    for (std::size_t i = 0; i < function.size(); ++i) function[i] = unknowns.kernel[i * unknowns.functions];
    return function;
}

/// What a level is coarsened with.
struct Coarsening {
    detail::Couplings couplings;
    detail::Aggregates aggregates;
    detail::Tentative tentative;
};

/// With weaker couplings too where the next level would be hardly smaller.
Coarsening coarsen(const RealRows& a, const detail::Unknowns& unknowns, int threads) {
    Coarsening c;
    for (double threshold = kThreshold;; threshold /= 4) {
        c.couplings = detail::find_couplings(a, unknowns, threshold, kAlone, threads);
        c.aggregates = detail::make_aggregates(a, unknowns, c.couplings, threads);
        c.tentative = detail::orthonormal_functions(unknowns, c.aggregates, threads);
        if (static_cast<double>(c.tentative.next.count()) <= kShrinks * a.rows || threshold < kLeastThreshold) return c;
    }
}

/// What the product A P takes, A symmetric.
double additions(const RealRows& a, const RealRows& p) {
    double sum = 0;
    for (std::size_t row = 0; row < a.rows; ++row)
        sum +=
            static_cast<double>(a.begin[row + 1] - a.begin[row]) * static_cast<double>(p.begin[row + 1] - p.begin[row]);
    return sum;
}

/// Sets the ways between a level and the next one, whose matrix and unknowns come in place of `unknowns` and are
/// returned. A line says why there is no next level.
std::string descend(Level& level, bool first, detail::Unknowns& unknowns, RealRows& next, int threads) {
    const RealRows& a = level.a;
    Coarsening c = coarsen(a, unknowns, threads);
    if (c.aggregates.count == 0 && !first) { // every part of the graph has ended in one unknown: keep one for the end
        c.aggregates.of.front() = 0;
        c.aggregates.count = 1;
        c.tentative = detail::orthonormal_functions(unknowns, c.aggregates, threads);
    }
    const std::size_t coarse = c.tentative.next.count();
    if (coarse == 0) return "no coupling is worth a coarser level: the diagonal alone is as good";
    if (static_cast<double>(coarse) > kStalls * a.rows)
        return fmt::format("coarsening stalls: {} unknowns would leave {}", a.rows, coarse);
    // An entry that is tiny for one function need not be so for another.
    const std::vector<double> function =
        unknowns.functions == 1 ? first_function(c.tentative.next) : std::vector<double>();
    RealRows p =
        detail::smoothed_functions(a, unknowns, c.couplings, c.aggregates, c.tentative, level.largest, threads);
    if (additions(a, p) > kMostAdditions * static_cast<double>(unknowns.functions * a.value.size()))
        return fmt::format("a few rows reach most of {} aggregates: the next level would be nearly dense",
                           c.aggregates.count);
    const std::vector<double> scale = detail::make_next(level, std::move(p), function, next, threads);
    if (scale.empty()) return detail::kNotDefinite;
    unknowns = std::move(c.tentative.next);
    detail::for_each_row(next.rows, threads, [&](std::size_t i) {
        for (std::size_t f = 0; f < unknowns.functions; ++f) unknowns.kernel[i * unknowns.functions + f] /= scale[i];
    });
    return {};
}

} // namespace

Hierarchy make_aggregation(const CompressedRows& given, const NearKernel& kernel, int threads) {
    threads = std::max(1, threads);
    Hierarchy h;
    RealRows a = scaled_rows(given, threads, h.scale);
    detail::Unknowns unknowns = first_unknowns(kernel, h.scale, threads);
    for (;;) {
        Level& level = h.level.emplace_back();
        level.a = std::move(a);
        level.kernel = first_function(unknowns);
        level.largest = detail::largest_eigenvalue(level.a, level.kernel, threads);
        if (h.operator_complexity() > kMostComplexity)
            h.why_not =
                fmt::format("the levels have {:.1f} times the matrix's entries: a cycle costs more than it saves",
                            h.operator_complexity());
        if (!h.why_not.empty() || level.a.rows <= detail::kCoarsest) break;
        h.why_not = descend(level, h.level.size() == 1, unknowns, a, threads);
        if (!h.why_not.empty()) return h;
    }
    if (!h.why_not.empty()) return h;
    detail::finish(h);
    return h;
}

} // namespace mantissa::multilevel
