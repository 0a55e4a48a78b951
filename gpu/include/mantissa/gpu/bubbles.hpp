// Cells of a bubbly flow on the GPU: the dense system of each cell is formed, factored and solved there, a batch at
// once.
//
// The system is that of mantissa::bubble_system (host, docs/flow.md): m equal circles with k points each, n = m k
// unknowns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mantissa/gpu/lu_batched.hpp"

namespace mantissa::gpu {

/// What differs between the cells of a batch.
struct BubbleSystem {
    std::span<const std::array<double, 2>> centres; ///< m of them
    double radius = 0;
    std::array<double, 2> drive{0, 0}; ///< the bubbles' velocity
};

/// Seconds on the device, by events; transfers are those of the cells' places and of the answers.
struct BubbleTimes {
    double assembly = 0, factor = 0, solve = 0, transfers = 0;
};

struct BubbleReport {
    std::vector<LuSystemEnd> systems;
    std::vector<std::array<double, 2>> flow; ///< u = - sum h n_j q_j, of each cell
    double backward_error = 0; ///< greatest ||b - A q|| / (||A|| ||q|| + ||b||), summed in double; 0 unless asked for
    BubbleTimes times;
};

/// Memory for `batch` cells of n = bubbles * points unknowns in T, float or double. Throws as BatchedLu.
template <class T> class BubbleCells {
public:
    BubbleCells(std::size_t bubbles, std::size_t points, std::size_t batch, LuPivoting pivoting,
                BatchedProducts products);
    ~BubbleCells();
    BubbleCells(BubbleCells&&) noexcept;
    BubbleCells& operator=(BubbleCells&&) noexcept;

    /// Solves at most `batch` cells. `judged`: the residuals too, from matrices that are formed again; it is not timed.
    /// Throws InvalidInput where there are more cells or other numbers of bubbles.
    BubbleReport solve(std::span<const BubbleSystem> cells, bool judged = false);
    /// Of the last solve: q, n elements for each cell.
    [[nodiscard]] std::vector<T> potentials() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

extern template class BubbleCells<float>;
extern template class BubbleCells<double>;

} // namespace mantissa::gpu
