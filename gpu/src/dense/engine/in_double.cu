#include "run.cuh"

namespace mantissa::gpu::lu {

std::unique_ptr<Factorisation> make_native_double(const LuSpec& spec, std::size_t n, const LuEngineOptions& options) {
    return std::make_unique<Run<FloatingSums<NativeDouble>>>(spec, n, options);
}
std::unique_ptr<Factorisation> make_double_cut(const LuSpec& spec, std::size_t n, const LuEngineOptions& options) {
    return std::make_unique<Run<FloatingSums<DoubleCut>>>(spec, n, options);
}
std::unique_ptr<Factorisation> make_nearest(const LuSpec& spec, std::size_t n, const LuEngineOptions& options) {
    return std::make_unique<Run<FloatingSums<Nearest>>>(spec, n, options);
}

} // namespace mantissa::gpu::lu
