#include "launches.hpp"

#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

namespace {

template <class Storage, class UStorage, int V, bool Mixed, int Threads, int Ahead>
void launch(const StreamParams& params, int blocks) {
    const auto kernel = stream_cg<Storage, UStorage, V, Mixed, Threads, Ahead>;
    StreamParams copy = params;
    void* arguments[] = {&copy};
    check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(blocks)),
                                      dim3(Threads), arguments, 0, nullptr),
          "launch of stream_cg");
}

template <class Storage, class UStorage, int V, bool Mixed>
void by_threads(const StreamParams& params, int threads, int blocks) {
    switch (threads) {
    case 384: return launch<Storage, UStorage, V, Mixed, 384, 1>(params, blocks);
    case 385: return launch<Storage, UStorage, V, Mixed, 384, 2>(params, blocks);
    case 512: return launch<Storage, UStorage, V, Mixed, 512, 1>(params, blocks);
    case 513: return launch<Storage, UStorage, V, Mixed, 512, 2>(params, blocks);
    case 640: return launch<Storage, UStorage, V, Mixed, 640, 1>(params, blocks);
    case 768: return launch<Storage, UStorage, V, Mixed, 768, 1>(params, blocks);
    default: throw InvalidInput("stream plan: blocks have 384, 512, 640 or 768 threads");
    }
}

} // namespace

StreamTraits stream_traits(Arithmetic arithmetic, System::Kind) {
    switch (arithmetic) {
    case Arithmetic::single_precision:
    case Arithmetic::mixed_float: return {4, 0, 4, true, 120, 512, 20, 45};
    case Arithmetic::mixed_s31: return {4, 1, 8, false, 60, 512, 28, 45};
    case Arithmetic::mixed_s39: return {4, 2, 8, false, 60, 512, 32, 45};
    default: return {8, 0, 8, false, 60, 512, 40, 45};
    }
}

void launch_stream(const StreamParams& params, Arithmetic arithmetic, System::Kind, int threads, int blocks) {
    switch (arithmetic) {
    case Arithmetic::single_precision: return by_threads<F32, F32, 4, false>(params, threads, blocks);
    case Arithmetic::double_precision: return by_threads<F64, F64, 2, false>(params, threads, blocks);
    case Arithmetic::mixed_float: return by_threads<F32, F32, 4, true>(params, threads, blocks);
    case Arithmetic::mixed_s31: return threads % 2 ? by_threads<S31, F64, 4, true>(params, threads - 1, blocks) : by_threads<S31, F64, 2, true>(params, threads, blocks);
    default: return threads % 2 ? by_threads<S39, F64, 4, true>(params, threads - 1, blocks) : by_threads<S39, F64, 2, true>(params, threads, blocks);
    }
}

} // namespace mantissa::gpu
