// The V cycle on this processor, in single precision. Internal to numerics/.
#pragma once

#include <cstdint>
#include <vector>

#include "mantissa/sparse/multilevel.hpp"

namespace mantissa::detail {

/// z = M^-1 r for complex vectors (real and imaginary part in turn), the same bits for any number of threads. M is
/// symmetric up to rounding and positive definite where the levels' `largest` are bounds.
class Cycle {
public:
    /// Takes what it needs of the levels.
    Cycle(const MultilevelHierarchy& levels, int threads);
    /// The first level's residual, to be set before run().
    [[nodiscard]] std::vector<float>& r() { return level_.front().r; }
    /// M^-1 r after run().
    [[nodiscard]] const std::vector<float>& z() const { return level_.front().x; }
    void run() { descend(0); }

private:
    struct Rows {
        const std::uint32_t *begin = nullptr, *column = nullptr;
        std::vector<float> value;
    };
    struct Level {
        std::size_t rows = 0;
        Rows a, prolongation, restriction;
        std::vector<float> inverse, r, x, p, next;
        std::array<ChebyshevStep, 2> step{};
    };
    void descend(std::size_t k);
    void smooth_from_nothing(Level& level) const;
    void smooth(Level& level) const;
    void coarsest();

    std::vector<Level> level_;
    std::vector<double> inverse_; ///< of the last level's matrix
    int threads_;
};

} // namespace mantissa::detail
