// `mantissa bench gpu --gpus`: devices and their links, then each comparison's part.
#include "mantissa/gpu/bench.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/energy.hpp"
#include "grid_bench.hpp"
#include "mantissa/gpu/cg.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/peers.hpp"
#include "sparse/bench.hpp"

namespace mantissa::gpu {

namespace {

/// What a flag and a sum cost between `count` parts.
nlohmann::ordered_json link_figures(int count) {
    Peers peers(Peers::spread(count));
    static_cast<void>(measure_peers(peers)); // loads the kernel
    const PeerFigures f = measure_peers(peers, 5000);
    return {{"gpus", count},
            {"devices", peers.distinct().size()},
            {"flag_us", 1e6 * f.flag_seconds},
            {"sum_us", 1e6 * f.sum_seconds},
            {"wrong_sums", f.wrong}};
}

} // namespace

std::string run_parted_bench(const PartedBenchRequest& request, const std::string& commit, const std::string& date,
                             const std::function<void(const std::string&)>& say) {
    const DeviceInfo& device = require_device();
    const EnergyMeter meter;
    const auto tell = [&](const std::string& line) {
        if (say) say(line);
    };
    nlohmann::ordered_json all{{"kind", "gpus"},
                               {"device", device.name},
                               {"driver", meter.driver()},
                               {"driver_cuda", device.driver},
                               {"runtime_cuda", device.runtime},
                               {"date", date},
                               {"commit", commit},
                               {"copy_bytes_per_second", copy_bandwidth()},
                               {"links", nlohmann::ordered_json::array()}};
    for (const int count : request.gpus)
        if (count > 1) {
            tell(fmt::format("links of {} GPUs", count));
            all["links"].push_back(link_figures(count));
        }
    if (request.grids) all["grids"] = bench_parted_grids(request, tell);
    if (!request.matrices.empty())
        all["sparse"] = bench_parted_sparse({.gpus = request.gpus, .matrices = request.matrices}, tell);
    // Further comparisons over the same GPUs add their own key here.
    return all.dump(1);
}

} // namespace mantissa::gpu
