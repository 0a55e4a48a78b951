// The same cycles and the same loop in double, to compare with.
#include "solve.cuh"

namespace mantissa::gpu::cycle_words {

SolveKernel double_kernel() {
    return solve_kernel_of<Real<false>>();
}

} // namespace mantissa::gpu::cycle_words
