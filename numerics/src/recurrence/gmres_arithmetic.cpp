#include "gmres_arithmetic.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace mantissa::detail {

namespace {

class GeneralGmres final : public GmresArithmetic {
public:
    GeneralGmres(const System& system, const DatapathSpec& spec, int threads)
        : algebra_(system, spec, threads), zero_(system.size(), 0.0) {}

    void apply(std::span<const double> x, std::span<double> w) const override { algebra_.apply(x, spec().q, w); }
    DotResult dot(std::span<const double> a, std::span<const double> b) const override { return algebra_.dot(a, b); }
    DotResult take_off(std::span<double> w, double s, std::span<const double> v,
                       std::span<const double> next) const override {
        algebra_.sub_scaled(spec().q, w, s, v, w);
        return algebra_.dot(w, next);
    }
    void residual(std::span<const double> b, std::span<const double> w, std::span<double> r) const override {
        algebra_.sub_scaled(spec().r, b, 1, w, r);
    }
    void scale(double s, std::span<const double> x, std::span<double> v) const override {
        algebra_.add_scaled(spec().p, zero_, s, x, v);
    }
    void add(std::span<double> u, double s, std::span<const double> v) const override {
        algebra_.add_scaled(spec().u, u, s, v, u);
    }

private:
    [[nodiscard]] const DatapathSpec& spec() const { return algebra_.spec(); }

    BlockAlgebra algebra_;
    std::vector<double> zero_;
};

/// Partial sums of a dot product in double precision, as DatapathSpec(formats::kDouble) has them.
constexpr std::size_t kLanes = 16;
using Lanes = std::array<double, kLanes>;

double closed(Lanes& sums) {
    for (std::size_t n = kLanes / 2; n > 0; n /= 2)
        for (std::size_t j = 0; j < n; ++j) sums[j] += sums[j + n];
    return sums[0];
}

/// Loops that the compiler turns into vector instructions. The passes over w and the next basis vector are one.
class DoubleGmres final : public GmresArithmetic {
public:
    DoubleGmres(const System& system, int threads) : threads_(threads), size_(system.size()) {
        if (const auto* rows = std::get_if<CompressedRows>(&system.matrix())) rows_.emplace(*rows);
        else grid_.emplace(system, DatapathSpec(formats::kDouble), threads);
    }

    void apply(std::span<const double> x, std::span<double> w) const override {
        if (grid_) return grid_->apply(x, formats::kDouble, w);
        const std::uint64_t* const begin = rows_->row_begin().data();
        const std::uint32_t* const column = rows_->column().data();
        const double* const value = rows_->value().data();
        const auto rows = static_cast<std::ptrdiff_t>(size_);
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
        for (std::ptrdiff_t i = 0; i < rows; ++i) {
            const std::uint64_t first = begin[i], last = begin[i + 1];
            double sum = first == last ? 0.0 : value[first] * x[column[first]];
            for (std::uint64_t k = first + 1; k < last; ++k) sum += value[k] * x[column[k]];
            w[static_cast<std::size_t>(i)] = sum;
        }
    }
    DotResult dot(std::span<const double> a, std::span<const double> b) const override {
        Lanes sums{};
        std::size_t i = 0;
        for (; i + kLanes <= size_; i += kLanes)
            for (std::size_t j = 0; j < kLanes; ++j) sums[j] += a[i + j] * b[i + j];
        for (std::size_t j = 0; i + j < size_; ++j) sums[j] += a[i + j] * b[i + j];
        return {closed(sums), false};
    }
    DotResult take_off(std::span<double> w, double s, std::span<const double> v,
                       std::span<const double> next) const override {
        if (next.data() == w.data()) return take_off_alone(w, s, v);
        Lanes sums{};
        const auto element = [&](std::size_t i, double& sum) {
            const double less = w[i] - s * v[i];
            w[i] = less;
            sum += less * next[i];
        };
        std::size_t i = 0;
        for (; i + kLanes <= size_; i += kLanes)
            for (std::size_t j = 0; j < kLanes; ++j) element(i + j, sums[j]);
        for (std::size_t j = 0; i + j < size_; ++j) element(i + j, sums[j]);
        return {closed(sums), false};
    }
    void residual(std::span<const double> b, std::span<const double> w, std::span<double> r) const override {
        for (std::size_t i = 0; i < size_; ++i) r[i] = b[i] - w[i];
    }
    void scale(double s, std::span<const double> x, std::span<double> v) const override {
        for (std::size_t i = 0; i < size_; ++i) v[i] = 0.0 + s * x[i];
    }
    void add(std::span<double> u, double s, std::span<const double> v) const override {
        for (std::size_t i = 0; i < size_; ++i) u[i] += s * v[i];
    }

private:
    /// ... where the dot product is w's own.
    DotResult take_off_alone(std::span<double> w, double s, std::span<const double> v) const {
        Lanes sums{};
        const auto element = [&](std::size_t i, double& sum) {
            const double less = w[i] - s * v[i];
            w[i] = less;
            sum += less * less;
        };
        std::size_t i = 0;
        for (; i + kLanes <= size_; i += kLanes)
            for (std::size_t j = 0; j < kLanes; ++j) element(i + j, sums[j]);
        for (std::size_t j = 0; i + j < size_; ++j) element(i + j, sums[j]);
        return {closed(sums), false};
    }

    int threads_;
    std::size_t size_;
    std::optional<CompressedRows> rows_;
    std::optional<BlockAlgebra> grid_;
};

} // namespace

std::unique_ptr<GmresArithmetic> make_general_arithmetic(const System& system, const DatapathSpec& spec, int threads) {
    return std::make_unique<GeneralGmres>(system, spec, threads);
}

std::unique_ptr<GmresArithmetic> make_double_arithmetic(const System& system, int threads) {
    return std::make_unique<DoubleGmres>(system, threads);
}

} // namespace mantissa::detail
