// A V(2,2) cycle in double precision, straight from its definition, and Conjugate Gradients with it: what a hierarchy
// is judged by.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "mantissa/multilevel/hierarchy.hpp"

namespace mantissa::test {

using Vector = std::vector<double>;

inline Vector product(const RealRows& a, const Vector& x) {
    Vector y(a.rows, 0.0);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::uint32_t k = a.begin[i]; k < a.begin[i + 1]; ++k) y[i] += a.value[k] * x[a.column[k]];
    return y;
}
inline double dot(const Vector& x, const Vector& y) {
    double s = 0;
    for (std::size_t i = 0; i < x.size(); ++i) s += x[i] * y[i];
    return s;
}

/// Two Richardson steps with the weights of Chebyshev's polynomial from min(largest / 4, 1/3) to `largest`, the
/// correction from the next level, two steps. (The diagonal is 1, so what a level leaves to the next lies below some
/// 1/3, however large the largest eigenvalue is.)
class ReferenceCycle {
public:
    explicit ReferenceCycle(const multilevel::Hierarchy& h) : h_(h) {}
    [[nodiscard]] Vector operator()(const Vector& r, std::size_t k = 0) const {
        const multilevel::Level& level = h_.level[k];
        Vector x(r.size(), 0.0);
        if (k + 1 == h_.level.size()) {
            for (std::size_t i = 0; i < r.size(); ++i)
                for (std::size_t j = 0; j < r.size(); ++j) x[i] += h_.coarsest[i * r.size() + j] * r[j];
            return x;
        }
        smooth(level, r, x);
        const Vector next = (*this)(product(level.restriction, residual(level, r, x)), k + 1);
        const Vector correction = product(level.prolongation, next);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += correction[i];
        smooth(level, r, x);
        return x;
    }

private:
    static Vector residual(const multilevel::Level& level, const Vector& r, const Vector& x) {
        Vector d = product(level.a, x);
        for (std::size_t i = 0; i < d.size(); ++i) d[i] = r[i] - d[i];
        return d;
    }
    static void smooth(const multilevel::Level& level, const Vector& r, Vector& x) {
        const double smallest = std::min(level.largest / 4, 1.0 / 3);
        const double middle = (level.largest + smallest) / 2, half = (level.largest - smallest) / 2;
        for (const double sign : {1.0, -1.0}) {
            const double weight = 1 / (middle + sign * half * std::numbers::sqrt2 / 2);
            const Vector d = residual(level, r, x);
            for (std::size_t i = 0; i < x.size(); ++i) x[i] += weight * d[i];
        }
    }
    const multilevel::Hierarchy& h_;
};

/// Iterations of CG (beta of its flexible form) until the residual of the given, unscaled problem is 1e-10 of a right-
/// hand side of random numbers; `most` where it takes more.
inline int iterations(const multilevel::Hierarchy& h, int most = 500) {
    const RealRows& a = h.level.front().a;
    const ReferenceCycle cycle(h);
    std::mt19937_64 random(5);
    Vector r(a.rows), x(a.rows, 0.0);
    const auto given_norm = [&] {
        double s = 0;
        for (std::size_t i = 0; i < r.size(); ++i)
            if (h.scale[i] > 0) s += (r[i] / h.scale[i]) * (r[i] / h.scale[i]);
        return std::sqrt(s);
    };
    for (std::size_t i = 0; i < r.size(); ++i)
        r[i] = (2 * std::generate_canonical<double, 53>(random) - 1) * h.scale[i];
    const double norm = given_norm();
    Vector z = cycle(r), p = z;
    double rz = dot(r, z);
    for (int n = 1; n <= most; ++n) {
        const Vector q = product(a, p);
        const double alpha = rz / dot(p, q);
        Vector change(r.size());
        for (std::size_t i = 0; i < r.size(); ++i) {
            x[i] += alpha * p[i];
            change[i] = -alpha * q[i];
            r[i] += change[i];
        }
        if (given_norm() <= 1e-10 * norm) return n;
        z = cycle(r);
        const double beta = dot(z, change) / rz;
        rz = dot(r, z);
        for (std::size_t i = 0; i < r.size(); ++i) p[i] = z[i] + beta * p[i];
    }
    return most;
}

} // namespace mantissa::test
