#include "schedules/launches.hpp"

#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

namespace {

template <class Storage, int V, bool Mixed, int Threads, int Ahead, bool Continues = false>
void launch(const StreamParams& params, int blocks) {
    const auto kernel = stream_cg<Storage, V, Mixed, Threads, Ahead, Continues>;
    StreamParams copy = params;
    void* arguments[] = {&copy};
    check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(blocks)),
                                      dim3(Threads), arguments, 0, nullptr),
          "launch of stream_cg");
}

} // namespace

StreamTraits stream_traits(Arithmetic arithmetic) {
    switch (arithmetic) {
    case Arithmetic::single_precision:
    case Arithmetic::mixed_float:
        return {4, 120, 640, 20, 46};
    default:
        return {8, 60, 640, 40, 46};
    }
}

void launch_stream(const StreamParams& params, Arithmetic arithmetic, int blocks) {
    switch (arithmetic) {
    case Arithmetic::single_precision:
        return launch<F32, 4, false, 640, 1>(params, blocks);
    case Arithmetic::double_precision:
        if (params.before != nullptr) return launch<F64, 2, true, 640, 1, true>(params, blocks);
        return launch<F64, 2, false, 640, 1>(params, blocks);
    default:
        return launch<F32, 4, true, 640, 1>(params, blocks);
    }
}

} // namespace mantissa::gpu
