// LuSpec's definition, element by element, with each operation formed by a function that the caller gives: the
// library's one-operation arithmetic or MPFR's. Shares no loop with the engine: an element's terms are taken when its
// turn comes.
#pragma once

#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "mantissa/accumulate.hpp"
#include "mantissa/lu/factor.hpp"
#include "mantissa/operation.hpp"

namespace mantissa::test {

/// `form(op, format, a, b, c)` is the operation's result rounded into the format.
template <class Form> class LuReference {
public:
    LuReference(const LuSpec& spec, const DenseMatrix& a, Form form)
        : spec_(spec), form_(std::move(form)), n_(a.size()) {
        f_.lu = DenseMatrix(n_);
        f_.rows.resize(n_);
        f_.columns.resize(n_);
        std::iota(f_.rows.begin(), f_.rows.end(), 0U);
        std::iota(f_.columns.begin(), f_.columns.end(), 0U);
        start_ = DenseMatrix(n_);
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = 0; j < n_; ++j) start_(i, j) = form_(Operation::convert, spec.a, a(i, j), 0, 0);
    }

    /// Complete factors, or those in front of column `at` where the pivot is zero. The test gives no system that
    /// overflows.
    LuFactors run() {
        for (std::size_t k = 0; k < n_; ++k) {
            pivot(k);
            for (std::size_t j = k; j < n_; ++j) f_.lu(k, j) = rounded(sum(k, j, k));
            const double u = f_.lu(k, k);
            if (u == 0) {
                f_.end = LuEnd::singular;
                f_.at = k;
                return f_;
            }
            for (std::size_t i = k + 1; i < n_; ++i) {
                const double numerator = rounded(sum(i, k, k));
                f_.lu(i, k) = spec_.division == LuDivision::exact ? form_(Operation::div, spec_.l, numerator, u, 0)
                                                                  : form_(Operation::mul, spec_.l, numerator,
                                                                          form_(Operation::div, spec_.l, 1.0, u, 0), 0);
            }
        }
        f_.at = n_;
        return f_;
    }

private:
    struct Sum {
        double value = 0;
        FixedAccumulator::Wide units = 0;
    };
    LuSpec spec_;
    Form form_;
    std::size_t n_;
    DenseMatrix start_;
    LuFactors f_;

    void subtract(Sum& s, double l, double u) const {
        bool fits = true;
        if (spec_.fixed) s.units -= FixedAccumulator::product_units(spec_.window, l, u, fits);
        else if (spec_.exact_product) s.value = form_(Operation::fma, spec_.accumulator, -l, u, s.value);
        else
            s.value =
                form_(Operation::sub, spec_.accumulator, s.value, form_(Operation::mul, spec_.product, l, u, 0), 0);
    }
    /// w_ij behind `steps` steps.
    [[nodiscard]] Sum sum(std::size_t i, std::size_t j, std::size_t steps) const {
        Sum s;
        bool fits = true;
        if (spec_.fixed) s.units = FixedAccumulator::product_units(spec_.window, start_(i, j), 1.0, fits);
        else s.value = form_(Operation::convert, spec_.accumulator, start_(i, j), 0, 0);
        const bool blocked = spec_.order == LuOrder::blocked && !spec_.fixed;
        const auto panel = static_cast<std::size_t>(spec_.block);
        for (std::size_t m = 0; m < steps;) {
            const std::size_t end = (m / panel + 1) * panel;
            if (!blocked || i < end || j < end) {
                subtract(s, f_.lu(i, m), f_.lu(m, j));
                ++m;
                continue;
            }
            double partial = 0;
            for (const std::size_t first = m; m < end; ++m) {
                const double l = f_.lu(i, m), u = f_.lu(m, j);
                if (spec_.exact_product)
                    partial = m == first ? form_(Operation::mul, spec_.accumulator, l, u, 0)
                                         : form_(Operation::fma, spec_.accumulator, l, u, partial);
                else {
                    const double term = form_(Operation::mul, spec_.product, l, u, 0);
                    partial = m == first ? form_(Operation::convert, spec_.accumulator, term, 0, 0)
                                         : form_(Operation::add, spec_.accumulator, partial, term, 0);
                }
            }
            s.value = form_(Operation::sub, spec_.accumulator, s.value, partial, 0);
        }
        return s;
    }
    [[nodiscard]] double rounded(const Sum& s) const {
        if (!spec_.fixed) return form_(Operation::convert, spec_.u, s.value, 0, 0);
        const bool negative = s.units < 0;
        return exact::from_integer(spec_.u, static_cast<exact::detail::u128>(negative ? -s.units : s.units), negative,
                                   spec_.window.lsb);
    }
    [[nodiscard]] bool larger(const Sum& a, const Sum& b) const {
        if (!spec_.fixed) return std::fabs(a.value) > std::fabs(b.value);
        return (a.units < 0 ? -a.units : a.units) > (b.units < 0 ? -b.units : b.units);
    }
    void pivot(std::size_t k) {
        if (spec_.pivot == LuPivot::none) return;
        std::size_t row = k, column = k;
        Sum best = sum(k, k, k);
        const Sum diagonal = best;
        for (std::size_t j = k; j < (spec_.pivot == LuPivot::full ? n_ : k + 1); ++j)
            for (std::size_t i = k; i < n_; ++i)
                if (const Sum here = sum(i, j, k); larger(here, best)) {
                    best = here;
                    row = i;
                    column = j;
                }
        if (spec_.pivot == LuPivot::threshold) {
            const auto magnitude = [&](const Sum& s) {
                return spec_.fixed ? std::fabs(static_cast<double>(s.units)) : std::fabs(s.value);
            };
            if (magnitude(diagonal) >= spec_.tau * magnitude(best)) return;
        }
        exchange(k, row, column);
    }
    void exchange(std::size_t k, std::size_t row, std::size_t column) {
        if (row != k) {
            for (std::size_t j = 0; j < n_; ++j) {
                std::swap(start_(row, j), start_(k, j));
                if (j < k) std::swap(f_.lu(row, j), f_.lu(k, j));
            }
            std::swap(f_.rows[row], f_.rows[k]);
            ++f_.exchanges;
        }
        if (column != k) {
            for (std::size_t i = 0; i < n_; ++i) {
                std::swap(start_(i, column), start_(i, k));
                if (i < k) std::swap(f_.lu(i, column), f_.lu(i, k));
            }
            std::swap(f_.columns[column], f_.columns[k]);
            ++f_.exchanges;
        }
    }
};

} // namespace mantissa::test
