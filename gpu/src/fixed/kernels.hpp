// The kernels of fixed-point sessions by run-time choice.
#pragma once

#include <cstddef>

#include "params.cuh"

namespace mantissa::gpu {

/// In what u is kept.
enum class FixedU : std::uint8_t { short_words, long_words, floating };

/// A system on the chip: blocks of `rows` grid rows, threads of `columns` columns.
struct ResidentShape {
    int rows = 0, columns = 0, threads = 0;
    unsigned blocks = 0;
};
/// Null where there is no such kernel.
const void* fixed_resident_kernel(const ResidentShape& shape, FixedRow row, FixedU u);
/// The shape for a grid; no rows where it does not fit the chip.
ResidentShape fixed_resident_shape(int columns, int rows, int multiprocessors);

const void* fixed_memory_kernel(FixedU u);

} // namespace mantissa::gpu
