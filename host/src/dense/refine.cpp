#include "refine.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace mantissa::dense {

namespace {

using Index = std::ptrdiff_t;

double norm2(std::span<const double> x) {
    double sum = 0;
    for (const double v : x) sum += v * v;
    return std::sqrt(sum);
}

double dot(std::span<const double> x, std::span<const double> y) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
}

/// x of A^T x = b from the factors of A.
std::vector<double> substitute_transposed(const LuFactors& f, std::span<const double> b) {
    const std::size_t n = f.size();
    std::vector<double> y(n), x(n);
    for (std::size_t j = 0; j < n; ++j) y[j] = b[f.columns[j]];
    for (std::size_t i = 0; i < n; ++i) {
        y[i] /= f.lu(i, i);
        for (std::size_t j = i + 1; j < n; ++j) y[j] -= f.lu(i, j) * y[i];
    }
    for (std::size_t i = n; i-- > 0;)
        for (std::size_t j = 0; j < i; ++j) y[j] -= f.lu(i, j) * y[i];
    for (std::size_t i = 0; i < n; ++i) x[f.rows[i]] = y[i];
    return x;
}

/// The least-squares problem of GMRES: the Hessenberg matrix by columns, turned into a triangle as it grows.
class Hessenberg {
public:
    explicit Hessenberg(double beta) : right_{beta} {}
    /// Takes the next column (one element longer than the last); returns the residual's norm.
    double add(std::vector<double> column) {
        const std::size_t k = columns_.size();
        for (std::size_t i = 0; i < k; ++i) {
            const double upper = column[i], lower = column[i + 1];
            column[i] = cosine_[i] * upper + sine_[i] * lower;
            column[i + 1] = cosine_[i] * lower - sine_[i] * upper;
        }
        const double length = std::hypot(column[k], column[k + 1]);
        cosine_.push_back(length == 0 ? 1 : column[k] / length);
        sine_.push_back(length == 0 ? 0 : column[k + 1] / length);
        column[k] = length;
        right_.push_back(-sine_[k] * right_[k]);
        right_[k] *= cosine_[k];
        columns_.push_back(std::move(column));
        return std::fabs(right_[k + 1]);
    }
    [[nodiscard]] std::vector<double> solve() const {
        std::vector<double> y(right_.begin(), right_.end() - 1);
        for (std::size_t i = columns_.size(); i-- > 0;) {
            for (std::size_t j = i + 1; j < columns_.size(); ++j) y[i] -= columns_[j][i] * y[j];
            y[i] = columns_[i][i] == 0 ? 0 : y[i] / columns_[i][i];
        }
        return y;
    }

private:
    std::vector<std::vector<double>> columns_;
    std::vector<double> cosine_, sine_, right_;
};

} // namespace

std::vector<double> product(const DenseMatrix& a, std::span<const double> x, [[maybe_unused]] int threads) {
    std::vector<double> y(a.size());
#pragma omp parallel for schedule(static) num_threads(threads)
    for (Index i = 0; i < static_cast<Index>(a.size()); ++i)
        y[static_cast<std::size_t>(i)] = dot(a.row(static_cast<std::size_t>(i)), x);
    return y;
}

std::vector<double> defect(const DenseMatrix& a, std::span<const double> x, std::span<const double> b,
                           [[maybe_unused]] int threads) {
    std::vector<double> r(a.size());
#pragma omp parallel for schedule(static) num_threads(threads)
    for (Index k = 0; k < static_cast<Index>(a.size()); ++k) {
        const auto i = static_cast<std::size_t>(k);
        double sum = b[i];
        const auto row = a.row(i);
        for (std::size_t j = 0; j < row.size(); ++j) sum -= row[j] * x[j];
        r[i] = sum;
    }
    return r;
}

ApproximateInverse inverse_by_factors(const LuFactors& factors) {
    return {[&factors](std::span<const double> x) { return substitute(factors, x); },
            [&factors](std::span<const double> x) { return substitute_transposed(factors, x); }};
}

ApproximateInverse inverse_by_matrix(const DenseMatrix& inverse, int threads) {
    return {[&inverse, threads](std::span<const double> x) { return product(inverse, x, threads); },
            [&inverse](std::span<const double> x) {
                std::vector<double> y(x.size(), 0.0);
                for (std::size_t i = 0; i < x.size(); ++i)
                    for (std::size_t j = 0; j < x.size(); ++j) y[j] += inverse(i, j) * x[i];
                return y;
            }};
}

double max_norm(std::span<const double> x) {
    double most = 0;
    for (const double v : x) most = std::isnan(v) ? v : std::max(most, std::fabs(v));
    return most;
}

