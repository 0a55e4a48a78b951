// The kernel of in_double.cu for several parts.
#include "solve.cuh"

namespace mantissa::gpu::cycle_words {

SolveKernel parted_double_kernel() {
    return solve_kernel_of<Real<true>>();
}

} // namespace mantissa::gpu::cycle_words
