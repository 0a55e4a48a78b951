// Cores of multilevel cycles: their builds, and the time of a solve on one.
#include "cycle_cores.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cores.hpp"
#include "mantissa/format.hpp"
#include "mantissa/multilevel/cycle_clocks.hpp"
#include "mantissa/multilevel/word_solve.hpp"
#include "mantissa/sim/cycle_core.hpp"

namespace mantissa::tuning {

namespace {

constexpr double kWordBytes = 8; ///< of b or u
constexpr int kMostCycleLanes = 256;

} // namespace

std::string Build::name() const {
    if (!cycle) return to_string(spec);
    return to_string(*cycle) + (cycle_lanes > 1 ? fmt::format(",lanes={}", cycle_lanes) : "");
}

std::optional<multilevel::GridWords> poisson_grid(const Problem& problem) {
    const auto grid = multilevel::grid_words(problem.system);
    const bool poisson = grid && grid->centre == 8 && grid->east == -1 && grid->north == -1 && grid->corner == -1;
    const bool held =
        poisson && grid->levels() >= multilevel::kLeastCycleLevel && grid->levels() <= multilevel::kMostCycleLevel;
    return held ? grid : std::nullopt;
}

int cycle_rows(const multilevel::GridWords& grid) {
    return std::max(kCycleRows, static_cast<int>(grid.levels()));
}

std::string Cores::no_cycles() const {
    if (!grid_) return "cycle cores take Poisson's stencil on grids of 2^n + 1 nodes a side";
    return cycle_model_.refusal(CycleSpec{}, 1, device_.target);
}

std::string Cores::cycle_refusal(const CycleSpec& cycle) {
    if (std::string why = no_cycles(); !why.empty()) return why;
    if (std::string why = sim::cycle_core_refusal(*grid_, cycle); !why.empty()) return why;
    if (std::string why = cycle_model_.refusal(cycle, 1, device_.target); !why.empty()) return why;
    for (const Build& b : cycle_builds(cycle))
        if (!arranged(b, 1, 0).empty()) return {};
    return "a cycle core with its vectors does not fit the device";
}

std::vector<Build> Cores::cycle_builds(const CycleSpec& cycle) {
    std::vector<Build> list;
    const multilevel::GridPlan plan = multilevel::grid_plan(*grid_, cycle);
    const auto bits = static_cast<std::uint64_t>(multilevel::cycle_store(plan).all());
    for (int lanes = 1; lanes <= kMostCycleLanes; lanes *= 2) {
        if (!cycle_model_.refusal(cycle, lanes, device_.target).empty()) break;
        const ModelledCore core = cycle_model_.at(cycle, lanes, device_.target);
        const multilevel::CycleClocks clocks = multilevel::core_clocks(plan, lanes, cycle_rows(*grid_));
        Build build;
        build.rows = "cycle";
        build.cycle = cycle;
        build.cycle_lanes = lanes;
        build.cycle_level = cycle_rows(*grid_);
        build.figures.area = {core.area.slices, core.area.blocks, bits};
        build.figures.mhz = device_mhz(core.model_mhz);
        build.figures.clocks = static_cast<double>(clocks.cycle);
        build.figures.last = static_cast<double>(clocks.last);
        take_netlist(build);
        list.push_back(std::move(build));
    }
    return list;
}

/// As `mantissa compare` has it: clocks by the core's formula, b and u by the streams from and to the host, memory by
/// the bits of its vectors. `cores` is 0 where it does not fit.
Arranged Cores::arranged_cycle(const Build& build, double cycles) const {
    const CoreFigures& f = build.figures;
    const double hz = f.mhz * 1e6;
    Arranged a{build, {}};
    compare::Estimate& e = a.estimate;
    const auto share = [](double used, double there) { return there > 0 ? used / there : 2 * used; };
    const double slices = share(static_cast<double>(f.area.slices), static_cast<double>(device_.slices));
    const double blocks = share(static_cast<double>(f.area.blocks), static_cast<double>(device_.blocks));
    const double memory = share(static_cast<double>(f.area.memory_bits), device_.chip_bits());
    e.cores = slices <= fill_ && blocks <= fill_ && memory <= 1 ? 1 : 0;
    e.pass_clocks = f.clocks;
    e.pass_seconds = f.clocks / hz;
    e.seconds_inner = (cycles * f.clocks + f.last) / hz;
    if (device_.link) {
        const auto beats =
            static_cast<double>(multilevel::stream_clocks(static_cast<int>(grid_->levels()), build.cycle_lanes));
        e.seconds_link =
            2 * beats * std::max(multilevel::bus_words(build.cycle_lanes) * kWordBytes / *device_.link, 1 / hz);
    }
    e.seconds = e.seconds_inner + e.seconds_link;
    e.area_share = std::max({slices, blocks, memory});
    e.area_time = e.area_share * e.seconds;
    e.bound = "clock";
    return a;
}

} // namespace mantissa::tuning
