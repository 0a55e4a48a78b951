// The sums of a factor's elements in a floating format.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mantissa/exact.hpp"
#include "mantissa/kernels.hpp"
#include "mantissa/lu/dense.hpp"
#include "mantissa/lu/spec.hpp"
#include "part.hpp"

namespace mantissa::lu {

/// w of LuSpec's definition, by rows, in T; T = float wants every operand to be a value of acc (see VectorUnit).
template <class T> class FloatSums {
public:
    using Value = T;
    static constexpr std::size_t kTile = 512; ///< elements of a row that are updated together, in the first-level cache

    /// Of rows of `columns` elements, values of spec.a.
    FloatSums(const LuSpec& spec, std::span<const double> values, std::size_t columns)
        : spec_(spec), n_(columns), sums_(spec.accumulator), factors_(spec.u),
          products_(spec.exact_product || spec.product == spec.accumulator
                        ? nullptr
                        : std::make_shared<const VectorUnit<T>>(spec.product)),
          w_(values.size()) {
        sums_.convert(values, std::span<T>(w_));
    }

    /// A copy of `columns` columns from `column` on of these rows.
    [[nodiscard]] FloatSums part(std::span<const std::uint32_t> rows, std::size_t column, std::size_t columns) const {
        return FloatSums(*this, copied_part(w_, n_, rows, column, columns), columns);
    }

    static bool fits(const LuSpec& spec) {
        if constexpr (sizeof(T) == 4)
            return spec.accumulator.fits<float>() && spec.accumulator.contains(spec.l) &&
                   spec.accumulator.contains(spec.u) && (spec.exact_product || spec.product == spec.accumulator);
        return true;
    }

    [[nodiscard]] T magnitude(std::size_t i, std::size_t j) const { return std::fabs(w_[i * n_ + j]); }
    void exchange_rows(std::size_t i, std::size_t k) { std::swap_ranges(row(i), row(i) + n_, row(k)); }
    void exchange_columns(std::size_t j, std::size_t k) {
        for (std::size_t i = 0; i * n_ < w_.size(); ++i) std::swap(w_[i * n_ + j], w_[i * n_ + k]);
    }
    /// The element rounded into u's format; it may be infinite or not a number. Never out of a window.
    [[nodiscard]] double rounded(std::size_t i, std::size_t j, bool& /*overflow*/) const {
        return exact::convert(spec_.u, static_cast<double>(w_[i * n_ + j]));
    }

    /// The elements from (i, j) on along the row, or down the column, as rounded() gives them.
    void rounded_row(std::size_t i, std::size_t j, std::span<double> out, bool& /*overflow*/) const {
        std::copy_n(w_.data() + i * n_ + j, out.size(), out.data());
        factors_.round(std::span<const double>(out), out);
    }
    void rounded_column(std::size_t i, std::size_t j, std::span<double> out, bool& /*overflow*/) const {
        for (std::size_t k = 0; k < out.size(); ++k) out[k] = w_[(i + k) * n_ + j];
        factors_.round(std::span<const double>(out), out);
    }

    /// w_ij <- value rounded into acc.
    void assign(std::size_t i, std::size_t j, double value, bool& /*overflow*/) {
        w_[i * n_ + j] = static_cast<T>(exact::convert(spec_.accumulator, value));
    }

    /// w_ij <- w_ij - l u_j for j in [begin, begin + u.size()).
    void update(std::size_t i, std::size_t begin, double l, std::span<const T> u, double /*largest*/,
                bool& /*overflow*/) {
        const std::span<T> w(row(i) + begin, u.size());
        if (spec_.exact_product) {
            T many[kTile], *const factor = many;
            for (std::size_t j = 0; j < u.size(); j += kTile) {
                const std::size_t count = std::min(kTile, u.size() - j);
                std::fill_n(factor, count, static_cast<T>(-l));
                const auto part = w.subspan(j, count);
                sums_.fma(std::span<const T>(factor, count), u.subspan(j, count), std::span<const T>(part), part);
            }
        } else if (products_) {
            T product[kTile];
            for (std::size_t j = 0; j < u.size(); j += kTile) {
                const std::size_t count = std::min(kTile, u.size() - j);
                const std::span<T> terms(product, count);
                products_->scale(static_cast<T>(l), u.subspan(j, count), terms);
                const auto part = w.subspan(j, count);
                sums_.sub(std::span<const T>(part), std::span<const T>(terms), part);
            }
        } else {
            sums_.sub_scaled(std::span<const T>(w), static_cast<T>(l), u, w);
        }
    }

    /// order=blocked: the panel's products as one sum. `u` holds the rows u_m one after another, `stride` apart.
    void update_by_sum(std::size_t i, std::size_t begin, std::span<const double> l, std::span<const T> u,
                       std::size_t stride, std::size_t count) {
        T sum_memory[kTile], other_memory[kTile];
        for (std::size_t j = 0; j < count; j += kTile) {
            const std::size_t part = std::min(kTile, count - j);
            const std::span<T> sum(sum_memory, part), other(other_memory, part);
            const VectorUnit<T>& products = products_ ? *products_ : sums_;
            products.scale(static_cast<T>(l[0]), u.subspan(j, part), sum);
            if (products_) sums_.round(std::span<const T>(sum), sum);
            for (std::size_t m = 1; m < l.size(); ++m) {
                const auto row_m = u.subspan(m * stride + j, part);
                if (spec_.exact_product) {
                    std::fill(other.begin(), other.end(), static_cast<T>(l[m]));
                    sums_.fma(std::span<const T>(other), row_m, std::span<const T>(sum), sum);
                } else if (products_) {
                    products.scale(static_cast<T>(l[m]), row_m, other);
                    sums_.add(std::span<const T>(sum), std::span<const T>(other), sum);
                } else {
                    sums_.add_scaled(std::span<const T>(sum), static_cast<T>(l[m]), row_m, sum);
                }
            }
            const std::span<T> w(row(i) + begin + j, part);
            sums_.sub(std::span<const T>(w), std::span<const T>(sum), w);
        }
    }

private:
    LuSpec spec_;
    std::size_t n_; ///< elements of a row
    VectorUnit<T> sums_;
    VectorUnit<double> factors_;                    ///< rounds into u's format
    std::shared_ptr<const VectorUnit<T>> products_; ///< where products have a format of their own
    std::vector<T> w_;

    FloatSums(const FloatSums& of, std::vector<T> w, std::size_t columns)
        : spec_(of.spec_), n_(columns), sums_(of.sums_), factors_(of.factors_), products_(of.products_),
          w_(std::move(w)) {}
    T* row(std::size_t i) { return w_.data() + i * n_; }
};

} // namespace mantissa::lu
