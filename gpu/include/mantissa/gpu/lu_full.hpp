// LU with full pivoting on the device, P A Q = L U, in float and double.
//
// Small matrices stay on the chip from the first step to the last; of large ones a step reads every element once and
// writes few (gpu/src/dense/full/). Either way the bits are those of `lu:s23e8:rne,pivot=full` and
// `lu:s52e11:rne,pivot=full` where no number is subnormal: products and differences are rounded one by one to nearest,
// and of equal pivots the lowest column counts, then the lowest row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mantissa/lu/factor.hpp"

namespace mantissa::gpu {

enum class FullLuMethod : std::uint8_t {
    best,     ///< on the chip where it fits, else by passes until the rest fits
    resident, ///< on the chip
    passes    ///< by passes, to the last few steps
};

struct FullLuOptions {
    FullLuMethod method = FullLuMethod::best;
    int repeat = 1;          ///< runs, timed one by one
    int multiprocessors = 0; ///< how many to use; 0: all
};

template <class T> struct FullLuResult {
    LuEnd end = LuEnd::factored;
    std::size_t at = 0;                 ///< the step that found it; n when factored
    std::vector<T> lu;                  ///< n x n, by rows: L below the diagonal, U on and above
    std::vector<std::uint32_t> rows;    ///< row i of P A is row rows[i] of A
    std::vector<std::uint32_t> columns; ///< column j of A Q is column columns[j] of A
    std::vector<double> seconds;        ///< of each run, from A on the device to its factors there
};

/// The largest n that stays on the chip of this device.
template <class T> std::size_t full_lu_resident_most();

/// The factors of `a`, n x n by rows. The host does nothing between the first step and the last. Throws InvalidInput
/// where a.size() is not n * n, n > 65535, or `resident` is asked for and does not fit; DeviceError where the device
/// fails or has too little memory (four times the matrix).
template <class T> FullLuResult<T> full_lu(const std::vector<T>& a, std::size_t n, const FullLuOptions& options = {});

} // namespace mantissa::gpu
