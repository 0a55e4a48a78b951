#include "balance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace mantissa::dense {

namespace {

constexpr int kNone = std::numeric_limits<int>::min(); ///< the exponent of a row or column of zeros
constexpr int kSkewed = 10;  ///< differences of a row's and its column's exponent: of a good symmetric matrix a few
constexpr int kFarOut = 900; ///< squares and sums of what lies within stay in double's range

int exponent_or_none(double x) {
    return x == 0 || !std::isfinite(x) ? kNone : exponent(x);
}

/// ||A||: sums of a row in double, in ascending order, each row by the exponent of its largest element.
Ranged norm_of_rows(const DenseMatrix& a) {
    Ranged most;
    for (std::size_t i = 0; i < a.size(); ++i) {
        int e = kNone;
        for (const double x : a.row(i)) e = std::max(e, exponent_or_none(x));
        if (e == kNone) e = 0;
        double sum = 0;
        for (const double x : a.row(i)) sum += std::fabs(std::ldexp(x, -e));
        const Ranged here(sum, e);
        if (most.below(here)) most = here;
    }
    return most;
}

/// The exponents by which a symmetric matrix has its diagonal in (1/4, 1], where the diagonal is positive and no other
/// element gets above 1 (as none does of a positive definite one); else none.
std::optional<std::vector<int>> exponents_by_diagonal(const DenseMatrix& a) {
    const std::size_t n = a.size();
    std::vector<int> by(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (!(a(i, i) > 0) || !std::isfinite(a(i, i))) return std::nullopt;
        const int e = exponent(a(i, i));
        by[i] = e > 0 ? -((e + 1) / 2) : -e / 2; // -ceil(e / 2)
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (a(i, j) != a(j, i) || !(std::abs(std::ldexp(a(i, j), by[i] + by[j])) <= 1)) return std::nullopt;
    return by;
}

} // namespace

Ranged::Ranged(double x, long exponent) {
    if (x == 0 || !std::isfinite(x)) {
        m = x;
        return;
    }
    int own = 0;
    m = std::frexp(x, &own);
    e = exponent + own;
}

Ranged Ranged::plus(const Ranged& x) const {
    if (x.m == 0) return *this;
    if (m == 0) return x;
    const Ranged &high = e < x.e ? x : *this, &low = e < x.e ? *this : x;
    return Ranged(high.m + std::ldexp(low.m, static_cast<int>(std::max(low.e - high.e, -2000L))), high.e);
}

bool Ranged::below(const Ranged& x) const {
    if (!std::isfinite(m) || !std::isfinite(x.m)) return std::isfinite(m);
    if (m == 0 || x.m == 0) return m == 0 && x.m != 0;
    return e != x.e ? e < x.e : std::fabs(m) < std::fabs(x.m);
}

double Ranged::over(const Ranged& x) const {
    if (m == 0 && x.m == 0) return 0;
    return std::ldexp(m / x.m, static_cast<int>(std::clamp(e - x.e, -4000L, 4000L)));
}

int exponent(double x) {
    if (x == 0 || !std::isfinite(x)) return 0;
    int e = 0;
    return std::fabs(std::frexp(x, &e)) == 0.5 ? e - 1 : e;
}

Balance::Balance(const DenseMatrix& given, bool scale)
    : a(given), row(given.size(), 0), column(given.size(), 0), norm(norm_of_rows(given)) {
    const std::size_t n = a.size();
    if (!scale) {
        int e = kNone;
        for (const double x : a.values()) e = std::max(e, exponent_or_none(x));
        if (e == kNone || std::abs(e) <= kFarOut) return;
        std::fill(row.begin(), row.end(), -e);
    } else {
        std::vector<int> most(n, kNone);
        for (std::size_t i = 0; i < n; ++i) {
            int e = kNone;
            for (const double x : a.row(i)) e = std::max(e, exponent_or_none(x));
            row[i] = e == kNone ? 0 : -e;
            for (std::size_t j = 0; j < n; ++j)
                if (const int here = exponent_or_none(a(i, j)); here != kNone)
                    most[j] = std::max(most[j], here + row[i]);
        }
        for (std::size_t j = 0; j < n; ++j) column[j] = most[j] == kNone ? 0 : -most[j];
        int least = 0, greatest = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const int skew = row[i] - column[i];
            least = i == 0 ? skew : std::min(least, skew);
            greatest = i == 0 ? skew : std::max(greatest, skew);
        }
        if (const auto by = greatest - least > kSkewed ? exponents_by_diagonal(a) : std::nullopt) {
            row = column = *by;
            by_diagonal = true;
        }
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) a(i, j) = std::ldexp(a(i, j), row[i] + column[j]);
}

void Balance::raise(int to) {
    const int by = to - top;
    if (by == 0) return;
    for (std::size_t i = 0; i < a.size(); ++i) {
        row[i] += by;
        for (double& x : a.row(i)) x = std::ldexp(x, by);
    }
    top = to;
}

int Balance::side(std::span<const double> b) const {
    int most = kNone;
    for (std::size_t i = 0; i < b.size(); ++i)
        if (const int e = exponent_or_none(b[i]); e != kNone) most = std::max(most, e + row[i]);
    return most == kNone ? 0 : -most;
}

std::vector<double> Balance::right_hand_side(std::span<const double> b, int side) const {
    std::vector<double> scaled(b.begin(), b.end());
    for (std::size_t i = 0; i < b.size(); ++i) scaled[i] = std::ldexp(b[i], row[i] + side);
    return scaled;
}

} // namespace mantissa::dense
