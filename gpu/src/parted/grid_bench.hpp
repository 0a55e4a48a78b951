// The grids' part of `mantissa bench gpu --gpus`.
#pragma once

#include <nlohmann/json.hpp>

#include "mantissa/gpu/bench.hpp"

namespace mantissa::gpu {

/// "strong", "weak", "solves" and "model": see gpu/results/README.md.
nlohmann::ordered_json bench_parted_grids(const PartedBenchRequest& request,
                                          const std::function<void(const std::string&)>& say);

} // namespace mantissa::gpu
