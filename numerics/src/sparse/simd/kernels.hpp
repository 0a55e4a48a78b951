// Products y = A x over a range of rows, compiled once for each instruction set. Internal to numerics/; the orders of
// sums are in mantissa/sparse/simd_product.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mantissa::detail {

/// Columns (0), each with four values, that follow a matrix's last and may be read: kernels take whole registers
/// and leave out the products that are none of the row's.
inline constexpr std::size_t kSimdTail = 16;

/// Arrays of a matrix in one of the formats; the padding of values, columns and vectors is SimdProduct's business.
template <class T> struct SimdArrays {
    const std::uint32_t* begin = nullptr;  ///< of rows and block rows, entries and blocks; of slices, steps
    const std::uint32_t* column = nullptr; ///< of entries or blocks
    const T* value = nullptr;
    const std::uint32_t* row = nullptr; ///< sliced ELL: of each stored row
    std::uint32_t rows = 0;
    const T* x = nullptr;
    T* y = nullptr;
};

/// Rows (block rows, slices) [begin, end).
template <class T> using SimdKernel = void (*)(const SimdArrays<T>&, std::size_t begin, std::size_t end);

template <class T> struct SimdKernels { SimdKernel<T> crs, bcrs2, bcrs4, complex2, sliced; };

/// Entries that a lane-wise sum of a row takes at a time: 64 bytes of values.
template <class T> inline constexpr std::size_t kSimdLanes = 64 / sizeof(T);
/// Rows of a slice: SlicedEll::kWidth, which headers without library templates cannot name.
inline constexpr std::size_t kSliceRows = 32;

// clang-format off
namespace baseline { const SimdKernels<float>& simd_kernels(float); const SimdKernels<double>& simd_kernels(double); }
namespace avx2 { const SimdKernels<float>& simd_kernels(float); const SimdKernels<double>& simd_kernels(double); }
namespace avx512 { const SimdKernels<float>& simd_kernels(float); const SimdKernels<double>& simd_kernels(double); }
/// One multiplication at a time, in the order of the entries.
namespace plain { const SimdKernels<float>& simd_kernels(float); const SimdKernels<double>& simd_kernels(double); }
// clang-format on

} // namespace mantissa::detail
