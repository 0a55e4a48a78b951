#include "kernel.cuh"

namespace mantissa::gpu {

template <> SparseKernel<float> sparse_part_kernel<float>(bool jacobi) {
    return jacobi ? sparse_part<float, true> : sparse_part<float, false>;
}

} // namespace mantissa::gpu
