#include "schedules/launches.hpp"

#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

namespace {

template <class T, int R, bool Mixed> void launch(const ResidentParams& params, int blocks) {
    constexpr std::size_t kColumns = resident_tile_columns(R), kRows = resident_tile_rows(R);
    constexpr std::size_t shared = sizeof(T) * ((kRows + 2) * (kColumns + 2) + kRows * kColumns);
    const auto kernel = resident_cg<T, R, Mixed>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
          "cudaFuncSetAttribute of resident_cg");
    ResidentParams copy = params;
    void* arguments[] = {&copy};
    check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(blocks)),
                                      dim3(kResidentThreads), arguments, shared, nullptr),
          "launch of resident_cg");
}

template <class T, bool Mixed> void by_depth(const ResidentParams& params, int depth, int blocks) {
    switch (depth) {
    case 1:
        return launch<T, 1, Mixed>(params, blocks);
    case 2:
        return launch<T, 2, Mixed>(params, blocks);
    case 4:
        return launch<T, 4, Mixed>(params, blocks);
    case 8:
        return launch<T, 8, Mixed>(params, blocks);
    default:
        return launch<T, 16, Mixed>(params, blocks);
    }
}

} // namespace

void launch_resident(const ResidentParams& params, Arithmetic arithmetic, int depth, int blocks) {
    const bool continues = params.before != nullptr;
    if (arithmetic == Arithmetic::double_precision && continues) by_depth<double, true>(params, depth, blocks);
    else if (arithmetic == Arithmetic::double_precision) by_depth<double, false>(params, depth, blocks);
    else if (arithmetic == Arithmetic::single_precision) by_depth<float, false>(params, depth, blocks);
    else by_depth<float, true>(params, depth, blocks); // late_float's second launch too
}

} // namespace mantissa::gpu
