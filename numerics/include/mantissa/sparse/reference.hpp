// The product y = A x as each container defines it, one thread, one entry after another: what kernels on the processor
// and on a device are compared with.
//
// A row starts from +0 and takes its entries in ascending order of columns, each a product rounded to T and a sum
// rounded to T. Padding adds zeros, which changes no such sum while x is finite. So all containers of a matrix give the
// same bits, those of its compressed rows; and where every product and partial sum is exact in T, any kernel must give
// them, in whatever order it adds.
#pragma once

#include <cstddef>
#include <span>

#include "mantissa/sparse/complex_blocks.hpp"
#include "mantissa/sparse/formats.hpp"
#include "mantissa/sparse/sliced_ell.hpp"

namespace mantissa {

/// `columns` vectors at once, interleaved: element i of vector c is x[i * columns + c]. x and y have a.rows * columns
/// elements, also where blocks reach over the last row. Values are rounded to T (float or double) as they are read.
/// Throws InvalidInput on other sizes.
template <class T>
void reference_product(const CompressedRows& a, std::span<const T> x, std::span<T> y, std::size_t columns = 1);
template <class T> void reference_product(const Bcrs& a, std::span<const T> x, std::span<T> y, std::size_t columns = 1);
template <class T> void reference_product(const Jds& a, std::span<const T> x, std::span<T> y, std::size_t columns = 1);
template <class T>
void reference_product(const ComplexBlocks& a, std::span<const T> x, std::span<T> y, std::size_t columns = 1);
/// (Sliced ELL of a real matrix.)
template <class T>
void reference_product(const SlicedEll& a, std::span<const T> x, std::span<T> y, std::size_t columns = 1);

} // namespace mantissa
