#include "levels.hpp"

#include <utility>

#include "../blocked_sums.hpp"
#include "../rows.hpp"
#include "galerkin.hpp"

namespace mantissa {

double multilevel::Hierarchy::operator_complexity() const {
    std::size_t all = 0;
    for (const Level& l : level) all += l.a.value.size();
    return static_cast<double>(all) / static_cast<double>(level.front().a.value.size());
}

namespace detail {

std::vector<double> make_next(multilevel::Level& level, RealRows p, const std::vector<double>& function, RealRows& next,
                              int threads) {
    RealRows r = transposed(p, threads);
    NextMatrix made = next_matrix(level.a, p, r, function, threads);
    next = std::move(made.a);
    std::vector<double>& scale = made.scale;
    if (scale.empty()) return {};
    for_each_row(p.rows, threads, [&](std::size_t row) {
        for (std::uint32_t k = p.begin[row]; k < p.begin[row + 1]; ++k) p.value[k] *= scale[p.column[k]];
    });
    for_each_row(r.rows, threads, [&](std::size_t row) {
        for (std::uint32_t k = r.begin[row]; k < r.begin[row + 1]; ++k) r.value[k] *= scale[row];
    });
    level.prolongation = std::move(p);
    level.restriction = std::move(r);
    return std::move(made.scale);
}

void finish(multilevel::Hierarchy& h) {
    h.coarsest = dense_inverse(h.level.back().a);
    if (h.coarsest.empty()) h.why_not = kNoFactors;
}

} // namespace detail

} // namespace mantissa
