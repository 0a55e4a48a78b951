#include "verdict.hpp"

#include <algorithm>
#include <cmath>
#include <compare>

#include "mantissa/dyadic.hpp"
#include "mantissa/outer/certain.hpp"

namespace mantissa::dense {

namespace {

using Row = std::ptrdiff_t;
constexpr std::size_t kMostForDigits = 2048; ///< rows up to which whole numbers are summed for an error's digits alone

/// 2^e in whole numbers of any length.
Dyadic power_of_two(long e) {
    Dyadic power(1.0);
    for (; e > 900; e -= 900) power = power.times(Dyadic(0x1p900));
    for (; e < -900; e += 900) power = power.times(Dyadic(0x1p-900));
    return power.times(Dyadic(std::ldexp(1.0, static_cast<int>(e))));
}

Dyadic magnitude(const Dyadic& x) {
    return x.sign() < 0 ? x.times(Dyadic(-1.0)) : x;
}

void take_larger(Dyadic& most, const Dyadic& x) {
    if (std::is_gt(x.compare(most))) most = x;
}

Ranged larger(const Ranged& x, const Ranged& y) {
    return x.below(y) ? y : x;
}

} // namespace

bool condition_in_sight(const DenseResult& r) {
    return r.condition * std::ldexp(1.0, -1 - r.spec.u.fraction_bits) < 1;
}

Judge::Judge(const DenseMatrix& a, std::span<const double> b, const Balance& balance, int threads)
    : given_(a), given_b_(b), balance_(balance), threads_(threads), side_(balance.side(b)),
      b_(balance.right_hand_side(b, side_)) {
    for (const double x : b) b_norm_ = larger(b_norm_, Ranged(std::fabs(x)));
    for (std::size_t i = 0; balance.by_diagonal && i < a.size(); ++i) {
        double sum = 0;
        for (const double x : balance.a.row(i)) sum += std::fabs(x);
        balanced_norm_ = std::max(balanced_norm_, sum);
    }
}

/// The backward error of the balanced system, whose residual is r.
double Judge::balanced(std::span<const double> y, std::span<const double> r) const {
    if (!balance_.by_diagonal) return 0;
    const auto largest = [](std::span<const double> v) {
        double most = 0;
        for (const double x : v) most = std::max(most, std::fabs(x));
        return most;
    };
    const double size = balanced_norm_ * largest(y) + largest(b_);
    return size == 0 ? 0 : largest(r) / size;
}

std::vector<double> Judge::solution(std::span<const double> y) const {
    std::vector<double> x(y.begin(), y.end());
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = std::ldexp(x[j], balance_.column[j] - side_);
    return x;
}

bool Judge::round_to_solution(std::span<double> y) const {
    bool changed = false;
    for (std::size_t j = 0; j < y.size(); ++j) {
        const int e = balance_.column[j] - side_;
        const double x = std::ldexp(y[j], e);
        if (!std::isfinite(x)) continue;
        const double back = std::ldexp(x, -e);
        changed |= back != y[j];
        y[j] = back;
    }
    return changed;
}

Ranged Judge::size(std::span<const double> y) const {
    Ranged x;
    for (std::size_t j = 0; j < y.size(); ++j) x = larger(x, Ranged(std::fabs(y[j]), balance_.column[j] - side_));
    return balance_.norm.times(x).plus(b_norm_);
}

double Judge::plain(std::span<const double> y, std::vector<double>& r) const {
    r.resize(y.size());
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (Row k = 0; k < static_cast<Row>(y.size()); ++k) {
        const auto i = static_cast<std::size_t>(k);
        double sum = b_[i];
        const auto row = balance_.a.row(i);
        for (std::size_t j = 0; j < row.size(); ++j) sum -= row[j] * y[j];
        r[i] = sum;
    }
    Ranged most;
    for (std::size_t i = 0; i < r.size(); ++i) most = larger(most, Ranged(std::fabs(r[i]), -balance_.row[i] - side_));
    return std::max(most.over(size(y)), balanced(y, r));
}

CertainError Judge::certain(std::span<const double> y, std::vector<double>& r, bool digits) const {
    CertainError e = as_given(y, r, digits);
    e.balanced = balanced(y, r);
    e.reached = e.reached && e.balanced <= goal();
    return e;
}

CertainError Judge::as_given(std::span<const double> y, std::vector<double>& r, bool digits) const {
    const std::size_t n = y.size();
    r.resize(n);
    std::vector<double> bound(n);
    double largest = 1;
    for (const double v : y) largest = std::max(largest, std::fabs(v));
    // What elements of R A C, of 2^side R b and of y lost below 2^-1074, and products of theirs.
    const double lost = static_cast<double>(n + 2) * 0x1p-1070 * largest;
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (Row k = 0; k < static_cast<Row>(n); ++k) {
        const auto i = static_cast<std::size_t>(k);
        certain::DoubledSum sum;
        sum.add(b_[i]);
        const auto row = balance_.a.row(i);
        for (std::size_t j = 0; j < n; ++j) sum.add_product(-row[j], y[j]);
        r[i] = sum.value();
        bound[i] = certain::error_bound(sum.size, n + 1) + 0x1.1p-53 * std::fabs(r[i]) + lost;
    }
    Ranged value, low, high;
    bool finite = true;
    for (std::size_t i = 0; i < n; ++i) {
        const long e = -balance_.row[i] - side_;
        const double here = std::fabs(r[i]);
        finite = finite && std::isfinite(here) && std::isfinite(bound[i]);
        value = larger(value, Ranged(here, e));
        high = larger(high, Ranged(here + bound[i], e));
        low = larger(low, Ranged(std::max(0.0, here - bound[i]), e));
    }
    if (!finite) return exact(y);
    const Ranged whole = size(y);
    const double most = high.over(whole), least = low.over(whole), error = value.over(whole);
    // The denominator, the quotients and the sums above are rounded: a relative error of (n + 16) 2^-53 at most.
    const double slack = static_cast<double>(n + 32) * 0x1p-52;
    const bool above = least * (1 - slack) > goal(), reached = most * (1 + slack) < goal();
    if (!above && !reached) return exact(y);
    if (!digits || most - least <= 1e-7 * error) return {error, reached, false};
    return n <= kMostForDigits ? exact(y) : CertainError{most, reached, true};
}

CertainError Judge::exact(std::span<const double> y) const {
    const std::size_t n = y.size();
    for (const double v : y)
        if (!std::isfinite(v)) return {v, false, false};
    const std::vector<double> x = solution(y);
    const bool inside = std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
    std::vector<Dyadic> far;
    Dyadic x_norm, a_norm, b_norm, defect;
    for (std::size_t j = 0; j < n; ++j) {
        Dyadic here(inside ? x[j] : y[j]);
        if (!inside) here = here.times(power_of_two(balance_.column[j] - side_));
        take_larger(x_norm, magnitude(here));
        if (!inside) far.push_back(std::move(here));
    }
    for (std::size_t i = 0; i < n; ++i) {
        Dyadic d(given_b_[i]), sum;
        const auto row = given_.row(i);
        for (std::size_t j = 0; j < n; ++j) {
            sum.add(std::fabs(row[j]));
            if (inside) d.add_product(-row[j], x[j]);
            else d.add(far[j].times(Dyadic(-row[j])));
        }
        take_larger(a_norm, sum);
        take_larger(b_norm, Dyadic(std::fabs(given_b_[i])));
        take_larger(defect, magnitude(d));
    }
    Dyadic whole = a_norm.times(x_norm);
    whole.add(b_norm);
    CertainError result;
    result.reached = std::is_lteq(defect.compare(whole.times(Dyadic(goal()))));
    if (defect.sign() != 0) {
        const double root = defect.root_of_quotient(whole);
        result.error = root * root;
    }
    // Rounding must not print what the verdict denies.
    if (result.reached) result.error = std::min(result.error, goal());
    return result;
}

} // namespace mantissa::dense
