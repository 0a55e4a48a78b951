#include "guess.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mantissa::tuning {

namespace {

constexpr double kLengths[] = {0.25, 0.5, 1, 2, 5}; ///< of an axis' whole reach
constexpr double kLeastSpread = 0.05;

} // namespace

double Guesser::covariance(const Place& a, const Place& b) const {
    double square = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = (a[i] - b[i]) / lengths_[i];
        square += d * d;
    }
    const double r = std::sqrt(5 * square); // Matern, twice differentiable
    return (1 + r + r * r / 3) * std::exp(-r);
}

double Guesser::fit() {
    const std::size_t n = places_.size();
    std::vector<double> k(n * n);
    const double noise = noise_ / spread_;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            k[i * n + j] = covariance(places_[i], places_[j]) + (i == j ? noise * noise + 1e-6 : 0);
    if (!factor_.factor(std::move(k), n)) return -std::numeric_limits<double>::infinity();
    weights_ = factor_.solve(values_);
    double fit = 0;
    for (std::size_t i = 0; i < n; ++i) fit += values_[i] * weights_[i];
    return -fit / 2 - factor_.log_root();
}

void Guesser::learn(std::vector<Place> places, std::vector<double> values) {
    places_ = std::move(places);
    values_ = std::move(values);
    const std::size_t n = values_.size();
    if (n == 0) return;
    mean_ = 0;
    for (const double v : values_) mean_ += v / static_cast<double>(n);
    double square = 0;
    for (const double v : values_) square += (v - mean_) * (v - mean_) / static_cast<double>(n);
    spread_ = std::max(std::sqrt(square), kLeastSpread);
    for (double& v : values_) v = (v - mean_) / spread_;
    if (lengths_.empty()) lengths_.assign(places_.front().size(), 1);
    if (n >= chosen_for_ + 2 + chosen_for_ / 5) {
        double best = fit();
        for (int turn = 0; turn < 2; ++turn)
            for (double& length : lengths_) {
                const double before = length;
                double chosen = before;
                for (const double tried : kLengths) {
                    if (tried == before) continue;
                    length = tried;
                    if (const double now = fit(); now > best) {
                        best = now;
                        chosen = tried;
                    }
                }
                length = chosen;
            }
        chosen_for_ = n;
    }
    fit();
}

Guess Guesser::at(const Place& place) const {
    if (places_.empty()) return {0, 1};
    std::vector<double> k(places_.size());
    double mean = 0;
    for (std::size_t i = 0; i < k.size(); ++i) {
        k[i] = covariance(place, places_[i]);
        mean += k[i] * weights_[i];
    }
    double left = 1;
    for (const double x : factor_.forward(std::move(k))) left -= x * x;
    return {mean_ + spread_ * mean, spread_ * std::sqrt(std::max(left, 0.0))};
}

} // namespace mantissa::tuning
