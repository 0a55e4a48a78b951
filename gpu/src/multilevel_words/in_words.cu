// Kernels without floating-point instructions: a test reads their machine code.
#include "solve.cuh"

namespace mantissa::gpu::cycle_words {

SolveKernel words_kernel(WordClass words) {
    switch (words) {
    case WordClass::even:
        return solve_kernel_of<Words<int, int, short, short, true, false>>();
    case WordClass::shortest:
        return solve_kernel_of<Words<int, int, short, short, false, false>>();
    case WordClass::middle:
        return solve_kernel_of<Words<int, long long, int, int, false, false>>();
    default:
        return solve_kernel_of<Words<long long, long long, int, int, false, false>>();
    }
}

} // namespace mantissa::gpu::cycle_words
