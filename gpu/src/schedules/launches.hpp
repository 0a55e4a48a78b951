// The kernels of the native grid solvers by run-time choice. Each is in a file of its own, to compile in parallel.
#pragma once

#include "mantissa/gpu/cg.hpp"
#include "schedules/resident_cg.cuh"
#include "schedules/stream_cg.cuh"

namespace mantissa::gpu {

struct StreamTraits {
    std::size_t element_bytes; ///< of u, r and p
    int strip_width;           ///< columns of a warp
    int threads;               ///< of a block
    double bytes_per_row, operations_per_row;
};
StreamTraits stream_traits(Arithmetic arithmetic);

/// depth: rows of a thread, 1, 2, 4, 8 or 16. In double arithmetic, params.before makes it a mixed solve, whose inner
/// arithmetic is double too: residual replacement.
void launch_resident(const ResidentParams& params, Arithmetic arithmetic, int depth, int blocks);
void launch_stream(const StreamParams& params, Arithmetic arithmetic, int blocks);

} // namespace mantissa::gpu
