// Rows of cycle cores: counted cycles, clocks by formula, the way over the bus apart.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "../gather/gather.hpp"
#include "areas.hpp"
#include "cycle_cores.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/multilevel/cycle_clocks.hpp"
#include "mantissa/sim/cycle_core.hpp"
#include "store/database.hpp"
#include "text/tables/table.hpp"

namespace mantissa::compare {

namespace {

constexpr double kWordBytes = 8; ///< of b or u

/// The clock that is given for a device, or none.
std::optional<double> clock_of(const CycleDesign& design, const Device& device) {
    const std::optional<double> given = design.clock_mhz ? design.clock_mhz : device.clock_mhz;
    return given && device.max_mhz ? std::min(*given, *device.max_mhz) : given ? given : device.max_mhz;
}

InvalidInput no_word_cycles(const std::string& path, const char* what) {
    return InvalidInput(fmt::format("{}: no result of gpu_word_cycle_bench ({}); give a file that it wrote",
                                    results::path_text(path), what));
}

struct Build {
    std::uint64_t lanes, cores; ///< of each core; of all
};

struct Writer {
    const Comparison& c;
    Gathered& g;
    const Provenance& here;
    std::vector<comparison::CycleRow> rows{};

    void gap(Gap gap) {
        if (std::find(g.gaps.begin(), g.gaps.end(), gap) == g.gaps.end()) g.gaps.push_back(std::move(gap));
    }

    void enter(const std::string& problem, const CycleDesign& design) {
        const auto solve = g.cycle_solves.find({problem, to_string(design.cycle) + " " + to_string(design.outer)});
        if (solve == g.cycle_solves.end()) return; // gathering has said why
        const SolveResult& r = solve->second.value.result;
        if (r.status != Status::converged) {
            const std::string outer = to_string(design.outer);
            gap({fmt::format("{} on {}", comparison::cycle_name(to_string(design.cycle), outer), problem),
                 fmt::format("its solve ended: {}{}", to_string(r.status), r.detail.empty() ? "" : ", " + r.detail),
                 fmt::format(
                     "give the cycle's words more bits, or outer ({}) more fraction bits, or loosen the tolerance",
                     outer)});
            return;
        }
        const multilevel::GridPlan plan = multilevel::grid_plan(g.cycle_grids.at(problem), design.cycle);
        for (const std::size_t index : design.devices) {
            const Device& device = c.devices[index];
            const auto mhz = clock_of(design, device);
            if (!mhz) {
                gap({fmt::format("clock of a cycle core on {} ({})", device.name, device.id),
                     "neither its file nor the comparison gives one, and no netlist of a cycle core is mapped here",
                     "give a clock_mhz, the [[cycle]]'s or the device's"});
                continue;
            }
            for (const std::uint64_t cores : design.cores) {
                if (!enter_store(problem, design, device, plan, cores)) continue;
                const CycleAreas areas(g, design, device, cores);
                for (const std::uint64_t lanes : design.lanes) {
                    comparison::CycleRow entry =
                        row(problem, design, device, *mhz * 1e6, {lanes, cores}, plan, r, solve->second.origin);
                    enter_area(entry, areas, lanes, device);
                    rows.push_back(std::move(entry));
                }
            }
        }
    }

    /// May so many cores share the grid, and have its vectors on the device? Else why not is entered.
    bool enter_store(const std::string& problem, const CycleDesign& design, const Device& device,
                     const multilevel::GridPlan& plan, std::uint64_t cores) {
        const int count = static_cast<int>(cores), level = static_cast<int>(g.cycle_grids.at(problem).levels());
        const std::string what = fmt::format("{}{} on {}, {}", cores == 1 ? "" : fmt::format("{} cores of ", cores),
                                             to_string(design.cycle), device.name, problem);
        if (std::string why = sim::cycle_cores_refusal(design.cycle, level, count); !why.empty()) {
            gap({what, std::move(why), "give the [[cycle]] other cores"});
            return false;
        }
        const double bits = multilevel::cycle_store(plan, count).all(), room = device.chip_bits();
        if (bits <= room) return true;
        gap({what, fmt::format("its vectors take {:.1f} Mbit, and the device has {:.1f}", bits / 1e6, room / 1e6),
             "choose a larger device or a smaller problem"});
        return false;
    }

