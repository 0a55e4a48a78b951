// The kernels of the grid solver over parts.
#pragma once

#include <span>

#include "grid_part.hpp"

namespace mantissa::gpu {

int stream_threads(std::size_t element); ///< of a block, by bytes of an element
void launch_part_stream(Peers& peers, std::span<const GridPart<double>> parts, int blocks);
void launch_part_stream(Peers& peers, std::span<const GridPart<float>> parts, int blocks);

/// The resident plan's tile where threads hold `depth` rows: 4, 8, 16, 32, and 64 in float.
struct ChipTiles {
    int columns, rows;
};
ChipTiles chip_tiles(int depth);
void launch_part_resident(Peers& peers, std::span<const GridPart<double>> parts, int depth, int blocks);
void launch_part_resident(Peers& peers, std::span<const GridPart<float>> parts, int depth, int blocks);

} // namespace mantissa::gpu
