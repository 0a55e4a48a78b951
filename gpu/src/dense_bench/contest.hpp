// What a comparison of dense solvers consists of, and how its entrants are timed: in turn, in one run.
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
struct Entrant {
    std::string name;              ///< as "mantissa", "cuSOLVER getrf"
    std::function<void()> prepare; ///< not timed: brings the matrix back
    std::function<void()> run;     ///< timed, on the default stream
    std::function<double()> error; ///< behind the last run: of its answer, what the contest says; empty: none
};

/// Runs every entrant `repeats` times in turn, after once without timing. Gives for each {"name", "seconds" (median),
/// "least_seconds", "error"}. Throws what they throw.
Json race(const std::vector<Entrant>& entrants, int repeats);

/// How much faster the first entrant is than the fastest of the others; null where it runs alone.
Json lead(const Json& raced);

/// A contest adds its runs to `runs`, each with "contest", "arithmetic", "n", "operations" and "entrants" as race()
/// gives them, and what else it wants to say.
struct DenseContest {
    std::string name; ///< as --contest has it
    std::function<void(const DenseBenchRequest&, Json& runs, const Say&)> run;
};

/// All there are, in the order in which they run.
const std::vector<DenseContest>& dense_contests();

/// LU and solves in float and double.
void lu_contest(const DenseBenchRequest& request, Json& runs, const Say& say);
/// Uniform systems to double accuracy by mixed precision.
void mixed_contest(const DenseBenchRequest& request, Json& runs, const Say& say);
/// LU of many systems at once.
void batched_contest(const DenseBenchRequest& request, Json& runs, const Say& say);

} // namespace mantissa::gpu
