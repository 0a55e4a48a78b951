#include "kernel.cuh"

namespace mantissa::gpu {

template <> SparseKernel<double> sparse_part_kernel<double>(bool jacobi) {
    return jacobi ? sparse_part<double, true> : sparse_part<double, false>;
}

} // namespace mantissa::gpu
