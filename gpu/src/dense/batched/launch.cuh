// How a kernel is started: with as much dynamic shared memory as it wants, and with its fault thrown.
#pragma once

#include "launches.hpp"
#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu::batched {

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, int threads, std::size_t shared, cudaStream_t stream,
            Arguments... arguments) {
    constexpr std::size_t kPlain = 8 * 1024; // beside what kernels have of their own; more is asked for
    if (shared > kPlain)
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
              "cudaFuncSetAttribute");
    kernel<<<grid, threads, shared, stream>>>(arguments...);
    check(cudaGetLastError(), "launching a batched kernel");
}

} // namespace mantissa::gpu::batched
