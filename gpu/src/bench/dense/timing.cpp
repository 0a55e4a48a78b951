#include <algorithm>
#include <vector>

#include "comparison.hpp"
#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

Json timed_in_turn(const std::vector<TimedSolver>& solvers, int repeats) {
    std::vector<std::vector<double>> seconds(solvers.size());
    std::vector<double> errors(solvers.size(), 0);
    Timer timer;
    for (int turn = 0; turn <= repeats; ++turn)
        for (std::size_t place = 0; place < solvers.size(); ++place) {
            // Forward and back, so that none always runs after the same one.
            const std::size_t e = turn % 2 == 0 ? place : solvers.size() - 1 - place;
            if (solvers[e].prepare) solvers[e].prepare();
            // What is still under way would hide launches from the clock, of one solver more than of another.
            check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
            timer.start();
            solvers[e].run();
            const double spent = timer.stop();
            if (turn > 0) seconds[e].push_back(spent);
            if (turn == repeats && solvers[e].error) errors[e] = solvers[e].error();
        }
    Json timed = Json::array();
    for (std::size_t e = 0; e < solvers.size(); ++e) {
        std::ranges::sort(seconds[e]);
        timed.push_back({{"name", solvers[e].name},
                         {"seconds", seconds[e][seconds[e].size() / 2]},
                         {"least_seconds", seconds[e].front()},
                         {"error", solvers[e].error ? Json(errors[e]) : Json(nullptr)}});
    }
    return timed;
}

Json lead(const Json& timed) {
    if (timed.size() < 2) return nullptr;
    double best = timed[1]["seconds"].get<double>();
    for (std::size_t e = 2; e < timed.size(); ++e) best = std::min(best, timed[e]["seconds"].get<double>());
    return best / timed[0]["seconds"].get<double>();
}

} // namespace mantissa::gpu
