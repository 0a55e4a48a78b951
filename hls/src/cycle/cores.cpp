// Which core has a cycle's stages.
#include "machine.hpp"

namespace mantissa::hls {

namespace {

constexpr int kLanes = 16; ///< that a beat moves here, as in the other kernels; the bits do not depend on it

using Make = std::unique_ptr<multilevel::WordSolver> (*)(const multilevel::GridPlan&);

template <int Before, int After> std::unique_ptr<multilevel::WordSolver> make(const multilevel::GridPlan& plan) {
    return std::make_unique<CycleMachine<Before, After, kLanes>>(plan);
}
template <int Before> Make with_after(std::size_t after) {
    constexpr Make kMakes[] = {make<Before, 0>, make<Before, 1>, make<Before, 2>, make<Before, 3>, make<Before, 4>};
    return kMakes[after];
}
Make with_steps(std::size_t before, std::size_t after) {
    switch (before) {
    case 1:
        return with_after<1>(after);
    case 2:
        return with_after<2>(after);
    case 3:
        return with_after<3>(after);
    default:
        return with_after<4>(after);
    }
}

} // namespace

std::unique_ptr<multilevel::WordSolver> make_cycle_core(const multilevel::GridWords& grid, const CycleSpec& spec) {
    const multilevel::GridPlan plan = multilevel::grid_plan(grid, spec);
    return with_steps(plan.before.size(), plan.after.size())(plan);
}

} // namespace mantissa::hls
