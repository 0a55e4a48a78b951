#include "mantissa/hls/cycles.hpp"

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

} // namespace mantissa::hls
