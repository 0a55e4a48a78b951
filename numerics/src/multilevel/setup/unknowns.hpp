// What the unknowns of a level stand for. Internal to numerics/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mantissa::detail {

/// The unknowns of a level lie in nodes, which are aggregated as a whole: on the first level every unknown is a node,
/// beyond it those of one aggregate are. Each unknown has a value of every near-kernel function.
struct Unknowns {
    std::vector<std::uint32_t> begin;   ///< node n has the unknowns begin[n] .. begin[n + 1] - 1; empty: n alone
    std::vector<std::uint32_t> node_of; ///< an unknown's; empty: its own number
    std::size_t functions = 1;
    std::vector<double> kernel; ///< `functions` values of each unknown

    [[nodiscard]] std::size_t count() const { return kernel.size() / functions; }
    [[nodiscard]] std::size_t nodes() const { return begin.empty() ? count() : begin.size() - 1; }
    [[nodiscard]] std::uint32_t node(std::uint32_t unknown) const {
        return node_of.empty() ? unknown : node_of[unknown];
    }
    [[nodiscard]] std::uint32_t first(std::size_t node) const {
        return begin.empty() ? static_cast<std::uint32_t>(node) : begin[node];
    }
};

} // namespace mantissa::detail
