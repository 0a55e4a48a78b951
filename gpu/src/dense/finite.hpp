// A pass over a matrix for elements that are no numbers.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

namespace mantissa::gpu::dense {

/// *last: n less the first column with such an element, which is how many columns there are from it on; 0: none. `a` is
/// n x n, n at least 1, columns `stride` elements apart; all on the device.
template <class T> void launch_find_not_finite(const T* a, std::size_t stride, int n, int* last, cudaStream_t stream);

} // namespace mantissa::gpu::dense
