// The best iterate that a scheme has had, for one that leaves it again.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace mantissa::solving {

class BestIterate {
public:
    /// Keeps u where the norm of its defect is the least so far.
    void offer(double norm, std::span<const double> u) {
        if (!(norm < norm_)) return;
        norm_ = norm;
        u_.assign(u.begin(), u.end());
    }
    /// u becomes the iterate that was kept, if that is better than u with this norm.
    void give_back(double norm, std::span<double> u) const {
        if (norm <= norm_ || u_.size() != u.size()) return; // (a norm that is NaN is no better)
        std::ranges::copy(u_, u.begin());
    }

    /// Of the iterate that is kept; infinite where there is none.
    [[nodiscard]] double norm() const { return norm_; }

private:
    double norm_ = std::numeric_limits<double>::infinity();
    std::vector<double> u_;
};

} // namespace mantissa::solving
