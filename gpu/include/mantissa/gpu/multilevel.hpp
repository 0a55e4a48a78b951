// Conjugate Gradients with the multilevel preconditioner (mantissa/sparse/multilevel.hpp) on the GPU. The levels are
// made by the processor's threads; everything after that runs on the device, CG in double and the V cycle in single
// precision, in captured graphs of some iterations with one look at the status each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mantissa/gpu/sparse_solver.hpp"
#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa::gpu {

struct MultilevelOptions {
    double tolerance = 1e-6; ///< of ||b - A x|| / ||b||
    std::uint32_t max_iterations = 10000;
    int threads = 1; ///< that make the levels
};
struct MultilevelReport : SparseCgReport {
    double levels_seconds = 0;           ///< making the levels, on the processor
    double upload_seconds = 0;           ///< and bringing them to the device
    std::vector<std::uint32_t> unknowns; ///< complex ones, of each level
};

/// Solves A x = b from x = 0, `a` of complex blocks, `points` where the vertex of each block row is. Ends by the true
/// residual, as SparseMatrix::solve() does. `x`, if given, gets the solution. The bits of a result are the same in
/// every run. Throws InvalidInput as make_multilevel() and to_complex_blocks() do, DeviceError on a fault of the
/// device.
MultilevelReport multilevel_solve(const CompressedRows& a, std::span<const std::array<double, 3>> points,
                                  std::span<const double> b, const MultilevelOptions& options,
                                  std::vector<double>* x = nullptr);

} // namespace mantissa::gpu
