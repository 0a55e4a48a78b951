#include "chain.cuh"

#include <algorithm>

#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu::dense {

namespace {

constexpr int kThreads = 256; ///< of a block, at most

__global__ void relay(int* ready, const int* finished, int blocks) {
    asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(ready) : "memory");
    await_count(finished, blocks);
}

int threads_of(int rows, int blocks) {
    const int each = (rows + blocks - 1) / blocks;
    return std::max(64, (each + 31) / 32 * 32);
}

} // namespace

// More rows ask for larger blocks or more of them, which is slower; in double the gain ends at 1024 rows (H200).
template <> int chain_rows<float>() {
    return 8 * kThreads;
}
template <> int chain_rows<double>() {
    return 4 * kThreads;
}

int chain_blocks(int rows) {
    const int some = rows <= 2 * kThreads ? 4 : 8;
    return rows <= kThreads ? 1 : some;
}

int chain_end(int rows) {
    int end = 4 * kThreads;
    while (end >= rows) end /= 2;
    if (3 * kThreads * 2 < rows) end = 3 * kThreads * 2;
    return end < kThreads / 2 ? 0 : end;
}

template <class T> void launch_chain(const ChainTask<T>& task, cudaStream_t stream) {
    const auto kernel = factor_chain<T, kChainWidth, kThreads>;
    static const bool allowed = [&] {
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(chain_bytes<T, kChainWidth>(kThreads))),
              "cudaFuncSetAttribute");
        return true;
    }();
    static_cast<void>(allowed);
    const int rows = task.n - task.first, blocks = chain_blocks(rows), threads = threads_of(rows, blocks);
    cudaLaunchAttribute attributes[2]{};
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = static_cast<unsigned>(blocks);
    config.blockDim = static_cast<unsigned>(threads);
    config.dynamicSmemBytes = chain_bytes<T, kChainWidth>(threads);
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = task.early ? 2 : 1;
    check(cudaLaunchKernelEx(&config, kernel, task), "factor_chain");
}

void launch_relay(int* ready, const int* finished, int blocks, cudaStream_t stream) {
    relay<<<1, 1, 0, stream>>>(ready, finished, blocks);
    check(cudaGetLastError(), "relay");
}

template void launch_chain(const ChainTask<float>&, cudaStream_t);
template void launch_chain(const ChainTask<double>&, cudaStream_t);

} // namespace mantissa::gpu::dense
