// Reverse Cuthill-McKee ordering written out: what the library's, which is Boost's, is compared with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa::testing {

class PlainCuthillMckee {
public:
    explicit PlainCuthillMckee(const CompressedRows& a) : a_(a), placed_(a.rows(), false), level_(a.rows(), kUnseen) {
        order_.reserve(a.rows());
        for (std::uint32_t seed = 0; seed < a.rows(); ++seed)
            if (!placed_[seed]) place_component(peripheral(seed));
        std::ranges::reverse(order_);
    }
    [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }

private:
    static constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();

    [[nodiscard]] bool before(std::uint32_t x, std::uint32_t y) const {
        const auto length = [&](std::uint32_t row) { return a_.row_begin()[row + 1] - a_.row_begin()[row]; };
        return length(x) != length(y) ? length(x) < length(y) : x < y;
    }
    template <class Use> void for_neighbours(std::uint32_t row, Use&& use) const {
        for (std::uint64_t k = a_.row_begin()[row]; k < a_.row_begin()[row + 1]; ++k) use(a_.column()[k]);
    }

    /// Breadth-first levels from `root`; the rows in order of their visit.
    std::vector<std::uint32_t> levels_from(std::uint32_t root) {
        std::vector<std::uint32_t> visited = {root};
        level_[root] = 0;
        for (std::size_t head = 0; head < visited.size(); ++head)
            for_neighbours(visited[head], [&](std::uint32_t next) {
                if (level_[next] != kUnseen) return;
                level_[next] = level_[visited[head]] + 1;
                visited.push_back(next);
            });
        return visited;
    }

    /// George and Liu: the first row of the last level is the next root, as long as that makes the levels more.
    std::uint32_t peripheral(std::uint32_t root) {
        std::uint32_t depth = 0;
        for (bool deeper = true; deeper;) {
            const std::vector<std::uint32_t> visited = levels_from(root);
            const std::uint32_t last = level_[visited.back()];
            std::uint32_t far = visited.back();
            for (const std::uint32_t row : visited)
                if (level_[row] == last && before(row, far)) far = row;
            for (const std::uint32_t row : visited) level_[row] = kUnseen;
            deeper = last > depth;
            if (deeper) {
                depth = last;
                root = far;
            }
        }
        return root;
    }

    void place_component(std::uint32_t root) {
        std::size_t head = order_.size();
        order_.push_back(root);
        placed_[root] = true;
        for (std::vector<std::uint32_t> next; head < order_.size(); ++head) {
            next.clear();
            for_neighbours(order_[head], [&](std::uint32_t row) {
                if (placed_[row]) return;
                placed_[row] = true;
                next.push_back(row);
            });
            std::ranges::sort(next, [&](std::uint32_t x, std::uint32_t y) { return before(x, y); });
            order_.insert(order_.end(), next.begin(), next.end());
        }
    }

    const CompressedRows& a_;
    std::vector<bool> placed_;
    std::vector<std::uint32_t> level_, order_;
};

} // namespace mantissa::testing
