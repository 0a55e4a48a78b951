#include "levels.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "../blocked_sums.hpp"
#include "../rows.hpp"
#include "dense_inverse.hpp"
#include "galerkin.hpp"

namespace mantissa {

double multilevel::Hierarchy::operator_complexity() const {
    std::size_t all = 0;
    for (const Level& l : level) all += l.a.value.size();
    return static_cast<double>(all) / static_cast<double>(level.front().a.value.size());
}

namespace detail {

std::vector<double> make_next(multilevel::Level& level, RealRows p, RealRows& next, int threads) {
    RealRows r = transposed(p, threads);
    next = galerkin(level.a, p, r, threads);
    std::vector<double> scale = scale_to_unit_diagonal(next, threads);
    if (std::find(scale.begin(), scale.end(), 0.0) != scale.end()) return {};
    for_each_row(p.rows, threads, [&](std::size_t row) {
        for (std::uint32_t k = p.begin[row]; k < p.begin[row + 1]; ++k) p.value[k] *= scale[p.column[k]];
    });
    for_each_row(r.rows, threads, [&](std::size_t row) {
        for (std::uint32_t k = r.begin[row]; k < r.begin[row + 1]; ++k) r.value[k] *= scale[row];
    });
    level.prolongation = std::move(p);
    level.restriction = std::move(r);
    return scale;
}

void finish(multilevel::Hierarchy& h) {
    h.coarsest = dense_inverse(h.level.back().a);
    if (h.coarsest.empty()) h.why_not = fmt::format("{}: the coarsest level has no Cholesky factors", kNotDefinite);
}

} // namespace detail

} // namespace mantissa
