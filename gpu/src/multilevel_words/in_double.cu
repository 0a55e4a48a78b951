// The same cycles and the same loop in double, to compare with.
#include "launch.hpp"
#include "solve.cuh"

namespace mantissa::gpu::cycle_words {

const void* double_kernel() {
    return reinterpret_cast<const void*>(&solve_kernel<Real>);
}

void load_double_plans(const CyclePlan& cycle, const OuterPlan& around) {
    load_plans(cycle, around);
}

} // namespace mantissa::gpu::cycle_words
