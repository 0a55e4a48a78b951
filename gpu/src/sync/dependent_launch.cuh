// Kernels that begin while the one before them ends (programmatic dependent launch). A kernel launched so may run up to
// await() beside its predecessors in the stream, on whatever they do not write; after it, all of them are complete and
// visible. A captured graph keeps this.
#pragma once

#include <cuda_runtime_api.h>

#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

#ifdef __CUDACC__

/// The next kernel may start, as far as there is room. Every block says so, or ends.
__device__ __forceinline__ void let_next_kernel_start() {
    cudaTriggerProgrammaticLaunchCompletion();
}
/// Waits for the kernels before this one. Cheap when called again.
struct AwaitEarlierKernels {
    __device__ __forceinline__ void operator()() const { cudaGridDependencySynchronize(); }
};

/// kernel<<<blocks, threads, shared, stream>>>(arguments...), started as above where `dependent`. The kernel must
/// await. More than 48 KiB of shared memory must be allowed before.
template <class... Parameters, class... Arguments>
void launch_with_shared(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, std::size_t shared,
                        cudaStream_t stream, bool dependent, Arguments... arguments) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = dependent ? 1 : 0;
    check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), "cudaLaunchKernelEx");
}
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, cudaStream_t stream, bool dependent,
            Arguments... arguments) {
    launch_with_shared(kernel, blocks, threads, 0, stream, dependent, arguments...);
}

#endif

} // namespace mantissa::gpu
