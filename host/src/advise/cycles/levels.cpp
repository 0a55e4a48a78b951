#include "levels.hpp"

#include <cmath>
#include <variant>

#include "advise/rows.hpp"
#include "mantissa/format.hpp"
#include "mantissa/multilevel/cycle.hpp"
#include "mantissa/multilevel/hierarchy.hpp"

namespace mantissa::advising {

LevelsMeasured measured_levels(const System& system, int threads) {
    using namespace multilevel;
    LevelsMeasured found;
    const auto* const rows = std::get_if<CompressedRows>(&system.matrix());
    found.of_grid = rows == nullptr;
    found.positive = positive_share(system);
    found.anisotropy = anisotropy(system);
    Hierarchy h;
    try {
        h = rows != nullptr ? make_aggregation(*rows, {}, threads) : make_grid_hierarchy(system, threads);
    } catch (const InvalidInput& fault) { // a diagonal entry that no positive definite matrix has
        found.why_not = fault.what();
        return found;
    }
    found.why_not = h.why_not;
    if (!found.why_not.empty()) return found;
    found.entries = h.operator_complexity();
    if (system.kind() == System::Kind::stencil)
        found.in_words = make_cycle(system, CycleSpec{}, threads)->description();
    const auto all = static_cast<double>(h.level.front().a.value.size());
    for (const Level& level : h.level) {
        found.unknowns.push_back(level.a.rows);
        found.transfers += static_cast<double>(level.prolongation.value.size()) / all;
    }
    return found;
}

} // namespace mantissa::advising
