// Where the coordinates of a system start. Internal to host/.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace mantissa::meshes {

/// The box around points. Systems of meshes are formed with its middle at zero: a solve is right to a tolerance
/// relative to its right-hand side, which would hold the distance from zero otherwise.
template <std::size_t N> class Box {
public:
    void add(const std::array<double, N>& p) {
        for (std::size_t k = 0; k < N; ++k) {
            low_[k] = empty_ ? p[k] : std::min(low_[k], p[k]);
            high_[k] = empty_ ? p[k] : std::max(high_[k], p[k]);
        }
        empty_ = false;
    }
    /// Zero where nothing was added.
    [[nodiscard]] std::array<double, N> middle() const {
        std::array<double, N> m{};
        for (std::size_t k = 0; k < N && !empty_; ++k) m[k] = 0.5 * low_[k] + 0.5 * high_[k];
        return m;
    }

private:
    std::array<double, N> low_{}, high_{};
    bool empty_ = true;
};

} // namespace mantissa::meshes
