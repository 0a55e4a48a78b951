// The kernels of in_words.cu for several parts, without floating-point instructions as well.
#include "solve.cuh"

namespace mantissa::gpu::cycle_words {

SolveKernel parted_words_kernel(WordClass words) {
    switch (words) {
    case WordClass::even:
        return solve_kernel_of<Words<int, int, short, short, true, true>>();
    case WordClass::shortest: // (its sums have 32 bits, too: who has the plan takes `middle`)
    case WordClass::middle:
        return solve_kernel_of<Words<int, long long, int, int, false, true>>();
    default:
        return solve_kernel_of<Words<long long, long long, int, int, false, true>>();
    }
}

} // namespace mantissa::gpu::cycle_words
