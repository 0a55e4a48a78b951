// Kernels without floating-point instructions: a test reads their machine code.
#include "launch.hpp"
#include "solve.cuh"

namespace mantissa::gpu::cycle_words {

const void* words_kernel(WordClass words) {
    switch (words) {
    case WordClass::shortest:
        return reinterpret_cast<const void*>(&solve_kernel<Words<int, short, short>>);
    case WordClass::middle:
        return reinterpret_cast<const void*>(&solve_kernel<Words<int, int, int>>);
    default:
        return reinterpret_cast<const void*>(&solve_kernel<Words<long long, int, int>>);
    }
}

void load_words_plans(const CyclePlan& cycle, const OuterPlan& around) {
    load_plans(cycle, around);
}

} // namespace mantissa::gpu::cycle_words
