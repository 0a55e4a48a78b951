// The sparse part of `mantissa bench gpu --gpus`: CG on large matrices over one and several GPUs, beside the vendor's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "mantissa/gpu/bench.hpp"

namespace mantissa::gpu {

struct PartedSparseBenchRequest {
    std::vector<int> gpus = {1, 2};      ///< numbers of GPUs; one is added
    std::vector<MadeMatrix> matrices;    ///< made one after another
    std::uint32_t iterations = 200;      ///< of a timing
    int repeats = 5;                     ///< of every timing; the median counts
    bool vendor = true;                  ///< cuSPARSE + cuBLAS + NCCL too, where they are
    double tolerance = 1e-8;             ///< of whole solves in double; float stops at 1e-4
    std::uint32_t max_iterations = 3000; ///< of whole solves; 0: none
};

/// {"matrices": [...], "model": {...}}: for each matrix the paper's communication table, and in float and double for
/// each number of GPUs seconds of an iteration, shares, speed-up over one, the vendor's seconds and the ratio, whether
/// the iterate's bits are those of one GPU, and a solve's iterations and true residual. The model
/// t(P) = bytes of the largest part / rate + sync(P) is fitted to all of them. "gpus_used" says 1 where more were
/// slower.
nlohmann::ordered_json bench_parted_sparse(const PartedSparseBenchRequest& request,
                                           const std::function<void(const std::string&)>& say);

} // namespace mantissa::gpu
