#include "panels.cuh"

namespace mantissa::gpu::batched {

template void launch_panel<float, 64, false>(const Place<float>&, int, int, int*, cudaStream_t);
template void launch_panel<float, 64, true>(const Place<float>&, int, int, int*, cudaStream_t);
template void launch_panel<float, 128, false>(const Place<float>&, int, int, int*, cudaStream_t);
template void launch_panel<float, 128, true>(const Place<float>&, int, int, int*, cudaStream_t);

} // namespace mantissa::gpu::batched
