// Rows of b - A u in doubled double precision: see mantissa/outer/certain.hpp. Internal to the library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mantissa::detail {

/// The terms sign a[step (i + shift)] u[i + offset] of rows i; step is 0 or 1.
struct CertainStream {
    const double* a;
    std::ptrdiff_t step, shift, offset;
    double sign;
};

/// Both write d_i and give the largest sum of magnitudes of a row.
struct CertainKernels {
    double (*streams)(const CertainStream* stream, std::size_t count, std::size_t begin, std::size_t end,
                      const double* u, const double* b, double* d);
    double (*rows)(const std::uint64_t* row_begin, const std::uint32_t* column, const double* value, std::size_t begin,
                   std::size_t end, const double* u, const double* b, double* d);
};

namespace baseline {
const CertainKernels& certain_kernels();
}
namespace avx2 {
const CertainKernels& certain_kernels();
}
namespace avx512 {
const CertainKernels& certain_kernels();
}

const CertainKernels& best_certain_kernels();

} // namespace mantissa::detail
