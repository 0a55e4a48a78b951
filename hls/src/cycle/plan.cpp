#include "mantissa/hls/cycles.hpp"
#include "mantissa/multilevel/cycle_clocks.hpp"

namespace mantissa::hls {

mantissa_hls::cycle::CyclePlan cycle_plan(const multilevel::GridPlan& plan) {
    mantissa_hls::cycle::CyclePlan out;
    out.levels = static_cast<std::int32_t>(plan.level.size());
    out.centre = plan.centre;
    out.east = plan.east;
    out.north = plan.north;
    out.corner = plan.corner;
    out.guard = plan.guard;
    out.most = plan.most;
    out.before = static_cast<std::int32_t>(plan.before.size());
    out.after = static_cast<std::int32_t>(plan.after.size());
    out.inverse = plan.inverse;
    out.inverse_point = plan.inverse_point;
    for (std::size_t k = 0; k < plan.before.size(); ++k) {
        out.weight_before[k] = plan.before[k].significand;
        out.shift_before[k] = plan.before[k].shift;
    }
    for (std::size_t k = 0; k < plan.after.size(); ++k) {
        out.weight_after[k] = plan.after[k].significand;
        out.shift_after[k] = plan.after[k].shift;
    }
    for (std::size_t l = 0; l < plan.level.size(); ++l) {
        const multilevel::GridLevelPlan& words = plan.level[l];
        out.level[l] = {words.w, words.f, words.e, words.phi, words.h};
    }
    return out;
}

mantissa_hls::cycle::CycleSlab cycle_slab(const multilevel::GridPlan& plan, int core, int cores) {
    const multilevel::CycleSlabs slabs(plan.before.size(), plan.after.size(), cores);
    mantissa_hls::cycle::CycleSlab out;
    const int levels = static_cast<int>(plan.level.size());
    for (int l = 0; l < levels; ++l) {
        const int log = levels - l;
        const std::uint64_t low = slabs.low(core, log), first = slabs.first(core, log),
                            last = slabs.first(core + 1, log);
        out.level[l] = {static_cast<std::int32_t>(low), static_cast<std::int32_t>(slabs.rows(core, log)),
                        static_cast<std::int32_t>(first - low), static_cast<std::int32_t>(last - low)};
    }
    return out;
}

} // namespace mantissa::hls
