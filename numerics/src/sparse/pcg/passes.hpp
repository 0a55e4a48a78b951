// The passes of Jacobi-PCG over blocks of rows, compiled once for each instruction set. Internal to numerics/.
//
// Vectors hold W numbers for each row of the matrix, next to one another: W right-hand sides, or u and v of a complex
// unknown (W = 2). Rows are padded with zeros to a multiple of kRowGroup, and a vector that products read has kTail
// numbers more.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mantissa/sparse/slice_product.hpp"

namespace mantissa::detail {

inline constexpr std::size_t kRowGroup = kSliceRows<double>, kRowBlock = 1024, kTail = 4;
inline constexpr int kMostColumns = 4;

/// Real entries by rows, and after them imaginary ones, of which there are few: rows of `imaginary_row` ascend.
struct PcgMatrix {
    const std::uint64_t* begin = nullptr; ///< rows + 1, and the same end for padded rows
    const std::uint32_t* column = nullptr;
    const double* value = nullptr;
    const std::uint32_t* imaginary_row = nullptr;
    const std::uint32_t* imaginary_column = nullptr;
    const double* imaginary_value = nullptr;
    RowSlices<double> slices = {}; ///< the same rows, for one column, where they have been made
};

struct PcgVectors {
    double *x = nullptr, *r = nullptr, *p = nullptr, *q = nullptr;
    const double* inverse = nullptr; ///< of the diagonal, one for each row
};

/// Rows [begin, end), at most kRowBlock of them and a multiple of kRowGroup.
struct PcgPasses {
    /// q = A p and dots[k] = p . q of column k. Imaginary entries [imaginary, imaginary_end) are those of these rows.
    void (*product)(const PcgMatrix&, const PcgVectors&, std::size_t begin, std::size_t end, std::size_t imaginary,
                    std::size_t imaginary_end, double* dots);
    /// r -= alpha q; dots[k] = r . (inverse r), dots[W + k] = r . r
    void (*descend)(const PcgVectors&, std::size_t begin, std::size_t end, const double* alpha, double* dots);
    /// x += alpha p; p = inverse r + beta p
    void (*advance)(const PcgVectors&, std::size_t begin, std::size_t end, const double* alpha, const double* beta);
};

// clang-format off
namespace baseline { const PcgPasses& pcg_passes(int columns); }
namespace avx2 { const PcgPasses& pcg_passes(int columns); }
namespace avx512 { const PcgPasses& pcg_passes(int columns); }
// clang-format on

/// Of the best instruction set; columns: 1 to kMostColumns.
const PcgPasses& best_pcg_passes(int columns);

} // namespace mantissa::detail
