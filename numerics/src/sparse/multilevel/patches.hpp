// Patches of a level's nodes, and the functions that each keeps. Internal to numerics/.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mantissa/sparse/multilevel.hpp"

namespace mantissa::detail {

/// What a level's unknowns stand for: those of node k are begin[k] .. begin[k + 1] - 1, and the functions that the next
/// level shall hold (1 and the coordinates) have a value in each unknown.
struct Nodes {
    std::vector<std::uint32_t> begin;
    std::vector<std::array<double, 4>> functions;
    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(begin.size() - 1); }
};

/// A patch for each node, numbered from 0: a node and all within `distance` (1 or 2) edges of it where none of those
/// was taken before, nodes in turn; who is left goes to the patch that most of its neighbours are in.
struct Patches {
    std::vector<std::uint32_t> of;
    std::uint32_t count = 0;
};
Patches make_patches(const ComplexBlocks& a, const Nodes& nodes, int distance);

/// Orthonormal functions on each patch, the first the constant one, then up to three in which the coordinates vary,
/// those of less than a fifth of the patch's extent left out; `next` gets the next level's nodes.
RealRows patch_functions(const Nodes& nodes, const Patches& patches, Nodes& next, int threads);

} // namespace mantissa::detail
