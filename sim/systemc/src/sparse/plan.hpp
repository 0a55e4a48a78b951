// The clocks of the sparse core, and the order of rows in which one core runs.
#pragma once

#include <cstdint>
#include <vector>

#include "core_timing.hpp"
#include "mantissa/hls/sparse_kernel.hpp"
#include "mantissa/sim/sparse_cores.hpp"

namespace mantissa::sim {

/// The sparse core's own clocks, as rtl/sparse has them.
struct SparseTiming {
    int begin = 2;  ///< from the clock in which a pass is asked for to the first address
    int formed = 0; ///< from an address's clock to the first clock in which a beat may read its p'
    int drain = 0;  ///< from the last beat's clock to the scalar unit's start
    CoreTiming scalar;
    explicit SparseTiming(const DatapathSpec& spec, const hls::SparseRows& rows);
};

/// The rows of one core in the order in which it takes them.
struct SparseOrder {
    hls::SparseRows rows;
    bool overlaps = false;
};
/// Of a whole matrix on one core.
SparseOrder ordered_rows(const CompressedRows& matrix, const DatapathSpec& spec, PassOrder order,
                         SparsePass* figures = nullptr);

} // namespace mantissa::sim
