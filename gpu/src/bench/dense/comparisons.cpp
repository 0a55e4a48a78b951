#include <fmt/format.h>

#include "bench/energy.hpp"
#include "comparison.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/cg.hpp"
#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

const std::vector<DenseComparison>& dense_comparisons() {
    static const std::vector<DenseComparison> list{
        {"lu", lu_comparison},
        {"mixed", mixed_comparison},
        {"batched", batched_comparison},
    };
    return list;
}

std::vector<std::string> dense_contest_names() {
    std::vector<std::string> names;
    for (const DenseComparison& c : dense_comparisons()) names.push_back(c.name);
    return names;
}

std::string run_dense_bench(const DenseBenchRequest& request, const std::string& commit, const std::string& date,
                            const std::function<void(const std::string&)>& say) {
    const auto tell = [&](const std::string& line) {
        if (say) say(line);
    };
    for (const std::string& name : request.contests) {
        bool known = false;
        for (const DenseComparison& c : dense_comparisons()) known = known || c.name == name;
        if (!known)
            throw InvalidInput(fmt::format("--contest {}: there are {}", name, fmt::join(dense_contest_names(), ", ")));
    }
    const DeviceInfo& device = require_device();
    Json runs = Json::array();
    for (const DenseComparison& c : dense_comparisons()) {
        bool wanted = request.contests.empty();
        for (const std::string& name : request.contests) wanted = wanted || name == c.name;
        if (wanted) c.run(request, runs, tell);
    }
    const Json all{{"kind", "dense"},
                   {"device", device.name},
                   {"multiprocessors", device.multiprocessors},
                   {"driver", EnergyMeter().driver()},
                   {"driver_cuda", device.driver},
                   {"runtime_cuda", device.runtime},
                   {"date", date},
                   {"commit", commit},
                   {"copy_bytes_per_second", copy_bandwidth()},
                   {"runs", std::move(runs)}};
    return all.dump(1);
}

} // namespace mantissa::gpu
