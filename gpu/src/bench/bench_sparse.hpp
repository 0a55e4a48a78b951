// The benchmark's sparse part: products against cuSPARSE's, solves by format and for several right-hand sides.
#pragma once

#include <nlohmann/json.hpp>

#include "mantissa/gpu/bench.hpp"

namespace mantissa::gpu {

using Json = nlohmann::ordered_json;

/// Products in every format here and in cuSPARSE's, each timed in turn; the same after reverse Cuthill-McKee; Jacobi
/// CG by format.
Json bench_matrix(const BenchRequest& request, const NamedMatrix& named);
/// One matrix with several right-hand sides: all in one pass against one after another.
Json bench_systems(const BenchRequest& request, const NamedSystems& named);

} // namespace mantissa::gpu
