#include "steps.hpp"

#include <algorithm>

#include "gemm_double.cuh"
#include "mantissa/gpu/device.hpp"
#include "panel.cuh"
#include "plain_panel.cuh"
#include "swap_solve.cuh"
#include "triangular_solve.cuh"

namespace mantissa::gpu::dense {

namespace {

/// Panels of at most so many rows take half a cluster: fewer blocks hear of a pivot sooner.
constexpr int kFewRows = 4096;

cudaLaunchAttribute early_start() {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    return attribute;
}

template <class T, int kWidth, int kRows> void launch_shape(const PanelTask<T>& task, int blocks, cudaStream_t stream) {
    const auto kernel = factor_panel<T, kWidth, kRows>;
    constexpr std::size_t kShared = sizeof(PanelShared<T, kWidth>);
    static const bool allowed = [&] {
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kShared)),
              "cudaFuncSetAttribute");
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "cudaFuncSetAttribute");
        return true;
    }();
    static_cast<void>(allowed);
    const int each = (task.rows + blocks * kRows - 1) / (blocks * kRows);
    const int threads = std::max(64, (each + 31) / 32 * 32);
    cudaLaunchAttribute attributes[2]{};
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
    attributes[1] = early_start();
    cudaLaunchConfig_t config{};
    config.gridDim = static_cast<unsigned>(blocks);
    config.blockDim = static_cast<unsigned>(threads);
    config.dynamicSmemBytes = kShared;
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = task.early ? 2 : 1;
    check(cudaLaunchKernelEx(&config, kernel, task), "cudaLaunchKernelEx");
}

/// Rows that a full cluster holds, so many a thread.
constexpr int rows_of(int per_thread) {
    return kPanelBlocksMax * kPanelThreadsMax * per_thread;
}

__global__ void await_flag_kernel(const int* flag) {
    await_flag(flag);
}

} // namespace

template <class T> int panel_width(int rows) {
    return rows <= rows_of(12) ? kBandMax : 0;
}

template <class T> void launch_panel(const PanelTask<T>& task, cudaStream_t stream) {
    if (!launch_block_panel<T>(task, stream)) launch_cluster_panel<T>(task, stream);
}

template <class T> void launch_cluster_panel(const PanelTask<T>& task, cudaStream_t stream) {
    constexpr int kWide = sizeof(T) == 4 ? 32 : 16, kHalf = kPanelBlocksMax / 2;
    if (task.rows <= rows_of(1)) {
        const int blocks = task.rows <= kPanelThreadsMax ? kHalf / 2 : task.rows <= kFewRows ? kHalf : kPanelBlocksMax;
        if (task.columns > kWide && task.columns <= 2 * kWide) launch_shape<T, 2 * kWide, 1>(task, blocks, stream);
        else launch_shape<T, kWide, 1>(task, blocks, stream);
    } else if (task.rows <= rows_of(2)) launch_shape<T, kWide, 2>(task, kPanelBlocksMax, stream);
    else if (task.rows <= rows_of(3)) launch_shape<T, kWide, 3>(task, kPanelBlocksMax, stream);
    else if (task.rows <= rows_of(6)) launch_shape<T, kWide / 2, 6>(task, kPanelBlocksMax, stream);
    else launch_shape<T, kWide / 4, 12>(task, kPanelBlocksMax, stream);
}

void launch_await(const int* flag, cudaStream_t stream) {
    await_flag_kernel<<<1, 1, 0, stream>>>(flag);
    check(cudaGetLastError(), "await_flag");
}

template <class T> void launch_plain_panel(const PanelTask<T>& task, int* done, cudaStream_t stream) {
    const int below = task.rows - task.columns;
    const unsigned blocks = static_cast<unsigned>(std::max(1, (below + kPlainThreads - 1) / kPlainThreads));
    factor_plain_panel<T, kPlainWidth>
        <<<blocks, kPlainThreads, sizeof(PlainShared<T, kPlainWidth>), stream>>>(task, done);
    check(cudaGetLastError(), "factor_plain_panel");
}

namespace {

template <class T, int kWidth> void launch_swap(const SwapTask<T>& task, int blocks, cudaStream_t stream) {
    static const bool allowed = [] {
        check(cudaFuncSetAttribute(swap_and_solve<T, kWidth>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(swap_shared_bytes<T>(kBandMax))),
              "cudaFuncSetAttribute");
        return true;
    }();
    static_cast<void>(allowed);
    cudaLaunchAttribute attribute = early_start();
    cudaLaunchConfig_t config{};
    config.gridDim = static_cast<unsigned>(blocks);
    config.blockDim = kSwapThreads;
    config.dynamicSmemBytes = swap_shared_bytes<T>(task.width);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = task.early ? 1 : 0;
    check(cudaLaunchKernelEx(&config, swap_and_solve<T, kWidth>, task), "swap_and_solve");
}

} // namespace

