// The inverse of a small matrix.
#include <cmath>
#include <cstddef>

#include "levels.hpp"
#include "mantissa/multilevel/aggregation.hpp"

namespace mantissa::detail {

std::vector<double> dense_inverse(const RealRows& a) {
    const std::size_t n = a.rows;
    std::vector<double> l(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::uint32_t k = a.begin[i]; k < a.begin[i + 1]; ++k) l[i * n + a.column[k]] = a.value[k];
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double s = l[i * n + j];
            for (std::size_t k = 0; k < j; ++k) s -= l[i * n + k] * l[j * n + k];
            if (j < i) {
                l[i * n + j] = s / l[j * n + j];
                continue;
            }
            if (!(s > 0)) return {};
            l[i * n + i] = std::sqrt(s);
        }
    // Rows of L^-1, and from them L^-T L^-1.
    std::vector<double> w(n * n, 0.0), inverse(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            const double v = l[i * n + k];
            for (std::size_t j = 0; j <= k; ++j) w[i * n + j] -= v * w[k * n + j];
        }
        w[i * n + i] = 1;
        for (std::size_t j = 0; j <= i; ++j) w[i * n + j] /= l[i * n + i];
    }
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = 0; i <= k; ++i)
            for (std::size_t j = 0; j <= k; ++j) inverse[i * n + j] += w[k * n + j] * w[k * n + i];
    for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += std::abs(inverse[i * n + j]);
        if (!(sum <= multilevel::kMostInverse)) return {};
    }
    return inverse;
}

} // namespace mantissa::detail
