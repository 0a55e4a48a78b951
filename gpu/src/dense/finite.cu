// Elements that are no numbers: cuSOLVER's factors with exchanges show no trace of them.
#include "finite.hpp"

#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu::dense {

namespace {

template <class T>
__global__ void __launch_bounds__(256) find_not_finite(const T* a, std::size_t stride, int n, int* last) {
    for (int column = static_cast<int>(blockIdx.x); column < n; column += static_cast<int>(gridDim.x)) {
        bool bad = false;
        for (int row = static_cast<int>(threadIdx.x); row < n; row += 256)
            bad = bad || !isfinite(a[static_cast<std::size_t>(column) * stride + row]);
        if (__syncthreads_or(bad ? 1 : 0) != 0 && threadIdx.x == 0) atomicMax(last, n - column);
    }
}

} // namespace

template <class T> void launch_find_not_finite(const T* a, std::size_t stride, int n, int* last, cudaStream_t stream) {
    check(cudaMemsetAsync(last, 0, sizeof(int), stream), "cudaMemsetAsync");
    const int blocks = 8 * require_device().multiprocessors;
    find_not_finite<T><<<static_cast<unsigned>(n < blocks ? n : blocks), 256, 0, stream>>>(a, stride, n, last);
    check(cudaGetLastError(), "launch of find_not_finite");
}

template void launch_find_not_finite(const float*, std::size_t, int, int*, cudaStream_t);
template void launch_find_not_finite(const double*, std::size_t, int, int*, cudaStream_t);

} // namespace mantissa::gpu::dense
