#include <algorithm>
#include <vector>

#include "contest.hpp"
#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

Json race(const std::vector<Entrant>& entrants, int repeats) {
    std::vector<std::vector<double>> seconds(entrants.size());
    std::vector<double> errors(entrants.size(), 0);
    Timer timer;
    for (int turn = 0; turn <= repeats; ++turn)
        for (std::size_t place = 0; place < entrants.size(); ++place) {
            // Forward and back, so that none always runs behind the same one.
            const std::size_t e = turn % 2 == 0 ? place : entrants.size() - 1 - place;
            if (entrants[e].prepare) entrants[e].prepare();
            // What is still under way would hide launches from the clock, of one entrant more than of another.
            check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
            timer.start();
            entrants[e].run();
            const double spent = timer.stop();
            if (turn > 0) seconds[e].push_back(spent);
            if (turn == repeats && entrants[e].error) errors[e] = entrants[e].error();
        }
    Json raced = Json::array();
    for (std::size_t e = 0; e < entrants.size(); ++e) {
        std::ranges::sort(seconds[e]);
        raced.push_back({{"name", entrants[e].name},
                         {"seconds", seconds[e][seconds[e].size() / 2]},
                         {"least_seconds", seconds[e].front()},
                         {"error", entrants[e].error ? Json(errors[e]) : Json(nullptr)}});
    }
    return raced;
}

Json lead(const Json& raced) {
    if (raced.size() < 2) return nullptr;
    double best = raced[1]["seconds"].get<double>();
    for (std::size_t e = 2; e < raced.size(); ++e) best = std::min(best, raced[e]["seconds"].get<double>());
    return best / raced[0]["seconds"].get<double>();
}

} // namespace mantissa::gpu
