#include <string>

#include "factorisations.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/gpu/device.hpp"
#include "sums.cuh"

namespace mantissa::gpu {

namespace lu {
namespace {

bool truncates(const Format& f) {
    return f.truncates() && f.flushes();
}

/// Products exact in double, far from its ends, and n terms inside the window fit 64 bits.
bool word_fits(const LuSpec& s, std::size_t n) {
    return s.l.precision() + s.u.precision() <= 53 && s.l.exponent_bits <= 8 && s.u.exponent_bits <= 8 &&
           s.window.width() <= 52 && n <= std::size_t{1} << (64 - s.window.width()) && s.window.lsb >= -600 &&
           s.window.lsb <= 600;
}

Factory* choose(const LuSpec& s, std::size_t n) {
    if (s.fixed) return word_fits(s, n) ? make_word : make_wide;
    const Format &sum = s.accumulator, product = s.exact_product ? sum : s.product;
    const auto both = [&](auto fits) { return fits(sum) && fits(product); };
    if (plain_floats(s.l) && plain_floats(s.u)) {
        if (both(float_unit_fits)) return make_float_cut;
        if (both([](const Format& f) { return truncates(f) && f.exponent_bits <= 8 && f.fraction_bits <= 23; }))
            return make_float_clamp;
    }
    if (both([](const Format& f) { return f == formats::kFloat; }) && s.l.fits<float>() && s.u.fits<float>())
        return make_native_float;
    if (both(truncates)) return make_double_cut;
    if (both([](const Format& f) { return f == formats::kDouble; })) return make_native_double;
    const auto nearest = [](const Format& f) {
        return !f.truncates() && f.fraction_bits <= 50 && f.exponent_bits <= 9;
    };
    if (both(nearest) && s.l.exponent_bits <= 9 && s.u.exponent_bits <= 9) return make_nearest;
    return make_any_format;
}

} // namespace
} // namespace lu

LuEngine::LuEngine(const LuSpec& spec, std::size_t n, const LuEngineOptions& options) : spec_(spec), n_(n) {
    spec.validate_bits();
    if (options.blocks < 0) throw InvalidInput("blocks: give 0 or more");
    if (n > 65000) throw InvalidInput("engine gpu: more than 65000 unknowns; use --engine emulated");
    if (n != 0) run_ = lu::choose(spec, n)(spec, n, options);
}
LuEngine::LuEngine(LuEngine&&) noexcept = default;
LuEngine& LuEngine::operator=(LuEngine&&) noexcept = default;
LuEngine::~LuEngine() = default;

LuFactors LuEngine::factor(const DenseMatrix& a, double* seconds) {
    if (a.size() != n_)
        throw InvalidInput("a matrix of " + std::to_string(a.size()) + " rows for an engine of " + std::to_string(n_));
    if (n_ == 0) {
        if (seconds != nullptr) *seconds = 0;
        return {};
    }
    return run_->factor(a, seconds);
}

} // namespace mantissa::gpu

namespace mantissa {

std::function<LuFactors(const LuSpec&, const DenseMatrix&)> make_gpu_lu_factor(double* seconds) {
    if (const std::string missing = gpu::device_missing(); !missing.empty())
        throw InvalidInput("engine gpu: " + missing);
    gpu::check(cudaFree(nullptr), "creation of the device's context"); // a tenth of a second that no solve should pay
    return [seconds](const LuSpec& spec, const DenseMatrix& a) {
        return gpu::LuEngine(spec, a.size()).factor(a, seconds);
    };
}

} // namespace mantissa
