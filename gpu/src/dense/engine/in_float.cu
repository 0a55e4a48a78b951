#include "run.cuh"

namespace mantissa::gpu::lu {

std::unique_ptr<Factorisation> make_float_cut(const LuSpec& spec, std::size_t n, const LuEngineOptions& options) {
    return std::make_unique<Run<FloatingSums<FloatCut>>>(spec, n, options);
}
std::unique_ptr<Factorisation> make_float_clamp(const LuSpec& spec, std::size_t n, const LuEngineOptions& options) {
    return std::make_unique<Run<FloatingSums<FloatClamp>>>(spec, n, options);
}
std::unique_ptr<Factorisation> make_native_float(const LuSpec& spec, std::size_t n, const LuEngineOptions& options) {
    return std::make_unique<Run<FloatingSums<NativeFloat>>>(spec, n, options);
}

} // namespace mantissa::gpu::lu
