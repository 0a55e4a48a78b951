// cuSPARSE products and the cuBLAS + cuSPARSE CG that the solvers here are compared with.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa::gpu {

struct VendorProduct {
    std::string name;              ///< as "cuSPARSE CSR ALG2"
    double error;                  ///< largest |difference| to the rows in double over the largest |y|
    std::function<double()> batch; ///< seconds of one product, as SparseMatrix::product_batches()
};
/// All products that cuSPARSE offers for `a` in float or double: CSR by each algorithm, sliced ELL, blocks of 2 and 4.
/// A format that the library refuses is left out.
std::vector<VendorProduct> cusparse_products(const CompressedRows& a, bool single_precision);

struct VendorCg {
    std::uint32_t iterations = 0;
    double seconds = 0;
    double recursive_residual = 0;
};
/// Textbook CG on the Poisson matrix of a level: one cusparseSpMV, two dot products and three vector updates an
/// iteration, scalars on the host. tolerance 0 runs max_iterations.
VendorCg library_cg_poisson(int level, bool single_precision, double tolerance, std::uint32_t max_iterations);

} // namespace mantissa::gpu
