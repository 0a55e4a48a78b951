// Textbook CG over GPUs by cuSPARSE, cuBLAS and NCCL, on the same partition: what the solver here is compared with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mantissa/partition/partition.hpp"
#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa::gpu {

struct PartedVendorCg {
    std::string product; ///< "CSR" or "SELL", what was faster
    double seconds = 0;  ///< of an iteration: the median of captured batches
    double residual = 0; ///< ||b - A x|| / ||b|| after `iterations`, in double on the host
    std::uint32_t iterations = 0;
};
/// Part p on devices[p], each another. An iteration is a packing kernel and NCCL's sends and receives, a cusparseSpMV,
/// two cublas dot products with an ncclAllReduce each, and three vector updates, captured as a graph with the scalars
/// on the devices. Throws DeviceError, which names the library that is absent, NCCL where there are several parts.
PartedVendorCg parted_vendor_cg(const CompressedRows& a, const Partition& partition, const std::vector<int>& devices,
                                bool single_precision, std::uint32_t iterations, int repeats);

} // namespace mantissa::gpu
