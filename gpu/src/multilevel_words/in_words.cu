// Kernels without floating-point instructions: a test reads their machine code.
#include "launch.hpp"
#include "solve.cuh"

namespace mantissa::gpu::cycle_words {

const void* words_kernel(WordClass words) {
    switch (words) {
    case WordClass::even:
        return reinterpret_cast<const void*>(&solve_kernel<Words<int, int, short, short, true>>);
    case WordClass::shortest:
        return reinterpret_cast<const void*>(&solve_kernel<Words<int, int, short, short, false>>);
    case WordClass::middle:
        return reinterpret_cast<const void*>(&solve_kernel<Words<int, long long, int, int, false>>);
    default:
        return reinterpret_cast<const void*>(&solve_kernel<Words<long long, long long, int, int, false>>);
    }
}

void load_words_plans(const CyclePlan& cycle, const OuterPlan& around) {
    load_plans(cycle, around);
}

} // namespace mantissa::gpu::cycle_words
