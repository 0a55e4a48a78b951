#include "kinds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "problems/random.hpp"

namespace mantissa::dense {

namespace {

/// A normal number, by Box and Muller.
double normal(problems::SplitMix& random) {
    const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
    return radius * std::cos(2 * std::numbers::pi * random.unit());
}

constexpr std::size_t kParallel = 512;   ///< rows from which reflections are worth threads; no bit depends on them
constexpr std::ptrdiff_t kColumns = 256; ///< that a thread takes at a time

/// rows (or columns) of a by a product of n - 1 reflections with random vectors of growing length: Haar-distributed
/// (Stewart, SIAM J. Numer. Anal. 17(3), 1980).
void reflect(DenseMatrix& a, problems::SplitMix& random, bool columns) {
    const std::size_t n = a.size();
    std::vector<double> v(n), product(n);
    for (std::size_t first = n - 1; first-- > 0;) {
        double norm = 0;
        for (std::size_t i = first; i < n; ++i) {
            v[i] = normal(random);
            norm += v[i] * v[i];
        }
        norm = std::sqrt(norm);
        const double scale = norm * (norm + std::fabs(v[first]));
        v[first] += v[first] < 0 ? -norm : norm;
        std::fill(product.begin(), product.end(), 0.0);
        const auto size = static_cast<std::ptrdiff_t>(n);
        if (columns) {
#pragma omp parallel for schedule(static) if (n >= kParallel)
            for (std::ptrdiff_t row = 0; row < size; ++row) {
                const auto i = static_cast<std::size_t>(row);
                double dot = 0;
                for (std::size_t j = first; j < n; ++j) dot += a(i, j) * v[j];
                for (std::size_t j = first; j < n; ++j) a(i, j) -= dot / scale * v[j];
            }
        } else {
#pragma omp parallel for schedule(static) if (n >= kParallel)
            for (std::ptrdiff_t begin = 0; begin < size; begin += kColumns) {
                const auto from = static_cast<std::size_t>(begin), to = std::min(n, from + kColumns);
                for (std::size_t i = first; i < n; ++i)
                    for (std::size_t j = from; j < to; ++j) product[j] += v[i] * a(i, j);
                for (std::size_t i = first; i < n; ++i)
                    for (std::size_t j = from; j < to; ++j) a(i, j) -= v[i] / scale * product[j];
            }
        }
    }
}

} // namespace

DenseMatrix uniform_matrix(std::size_t n, std::uint64_t seed) {
    problems::SplitMix random(seed);
    DenseMatrix a(n);
    for (std::size_t i = 0; i < n; ++i)
        for (double& x : a.row(i)) x = random.unit() - 0.5;
    return a;
}

DenseMatrix dominant_matrix(std::size_t n, std::uint64_t seed) {
    DenseMatrix a = uniform_matrix(n, seed);
    for (std::size_t i = 0; i < n; ++i) {
        double sum = 1;
        for (std::size_t j = 0; j < n; ++j)
            if (j != i) sum += std::fabs(a(i, j));
        a(i, i) = sum;
    }
    return a;
}

DenseMatrix graded_matrix(std::size_t n, std::uint64_t seed) {
    DenseMatrix a = uniform_matrix(n, seed);
    for (std::size_t i = 0; i < n; ++i)
        for (double& x : a.row(i)) x = std::ldexp(x, -static_cast<int>(40 * i / n));
    return a;
}

DenseMatrix randsvd_matrix(std::size_t n, double kappa, std::uint64_t seed) {
    problems::SplitMix random(seed);
    DenseMatrix a(n);
    for (std::size_t i = 0; i < n; ++i)
        a(i, i) = n == 1 ? 1 : std::pow(kappa, -static_cast<double>(i) / static_cast<double>(n - 1));
    if (n == 0) return a;
    reflect(a, random, false);
    reflect(a, random, true);
    return a;
}

DenseMatrix wilkinson_matrix(std::size_t n) {
    DenseMatrix a(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) a(i, j) = j == n - 1 || i == j ? 1 : j < i ? -1 : 0;
    return a;
}

DenseMatrix hilbert_matrix(std::size_t n) {
    DenseMatrix a(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) a(i, j) = 1.0 / static_cast<double>(i + j + 1);
    return a;
}

DenseMatrix kahan_matrix(std::size_t n) {
    constexpr double kTheta = 1.2;
    const double c = std::cos(kTheta), s = std::sin(kTheta);
    DenseMatrix a(n);
    double power = 1;
    for (std::size_t i = 0; i < n; ++i, power *= s)
        for (std::size_t j = i; j < n; ++j) a(i, j) = j == i ? power : -c * power;
    return a;
}

} // namespace mantissa::dense
