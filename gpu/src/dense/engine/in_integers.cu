#include "run.cuh"

namespace mantissa::gpu::lu {

std::unique_ptr<Factorisation> make_any_format(const LuSpec& spec, std::size_t n, const LuEngineOptions& options) {
    return std::make_unique<Run<FloatingSums<AnyFormat>>>(spec, n, options);
}
std::unique_ptr<Factorisation> make_word(const LuSpec& spec, std::size_t n, const LuEngineOptions& options) {
    return std::make_unique<Run<WordSums>>(spec, n, options);
}
std::unique_ptr<Factorisation> make_wide(const LuSpec& spec, std::size_t n, const LuEngineOptions& options) {
    return std::make_unique<Run<WideSums>>(spec, n, options);
}

} // namespace mantissa::gpu::lu
