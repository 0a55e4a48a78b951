// Pairs of doubles with a bound on what each operation loses. Internal to host/.
#pragma once

#include <cmath>

namespace mantissa::errors {

/// An unevaluated sum hi + lo with hi = hi + lo rounded. Every operation has a relative error of at most kUnit, where
/// nothing leaves double precision's range: 3 u^2 (1 + 5 u) for sums, 5 u^2 for products, 15 u^2 (1 + 4 u) for
/// quotients (Joldes, Muller, Popescu, ACM TOMS 44(2), 2017, algorithms 6, 12 and 17) and 25/8 u^2 for roots (Lefevre,
/// Louvet, Muller, Picot, Rideau, ACM TOMS 49(1), 2023), u = 2^-53.
struct Pair {
    double hi = 0, lo = 0;

    static constexpr double kUnit = 0x1p-102;

    Pair() = default;
    Pair(double x) : hi(x) {} // (a double is a pair)
    Pair(double h, double l) : hi(h), lo(l) {}

    /// a + b without any loss.
    static Pair sum_of(double a, double b) {
        const double s = a + b, part = s - a;
        return {s, (a - (s - part)) + (b - part)};
    }
    /// The same for |a| >= |b|.
    static Pair fast_sum_of(double a, double b) {
        const double s = a + b;
        return {s, b - (s - a)};
    }
    friend Pair operator+(Pair x, Pair y) {
        const Pair s = sum_of(x.hi, y.hi), t = sum_of(x.lo, y.lo);
        const Pair v = fast_sum_of(s.hi, s.lo + t.hi);
        return fast_sum_of(v.hi, t.lo + v.lo);
    }
    friend Pair operator-(Pair x, Pair y) { return x + Pair(-y.hi, -y.lo); }
    friend Pair operator*(Pair x, Pair y) {
        const double c = x.hi * y.hi, lost = std::fma(x.hi, y.hi, -c);
        const double t0 = x.lo * y.lo, t1 = std::fma(x.hi, y.lo, t0), t2 = std::fma(x.lo, y.hi, t1);
        return fast_sum_of(c, lost + t2);
    }
    friend Pair operator/(Pair x, Pair y) {
        const double t = x.hi / y.hi;
        // y t: algorithm 7
        const double c = y.hi * t, lost = std::fma(y.hi, t, -c);
        const Pair v = fast_sum_of(c, y.lo * t);
        const Pair r = fast_sum_of(v.hi, v.lo + lost);
        const double d = (x.hi - r.hi) + (x.lo - r.lo);
        return fast_sum_of(t, d / y.hi);
    }
    friend Pair root(Pair x) {
        const double s = std::sqrt(x.hi), rest = std::fma(-s, s, x.hi) + x.lo;
        return fast_sum_of(s, rest / (2 * s));
    }
    [[nodiscard]] bool positive() const { return hi > 0; }
    [[nodiscard]] double value() const { return hi; }
};

inline double root(double x) {
    return std::sqrt(x);
}
inline bool positive(double x) {
    return x > 0;
}
inline bool positive(Pair x) {
    return x.positive();
}
inline double value(double x) {
    return x;
}
inline double value(Pair x) {
    return x.hi;
}
/// u of the arithmetic's standard model.
template <class T> constexpr double unit_of() {
    return 0x1p-53;
}
template <> constexpr double unit_of<Pair>() {
    return Pair::kUnit;
}

} // namespace mantissa::errors
