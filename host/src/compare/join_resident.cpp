// Rows of designs whose vectors stay on the chip.
#include <fmt/format.h>

#include "join.hpp"
#include "mantissa/format.hpp"

namespace mantissa::compare {

namespace {

constexpr const char* kModel = "lanes, cores, memories and the outer loop of a resident design: the model of "
                               "docs/compare.md, \"Resident designs\"";

/// Areas by lanes, and where they are from; the last origin is that of the most lanes.
std::map<int, CoreArea> areas_of(const RowSeed& seed, std::vector<std::string>& origins) {
    std::map<int, CoreArea> areas;
    const std::string& target = seed.comparison.devices[seed.device].target;
    for (const int lanes : kMappedLanes) {
        const CoreKey key{to_string(with_lanes(seed.design.spec, lanes)), target, seed.multiplier,
                          seed.design.core_bands()};
        const auto it = seed.gathered.areas.find(key);
        if (it == seed.gathered.areas.end()) continue;
        const AreaFigures& a = it->second.value;
        areas[lanes] = {a.slices, a.blocks, a.memory_bits};
        origins.push_back(it->second.origin);
    }
    return areas;
}

/// Clocks of a pass besides N / lanes + row / lanes.
std::map<int, double> fixed_clocks_of(const RowSeed& seed, std::vector<std::string>& origins) {
    const ProblemFacts& facts = seed.gathered.problems.at(seed.problem);
    std::map<int, double> fixed;
    for (int lanes = 1; lanes <= DatapathSpec::kMaxLanes; lanes *= 2) {
        const auto it = seed.gathered.cycles.find({seed.problem, to_string(with_lanes(seed.design.spec, lanes))});
        if (it == seed.gathered.cycles.end()) continue;
        fixed[lanes] =
            std::max(0.0, it->second.value.per_pass - static_cast<double>(facts.unknowns + facts.row_length) / lanes);
        origins.push_back(it->second.origin);
    }
    if (seed.design.fixed_clocks) {
        fixed = {{1, *seed.design.fixed_clocks}};
        origins.push_back(seed.gathered.origins.add(
            {"given", fmt::format("{} fixed clocks of a pass, of the comparison file", *seed.design.fixed_clocks),
             seed.here}));
    }
    return fixed;
}

/// The fields that the figures of a streamed design have too.
Estimate estimate_of(const ResidentEstimate& e, double clock_hz) {
    Estimate s;
    s.cores = e.cores;
    s.pass_clocks = e.pass_clocks;
    s.pass_seconds = e.pass_clocks / clock_hz;
    s.seconds_inner = e.seconds_inner;
    s.seconds_host = e.seconds_outer;
    s.seconds_link = e.seconds_link;
    s.seconds = e.seconds;
    s.area_share = e.area_share;
    s.area_time = e.area_time;
    s.bound = e.bound;
    return s;
}

CoreArea area_of_one(const ResidentEstimate& e, const Device& device) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < e.memories.size(); ++i)
        bits += e.memories[i] * device.memories[i].width * device.memories[i].depth;
    return {e.area.slices / e.cores, e.area.blocks / e.cores, bits / e.cores};
}

} // namespace

std::vector<Row> resident_rows(const RowSeed& seed,
                               const std::function<Sourced<ClockFigures>(const CoreKey&)>& clock_of_core,
                               std::string& why_not) {
    why_not.clear();
    const Device& device = seed.comparison.devices[seed.device];
    std::vector<std::string> origins;
    const std::map<int, CoreArea> areas = areas_of(seed, origins);
    const std::map<int, double> fixed = fixed_clocks_of(seed, origins);
    if (seed.solves.empty() || areas.empty() || fixed.empty()) return {};
    // The clock of the core with the most lanes that was mapped: the nearest to what is built.
    const CoreKey key{to_string(with_lanes(seed.design.spec, areas.rbegin()->first)), device.target, seed.multiplier,
                      seed.design.core_bands()};
    const Sourced<ClockFigures> mhz = clock_of_core(key);
    const double clock_hz = mhz.value.mhz * 1e6;
    const ProblemFacts& facts = seed.gathered.problems.at(seed.problem);
    const int outer_bits = seed.design.outer->word_bits;
    ResidentWork work{static_cast<double>(facts.unknowns),
                      static_cast<double>(facts.row_length),
                      0,
                      0,
                      resident_words(seed.design.spec, seed.design.constant_bands.value_or(false), outer_bits),
                      outer_lane(seed.design.spec, outer_bits, device.target),
                      outer_bits};
    std::vector<ResidentEstimate> list;
    const Sourced<SolveFigures>* taken = nullptr;
    for (const auto* solve : seed.solves) {
        work.iterations = static_cast<double>(solve->value.result.inner_iterations);
        work.outer = static_cast<double>(solve->value.result.outer_iterations);
        auto these = resident_estimates(LaneArea(areas), FixedClocks(fixed), work, device, seed.comparison.fill,
                                        clock_hz, why_not);
        if (these.empty()) return {};
        if (taken == nullptr || these.back().seconds < list.back().seconds) {
            list = std::move(these);
            taken = solve;
        }
    }
    origins.push_back(taken->origin);
    origins.push_back(mhz.origin);
    origins.push_back(
        seed.gathered.origins.add({"given", fmt::format("{}: {}", device.name, device.source), seed.here}));
    origins.push_back(seed.gathered.origins.add({"modelled", kModel, seed.here}));
    std::vector<Row> rows;
    for (const ResidentEstimate& e : list) {
        Row row;
        row.problem = seed.problem;
        row.device = seed.device;
        row.design = &seed.design;
        row.spec = to_string(seed.design.spec);
        row.multiplier = seed.multiplier;
        row.solve = taken->value;
        row.resident = e;
        row.estimate = estimate_of(e, clock_hz);
        row.core = area_of_one(e, device);
        row.clock_hz = clock_hz;
        row.clock_kind = mhz.value.kind;
        row.cycles_per_pass = e.pass_clocks;
        row.modelled = {"slices",    "blocks",        "memory_bits",   "area_share",
                        "area_time", "seconds_inner", "seconds_outer", "seconds"};
        const bool counted = e.cores == 1 && !seed.design.fixed_clocks && FixedClocks(fixed).is_counted(e.lanes);
        if (!counted) row.modelled.emplace_back("cycles_per_iteration");
        if (mhz.value.kind == "modelled") row.modelled.emplace_back("clock_hz");
        if (device.watts) row.modelled.emplace_back("energy_joules");
        row.origins = origins;
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace mantissa::compare
