// The systems of the dense comparisons, and how an answer is judged.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace mantissa::gpu {

/// Uniform in (-1/2, 1/2), by columns, the same for the same n and seed; `dominant` adds n to the diagonal. b = A 1,
/// rounded.
template <class T> struct DenseSystem {
    DenseSystem(std::size_t size, bool dominant, std::uint64_t seed = 0) : n(size), a(size * size), b(size) {
        std::mt19937_64 bits(size + (seed << 32));
        for (T& x : a) x = static_cast<T>(std::ldexp(static_cast<double>(bits() >> 11), -53) - 0.5);
        if (dominant)
            for (std::size_t i = 0; i < n; ++i) a[i + i * n] += static_cast<T>(n);
        std::vector<double> sums(n, 0.0);
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t i = 0; i < n; ++i) sums[i] += static_cast<double>(a[i + j * n]);
        for (std::size_t i = 0; i < n; ++i) b[i] = static_cast<T>(sums[i]);
    }

    /// ||b - A x|| / (||A|| ||x|| + ||b||) in the maximum norm: the smallest relative change of A and b that x solves
    /// exactly (Rigal and Gaches, 1967), formed in double.
    [[nodiscard]] double backward_error(const std::vector<T>& x) const {
        std::vector<double> residual(b.begin(), b.end()), rows(n, 0.0);
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t i = 0; i < n; ++i) {
                const double element = static_cast<double>(a[i + j * n]);
                residual[i] -= element * static_cast<double>(x[j]);
                rows[i] += std::fabs(element);
            }
        double worst = 0, norm_a = 0, norm_x = 0, norm_b = 0;
        for (std::size_t i = 0; i < n; ++i) {
            worst = std::max(worst, std::isfinite(residual[i]) ? std::fabs(residual[i]) : INFINITY);
            norm_a = std::max(norm_a, rows[i]);
            norm_x = std::max(norm_x, std::fabs(static_cast<double>(x[i])));
            norm_b = std::max(norm_b, std::fabs(static_cast<double>(b[i])));
        }
        return worst / (norm_a * norm_x + norm_b);
    }

    std::size_t n;
    std::vector<T> a; ///< by columns
    std::vector<T> b;
};

} // namespace mantissa::gpu
