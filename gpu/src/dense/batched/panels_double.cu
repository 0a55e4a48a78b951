#include "panels.cuh"

namespace mantissa::gpu::batched {

template void launch_panel<double, 64, false>(const Place<double>&, int, int, int*, cudaStream_t);
template void launch_panel<double, 64, true>(const Place<double>&, int, int, int*, cudaStream_t);

} // namespace mantissa::gpu::batched
