// Sparse products on this processor side by side: scalar, explicit SIMD, SIMD with threads, and Eigen's.
#pragma once

#include <string>
#include <vector>

#include "mantissa/sparse/simd_product.hpp"

namespace mantissa::bench {

/// Seconds of one product, medians over rounds in which every case takes its turn. Eigen's is its row-major product,
/// which is compressed rows, whatever the format beside it; 0 where the
/// build has no Eigen, or the processor no AVX2.
struct ProductTimes {
    SparseFormat format{};
    std::string number;    ///< "float" or "double"
    std::size_t bytes = 0; ///< of the matrix in this format
    double scalar = 0, simd = 0, threads = 0, eigen = 0, eigen_threads = 0;
};

/// Of each format that can hold `a`. threads: at least 1; rounds: at least 1, each of some milliseconds a case.
std::vector<ProductTimes> measure_products(const CompressedRows& a, int threads, int rounds);

namespace eigen {
/// y = A x, compiled for x86-64-v3 where this is an x86-64; `begin` and `column` as Eigen has them.
void product(int rows, int nonzeros, const int* begin, const int* column, const double* value, const double* x,
             double* y, int threads);
void product(int rows, int nonzeros, const int* begin, const int* column, const float* value, const float* x, float* y,
             int threads);
} // namespace eigen

} // namespace mantissa::bench
