// The kernels of the grid solver over parts.
#pragma once

#include <span>

#include "grid_part.hpp"

namespace mantissa::gpu {

int stream_threads(); ///< of a block
void launch_part_stream(Peers& peers, std::span<const GridPart<double>> parts, int blocks);
void launch_part_stream(Peers& peers, std::span<const GridPart<float>> parts, int blocks);

} // namespace mantissa::gpu
