// Rows of designs whose vectors stay on the chip.
#include <fmt/format.h>

#include "join.hpp"
#include "mantissa/format.hpp"

namespace mantissa::compare {

namespace {

constexpr const char* kModel = "more lanes, cores and memories of a resident design: the model of "
                               "docs/compare.md, \"Resident designs\"";

CoreKey key_of(const RowSeed& seed, const char* part, int lanes) {
    return {to_string(with_lanes(seed.design.spec, lanes)), seed.comparison.devices[seed.device].target,
            seed.multiplier, "streamed", part};
}

/// Areas of a unit by lanes, and where they are from.
std::map<int, CoreArea> areas_of(const RowSeed& seed, const char* part, std::vector<std::string>& origins) {
    std::map<int, CoreArea> areas;
    for (const int lanes : kMappedLanes) {
        const auto it = seed.gathered.areas.find(key_of(seed, part, lanes));
        if (it == seed.gathered.areas.end()) continue;
        const AreaFigures& a = it->second.value;
        areas[lanes] = {a.slices, a.blocks, a.memory_bits};
        origins.push_back(it->second.origin);
    }
    return areas;
}

/// What the whole has with one lane beside its units: registers, the outer loop's control.
std::optional<CoreArea> control_of(const RowSeed& seed, const CoreArea& inner, const CoreArea& outer,
                                   std::vector<std::string>& origins) {
    const auto it = seed.gathered.areas.find(key_of(seed, "resident", 1));
    if (it == seed.gathered.areas.end()) return std::nullopt;
    origins.push_back(it->second.origin);
    const auto less = [](std::uint64_t all, std::uint64_t a, std::uint64_t b) { return all > a + b ? all - a - b : 0; };
    const AreaFigures& a = it->second.value;
    return CoreArea{less(a.slices, inner.slices, outer.slices), less(a.blocks, inner.blocks, outer.blocks), 0};
}

/// Clocks of a pass besides (elements + row) / lanes, and of a step besides twice that.
struct Counted {
    std::map<int, double> pass, step;
};
Counted counted_of(const RowSeed& seed, std::vector<std::string>& origins) {
    Counted counted;
    for (int lanes = 1; lanes <= DatapathSpec::kMaxLanes; lanes *= 2) {
        const std::string key = resident_key(to_string(with_lanes(seed.design.spec, lanes)));
        const auto it = seed.gathered.cycles.find({kCountedOn, key});
        if (it == seed.gathered.cycles.end()) continue;
        const double words = kCountedElements / lanes;
        counted.pass[lanes] = std::max(0.0, it->second.value.per_pass - words);
        counted.step[lanes] = std::max(0.0, it->second.value.per_step - 2 * words);
        origins.push_back(it->second.origin);
    }
    if (seed.design.fixed_clocks) {
        counted.pass = {{1, *seed.design.fixed_clocks}};
        if (counted.step.empty()) counted.step = {{1, 2 * *seed.design.fixed_clocks}};
        origins.push_back(seed.gathered.origins.add(
            {"given", fmt::format("{} fixed clocks of a pass, of the comparison file", *seed.design.fixed_clocks),
             seed.here}));
    }
    return counted;
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
    const std::map<int, CoreArea> inner = areas_of(seed, "inner", origins), outer = areas_of(seed, "outer", origins);
    const Counted counted = counted_of(seed, origins);
    if (seed.solves.empty() || counted.pass.empty() || !inner.contains(1) || !outer.contains(1)) return {};
    const auto control = control_of(seed, inner.at(1), outer.at(1), origins);
    if (!control) return {};
    const ResidentCore core{LaneArea(inner), LaneArea(outer), *control, FixedClocks(counted.pass),
                            FixedClocks(counted.step)};
    // The clock of the slower unit, with the most lanes that were mapped: the nearest to what is built.
    Sourced<ClockFigures> mhz = clock_of_core(key_of(seed, "inner", inner.rbegin()->first));
    if (const auto other = clock_of_core(key_of(seed, "outer", outer.rbegin()->first)); other.value.mhz < mhz.value.mhz)
        mhz = other;
    const double clock_hz = mhz.value.mhz * 1e6;
    const ProblemFacts& facts = seed.gathered.problems.at(seed.problem);
    ResidentWork work{static_cast<double>(facts.unknowns),
                      static_cast<double>(facts.row_length),
                      0,
                      0,
                      0,
                      resident_words(seed.design.spec, true, seed.design.outer->word_bits)};
    std::vector<ResidentEstimate> list;
    const Sourced<SolveFigures>* taken = nullptr;
    for (const auto* solve : seed.solves) {
        const SolveResult& r = solve->value.result;
        work.iterations = static_cast<double>(r.inner_iterations);
        work.outer = static_cast<double>(r.outer_iterations);
        work.formed_again = r.resident ? static_cast<double>(r.resident->formed_again) : 0;
        auto these = resident_estimates(core, work, device, seed.comparison.fill, clock_hz, why_not);
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
        const bool simulated = e.cores == 1 && !seed.design.fixed_clocks && core.pass.is_counted(e.lanes);
        if (!simulated) row.modelled.emplace_back("cycles_per_iteration");
        if (mhz.value.kind == "modelled") row.modelled.emplace_back("clock_hz");
        if (device.watts) row.modelled.emplace_back("energy_joules");
        row.origins = origins;
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace mantissa::compare
