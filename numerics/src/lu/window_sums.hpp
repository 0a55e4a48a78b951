// The sums of a factor's elements in a fixed-point window: integers in units of 2^lsb.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "mantissa/exact.hpp"
#include "mantissa/kernels.hpp"
#include "mantissa/lu/dense.hpp"
#include "mantissa/lu/spec.hpp"
#include "mantissa/window_units.hpp"
#include "part.hpp"

// Functions that are compiled for several instruction sets, of which the processor's best is taken at the start.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&               \
    !defined(__SANITIZE_THREAD__)
#define MANTISSA_CLONES gnu::target_clones("arch=x86-64-v4", "avx2", "sse4.1", "default")
#else
#define MANTISSA_CLONES
#endif

namespace mantissa::lu {

/// w <- w - trunc(l u scale), |l u scale| < 2^51; one instance for each instruction set. A whole number t below 2^51 in
/// magnitude lies in the low bits of the double t + 1.5 2^52, which turns it into an integer without the conversion
/// that AVX2 lacks.
[[MANTISSA_CLONES]] inline void subtract_units(std::int64_t* w, const double* u, double l, double scale,
                                               std::size_t count) {
    constexpr double kShift = 0x1.8p52;
    for (std::size_t j = 0; j < count; ++j)
        w[j] -=
            std::bit_cast<std::int64_t>(std::trunc(l * u[j] * scale) + kShift) - std::bit_cast<std::int64_t>(kShift);
}

/// w <- w - trunc(l_0 u_0) - trunc(l_1 u_1) - ... for `depth` rows u_m that lie `stride` apart. The terms are whole
/// numbers whose magnitudes add up to less than 2^51, so that their sum in double is exact, and w is read and written
/// once.
[[MANTISSA_CLONES]] inline void subtract_sums(std::int64_t* w, const double* u, std::size_t stride, const double* l,
                                              std::size_t depth, std::size_t count) {
    constexpr double kShift = 0x1.8p52;
    constexpr std::size_t kWide = 32; // four registers of eight: sums that stay in them
    std::size_t j = 0;
    for (; j + kWide <= count; j += kWide) {
        double sum[kWide] = {};
        for (std::size_t m = 0; m < depth; ++m) {
            const double factor = l[m];
            const double* const row = u + m * stride + j;
            for (std::size_t v = 0; v < kWide; ++v) sum[v] += std::trunc(factor * row[v]);
        }
        for (std::size_t v = 0; v < kWide; ++v)
            w[j + v] -= std::bit_cast<std::int64_t>(sum[v] + kShift) - std::bit_cast<std::int64_t>(kShift);
    }
    for (; j < count; ++j) {
        double sum = 0;
        for (std::size_t m = 0; m < depth; ++m) sum += std::trunc(l[m] * u[m * stride + j]);
        w[j] -= std::bit_cast<std::int64_t>(sum + kShift) - std::bit_cast<std::int64_t>(kShift);
    }
}

/// w of LuSpec's definition. V = std::int64_t is quick; V = __int128 takes every window.
template <class V> class WindowSums {
public:
    using Value = double;
    __extension__ using Wide = __int128;

    /// Of rows of `columns` elements, values of spec.a.
    WindowSums(const LuSpec& spec, std::span<const double> values, std::size_t columns, bool& overflow)
        : spec_(spec), n_(columns), limit_(std::ldexp(1.0, spec.window.width() - 1)), factors_(spec.u),
          w_(values.size()) {
        for (std::size_t k = 0; k < w_.size(); ++k) {
            bool fits = true;
            w_[k] = static_cast<V>(product_units(spec.window, values[k], 1.0, fits));
            overflow |= !fits;
        }
    }

    /// A copy of `columns` columns from `column` on of these rows.
    [[nodiscard]] WindowSums part(std::span<const std::uint32_t> rows, std::size_t column, std::size_t columns) const {
        return WindowSums(*this, copied_part(w_, n_, rows, column, columns), columns);
    }

    /// Is V = std::int64_t exact here? Products of l and u have 53 bits at most and stay far from a double's ends; a
    /// product that fits the window has less than 2^51 of its units; and n + 1 of them fit 64 bits.
    static bool quick(const LuSpec& spec, std::size_t n) {
        const int growth = static_cast<int>(std::bit_width(n));
        return spec.l.precision() + spec.u.precision() <= 53 && spec.l.exponent_bits <= 8 &&
               spec.u.exponent_bits <= 8 && spec.window.width() <= 52 && spec.window.width() + growth <= 63 &&
               std::abs(spec.window.lsb) <= 600;
    }

    [[nodiscard]] V magnitude(std::size_t i, std::size_t j) const {
        const V w = w_[i * n_ + j];
        return w < 0 ? -w : w;
    }
    void exchange_rows(std::size_t i, std::size_t k) { std::swap_ranges(row(i), row(i) + n_, row(k)); }
    void exchange_columns(std::size_t j, std::size_t k) {
        for (std::size_t i = 0; i * n_ < w_.size(); ++i) std::swap(w_[i * n_ + j], w_[i * n_ + k]);
    }
    [[nodiscard]] double rounded(std::size_t i, std::size_t j, bool& overflow) const {
        return rounded_word(w_[i * n_ + j], overflow);
    }

    /// The elements from (i, j) on along the row, or down the column, as rounded() gives them.
    void rounded_row(std::size_t i, std::size_t j, std::span<double> out, bool& overflow) const {
        rounded_line(w_.data() + i * n_ + j, 1, out, overflow);
    }
    void rounded_column(std::size_t i, std::size_t j, std::span<double> out, bool& overflow) const {
        rounded_line(w_.data() + i * n_ + j, n_, out, overflow);
    }

    /// w_ij <- value truncated to the window's grid.
    void assign(std::size_t i, std::size_t j, double value, bool& overflow) {
        bool fits = true;
        w_[i * n_ + j] = static_cast<V>(product_units(spec_.window, value, 1.0, fits));
        overflow |= !fits;
    }

    /// w_ij <- w_ij - l u_j for j in [begin, begin + u.size()), each product truncated to the window's grid. `largest`:
    /// max |u_j|, or more.
    void update(std::size_t i, std::size_t begin, double l, std::span<const double> u, double largest, bool& overflow) {
        V* const w = row(i) + begin;
        if constexpr (std::is_same_v<V, std::int64_t>) {
            const double scale = std::ldexp(1.0, -spec_.window.lsb);
            if (std::fabs(l) * largest * scale < limit_) {
                subtract_units(w, u.data(), l, scale, u.size());
                return;
            }
        }
        for (std::size_t j = 0; j < u.size(); ++j) {
            bool fits = true;
            w[j] -= static_cast<V>(product_units(spec_.window, l, u[j], fits));
            overflow |= !fits;
        }
    }

    /// The same for several steps at once: `u` holds the rows u_m one after another, `stride` apart, of which the
    /// elements from `first` on, `count` of them, belong to the columns from `begin` on. False, with nothing done,
    /// where their sum could be too large for a double.
    bool update_panel(std::size_t i, std::size_t begin, std::span<const double> l, std::span<const double> u,
                      std::size_t stride, std::size_t first, std::size_t count, std::span<const double> largest) {
        if constexpr (std::is_same_v<V, std::int64_t>) {
            constexpr std::size_t kDepth = 64;
            const double scale = std::ldexp(1.0, -spec_.window.lsb);
            double scaled[kDepth];
            double most = 0;
            for (std::size_t m = 0; m < l.size(); ++m) most += std::fabs(l[m] * scale) * largest[m];
            // Then no term is too large for the window, nor any sum for a double. (NaN is not below either.)
            if (!(most < std::min(limit_, 0x1p50))) return false;
            for (std::size_t m = 0; m < l.size(); m += kDepth) {
                const std::size_t depth = std::min(kDepth, l.size() - m);
                for (std::size_t k = 0; k < depth; ++k) scaled[k] = l[m + k] * scale;
                subtract_sums(row(i) + begin, u.data() + m * stride + first, stride, scaled, depth, count);
            }
            return true;
        } else {
            return false;
        }
    }

private:
    LuSpec spec_;
    std::size_t n_; ///< elements of a row
    double limit_;
    VectorUnit<double> factors_; ///< rounds into u's format
    std::vector<V> w_;

    WindowSums(const WindowSums& of, std::vector<V> w, std::size_t columns)
        : spec_(of.spec_), n_(columns), limit_(of.limit_), factors_(of.factors_), w_(std::move(w)) {}
    V* row(std::size_t i) { return w_.data() + i * n_; }
    void rounded_line(const V* w, std::size_t stride, std::span<double> out, bool& overflow) const {
        if constexpr (std::is_same_v<V, std::int64_t>) {
            // Words of up to 52 bits are doubles, and so are their multiples of a power of two.
            const double unit = std::ldexp(1.0, spec_.window.lsb);
            for (std::size_t k = 0; k < out.size(); ++k) {
                const auto units = static_cast<double>(w[k * stride]);
                const bool inside = units >= -limit_ && units < limit_;
                overflow |= !inside;
                out[k] = inside ? units * unit : 0;
            }
            factors_.round(std::span<const double>(out), out);
        } else {
            for (std::size_t k = 0; k < out.size(); ++k) out[k] = rounded_word(w[k * stride], overflow);
        }
    }
    [[nodiscard]] double rounded_word(V word, bool& overflow) const {
        const auto w = static_cast<Wide>(word);
        const Wide limit = Wide{1} << (spec_.window.width() - 1);
        if (w < -limit || w >= limit) {
            overflow = true;
            return 0;
        }
        return exact::from_integer(spec_.u, static_cast<exact::detail::u128>(w < 0 ? -w : w), w < 0, spec_.window.lsb);
    }
};

} // namespace mantissa::lu

#undef MANTISSA_CLONES
