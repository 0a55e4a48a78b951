// What smoothed aggregation decides from what its steps find.
#include <fmt/format.h>

#include "levels.hpp"
#include "mantissa/format.hpp"
#include "mantissa/multilevel/aggregation.hpp"

namespace mantissa::multilevel {

namespace {

constexpr double kThreshold = 0.25; ///< of strong couplings
constexpr double kLeastThreshold = 0.01;
constexpr double kShrinks = 0.7; ///< the share of its unknowns that a level may leave before weaker couplings are tried
constexpr double kStalls = 0.9;  ///< and before there is no next level
constexpr double kMostComplexity = 4;
/// Of A P, for each function and entry of A: 2 to 5 on grids, meshes and circuits.
constexpr double kMostAdditions = 12;
/// A next level that is dense costs nothing where even all its entries are no more than this share of the matrix's.
constexpr double kSmallShare = 0.1;

/// With weaker couplings too where the next level would be hardly smaller.
AggregationSteps::Coarse coarsen(AggregationSteps& steps, double rows) {
    for (double threshold = kThreshold;; threshold /= 4) {
        const AggregationSteps::Coarse coarse = steps.coarsen(threshold);
        if (static_cast<double>(coarse.unknowns) <= kShrinks * rows || threshold < kLeastThreshold) return coarse;
    }
}

/// From a level to the next one; `entries` are the matrix's, those of the first level. A line says why there is none.
std::string descend(AggregationSteps& steps, bool first, double entries, const AggregationSteps::Size& size,
                    std::size_t functions) {
    const auto rows = static_cast<double>(size.rows);
    AggregationSteps::Coarse coarse = coarsen(steps, rows);
    if (coarse.aggregates == 0 && !first) // every part of the graph has ended in one unknown: keep one for the end
        coarse = steps.keep_one();
    if (coarse.unknowns == 0) return "no coupling is worth a coarser level: the diagonal alone is as good";
    if (static_cast<double>(coarse.unknowns) > kStalls * rows)
        return fmt::format("coarsening stalls: {} unknowns would leave {}", size.rows, coarse.unknowns);
    const double additions = steps.smooth(), all = static_cast<double>(coarse.unknowns);
    if (additions > kMostAdditions * static_cast<double>(functions * size.entries) && all * all > kSmallShare * entries)
        return fmt::format("a few rows reach most of {} aggregates: the next level would be nearly dense",
                           coarse.aggregates);
    return steps.project() ? std::string() : detail::kNotDefinite;
}

} // namespace

std::string make_levels(AggregationSteps& steps, std::size_t functions) {
    double first = 0, all = 0;
    for (;;) {
        const AggregationSteps::Size size = steps.begin_level();
        const bool is_first = all == 0;
        all += static_cast<double>(size.entries);
        if (is_first) first = all;
        if (all / first > kMostComplexity)
            return fmt::format("the levels have {:.1f} times the matrix's entries: a cycle costs more than it saves",
                               all / first);
        if (size.rows <= kCoarsest) break;
        if (std::string why = descend(steps, is_first, first, size, functions); !why.empty()) return why;
    }
    return steps.invert() ? std::string() : detail::kNoFactors;
}

void refuse_diagonal(std::size_t row) {
    throw InvalidInput(fmt::format("multilevel: the diagonal entry of row {} is not above zero: the matrix is not "
                                   "positive definite",
                                   row + 1));
}

void require_numbered_entries(std::uint64_t entries) {
    if (entries > UINT32_MAX)
        throw InvalidInput(fmt::format("multilevel: {} entries: 32 bits number them here", entries));
}

} // namespace mantissa::multilevel
