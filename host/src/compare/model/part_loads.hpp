// What the cores of a device stream in a pass, one part of a system each: from a partition, or of strips in closed
// form. Internal to host/.
#pragma once

#include <cstdint>

#include "mantissa/partition/partition.hpp"

namespace mantissa::compare {

/// One core's part, in elements and stored entries.
struct PartLoad {
    double rows = 0, nonzeros = 0;
    double sent = 0, received = 0; ///< elements of p that other cores need, and that it needs of them
    /// Elements that pass through the core: its own and its neighbours'.
    [[nodiscard]] double streamed() const { return rows + received; }
};

struct PartLoads {
    std::uint64_t cores = 1;
    PartLoad slowest;    ///< that streams most
    double streamed = 0; ///< elements, over all cores
};

/// Of any partition, one part a core.
PartLoads part_loads(const Partition& partition);
/// Of a grid of `unknowns` points in rows of `row_length`, in `cores` strips of equal height, as if any number of cores
/// divided it and each strip had a neighbour on either side; nine entries a row.
PartLoads strip_loads(double unknowns, double row_length, std::uint64_t cores);

} // namespace mantissa::compare
