#include "block_panel.cuh"

#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu::dense {

namespace {

/// Dynamic shared memory that a block may ask for on a device of compute capability 9.0.
constexpr std::size_t kSharedMost = 227 * 1024;

/// Launches where the shape holds the task.
template <class T, int kWidth, int kRows, int kThreads>
bool launch_shape(const PanelTask<T>& task, cudaStream_t stream) {
    const std::size_t bytes = block_panel_bytes<T, kWidth, kRows, kThreads>(task.columns);
    if (task.rows > kRows * kThreads || bytes > kSharedMost) return false;
    const auto kernel = factor_block_panel<T, kWidth, kRows, kThreads>;
    static const bool allowed = [&] {
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kSharedMost)),
              "cudaFuncSetAttribute");
        return true;
    }();
    static_cast<void>(allowed);
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = 1;
    config.blockDim = static_cast<unsigned>(kThreads);
    config.dynamicSmemBytes = bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = task.early ? 1 : 0;
    check(cudaLaunchKernelEx(&config, kernel, task), "cudaLaunchKernelEx");
    return true;
}

} // namespace

// A row a thread is fastest while there are threads enough; from 513 rows on a cluster is faster (H200).
template <> bool launch_block_panel(const PanelTask<float>& task, cudaStream_t stream) {
    return launch_shape<float, 32, 1, 256>(task, stream) || launch_shape<float, 32, 2, 256>(task, stream);
}

template <> bool launch_block_panel(const PanelTask<double>& task, cudaStream_t stream) {
    return launch_shape<double, 32, 1, 128>(task, stream) || launch_shape<double, 32, 1, 256>(task, stream) ||
           launch_shape<double, 16, 2, 256>(task, stream);
}

} // namespace mantissa::gpu::dense