    comparison::CycleRow row(const std::string& problem, const CycleDesign& design, const Device& device,
                             double clock_hz, Build build, const multilevel::GridPlan& plan, const SolveResult& solve,
                             const std::string& origin) {
        const auto [lanes, cores] = build;
        const int count = static_cast<int>(cores);
        const multilevel::CycleClocks clocks = multilevel::core_clocks(
            plan, static_cast<int>(lanes), static_cast<int>(g.cycle_grids.at(problem).levels()), count);
        const auto all = static_cast<double>(clocks.solve(solve.inner_iterations));
        const double core = all / clock_hz;
        // b in and u out: by the core's streams, from and to what holds them: the device's own memory, or the host.
        const auto beats = static_cast<double>(
            multilevel::stream_clocks(static_cast<int>(g.cycle_grids.at(problem).levels()), static_cast<int>(lanes)));
        const int words = multilevel::bus_words(static_cast<int>(lanes));
        const auto way = [&](double bandwidth) {
            return 2 * beats * std::max(words * kWordBytes / bandwidth, 1 / clock_hz);
        };
        const double link = device.link ? way(*device.link) : 0;
        const double seconds = core + link;
        return {.problem = problem,
                .device = device.id,
                .cycle = to_string(design.cycle),
                .outer = to_string(design.outer),
                .lanes = lanes,
                .cores = cores,
                .cycles = solve.inner_iterations,
                .true_residual = comparison::finite(solve.true_residual),
                .clocks_per_cycle = clocks.cycle,
                .clocks = all,
                .clock_hz = clock_hz,
                .clock_kind = comparison::Kind::given,
                .seconds_core = core,
                .bus_words = words,
                .seconds_streams = device.bandwidth ? std::optional(way(*device.bandwidth)) : std::nullopt,
                .seconds_link = device.link ? std::optional(link) : std::nullopt,
                .seconds = seconds,
                .energy_joules = device.watts ? std::optional(*device.watts * seconds) : std::nullopt,
                .memory_share = multilevel::cycle_store(plan, count).all() / device.chip_bits(),
                .modelled = {"clocks", "clocks_per_cycle", "seconds_core", "seconds_streams", "seconds_link", "seconds",
                             "energy_joules", "memory_share"},
                .origins = {origin, g.origins.add({"given", fmt::format("{}: {}", device.name, device.source), here}),
                            g.origins.add({"modelled", "clocks of a cycle core: docs/cycle_core.md", here})}};
    }

    void enter_area(comparison::CycleRow& row, const CycleAreas& areas, std::uint64_t lanes, const Device& device) {
        const auto area = areas.at(lanes, device);
        if (!area) {
            gap({"area of cycle cores", "netlists of at least two numbers of lanes are not there",
                 "give the [[cycle]] mapped = [1, 4]; clocks are the given ones all the same"});
            return;
        }
        row.area_share = area->share;
        row.slices = area->slices;
        row.multipliers = area->multipliers;
        row.area_from = area->from;
        if (area->from != "mapped")
            for (const char* key : {"area_share", "slices", "multipliers"}) row.modelled.emplace_back(key);
        for (const std::string& origin : areas.origins()) row.origins.push_back(origin);
    }

