// BiCGStab by cuSPARSE and cuBLAS, which the device's own is compared with.
#pragma once

#include <cstdint>
#include <span>

#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa::gpu {

struct RivalBicgstab {
    std::uint32_t iterations = 0;
    double seconds = 0;
    double recursive_residual = 0; ///< ||r|| / ||b||
};
/// The textbook's iteration on A u = b from u = 0: two cusparseSpMV (CSR) and cuBLAS for the rest, scalars on the host,
/// until ||r|| is at most tolerance ||b|| or `limit` iterations are made. Throws DeviceError.
RivalBicgstab library_bicgstab(const CompressedRows& a, std::span<const double> b, bool single_precision,
                               double tolerance, std::uint32_t limit);

} // namespace mantissa::gpu
