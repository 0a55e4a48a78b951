// LuSpec's definition, element by element, with each operation formed by a function that the caller gives: the
// library's one-operation arithmetic or MPFR's. Shares no loop with the engine: an element's terms are taken when its
// turn comes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
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
                f_.lu(i, k) = quotient(rounded(sum(i, k, k)), u);
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
    /// w_ij after `steps` steps.
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
    [[nodiscard]] double quotient(double numerator, double u) const {
        return spec_.division == LuDivision::exact
                   ? form_(Operation::div, spec_.l, numerator, u, 0)
                   : form_(Operation::mul, spec_.l, numerator, form_(Operation::div, spec_.l, 1.0, u, 0), 0);
    }
    /// The rows (their places) that partial pivoting brings to the front in the columns k .. k + columns - 1.
    [[nodiscard]] std::vector<std::size_t> election(const std::vector<std::size_t>& rows, std::size_t k,
                                                    std::size_t columns) const {
        std::vector<std::pair<std::size_t, std::vector<Sum>>> w;
        for (const std::size_t i : rows) {
            w.emplace_back(i, std::vector<Sum>{});
            for (std::size_t j = k; j < k + columns; ++j) w.back().second.push_back(sum(i, j, k));
        }
        std::vector<std::size_t> winners;
        for (std::size_t t = 0; t < columns && t < w.size(); ++t) {
            std::size_t best = t;
            for (std::size_t i = t; i < w.size(); ++i)
                if (larger(w[i].second[t], w[best].second[t])) best = i;
            std::swap(w[best], w[t]);
            winners.push_back(w[t].first);
            const double u = rounded(w[t].second[t]);
            if (u == 0) continue;
            for (std::size_t i = t + 1; i < w.size(); ++i) {
                const double l = quotient(rounded(w[i].second[t]), u);
                for (std::size_t j = t + 1; j < columns; ++j) subtract(w[i].second[j], l, rounded(w[t].second[j]));
            }
        }
        return winners;
    }
    [[nodiscard]] std::vector<std::size_t> tournament(std::size_t first, std::size_t last, std::size_t leaves,
                                                      std::size_t k, std::size_t columns) const {
        const auto leaf = static_cast<std::size_t>(spec_.tournament_rows);
        if (leaves == 1) {
            std::vector<std::size_t> rows;
            for (std::size_t i = first; i < std::min(last, first + leaf); ++i) rows.push_back(i);
            return election(rows, k, columns);
        }
        // The greatest power of two below the number of leaves goes to the left: that is what pairing level by level
        // comes to.
        std::size_t left = 1;
        while (2 * left < leaves) left *= 2;
        std::vector<std::size_t> rows = tournament(first, last, left, k, columns);
        const std::vector<std::size_t> right = tournament(first + left * leaf, last, leaves - left, k, columns);
        rows.insert(rows.end(), right.begin(), right.end());
        return election(rows, k, columns);
    }
    void pivots_together(std::size_t k) {
        const auto most = static_cast<std::size_t>(spec_.tournament_columns);
        const auto leaf = static_cast<std::size_t>(spec_.tournament_rows);
        const std::vector<std::size_t> chosen =
            tournament(k, n_, (n_ - k + leaf - 1) / leaf, k, std::min(most, n_ - k));
        std::vector<std::uint32_t> names;
        for (const std::size_t i : chosen) names.push_back(f_.rows[i]);
        for (std::size_t t = 0; t < names.size(); ++t) {
            std::size_t at = k + t;
            while (f_.rows[at] != names[t]) ++at;
            exchange(k + t, at, k + t);
        }
    }
    void pivot(std::size_t k) {
        if (spec_.pivot == LuPivot::none) return;
        if (spec_.pivot == LuPivot::tournament) {
            if (k % static_cast<std::size_t>(spec_.tournament_columns) == 0) pivots_together(k);
            return;
        }
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
