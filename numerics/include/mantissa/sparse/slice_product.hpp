// The product of a slice of rows (row_slices.hpp) and a vector, in double and float. Compiled once for each instruction
// set (numerics/src/isa/isa.hpp: no library templates run here), and for the includer's own.
//
// A row's products are added in order: the numbers do not depend on the instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#if !defined(MANTISSA_INLINE)
#define MANTISSA_INLINE inline __attribute__((always_inline))
#endif

/// Keeps a sum scalar: compilers would gather the terms of a row, short as it is, into vectors and add them one by one.
#if defined(__x86_64__)
#define MANTISSA_SCALAR(sum) asm("" : "+x"(sum))
#else
#define MANTISSA_SCALAR(sum)
#endif

namespace mantissa {

/// Rows of a slice: elements of 64 bytes.
template <class T> inline constexpr std::size_t kSliceRows = 64 / sizeof(T);

/// Of kSliceRows rows, one after another: their first entries side by side, and what the longest have beyond them.
struct RowSlice {
    std::uint64_t slot = 0; ///< its slots, up to the next slice's: kSliceRows entries each, the k-th ones of its rows
    std::uint64_t tail = 0; ///< its entries beyond the slots
    std::uint64_t rest = 0; ///< its rests, up to the next slice's
};
/// What a row has beyond its slice's slots.
struct RowRest {
    std::uint32_t row = 0, entries = 0;
};

/// A matrix in slices as products read it.
template <class T> struct RowSlices {
    const RowSlice* slice = nullptr; ///< and the end
    const std::uint32_t* column = nullptr;
    const T* value = nullptr; ///< of slots; a row that has no more entries has zeros
    const RowRest* rest = nullptr;
    const std::uint32_t* tail_column = nullptr;
    const T* tail_value = nullptr;
};

#if defined(MANTISSA_ISA)
#define MANTISSA_SLICES ::mantissa::MANTISSA_ISA
namespace MANTISSA_ISA {
#else
#define MANTISSA_SLICES ::mantissa::own
namespace own {
#endif

/// Bytes of a register that this instruction set has: compilers make slow code of wider ones.
#if defined(__AVX512F__)
inline constexpr std::size_t kSliceBytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t kSliceBytes = 32;
#else
inline constexpr std::size_t kSliceBytes = 16;
#endif
inline constexpr std::size_t kSliceParts = 64 / kSliceBytes;
template <class T> struct SliceVector;
template <> struct SliceVector<double> { using Type = double __attribute__((vector_size(kSliceBytes))); };
template <> struct SliceVector<float> { using Type = float __attribute__((vector_size(kSliceBytes))); };
template <class T> using SlicePart = typename SliceVector<T>::Type;

/// sum += values by the elements of x at their columns, of rows L of a slice.
template <class T, std::size_t... L>
MANTISSA_INLINE void add_slot(const T* value, const std::uint32_t* column, const T* x, SlicePart<T>& sum,
                              std::index_sequence<L...> /*rows*/) {
    SlicePart<T> values;
    __builtin_memcpy(&values, value, sizeof values);
    const SlicePart<T> of_x = {x[column[L]]...};
    sum += values * of_x;
}

/// What the rows of a slice have beyond its slots.
template <class T>
MANTISSA_INLINE void add_rests(const RowSlices<T>& a, const RowSlice& slice, const RowSlice& end, const T* x, T* sum) {
    std::uint64_t k = slice.tail;
    for (std::uint64_t r = slice.rest; r < end.rest; ++r) {
        T of_row = sum[a.rest[r].row];
        for (const std::uint64_t past = k + a.rest[r].entries; k < past; ++k) {
            of_row += a.tail_value[k] * x[a.tail_column[k]];
            MANTISSA_SCALAR(of_row);
        }
        sum[a.rest[r].row] = of_row;
    }
}

/// The sums of a slice's rows, kSliceBytes of them in each of sum[0 .. kSliceParts).
template <class T>
MANTISSA_INLINE void slice_product(const RowSlices<T>& a, std::size_t which, const T* x, SlicePart<T>* sum) {
    constexpr std::size_t kRows = kSliceRows<T>, kOfPart = kRows / kSliceParts;
    const RowSlice slice = a.slice[which], end = a.slice[which + 1];
    SlicePart<T> part[kSliceParts] = {};
    for (std::uint64_t k = slice.slot * kRows; k < end.slot * kRows; k += kRows)
#pragma GCC unroll 4
        for (std::size_t p = 0; p < kSliceParts; ++p)
            add_slot(a.value + k + p * kOfPart, a.column + k + p * kOfPart, x, part[p],
                     std::make_index_sequence<kOfPart>());
    __builtin_memcpy(sum, part, sizeof part);
    if (slice.rest == end.rest) return;
    T of_row[kRows];
    __builtin_memcpy(of_row, part, sizeof of_row);
    add_rests(a, slice, end, x, of_row);
    __builtin_memcpy(sum, of_row, sizeof of_row);
}

} // namespace own or MANTISSA_ISA
} // namespace mantissa
