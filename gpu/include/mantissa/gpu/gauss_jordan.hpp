// Gauss-Jordan elimination on the device, with partial pivoting: the solution of A X = B, and the inverse.
#pragma once

#include <cstddef>
#include <vector>

#include "mantissa/lu/factor.hpp"

namespace mantissa::gpu {

template <class T> struct GaussJordanResult {
    LuEnd end = LuEnd::factored; ///< `not_finite` also where an element of the result is not
    std::size_t at = 0;          ///< the column that found it; n when solved
    std::vector<T> x;            ///< n x sides, by rows
    std::vector<T> inverse;      ///< n x n, by rows, where asked for
    std::vector<double> seconds; ///< of each run, from [A B] on the device to the result there
};

/// X of A X = B: `a` of n x n and `b` of n x sides, both by rows. The pivot of a column is its largest element in a row
/// that has had none, the first of equal ones. Products and differences round one by one to nearest, column after
/// column, so the bits do not depend on the device's size. The host does nothing between the first step and the last.
/// `repeat` runs are timed. Throws InvalidInput for sizes that do not fit each other and n > 32768, DeviceError where
/// the device fails or has too little memory.
template <class T>
GaussJordanResult<T> gauss_jordan(const std::vector<T>& a, const std::vector<T>& b, std::size_t n, std::size_t sides,
                                  bool inverse = false, int repeat = 1);

} // namespace mantissa::gpu