double max_norm(const DenseMatrix& a) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        double sum = 0;
        for (const double v : a.row(i)) sum += std::fabs(v);
        most = std::max(most, sum);
    }
    return most;
}

std::vector<double> gmres(const DenseMatrix& a, const ApproximateInverse& inverse, std::span<const double> r,
                          double tolerance, std::uint32_t most, int threads, std::uint32_t& steps) {
    const std::size_t n = a.size();
    std::vector<std::vector<double>> basis;
    basis.push_back(inverse.apply(r));
    const double beta = norm2(basis[0]);
    std::vector<double> d(n, 0.0);
    if (beta == 0 || !std::isfinite(beta)) return d;
    for (double& v : basis[0]) v /= beta;
    Hessenberg hessenberg(beta);
    for (std::uint32_t k = 0; k < most; ++k) {
        std::vector<double> w = inverse.apply(product(a, basis.back(), threads));
        ++steps;
        std::vector<double> column;
        for (const auto& v : basis) { // modified Gram-Schmidt
            const double h = dot(w, v);
            column.push_back(h);
            for (std::size_t i = 0; i < n; ++i) w[i] -= h * v[i];
        }
        const double length = norm2(w);
        column.push_back(length);
        if (!std::isfinite(length)) break;
        const double residual = hessenberg.add(std::move(column));
        if (residual <= tolerance * beta || length == 0) break;
        for (double& v : w) v /= length;
        basis.push_back(std::move(w));
    }
    const std::vector<double> y = hessenberg.solve();
    for (std::size_t k = 0; k < y.size(); ++k)
        for (std::size_t i = 0; i < n; ++i) d[i] += y[k] * basis[k][i];
    return d;
}

double estimate_condition(const DenseMatrix& a, const ApproximateInverse& approximate) {
    const std::size_t n = a.size();
    if (n == 0) return 0;
    std::vector<double> columns(n, 0.0), x(n, 1.0 / static_cast<double>(n));
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) columns[j] += std::fabs(a(i, j));
    double inverse = 0;
    for (int turn = 0; turn < 5; ++turn) {
        const std::vector<double> y = approximate.apply(x);
        double sum = 0;
        std::vector<double> sign(n);
        for (std::size_t i = 0; i < n; ++i) {
            sum += std::fabs(y[i]);
            sign[i] = y[i] < 0 ? -1 : 1;
        }
        if (turn > 0 && sum <= inverse) break;
        inverse = sum;
        const std::vector<double> z = approximate.apply_transposed(sign);
        const auto at =
            std::max_element(z.begin(), z.end(), [](double p, double q) { return std::fabs(p) < std::fabs(q); });
        if (turn > 0 && std::fabs(*at) <= dot(z, x)) break;
        std::fill(x.begin(), x.end(), 0.0);
        x[static_cast<std::size_t>(at - z.begin())] = 1;
    }
    return *std::max_element(columns.begin(), columns.end()) * inverse;
}

double factor_error(const DenseMatrix& a, const LuFactors& f, [[maybe_unused]] int threads) {
    const std::size_t n = a.size();
    double most = 0;
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads) reduction(max : most)
    for (Index k = 0; k < static_cast<Index>(n); ++k) {
        const auto i = static_cast<std::size_t>(k);
        std::vector<double> row(n);
        for (std::size_t j = 0; j < n; ++j) row[j] = a(f.rows[i], f.columns[j]);
        for (std::size_t m = 0; m <= i; ++m) {
            const double l = m == i ? 1 : f.lu(i, m);
            const auto u = f.lu.row(m);
            for (std::size_t j = m; j < n; ++j) row[j] -= l * u[j];
        }
        double sum = 0;
        for (const double v : row) sum += std::fabs(v);
        most = std::max(most, sum);
    }
    const double norm = max_norm(a);
    return norm == 0 ? 0 : most / norm;
}

double inverse_error(const DenseMatrix& a, const DenseMatrix& inverse, [[maybe_unused]] int threads) {
    const std::size_t n = a.size();
    double most = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : most)
    for (Index k = 0; k < static_cast<Index>(n); ++k) {
        const auto i = static_cast<std::size_t>(k);
        std::vector<double> row(n, 0.0);
        row[i] = -1;
        for (std::size_t m = 0; m < n; ++m) {
            const auto x = inverse.row(m);
            for (std::size_t j = 0; j < n; ++j) row[j] += a(i, m) * x[j];
        }
        double sum = 0;
        for (const double v : row) sum += std::fabs(v);
        most = std::max(most, sum);
    }
    const double norm = max_norm(a) * max_norm(inverse);
    return norm == 0 ? 0 : most / norm;
}

} // namespace mantissa::dense
