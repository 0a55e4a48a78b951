#include "mantissa/recurrence/energy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mantissa::recurrence {

void EnergyDrops::add(double drop) {
    if (!(drop > 0) || !std::isfinite(drop)) return;
    constexpr double kWindow = 1e4;
    drop_.push_back(drop);
    left_.push_back(0);
    whole_ += drop;
    const std::size_t k = drop_.size() - 1;
    double worst = 0; // S
    for (std::size_t i = window_; i <= k; ++i) left_[i] += drop;
    while (window_ < std::min(known_, k) && left_[window_] > kWindow * drop) ++window_;
    for (std::size_t i = window_; i < k; ++i) worst = std::max(worst, left_[i] / drop_[i]); // (0 / 0 is left out)
    const double rest = worst * drop;
    while (known_ < k && rest <= tau_ * (left_[known_] - drop) && left_[known_] > drop) {
        square_ = left_[known_];
        ++known_;
    }
}

void EnergyDrops::begin_anew() {
    drop_.clear();
    left_.clear();
    window_ = known_ = 0;
    square_ = 0;
}

double gauss_radau(std::span<const double> alpha, std::span<const double> rho, double mu) {
    double gamma = 1 / mu;
    for (std::size_t j = 0; j < alpha.size(); ++j) {
        const double more = gamma - alpha[j];
        if (!(more > 0)) return std::numeric_limits<double>::infinity();
        gamma = more / (mu * more + rho[j + 1] / rho[j]);
    }
    return gamma * rho[alpha.size()];
}

} // namespace mantissa::recurrence