template <class T> void launch_swap_and_solve(const SwapTask<T>& task, cudaStream_t stream) {
    const int blocks =
        swap_blocks(task.left_to - task.left_from, task.to - task.from) + (task.order != nullptr ? 1 : 0);
    if (blocks == 0) return;
    if (task.width == 128) launch_swap<T, 128>(task, blocks, stream);
    else if (task.width == 64) launch_swap<T, 64>(task, blocks, stream);
    else if (task.width == 32) launch_swap<T, 32>(task, blocks, stream);
    else launch_swap<T, 0>(task, blocks, stream);
}

namespace {

template <class T, class Kernel>
void launch_tiles(Kernel kernel, const UpdateTask<T>& task, int m, int n, int threads, std::size_t shared,
                  cudaStream_t stream) {
    // Every call, because the attribute belongs to a kernel and this function to many; it costs little.
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
          "cudaFuncSetAttribute");
    cudaLaunchAttribute attribute = early_start();
    cudaLaunchConfig_t config{};
    config.gridDim =
        dim3(static_cast<unsigned>((task.rows + m - 1) / m), static_cast<unsigned>((task.columns + n - 1) / n));
    config.blockDim = static_cast<unsigned>(threads);
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = task.early ? 1 : 0;
    check(cudaLaunchKernelEx(&config, kernel, task), "update");
}

} // namespace

template <> void launch_update<float>(const UpdateTask<float>& task, cudaStream_t stream) {
    if (task.rows <= 0 || task.columns <= 0) return;
    if (task.columns > 128 && task.rows > 1024) {
        using Shape = UpdateShape<float, 128, 128, 16, 8, 8, 3>;
        launch_tiles(update<float, 128, 128, 16, 8, 8, 3>, task, 128, 128, Shape::kThreads, Shape::kShared, stream);
    } else {
        using Shape = UpdateShape<float, 64, 32, 16, 4, 4, 3>;
        launch_tiles(update<float, 64, 32, 16, 4, 4, 3>, task, 64, 32, Shape::kThreads, Shape::kShared, stream);
    }
}

template <> void launch_update<double>(const UpdateTask<double>& task, cudaStream_t stream) {
    if (task.rows <= 0 || task.columns <= 0) return;
    if (task.columns > 128 && task.rows > 1024) {
        using Shape = TensorShape<64, 64, 16, 3>;
        launch_tiles(update_by_tensor_cores<64, 64, 16, 3>, task, 64, 64, Shape::kThreads, Shape::kShared, stream);
    } else {
        using Shape = TensorShape<64, 32, 16, 3>;
        launch_tiles(update_by_tensor_cores<64, 32, 16, 3>, task, 64, 32, Shape::kThreads, Shape::kShared, stream);
    }
}

template <class T> void launch_solve(const SubstituteTask<T>& task, cudaStream_t stream) {
    const std::size_t blocks = static_cast<std::size_t>((task.n + kSubstituteRows - 1) / kSubstituteRows);
    const auto grid = static_cast<unsigned>(blocks);
    check(cudaMemsetAsync(task.known, 0, 2 * blocks * sizeof(int), stream), "cudaMemsetAsync");
    check(cudaMemsetAsync(task.started, 0, sizeof(int), stream), "cudaMemsetAsync");
    substitute<T, false><<<grid, kSubstituteThreads, 0, stream>>>(task);
    check(cudaGetLastError(), "forward substitution");
    SubstituteTask<T> backward = task;
    backward.order = nullptr;
    backward.b = task.x;
    backward.known = task.known + blocks;
    check(cudaMemsetAsync(task.started, 0, sizeof(int), stream), "cudaMemsetAsync");
    substitute<T, true><<<grid, kSubstituteThreads, 0, stream>>>(backward);
    check(cudaGetLastError(), "backward substitution");
}

template int panel_width<float>(int);
template int panel_width<double>(int);
template void launch_panel(const PanelTask<float>&, cudaStream_t);
template void launch_panel(const PanelTask<double>&, cudaStream_t);
template void launch_cluster_panel(const PanelTask<float>&, cudaStream_t);
template void launch_cluster_panel(const PanelTask<double>&, cudaStream_t);
template void launch_plain_panel(const PanelTask<float>&, int*, cudaStream_t);
template void launch_plain_panel(const PanelTask<double>&, int*, cudaStream_t);
template void launch_solve(const SubstituteTask<float>&, cudaStream_t);
template void launch_solve(const SubstituteTask<double>&, cudaStream_t);
template void launch_swap_and_solve(const SwapTask<float>&, cudaStream_t);
template void launch_swap_and_solve(const SwapTask<double>&, cudaStream_t);

} // namespace mantissa::gpu::dense
