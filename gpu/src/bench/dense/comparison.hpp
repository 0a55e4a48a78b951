// What a comparison of dense solvers consists of, and how its solvers are timed: in turn, in one run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "mantissa/gpu/bench.hpp"

namespace mantissa::gpu {

using Json = nlohmann::ordered_json;
using Say = std::function<void(const std::string&)>;

/// One of those that do the same work.
struct TimedSolver {
    std::string name;              ///< as "mantissa", "cuSOLVER getrf"
    std::function<void()> prepare; ///< not timed: brings the matrix back
    std::function<void()> run;     ///< timed, on the default stream
    std::function<double()> error; ///< after the last run: of its answer, what the comparison says; empty: none
};

/// Runs every solver `repeats` times in turn, after once without timing. Gives for each {"name", "seconds" (median),
/// "least_seconds", "error"}. Throws what they throw.
Json timed_in_turn(const std::vector<TimedSolver>& solvers, int repeats);

/// How much faster the first solver is than the fastest of the others; null where it runs alone.
Json lead(const Json& timed);

/// A comparison adds its runs to `runs`, each with "contest", "arithmetic", "n", "operations" and "entrants" as
/// timed_in_turn() gives them, and what else it wants to say.
struct DenseComparison {
    std::string name; ///< as --contest has it
    std::function<void(const DenseBenchRequest&, Json& runs, const Say&)> run;
};

/// All there are, in the order in which they run.
const std::vector<DenseComparison>& dense_comparisons();

/// LU and solves in float and double.
void lu_comparison(const DenseBenchRequest& request, Json& runs, const Say& say);
/// Uniform systems to double accuracy by mixed precision.
void mixed_comparison(const DenseBenchRequest& request, Json& runs, const Say& say);
/// LU of many systems at once.
void batched_comparison(const DenseBenchRequest& request, Json& runs, const Say& say);

} // namespace mantissa::gpu
