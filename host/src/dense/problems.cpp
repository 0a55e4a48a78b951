#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/dense.hpp"
#include "mantissa/host/matrix_market.hpp"
#include "problems/random.hpp"
#include "text/key_values.hpp"

namespace mantissa {

namespace {

/// 16384 rows are 2 GiB; the sums behind the factors are as large again.
constexpr std::uint64_t kMostRows = 16384;

DenseMatrix uniform(std::size_t n, problems::SplitMix& random) {
    DenseMatrix a(n);
    for (std::size_t i = 0; i < n; ++i)
        for (double& x : a.row(i)) x = random.unit() - 0.5;
    return a;
}

void make_dominant(DenseMatrix& a) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        double sum = 1;
        for (std::size_t j = 0; j < a.size(); ++j)
            if (j != i) sum += std::fabs(a(i, j));
        a(i, i) = sum;
    }
}

/// A normal number, by Box and Muller.
double normal(problems::SplitMix& random) {
    const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
    return radius * std::cos(2 * std::numbers::pi * random.unit());
}

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
        if (columns) {
            for (std::size_t i = 0; i < n; ++i) {
                double dot = 0;
                for (std::size_t j = first; j < n; ++j) dot += a(i, j) * v[j];
                for (std::size_t j = first; j < n; ++j) a(i, j) -= dot / scale * v[j];
            }
        } else {
            for (std::size_t i = first; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j) product[j] += v[i] * a(i, j);
            for (std::size_t i = first; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j) a(i, j) -= v[i] / scale * product[j];
        }
    }
}

DenseMatrix random_of_condition(std::size_t n, double kappa, problems::SplitMix& random) {
    DenseMatrix a(n);
    for (std::size_t i = 0; i < n; ++i)
        a(i, i) = n == 1 ? 1 : std::pow(kappa, -static_cast<double>(i) / static_cast<double>(n - 1));
    reflect(a, random, false);
    reflect(a, random, true);
    return a;
}

DenseMatrix dense_copy(const CompressedRows& rows) {
    DenseMatrix a(rows.rows());
    for (std::size_t i = 0; i < rows.rows(); ++i)
        for (std::uint64_t k = rows.row_begin()[i]; k < rows.row_begin()[i + 1]; ++k)
            a(i, rows.column()[k]) = rows.value()[k];
    return a;
}

DenseProblem with_right_hand_side(std::string name, DenseMatrix a) {
    std::vector<double> b(a.size(), 0.0);
    for (std::size_t i = 0; i < a.size(); ++i)
        for (const double x : a.row(i)) b[i] += x;
    return {std::move(name), std::move(a), std::move(b)};
}

} // namespace

DenseProblem make_dense_problem(std::string_view text) {
    text::KeyValues options(text, text, "n kind seed kappa file");
    if (const auto file = options.take("file")) {
        options.finish();
        const CompressedRows rows = read_matrix_market(std::string(*file));
        if (rows.rows() > kMostRows)
            options.fail(fmt::format("{} rows; a dense copy has {} at most", rows.rows(), kMostRows));
        return with_right_hand_side(std::string(text), dense_copy(rows));
    }
    const std::size_t n = options.integer("n", 0, kMostRows, {});
    const std::string kind(options.take("kind").value_or("uniform"));
    const std::uint64_t seed = options.integer("seed", 0, UINT64_MAX, 1);
    const double kappa = options.positive("kappa", 1e6);
    options.finish();
    if (kind != "randsvd" && text.find("kappa=") != std::string_view::npos)
        options.fail("kappa= is for kind=randsvd: leave it out");
    if (kappa < 1) options.fail("kappa= is a condition: 1 or more");
    problems::SplitMix random(seed);
    DenseMatrix a;
    if (kind == "randsvd") a = random_of_condition(n, kappa, random);
    else if (kind == "uniform" || kind == "dominant" || kind == "graded") a = uniform(n, random);
    else options.fail(fmt::format("kind={} is not uniform, dominant, graded or randsvd", base::shortened(kind)));
    if (kind == "dominant") make_dominant(a);
    if (kind == "graded")
        for (std::size_t i = 0; i < n; ++i)
            for (double& x : a.row(i)) x = std::ldexp(x, -static_cast<int>(40 * i / n));
    return with_right_hand_side(std::string(text), std::move(a));
}

} // namespace mantissa
