// The stored document of a comparison.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "join.hpp"
#include "mantissa/format.hpp"
#include "synthesis/core_clock.hpp"

namespace mantissa::compare {

namespace {

namespace doc = comparison;

doc::Device device_of(const Device& d) {
    std::vector<doc::Memory> memories;
    for (const ChipMemory& m : d.memories) memories.push_back({m.name, m.count, m.width, m.depth});
    const bool channels = d.channels > 0;
    return {.id = d.id,
            .name = d.name,
            .kind = doc::known_value_of<doc::DeviceKind>(d.kind),
            .target = d.target,
            .slices = d.slices,
            .blocks = d.blocks,
            .memory_bits = d.memory_bits,
            .pins = d.pins,
            .bandwidth = d.bandwidth,
            .link = d.link,
            .max_mhz = d.max_mhz,
            .watts = d.watts,
            .channels = channels ? std::optional(d.channels) : std::nullopt,
            .channel_bandwidth = channels ? std::optional(d.channel_bandwidth) : std::nullopt,
            .memories = std::move(memories),
            .source = d.source};
}

doc::StageFormats formats_of(const DatapathSpec& spec) {
    const auto stages = stages_of(spec);
    return {stages[0].second, stages[1].second, stages[2].second, stages[3].second};
}

/// Set where it holds: a key of its own kind only.
std::optional<bool> flag(bool holds) {
    return holds ? std::optional(true) : std::nullopt;
}

doc::Design design_of(const Comparison& c, const Gathered& g, const std::string& problem, const Design& design,
                      const std::vector<Sourced<SolveFigures>>& solves) {
    const auto* chosen = solve_of(g, problem, design.key());
    const auto& solve = chosen != nullptr ? *chosen : solves.front();
    const SolveResult& r = solve.value.result;
    const bool constant = design.constant_bands.value_or(c.constant_bands) && g.problems.at(problem).kind == "stencil";
    const Traffic traffic = design.resident || design.sparse ? Traffic{} // nothing leaves the chip
                                                             : traffic_of(design.spec, constant, c.packed);
    doc::Design d{.spec = to_string(design.spec),
                  .resident = design.resident,
                  .sparse = design.sparse,
                  .problem = problem,
                  .unknowns = g.problems.at(problem).unknowns,
                  .stages = formats_of(design.spec),
                  .lanes = design.spec.lanes,
                  .status = ending_of(r.status),
                  .engine = solve.value.engine,
                  .inner = solve.value.inner,
                  .inner_iterations = r.inner_iterations,
                  .outer_iterations = r.outer_iterations,
                  .true_residual = doc::finite(r.true_residual),
                  .error = doc::finite(r.error),
                  .iterations_origin = solve.origin,
                  .words_per_element = traffic.words,
                  .bytes_per_element = traffic.bytes,
                  .chebyshev = flag(design.chebyshev),
                  .jacobi = flag(design.jacobi),
                  .headroom = design.headroom};
    for (const auto& s : solves)
        d.engines.push_back({.engine = s.value.engine,
                             .inner = s.value.inner,
                             .outer_iterations = s.value.result.outer_iterations,
                             .status = ending_of(s.value.result.status),
                             .inner_iterations = s.value.result.inner_iterations,
                             .seconds = doc::finite(s.value.result.seconds),
                             .cycles = s.value.result.cycles,
                             .origin = s.origin});
    if (const auto cycles = g.cycles.find({problem, design.cycles_key()}); cycles != g.cycles.end()) {
        d.cycles_per_iteration = cycles->second.value.per_pass;
        d.cycles_origin = cycles->second.origin;
        d.cycles_engine = cycles->second.value.engine;
        d.cycles_kind = doc::Kind::measured;
    }
    return d;
}

std::vector<doc::Design> designs_of(const Comparison& c, const Gathered& g) {
    std::vector<doc::Design> list;
    for (const std::string& problem : c.problems)
        for (const Design& design : c.designs)
            if (const auto solves = g.solves.find({problem, design.key()}); solves != g.solves.end())
                list.push_back(design_of(c, g, problem, design, solves->second));
    return list;
}

constexpr std::uint64_t kBlockBits = synthesis::SynthesisFigures::kBlockBits;

std::vector<doc::Core> cores_of(Gathered& g, const Provenance& here) {
    std::vector<doc::Core> list;
    for (const auto& [key, area] : g.areas) {
        const Sourced<ClockFigures> clock = clock_of(g, key, here);
        const AreaFigures& a = area.value;
        list.push_back({.spec = key.spec,
                        .target = key.target,
                        .multiplier = doc::known_value_of<doc::Multiplier>(key.multiplier),
                        .bands = doc::known_value_of<doc::CoreBands>(key.bands),
                        .part = key.part,
                        .lanes = a.lanes,
                        .luts = a.luts,
                        .memory_luts = a.memory_luts,
                        .flip_flops = a.flip_flops,
                        .slices = a.slices,
                        .slices_kind = doc::Kind::modelled,
                        .blocks = a.blocks,
                        .memory_bits = a.memory_bits,
                        .memory_blocks = (a.memory_bits + kBlockBits - 1) / kBlockBits,
                        .io_bits = a.io_bits,
                        .depth = a.depth,
                        .mhz = clock.value.mhz,
                        .mhz_kind = doc::known_value_of<doc::Kind>(clock.value.kind),
                        .model_path = a.model_path,
                        .mhz_origin = clock.origin,
                        .origin = area.origin});
    }
    return list;
}

/// Where the vectors of a resident design are, and what its outer loop takes; nothing of others.
std::optional<doc::Resident> resident_of(const Device& device, const Row& row) {
    if (!row.resident) return std::nullopt;
    const ResidentEstimate& e = *row.resident;
    std::vector<doc::MemoryUse> memories;
    for (std::size_t i = 0; i < e.memories.size(); ++i)
        memories.push_back({device.memories[i].name, e.memories[i], device.memories[i].count});
    return doc::Resident{e.outer_lanes,  to_string(*row.design->outer),
                         e.fixed_clocks, e.outer_clocks,
                         e.seconds_link, std::move(memories)};
}

int lanes_of(const Row& row) {
    return row.resident ? row.resident->lanes : row.design->spec.lanes;
}

doc::Row row_of(const Comparison& c, const Row& row) {
    const Estimate& e = row.estimate;
    const Device& device = c.devices[row.device];
    return {.problem = row.problem,
            .device = device.id,
            .spec = row.spec,
            .multiplier = doc::known_value_of<doc::Multiplier>(row.multiplier),
            .lanes = lanes_of(row),
            .cores = e.cores,
            .bound = doc::known_value_of<doc::Bound>(e.bound),
            .clock_hz = row.clock_hz,
            .clock_kind = doc::known_value_of<doc::Kind>(row.clock_kind),
            .inner = row.solve.inner,
            .inner_iterations = row.solve.result.inner_iterations,
            .outer_iterations = row.solve.result.outer_iterations,
            .cycles_per_iteration = e.pass_clocks,
            .bytes_per_iteration = e.pass_bytes,
            .seconds_per_iteration = e.pass_seconds,
            .seconds_inner = e.seconds_inner,
            .seconds_outer = e.seconds_host + e.seconds_link,
            .seconds = e.seconds,
            .seconds_kind = doc::Kind::modelled,
            .slices = row.core.slices * e.cores,
            .blocks = row.core.blocks * e.cores,
            .memory_bits = row.core.memory_bits * e.cores,
            .area_share = e.area_share,
            .area_time = e.area_time,
            .energy_joules = device.watts ? std::optional(*device.watts * e.seconds) : std::nullopt,
            .pareto = row.pareto,
            .resident = resident_of(device, row),
            .modelled = row.modelled,
            .origins = row.origins,
            .chebyshev = flag(row.design->chebyshev),
            .seconds_link = row.resident || e.seconds_link == 0 ? std::nullopt : std::optional(e.seconds_link)};
}

/// How many designs are compared on a device.
std::size_t designs_of(const std::vector<Row>& rows, const std::string& problem, std::size_t device) {
    std::set<std::pair<std::string, std::string>> designs;
    for (const Row& row : rows)
        if (row.problem == problem && row.device == device)
            designs.emplace(row.spec + (row.design->chebyshev ? ", chebyshev" : ""), row.multiplier);
    return designs.size();
}

std::vector<doc::Best> best_of(const Comparison& c, const std::vector<Row>& rows) {
    std::vector<doc::Best> list;
    for (const std::string& problem : c.problems)
        for (std::size_t d = 0; d < c.devices.size(); ++d)
            for (const doc::By by : {doc::By::time, doc::By::area_time}) {
                const Row* row = best_row(rows, problem, d, by);
                if (row == nullptr) continue;
                list.push_back({.problem = problem,
                                .device = c.devices[d].id,
                                .by = by,
                                .designs = designs_of(rows, problem, d),
                                .spec = row->spec,
                                .multiplier = doc::known_value_of<doc::Multiplier>(row->multiplier),
                                .lanes = lanes_of(*row),
                                .resident = row->resident.has_value(),
                                .cores = row->estimate.cores,
                                .inner = row->solve.inner,
                                .bound = doc::known_value_of<doc::Bound>(row->estimate.bound),
                                .seconds = row->estimate.seconds,
                                .area_share = row->estimate.area_share,
                                .area_time = row->estimate.area_time,
                                .kind = doc::Kind::modelled,
                                .stages = formats_of(row->design->spec),
                                .origins = row->origins,
                                .chebyshev = flag(row->design->chebyshev)});
            }
    return list;
}

/// The best that any design with each format of a stage reaches; nothing where there is no row.
std::optional<doc::StageChoices> choices_of(const Comparison& c, const std::vector<Row>& rows,
                                            const std::string& problem, std::size_t device, std::size_t stage,
                                            doc::By by) {
    std::map<std::string, std::vector<Row>> by_format;
    doc::StageChoices s{.problem = problem, .device = c.devices[device].id, .by = by, .kind = doc::Kind::modelled};
    for (const Row& row : rows)
        if (row.problem == problem && row.device == device) {
            const auto [what, format] = stages_of(row.design->spec)[stage];
            s.stage = what;
            by_format[format].push_back(row);
        }
    if (by_format.empty()) return std::nullopt;
    for (const auto& [format, of] : by_format) {
        const Row* best = best_row(of, problem, device, by);
        s.choices.push_back({format, best->spec, doc::known_value_of<doc::Multiplier>(best->multiplier),
                             best->estimate.cores, best->estimate.seconds, best->estimate.area_time});
    }
    std::ranges::stable_sort(s.choices, {},
                             by == doc::By::time ? &doc::StageChoice::seconds : &doc::StageChoice::area_time);
    s.format = s.choices.front().format;
    return s;
}

std::vector<doc::StageChoices> all_choices(const Comparison& c, const std::vector<Row>& rows) {
    std::vector<doc::StageChoices> list;
    for (const std::string& problem : c.problems)
        for (std::size_t d = 0; d < c.devices.size(); ++d)
            for (std::size_t stage = 0; stage < 4; ++stage)
                for (const doc::By by : {doc::By::time, doc::By::area_time})
                    if (auto choices = choices_of(c, rows, problem, d, stage, by)) list.push_back(std::move(*choices));
    return list;
}

std::vector<doc::Peer> peers_of(const Comparison& c, const Gathered& g) {
    std::vector<doc::Peer> list;
    for (const Peer& p : g.peers)
        list.push_back({.problem = p.problem,
                        .engine = doc::known_value_of<doc::PeerEngine>(p.engine),
                        .label = p.label,
                        .iterations = p.iterations,
                        .outer_iterations = p.outer,
                        .seconds = p.seconds,
                        .seconds_least = p.least,
                        .seconds_most = p.most,
                        .true_residual = doc::finite(p.true_residual),
                        .reached = p.true_residual <= c.tolerance * 1.001,
                        .error = p.error,
                        .energy_joules = p.joules,
                        .kind = doc::Kind::measured,
                        .origin = p.origin});
    return list;
}

std::vector<std::string> assumptions(const Comparison& c, const Gathered& g) {
    if (c.designs.empty())
        return {
            "Nothing here ran on an FPGA: cycles are counted by a solve on the emulated engine, clocks are those of "
            "the cycle core's formula, which the RTL keeps (docs/cycle_core.md), at a clock that is given (modelled).",
            "Slices are of netlists that were mapped, or on the line through two of them, not of placed ones; memories "
            "are counted in bits, without their shapes and ports.",
            "Several cores split every level's rows, and share rows with their neighbours after each sweep; all run at "
            "the single core's clock.",
            "Energy is the device's greatest power times the time."};
    std::vector<std::string> list = {
        "Nothing here ran on an FPGA: clocks of a pass are counted on the simulated RTL core, areas on its mapped "
        "netlist; seconds are clocks over a clock frequency (modelled).",
        "Slices are estimated from LUTs and flip-flops that share no LUT's place (docs/synthesis.md); the core is "
        "synthesised with the streams of its row form, or with a stencil held in it where the design asks for that, "
        "and "
        "rows up to 1025, whatever the problem.",
        fmt::format("Cores may take {:.0f} % of a device's slices, and all of its multipliers and block memories.",
                    100 * c.fill),
        "Several cores split the grid into strips of whole rows; each also streams the two rows beside its strip, and "
        "their dot products are added in a tree (modelled). All run at the single core's clock.",
        fmt::format("An element moves eight words of vectors in a pass{}; words are {}.",
                    c.constant_bands ? ", and words of the matrix (nine bands, four couplings of fluxes and integers) "
                                       "only where the bands vary"
                                     : " and the streamed words of its row form: nine bands for products, four "
                                       "couplings for fluxes and integers, none for second differences",
                    c.packed ? "packed without gaps" : "rounded up to bytes"),
        "A device with pins streams over them, one bit a pin and clock; a device with a memory bandwidth moves at most "
        "that; a device with neither waits for no memory."};
    if (std::any_of(c.designs.begin(), c.designs.end(), [](const Design& d) { return d.resident; }))
        list.emplace_back(
            "Resident designs keep every vector in memories on the chip, words packed to bits. Counted: iterations "
            "(the whole solve by the resident solver, emulated), clocks of a pass and of an outer step of the resident "
            "RTL core, areas of its units with few lanes. Modelled only: more lanes and several cores, and the layout "
            "of the memories (docs/compare.md).");
    for (std::string& line : sparse_assumptions(c)) list.push_back(std::move(line));
    if (!g.host_step.empty())
        list.emplace_back("An outer step in double precision takes what it took on the processor that ran the "
                          "comparison (measured); with a host link, u, p, r and p cross it in each outer step "
                          "(modelled), and nothing overlaps.");
    for (const Device& d : c.devices)
        if (d.watts)
            list.push_back(fmt::format("Energy on {} is its greatest power, {} W, times the time: an upper bound "
                                       "(modelled).",
                                       d.id, *d.watts));
    bool modelled = false;
    for (const auto& [key, area] : g.areas) modelled = modelled || !g.clocks.contains(key);
    if (modelled) {
        list.emplace_back(
            "The clock of a core that was not placed is modelled: the longest path of its netlist with the "
            "delays of an ECP5 (docs/synthesis.md).");
        std::set<std::string> targets;
        for (const auto& [key, area] : g.areas)
            if (!g.clocks.contains(key)) targets.insert(key.target);
        for (const std::string& target : targets)
            if (synthesis::delay_ratio(target) != 1)
                list.push_back(fmt::format("Delays of {} are assumed to be {} times those of the ECP5.", target,
                                           synthesis::delay_ratio(target)));
    }
    if (!g.clocks.empty())
        list.emplace_back("Placed clocks are of one core alone on an LFE5U-85F of speed grade 8, without I/O buffers.");
    return list;
}

} // namespace

comparison::Ending ending_of(Status status) {
    return doc::known_value_of<doc::Ending>(to_string(status));
}

comparison::ComparisonDocument comparison_document(const Comparison& c, Gathered& g, const std::vector<Row>& rows,
                                                   const std::vector<Row>& constant, const Provenance& here) {
    doc::ComparisonDocument d{.name = c.name,
                              .tolerance = c.tolerance,
                              .scheme = to_string(c.scheme),
                              .inner = c.inner.front(),
                              .inners = c.inner,
                              .assumptions = assumptions(c, g),
                              .designs = designs_of(c, g),
                              .cores = cores_of(g, here)};
    for (const Device& device : c.devices) d.devices.push_back(device_of(device));
    for (const Row& row : rows) d.rows.push_back(row_of(c, row));
    d.sparse = sparse_rows(c, g, here);
    d.cycle_cores = cycle_core_rows(c, g, here);
    d.peers = peers_of(c, g);
    d.section55 = section55(c, g, here);
    d.best = best_of(c, rows);
    d.best_constant_stencil = best_of(c, constant);
    d.stages = all_choices(c, rows);
    d.gaps = g.gaps;
    for (const std::string& problem : c.problems)
        if (const auto it = g.reference.find(problem); it != g.reference.end())
            d.references.push_back({problem, "CG in double", it->second.value, it->second.origin});
    d.findings = findings::sentences(d, g.beside);
    d.origins = g.origins.all();
    return d;
}

} // namespace mantissa::compare
