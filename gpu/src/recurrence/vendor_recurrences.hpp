// BiCGStab, GMRES and the Chebyshev iteration by cuSPARSE and cuBLAS, which the device's own are compared with.
#pragma once

#include <cstdint>
#include <span>

#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa::gpu {

struct VendorRecurrence {
    std::uint32_t iterations = 0;
    double seconds = 0;
    double recursive_residual = 0; ///< ||r|| / ||b||
};
/// The textbook's iteration on A u = b from u = 0: two cusparseSpMV (CSR) and cuBLAS for the rest, scalars on the host,
/// until ||r|| is at most tolerance ||b|| or `limit` iterations are made. Throws DeviceError.
VendorRecurrence library_bicgstab(const CompressedRows& a, std::span<const double> b, bool single_precision,
                                  double tolerance, std::uint32_t limit);

/// GMRES in cycles of `restart` steps, likewise: the basis by classical Gram-Schmidt, each vector twice, in calls of
/// gemv.
VendorRecurrence library_gmres(const CompressedRows& a, std::span<const double> b, bool single_precision,
                               double tolerance, std::uint32_t limit, std::size_t restart);

/// The Chebyshev iteration for eigenvalues from `low` to `high`, likewise: ||r|| is looked at every 32 iterations, and
/// nothing is waited for between two looks.
VendorRecurrence library_chebyshev(const CompressedRows& a, std::span<const double> b, double low, double high,
                                   bool single_precision, double tolerance, std::uint32_t limit);

} // namespace mantissa::gpu
