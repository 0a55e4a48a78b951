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
    found.positive = positive_share(system);
    found.anisotropy = anisotropy(system);
    Hierarchy h;
    try {
        h = make_hierarchy(system, threads);
    } catch (const InvalidInput& fault) { // a diagonal entry that no positive definite matrix has
        found.why_not = fault.what();
        return found;
    }
    found.of_grid = h.of_grid;
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
