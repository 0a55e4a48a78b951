// Dense systems of the engine: in float or double by gpu::Lu, on the tensor cores by gpu::MixedSolver.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/lu.hpp"
#include "mantissa/gpu/lu_engine.hpp"
#include "mantissa/gpu/lu_mixed.hpp"

namespace mantissa {

namespace {

std::string whose(gpu::LuBy by) {
    return by == gpu::LuBy::own ? "own kernels" : gpu::to_string(by);
}

std::string whose(const gpu::LuChoice& by) {
    if (by.factor == by.solve) return "by " + whose(by.factor);
    return fmt::format("factors by {}, solve by {}", whose(by.factor), whose(by.solve));
}

/// By columns, which is what the device's LU takes, and in its words. In tiles, so that both sides stay in the cache.
template <class T> std::vector<T> by_columns(const DenseMatrix& a) {
    constexpr std::size_t kTile = 64;
    const std::size_t n = a.size(), tiles = (n + kTile - 1) / kTile;
    std::vector<T> out(n * n);
#pragma omp parallel for schedule(static)
    for (std::size_t tile = 0; tile < tiles * tiles; ++tile) {
        const std::size_t row = tile / tiles * kTile, column = tile % tiles * kTile;
        for (std::size_t j = column; j < std::min(n, column + kTile); ++j)
            for (std::size_t i = row; i < std::min(n, row + kTile); ++i) out[j * n + i] = static_cast<T>(a(i, j));
    }
    return out;
}

/// In words of T, sums in the order that is fastest.
template <class T> class WordLu final : public NativeLu {
public:
    explicit WordLu(gpu::LuPivoting pivoting) : pivoting_(pivoting) {}

    NativeLuReport begin(const DenseMatrix& a, std::span<const double> b, std::vector<double>& x) override {
        lu_ = std::make_unique<gpu::Lu<T>>(a.size(), pivoting_, gpu::LuBy::automatic);
        lu_->load(by_columns<T>(a));
        const gpu::LuReport report = lu_->factor();
        NativeLuReport all{report.end, report.at, whose(lu_->by())};
        all.factor_seconds = report.seconds;
        if (report.end == LuEnd::factored) x = correct(b);
        all.solve_seconds = seconds_;
        return all;
    }

    std::vector<double> correct(std::span<const double> r) override {
        const std::vector<T> right(r.begin(), r.end());
        const std::vector<T> x = lu_->solve(right, &seconds_);
        return {x.begin(), x.end()};
    }

private:
    gpu::LuPivoting pivoting_;
    std::unique_ptr<gpu::Lu<T>> lu_;
    double seconds_ = 0; ///< of the last solve
};

/// On the tensor cores, refined to double accuracy there. Factors are not kept: a correction, which is rarely wanted,
/// forms them again.
class TensorLu final : public NativeLu {
public:
    explicit TensorLu(const gpu::MixedOptions& options) : options_(options) {}

    NativeLuReport begin(const DenseMatrix& a, std::span<const double> b, std::vector<double>& x) override {
        a_ = &a;
        x.resize(a.size());
        const gpu::MixedResult r = gpu::solve_mixed(a.values(), b, x, true, options_);
        NativeLuReport all;
        all.at = r.column >= 0 ? static_cast<std::size_t>(r.column) : a.size();
        all.by = "by own kernels";
        if (r.status == gpu::MixedStatus::singular) all.end = LuEnd::singular;
        if (r.status == gpu::MixedStatus::overflow) all.end = LuEnd::overflow;
        if (r.status == gpu::MixedStatus::not_finite) all.end = LuEnd::not_finite;
        all.residuals = static_cast<std::uint32_t>(r.residuals);
        all.corrections = static_cast<std::uint32_t>(r.corrections);
        all.factor_seconds = r.prepare_seconds + r.factor_seconds;
        all.solve_seconds = r.refine_seconds;
        return all;
    }

    std::vector<double> correct(std::span<const double> r) override {
        std::vector<double> x(r.size());
        static_cast<void>(gpu::solve_mixed(a_->values(), r, x, true, options_));
        return x;
    }

private:
    gpu::MixedOptions options_;
    const DenseMatrix* a_ = nullptr; ///< of begin(); its caller keeps it
};

gpu::MixedWords tensor_words(LuNative native) {
    switch (native) {
    case LuNative::half:
        return gpu::MixedWords::half;
    case LuNative::bfloat:
        return gpu::MixedWords::bfloat;
    case LuNative::bfloat_pair:
        return gpu::MixedWords::bfloat_pair;
    default:
        return gpu::MixedWords::half_pair;
    }
}

} // namespace

MakeNativeLu make_gpu_native_lu() {
    if (const std::string missing = gpu::device_missing(); !missing.empty())
        throw InvalidInput("engine gpu: " + missing);
    return [](const LuSpec& spec, const NativeLuOptions& asked) -> std::unique_ptr<NativeLu> {
        if (spec.tensor()) {
            gpu::MixedOptions o;
            o.words = tensor_words(spec.native);
            o.refinement = asked.gmres ? gpu::MixedRefinement::gmres : gpu::MixedRefinement::classical;
            o.most_residuals = static_cast<int>(std::clamp<std::uint32_t>(asked.most_residuals, 1, 100000));
            return std::make_unique<TensorLu>(o);
        }
        const auto pivoting = spec.pivot == LuPivot::none ? gpu::LuPivoting::none : gpu::LuPivoting::partial;
        if (spec.u == formats::kFloat) return std::make_unique<WordLu<float>>(pivoting);
        return std::make_unique<WordLu<double>>(pivoting);
    };
}

} // namespace mantissa
