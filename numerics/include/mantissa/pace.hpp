// Is another way of solving the better bet by now?
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace mantissa {

/// Watches the residual of an iterative solve and says when to change to another way whose cost is known.
///
/// How many iterations CG will take nobody knows before; what a hierarchy costs is known. Who changes after T
/// iterations to a way of cost C has paid T + C. So CG gets C / 4 to show its rate, and more where its rate is unknown:
/// a change needs, by the rate so far,
///
///     from C / 4 on: more than 2 C to go, where the residual has at least halved,
///     from C / 2 on: more than C to go,
///     from C on:     more than C / 2 to go.
///
/// To go is what the fastest of four rates says: of all iterations, and of the last half, quarter and eighth of them
/// (CG speeds up, and in many a solve the residual stays where it is for a while). So a solve that stays below C / 4
/// iterations is never touched, and one that changes has paid at most C more than the other way alone.
class Pace {
public:
    /// `cost`: of the other way's whole solve, in iterations of this one; 0: never change. `tolerance`: the residual,
    /// relative to its start, that is wanted.
    explicit Pace(std::uint64_t cost, double tolerance)
        : cost_(static_cast<double>(cost)), tolerance_(tolerance > 0 ? tolerance : 1e-300) {}

    /// After `iterations` of them, with the residual relative to its start: go on? False stays false.
    bool go_on(std::uint64_t iterations, double residual) {
        if (changed_ || cost_ == 0 || !(residual < std::numeric_limits<double>::infinity())) return !changed_;
        const auto k = static_cast<double>(iterations);
        lowest_ = std::min(lowest_, residual);
        fallen_.emplace_back(k, std::log(1 / lowest_));
        if (k < cost_ / 4) return true;
        const double left = to_go();
        changed_ = (lowest_ <= 0.5 && left > 2 * cost_) || (k >= cost_ / 2 && left > cost_) ||
                   (k >= cost_ && left > cost_ / 2);
        return !changed_;
    }
    [[nodiscard]] bool changed() const { return changed_; }
    /// Iterations to the tolerance by the fastest rate; infinite while nothing has fallen.
    [[nodiscard]] double to_go() const {
        if (fallen_.empty()) return std::numeric_limits<double>::infinity();
        const auto [k, fallen] = fallen_.back();
        double rate = fallen / k;
        for (const double part : {0.5, 0.25, 0.125}) {
            const auto from = std::lower_bound(fallen_.begin(), fallen_.end(), std::pair(k - part * k, 0.0));
            if (from->first < k) rate = std::max(rate, (fallen - from->second) / (k - from->first));
        }
        return std::max(0.0, std::log(1 / tolerance_) - fallen) / rate;
    }

private:
    double cost_, tolerance_, lowest_ = 1;
    bool changed_ = false;
    std::vector<std::pair<double, double>>
        fallen_; ///< iterations, and by how much the lowest residual's logarithm fell
};

} // namespace mantissa