    /// The fastest converged run of each cycle on this problem's grid.
    void enter_gpu(const std::string& problem, const std::string& path) {
        const results::Json document = read_word_cycle_runs(path);
        const double tolerance = document.value("tolerance", c.tolerance);
        if (tolerance != c.tolerance) {
            gap({"cycles on a GPU: " + results::path_text(path),
                 fmt::format("they are to {:.0e}, and the comparison to {:.0e}", tolerance, c.tolerance),
                 "set the comparison's tolerance to theirs, or give a file of runs to its own"});
            return;
        }
        try {
            const Provenance from{"unknown", document.value("commit", "unknown"), document.value("device", "unknown"),
                                  document.value("date", "unknown"), "gpu_word_cycle_bench"};
            for (const results::Json& run : document["runs"]) {
                if (fmt::format("poisson2d:level={}", run.at("level").get<int>()) != problem ||
                    run.at("end") != "converged")
                    continue;
                const double seconds = run.at("seconds").get<double>();
                comparison::CycleRow row{.problem = problem,
                                         .device = document.value("device", "a GPU"),
                                         .cycle = run.at("spec").get<std::string>()};
                row.cycles = run.at(run.contains("cycles") ? "cycles" : "passes").get<std::uint64_t>();
                row.true_residual = run.at("true_residual").get<double>();
                row.seconds_core = row.seconds = seconds;
                row.origins = {g.origins.add({"measured", "cycles on a GPU, transfers not included", from})};
                rows.push_back(std::move(row));
            }
        } catch (const results::Json::exception&) {
            throw no_word_cycles(path, "a run without level, end, spec, cycles, true_residual or seconds");
        }
    }
};

} // namespace

results::Json read_word_cycle_runs(const std::string& path) {
    results::Json document = results::Json::parse(base::read_file(path).view(), nullptr, false);
    const auto is = [&](const char* key, results::Json::value_t type) {
        return document.contains(key) && document[key].type() == type;
    };
    if (!document.is_object() || document.value("kind", results::Json()) != "word_cycles" ||
        !is("runs", results::Json::value_t::array) ||
        (document.contains("tolerance") && !document["tolerance"].is_number()))
        throw no_word_cycles(path, "no kind word_cycles with runs");
    return document;
}

std::vector<comparison::CycleRow> cycle_core_rows(const Comparison& comparison, Gathered& gathered,
                                                  const Provenance& here) {
    Writer writer{comparison, gathered, here};
    std::vector<std::string> files;
    for (const CycleDesign& design : comparison.cycles)
        for (const std::string& path : design.gpu_runs)
            if (std::find(files.begin(), files.end(), path) == files.end()) files.push_back(path);
    for (const std::string& problem : comparison.problems) {
        for (const CycleDesign& design : comparison.cycles) writer.enter(problem, design);
        for (const std::string& path : files) writer.enter_gpu(problem, path);
    }
    return writer.rows;
}

std::string cycle_cores_text(const std::vector<comparison::CycleRow>& rows, const std::vector<comparison::Row>& best) {
    const text::Table table(
        "  {device:<16}{cycle:<26}{lanes:>6}{cores:>6}{cycles:>8}{clocks/cycle:>13}{MHz:>8.0f*1e-6}{core, "
        "ms:>11.3f*1e3}"
        "{streams, ms:>13.3f*1e3}{bus, ms:>10.3f*1e3}{in all:>10.3f*1e3}{joules:>9.3f}{memory:>9.1f%*100}"
        "{area:>8.1f%*100}  {by}");
    const text::Table beside("  {device:<16}{spec:<95}{in all:>10.3f*1e3}");
    std::string out, problem;
    for (const comparison::CycleRow& row : rows) {
        if (row.problem != problem) {
            problem = row.problem;
            out += fmt::format("\nCycle cores on {}\n{}", problem, table.head());
            for (const comparison::Row& cg : best)
                if (cg.problem == problem) out += beside.row({cg.device, "CG: " + cg.spec, text::modelled(cg.seconds)});
        }
        const auto figure = [&](const char* key, const text::Cell& cell) { return marked(row.modelled, key, cell); };
        const auto own = [&](auto value) { return row.ours() ? std::optional(value) : std::nullopt; };
        out += table.row({row.device, comparison::cycle_name(row.cycle, row.outer), own(row.lanes), own(row.cores),
                          row.cycles, figure("clocks_per_cycle", own(row.clocks_per_cycle)), row.clock_hz,
                          figure("seconds_core", row.seconds_core), figure("seconds_streams", row.seconds_streams),
                          figure("seconds_link", row.seconds_link), figure("seconds", row.seconds),
                          figure("energy_joules", row.energy_joules), figure("memory_share", own(row.memory_share)),
                          figure("area_share", row.area_share), row.area_from});
    }
    if (!out.empty())
        out += "  (* modelled: clocks by formula at a given clock. streams: b and u between the device's own memory "
               "and the core; "
               "bus: from and to the host, which is in `in all`. area: slices or multipliers, of netlists that were "
               "mapped, or on the line through those of the lanes named; not placed, block memories apart. A GPU's "
               "figures are measured, without transfers)\n";
    return out;
}

} // namespace mantissa::compare
