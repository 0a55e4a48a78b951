#include "cycle_json.hpp"

namespace mantissa::advising {

using results::Json;

namespace {

Json trial_json(const CycleTrial& trial) {
    return {{"cycle", to_string(trial.spec)},
            {"converged", trial.converged},
            {"iterations", trial.iterations},
            {"products", results::number(trial.work)},
            {"seconds", results::number(trial.seconds)}};
}

} // namespace

Json to_json(const Problem& problem, const CycleAdvice& advice, double tolerance) {
    const LevelsMeasured& levels = advice.levels;
    Json j = {{"problem", problem.name},
              {"unknowns", advice.size},
              {"found", advice.found()},
              {"jacobi",
               {{"reached", advice.jacobi_reached},
                {"indefinite", advice.indefinite},
                {"iterations", advice.jacobi_iterations},
                {"seconds", results::number(advice.jacobi_seconds)},
                {"command", jacobi_command(problem, tolerance)}}},
              {"levels",
               {{"of_grid", levels.of_grid},
                {"unknowns", levels.unknowns},
                {"entries", results::number(levels.entries)},
                {"positive", results::number(levels.positive)},
                {"anisotropy", results::number(levels.anisotropy)}}},
              {"in_double", Json::array()},
              {"trials", advice.trials},
              {"time_up", advice.time_up},
              {"seconds", results::number(advice.seconds)}};
    for (const CycleTrial& trial : advice.in_double) j["in_double"].push_back(trial_json(trial));
    if (!advice.found()) {
        j["why_not"] = advice.why_not;
        return j;
    }
    j["advised"] = trial_json(*advice.advised);
    j["advised"]["command"] = cycle_command(problem, advice.advised->spec, tolerance);
    j["within"] = advice.within;
    j["pays"] = advice.pays();
    return j;
}

} // namespace mantissa::advising
