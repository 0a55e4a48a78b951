// The stored document of a comparison.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "join.hpp"
#include "mantissa/format.hpp"
#include "synthesis/core_clock.hpp"

namespace mantissa::compare {

namespace {

template <class T> results::Json optional_json(const std::optional<T>& value) {
    return value ? results::Json(*value) : results::Json(nullptr);
}

results::Json device_json(const Device& d) {
    results::Json memories = results::Json::array();
    for (const ChipMemory& m : d.memories)
        memories.push_back({{"name", m.name}, {"count", m.count}, {"width", m.width}, {"depth", m.depth}});
    return {{"id", d.id},
            {"name", d.name},
            {"kind", d.kind},
            {"target", d.target},
            {"slices", d.slices},
            {"blocks", d.blocks},
            {"memory_bits", d.memory_bits},
            {"io_bits", optional_json(d.pins)},
            {"bandwidth", optional_json(d.bandwidth)},
            {"link", optional_json(d.link)},
            {"max_mhz", optional_json(d.max_mhz)},
            {"watts", optional_json(d.watts)},
            {"channels", d.channels > 0 ? results::Json(d.channels) : results::Json(nullptr)},
            {"channel_bandwidth", d.channels > 0 ? results::Json(d.channel_bandwidth) : results::Json(nullptr)},
            {"memories", memories},
            {"source", d.source}};
}

results::Json designs_json(const Comparison& c, const Gathered& g) {
    results::Json list = results::Json::array();
    for (const std::string& problem : c.problems)
        for (const Design& design : c.designs) {
            const std::string spec = to_string(design.spec);
            const auto solves = g.solves.find({problem, design.key()});
            if (solves == g.solves.end()) continue;
            const auto* chosen = solve_of(g, problem, design.key());
            const auto& solve = chosen != nullptr ? *chosen : solves->second.front();
            const SolveResult& r = solve.value.result;
            const auto cycles = g.cycles.find({problem, design.cycles_key()});
            const bool counted = cycles != g.cycles.end();
            results::Json engines = results::Json::array();
            for (const auto& s : solves->second)
                engines.push_back({{"engine", s.value.engine},
                                   {"inner", s.value.inner},
                                   {"outer_iterations", s.value.result.outer_iterations},
                                   {"status", to_string(s.value.result.status)},
                                   {"inner_iterations", s.value.result.inner_iterations},
                                   {"seconds", results::number(s.value.result.seconds)},
                                   {"cycles", optional_json(s.value.result.cycles)},
                                   {"origin", s.origin}});
            results::Json stages = results::Json::object();
            for (const auto& [stage, format] : stages_of(design.spec)) stages[stage] = format;
            const Traffic traffic = design.resident || design.sparse
                                        ? Traffic{} // nothing leaves the chip
                                        : traffic_of(design.spec,
                                                     design.constant_bands.value_or(c.constant_bands) &&
                                                         g.problems.at(problem).kind == "stencil",
                                                     c.packed);
            list.push_back(
                {{"spec", spec},
                 {"resident", design.resident},
                 {"sparse", design.sparse},
                 {"problem", problem},
                 {"unknowns", g.problems.at(problem).unknowns},
                 {"stages", stages},
                 {"lanes", design.spec.lanes},
                 {"status", to_string(r.status)},
                 {"engine", solve.value.engine},
                 {"inner", solve.value.inner},
                 {"inner_iterations", r.inner_iterations},
                 {"outer_iterations", r.outer_iterations},
                 {"true_residual", results::number(r.true_residual)},
                 {"error", r.error ? results::number(*r.error) : results::Json(nullptr)},
                 {"iterations_origin", solve.origin},
                 {"engines", engines},
                 {"words_per_element", traffic.words},
                 {"bytes_per_element", traffic.bytes},
                 {"cycles_per_iteration",
                  counted ? results::Json(cycles->second.value.per_pass) : results::Json(nullptr)},
                 {"cycles_origin", counted ? results::Json(cycles->second.origin) : results::Json(nullptr)},
                 {"cycles_engine", counted ? results::Json(cycles->second.value.engine) : results::Json(nullptr)},
                 {"cycles_kind", counted ? results::Json("measured") : results::Json(nullptr)}});
            if (design.chebyshev) list.back()["chebyshev"] = true;
            if (design.jacobi) list.back()["jacobi"] = true;
            if (design.headroom) list.back()["headroom"] = *design.headroom;
        }
    return list;
}

constexpr std::uint64_t kBlockBits = synthesis::SynthesisFigures::kBlockBits;

results::Json cores_json(Gathered& g, const Provenance& here) {
    results::Json list = results::Json::array();
    for (const auto& [key, area] : g.areas) {
        const Sourced<ClockFigures> clock = clock_of(g, key, here);
        const AreaFigures& a = area.value;
        list.push_back({{"spec", key.spec},
                        {"target", key.target},
                        {"multiplier", key.multiplier},
                        {"bands", key.bands},
                        {"part", key.part},
                        {"lanes", parse_spec(key.spec).lanes},
                        {"luts", a.luts},
                        {"memory_luts", a.memory_luts},
                        {"flip_flops", a.flip_flops},
                        {"slices", a.slices},
                        {"slices_kind", "modelled"},
                        {"blocks", a.blocks},
                        {"memory_bits", a.memory_bits},
                        {"memory_blocks", (a.memory_bits + kBlockBits - 1) / kBlockBits},
                        {"io_bits", a.io_bits},
                        {"depth", a.depth},
                        {"mhz", clock.value.mhz},
                        {"mhz_kind", clock.value.kind},
                        {"model_path", a.model_path},
                        {"mhz_origin", clock.origin},
                        {"origin", area.origin}});
    }
    return list;
}

/// Where the vectors of a resident design are, and what its outer loop takes; null for others.
results::Json resident_json(const Device& device, const Row& row) {
    if (!row.resident) return nullptr;
    const ResidentEstimate& e = *row.resident;
    results::Json memories = results::Json::array();
    for (std::size_t i = 0; i < e.memories.size(); ++i)
        memories.push_back(
            {{"name", device.memories[i].name}, {"used", e.memories[i]}, {"count", device.memories[i].count}});
    return {{"outer_lanes", e.outer_lanes},   {"outer_words", to_string(*row.design->outer)},
            {"fixed_clocks", e.fixed_clocks}, {"outer_clocks", e.outer_clocks},
            {"seconds_link", e.seconds_link}, {"memories", memories}};
}

results::Json row_json(const Comparison& c, const Row& row) {
    const Estimate& e = row.estimate;
    const Device& device = c.devices[row.device];
    results::Json j{{"problem", row.problem},
                    {"device", device.id},
                    {"spec", row.spec},
                    {"multiplier", row.multiplier},
                    {"lanes", row.resident ? row.resident->lanes : row.design->spec.lanes},
                    {"cores", e.cores},
                    {"bound", e.bound},
                    {"clock_hz", row.clock_hz},
                    {"clock_kind", row.clock_kind},
                    {"inner", row.solve.inner},
                    {"inner_iterations", row.solve.result.inner_iterations},
                    {"outer_iterations", row.solve.result.outer_iterations},
                    {"cycles_per_iteration", e.pass_clocks},
                    {"bytes_per_iteration", e.pass_bytes},
                    {"seconds_per_iteration", e.pass_seconds},
                    {"seconds_inner", e.seconds_inner},
                    {"seconds_outer", e.seconds_host + e.seconds_link},
                    {"seconds", e.seconds},
                    {"seconds_kind", "modelled"},
                    {"slices", row.core.slices * e.cores},
                    {"blocks", row.core.blocks * e.cores},
                    {"memory_bits", row.core.memory_bits * e.cores},
                    {"area_share", e.area_share},
                    {"area_time", e.area_time},
                    {"energy_joules", device.watts ? results::Json(*device.watts * e.seconds) : results::Json(nullptr)},
                    {"pareto", row.pareto},
                    {"resident", resident_json(device, row)},
                    {"modelled", row.modelled},
                    {"origins", row.origins}};
    if (row.design->chebyshev) j["chebyshev"] = true;
    return j;
}

/// How many designs are compared on a device.
std::size_t designs_of(const std::vector<Row>& rows, const std::string& problem, std::size_t device) {
    std::set<std::pair<std::string, std::string>> designs;
    for (const Row& row : rows)
        if (row.problem == problem && row.device == device)
            designs.emplace(row.spec + (row.design->chebyshev ? ", chebyshev" : ""), row.multiplier);
    return designs.size();
}

results::Json best_json(const Comparison& c, const std::vector<Row>& rows) {
    results::Json list = results::Json::array();
    for (const std::string& problem : c.problems)
        for (std::size_t d = 0; d < c.devices.size(); ++d)
            for (const char* by : {"time", "area_time"}) {
                const Row* row = best_row(rows, problem, d, by);
                if (row == nullptr) continue;
                results::Json stages = results::Json::object();
                for (const auto& [stage, format] : stages_of(row->design->spec)) stages[stage] = format;
                list.push_back({{"problem", problem},
                                {"device", c.devices[d].id},
                                {"by", by},
                                {"designs", designs_of(rows, problem, d)},
                                {"spec", row->spec},
                                {"multiplier", row->multiplier},
                                {"lanes", row->resident ? row->resident->lanes : row->design->spec.lanes},
                                {"resident", row->resident.has_value()},
                                {"cores", row->estimate.cores},
                                {"inner", row->solve.inner},
                                {"bound", row->estimate.bound},
                                {"seconds", row->estimate.seconds},
                                {"area_share", row->estimate.area_share},
                                {"area_time", row->estimate.area_time},
                                {"kind", "modelled"},
                                {"stages", stages},
                                {"origins", row->origins}});
                if (row->design->chebyshev) list.back()["chebyshev"] = true;
            }
    return list;
}

/// For each stage, the best that any design with each of its formats reaches.
results::Json stages_json(const Comparison& c, const std::vector<Row>& rows) {
    results::Json list = results::Json::array();
    for (const std::string& problem : c.problems)
        for (std::size_t d = 0; d < c.devices.size(); ++d)
            for (std::size_t stage = 0; stage < 4; ++stage)
                for (const char* by : {"time", "area_time"}) {
                    std::map<std::string, std::vector<Row>> by_format;
                    std::string name;
                    for (const Row& row : rows)
                        if (row.problem == problem && row.device == d) {
                            const auto [what, format] = stages_of(row.design->spec)[stage];
                            name = what;
                            by_format[format].push_back(row);
                        }
                    if (by_format.empty()) continue;
                    results::Json choices = results::Json::array();
                    for (const auto& [format, of] : by_format) {
                        const Row* best = best_row(of, problem, d, by);
                        choices.push_back({{"format", format},
                                           {"spec", best->spec},
                                           {"multiplier", best->multiplier},
                                           {"cores", best->estimate.cores},
                                           {"seconds", best->estimate.seconds},
                                           {"area_time", best->estimate.area_time}});
                    }
                    const char* measure = std::string_view(by) == "time" ? "seconds" : "area_time";
                    std::stable_sort(choices.begin(), choices.end(),
                                     [&](const results::Json& a, const results::Json& b) {
                                         return a[measure].get<double>() < b[measure].get<double>();
                                     });
                    list.push_back({{"problem", problem},
                                    {"device", c.devices[d].id},
                                    {"stage", name},
                                    {"by", by},
                                    {"format", choices.front()["format"]},
                                    {"kind", "modelled"},
                                    {"choices", choices}});
                }
    return list;
}

results::Json peers_json(const Comparison& c, const Gathered& g) {
    results::Json list = results::Json::array();
    for (const Peer& p : g.peers)
        list.push_back({{"problem", p.problem},
                        {"engine", p.engine},
                        {"label", p.label},
                        {"iterations", p.iterations},
                        {"outer_iterations", p.outer},
                        {"seconds", p.seconds},
                        {"seconds_least", optional_json(p.least)},
                        {"seconds_most", optional_json(p.most)},
                        {"true_residual", results::number(p.true_residual)},
                        {"reached", p.true_residual <= c.tolerance * 1.001},
                        {"error", optional_json(p.error)},
                        {"energy_joules", optional_json(p.joules)},
                        {"kind", "measured"},
                        {"origin", p.origin}});
    return list;
}

std::vector<std::string> assumptions(const Comparison& c, const Gathered& g) {
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

results::Json comparison_document(const Comparison& c, Gathered& g, const std::vector<Row>& rows,
                                  const std::vector<Row>& constant, const Provenance& here) {
    results::Json j;
    j["name"] = c.name;
    j["tolerance"] = c.tolerance;
    j["scheme"] = to_string(c.scheme);
    j["inner"] = c.inner.front();
    j["inners"] = c.inner;
    j["assumptions"] = assumptions(c, g);
    j["devices"] = results::Json::array();
    for (const Device& d : c.devices) j["devices"].push_back(device_json(d));
    j["designs"] = designs_json(c, g);
    j["cores"] = cores_json(g, here);
    j["rows"] = results::Json::array();
    for (const Row& row : rows) j["rows"].push_back(row_json(c, row));
    j["sparse"] = sparse_json(c, g, here);
    j["cycle_cores"] = cycle_cores_json(c, g, here);
    j["peers"] = peers_json(c, g);
    j["section55"] = section55(c, g, here);
    j["best"] = best_json(c, rows);
    j["best_constant_stencil"] = best_json(c, constant);
    j["stages"] = stages_json(c, rows);
    j["gaps"] = results::Json::array();
    for (const Gap& gap : g.gaps) j["gaps"].push_back({{"what", gap.what}, {"why", gap.why}, {"mend", gap.mend}});
    j["references"] = results::Json::array();
    for (const std::string& problem : c.problems)
        if (const auto it = g.reference.find(problem); it != g.reference.end())
            j["references"].push_back({{"problem", problem},
                                       {"what", "CG in double"},
                                       {"iterations", it->second.value},
                                       {"origin", it->second.origin}});
    j["findings"] = findings::sentences(comparison::document_from_json(j), g.beside);
    j["origins"] = g.origins.to_json();
    return j;
}

} // namespace mantissa::compare
