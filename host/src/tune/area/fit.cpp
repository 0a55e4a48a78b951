#include "fit.hpp"

#include <algorithm>
#include <cmath>

#include "tune/search/matrix.hpp"

namespace mantissa::tuning {

namespace {

/// Of a weight, where the largest share of a feature in a relative figure is 1.
constexpr double kHeldBack = 1e-3;

} // namespace

std::vector<double> fit(const std::vector<Sample>& samples, std::size_t left_out) {
    const std::size_t n = samples.empty() ? 0 : samples.front().features.size();
    if (n == 0) return {};
    std::vector<Features> list;
    std::vector<double> scale(n, 0);
    for (std::size_t k = 0; k < samples.size(); ++k) {
        const double y = samples[k].truth;
        if (k == left_out || y == 0) continue;
        Features f = samples[k].features;
        for (std::size_t i = 0; i < n; ++i) {
            f[i] /= y;
            scale[i] = std::max(scale[i], std::abs(f[i]));
        }
        list.push_back(std::move(f));
    }
    std::vector<double> a(n * n, 0), b(n, 0);
    for (Features& f : list) {
        for (std::size_t i = 0; i < n; ++i) f[i] = scale[i] == 0 ? 0 : f[i] / scale[i];
        for (std::size_t i = 0; i < n; ++i) {
            b[i] += f[i];
            for (std::size_t j = 0; j <= i; ++j) a[i * n + j] += f[i] * f[j];
        }
    }
    for (std::size_t i = 0; i < n; ++i) a[i * n + i] += kHeldBack;
    Cholesky factor;
    if (!factor.factor(std::move(a), n)) return std::vector<double>(n, 0);
    std::vector<double> w = factor.solve(std::move(b));
    for (std::size_t i = 0; i < n; ++i) w[i] = scale[i] == 0 ? 0 : w[i] / scale[i];
    return w;
}

double weighted(const std::vector<double>& weights, const Features& features) {
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * features[i];
    return sum;
}

ModelError error_of(std::vector<double> shares, bool apart) {
    if (shares.empty()) return {};
    std::sort(shares.begin(), shares.end());
    return {shares.size(), shares[shares.size() / 2], shares.back(), apart};
}

} // namespace mantissa::tuning
