#include <algorithm>

#include <fmt/format.h>

#include "../gather/gather.hpp"
#include "cycle_cores.hpp"
#include "mantissa/host/sweep.hpp"
#include "mantissa/multilevel/cycle_clocks.hpp"
#include "mantissa/multilevel/word_solve.hpp"

namespace mantissa::compare {

namespace {

Point point_of(const Comparison& c, const std::string& problem, const CycleDesign& design) {
    Point point;
    point.problem = problem;
    point.engine = "emulated";
    point.options.scheme = Scheme::defect_correction;
    point.options.tolerance = c.tolerance;
    point.options.preconditioner = design.cycle;
    point.options.outer = design.outer;
    return point;
}

/// Why no device of the design holds the vectors of its cores; empty where one does. (A solve of such a grid may take
/// all of this machine's memory, and no row would come of it.)
std::string no_room(const Comparison& c, const CycleDesign& design, const System& system) {
    const multilevel::GridPlan plan = multilevel::grid_plan(*multilevel::grid_words(system), design.cycle);
    double least = 0, most = 0;
    for (const std::uint64_t cores : design.cores) {
        const double bits = multilevel::cycle_store(plan, static_cast<int>(cores)).all();
        least = least == 0 ? bits : std::min(least, bits);
    }
    for (const std::size_t device : design.devices) most = std::max(most, c.devices[device].chip_bits());
    if (least <= most) return {};
    return fmt::format("its vectors take {:.1f} Mbit, and the largest device has {:.1f}; choose a larger device or a "
                       "smaller problem",
                       least / 1e6, most / 1e6);
}

} // namespace

std::string cycle_system_refusal(const CycleDesign& design, const System& system) {
    if (multilevel::word_cycles_refusal("emulated", system, design.cycle, {design.outer}).empty()) return {};
    return fmt::format(
        "a cycle core takes poisson2d on 2^{} + 1 to 2^{} + 1 nodes a side; give such a problem, or leave "
        "the [[cycle]] out",
        multilevel::kLeastCycleLevel, multilevel::kMostCycleLevel);
}

void gather_cycle_solves(GatherContext& context) {
    const Comparison& c = context.comparison;
    std::vector<Point> todo;
    GapGroups gaps;
    for (const auto& [problem, facts] : context.problems)
        for (const CycleDesign& design : c.cycles) {
            const std::string what = fmt::format("{} on {}", to_string(design.cycle), problem);
            if (const std::string why = cycle_system_refusal(design, facts.system); !why.empty()) {
                gaps.add(why, what);
                continue;
            }
            Point point = point_of(c, problem, design);
            if (std::string why = no_room(c, design, facts.system); !why.empty()) {
                gaps.add(why, what);
                continue;
            }
            if (context.store.contains(point)) continue;
            if (context.options.stored_only) gaps.add(kNotStored, what);
            else todo.push_back(std::move(point));
        }
    solve_points(todo, context.options.threads, [&](std::size_t index, const PointOutcome& outcome) {
        if (outcome.refused.empty())
            context.store.put(todo[index], outcome.result, outcome.unknowns,
                              current_provenance(context.options.command));
        else gaps.add(outcome.refused, to_string(*todo[index].options.preconditioner));
    });
    gaps.enter(context, "cycles");
    for (const auto& [problem, facts] : context.problems)
        for (const CycleDesign& design : c.cycles) {
            const Point point = point_of(c, problem, design);
            const auto result = context.store.find(point);
            const auto from = context.documents.origin_of(point);
            if (!result || !from) continue;
            const std::string cycle = to_string(design.cycle);
            const std::string id = context.out.origins.add(
                {"measured", fmt::format("solve of {} by cycles {}, emulated", problem, cycle), *from});
            context.out.cycle_solves[{problem, cycle + " " + to_string(design.outer)}] = {{"emulated", 0, *result}, id};
            if (!context.out.cycle_grids.contains(problem))
                context.out.cycle_grids.emplace(problem, *multilevel::grid_words(facts.system));
        }
}

} // namespace mantissa::compare
