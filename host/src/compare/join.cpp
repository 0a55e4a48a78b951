#include "join.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "synthesis/core_clock.hpp"
#include "synthesis/synthesis.hpp"

namespace mantissa::compare {

namespace {

constexpr const char* kModel = "time and area of several cores: the model of docs/compare.md";

struct Joiner {
    const Comparison& c;
    Gathered& g;
    const Provenance& here;
    std::vector<Row> rows{};
    GapGroups unfit{};

    void gap(Gap gap) const {
        if (std::find(g.gaps.begin(), g.gaps.end(), gap) == g.gaps.end()) g.gaps.push_back(std::move(gap));
    }

    /// Gaps for what did not converge, and for engines that disagree.
    std::vector<const Sourced<SolveFigures>*> solves(const std::string& problem, const Design& design) const {
        const auto it = g.solves.find({problem, design.key()});
        if (it == g.solves.end()) return {}; // gathering has said why
        const std::string what = fmt::format("{} on {}", design.key(), problem);
        auto chosen = solves_of(c, g, problem, design.key());
        if (chosen.empty())
            gap({what, "its solve ended: " + to_string(it->second.front().value.result.status),
                 "give u or row more bits, or loosen the tolerance"});
        for (const auto& other : it->second)
            if (const auto* first = solve_of(g, problem, design.key());
                first != nullptr && other.value.inner == first->value.inner &&
                other.value.result.inner_iterations != first->value.result.inner_iterations)
                gap({what,
                     fmt::format("engines disagree: {} iterations on {}, {} on {}",
                                 first->value.result.inner_iterations, first->value.engine,
                                 other.value.result.inner_iterations, other.value.engine),
                     fmt::format("find the first difference with mantissa solve --engine {} --check {}",
                                 other.value.engine, first->value.engine)});
        return chosen;
    }

    Sourced<ClockFigures> clock(const Design& design, const Device& device, const CoreKey& key) const {
        return design_clock(g, design, device, key, here);
    }

    void enter_resident(const RowSeed& seed) {
        const Device& device = c.devices[seed.device];
        std::string why_not; // (of a problem without a constant stencil gathering has said why)
        std::vector<Row> of_design = resident_rows(
            seed, [&](const CoreKey& key) { return clock(seed.design, device, key); }, why_not);
        if (!why_not.empty())
            gap({fmt::format("{} on {}, {}", seed.design.key(), device.name, seed.problem),
                 fmt::format("its vectors and one lane do not fit (short of {})", why_not),
                 "choose a larger device, a smaller problem or shorter words"});
        for (Row& row : of_design) rows.push_back(std::move(row));
    }

    void enter(const std::string& problem, const Design& design, std::size_t index, const std::string& multiplier) {
        const Device& device = c.devices[index];
        const std::string spec = to_string(design.spec);
        const auto solved = solves(problem, design);
        if (design.sparse) return; // its rows stand apart: join_sparse.cpp
        if (design.resident) {
            enter_resident({c, g, here, problem, design, index, multiplier, solved});
            return;
        }
        const CoreKey key{spec, device.target, multiplier, design.core_bands(), design.core_part()};
        const auto cycles = g.cycles.find({problem, design.key()});
        const auto area = g.areas.find(key);
        const auto host = g.host_step.find(problem);
        if (solved.empty() || cycles == g.cycles.end() || area == g.areas.end() || host == g.host_step.end()) return;
        const ProblemFacts& facts = g.problems.at(problem);
        const AreaFigures& a = area->second.value;
        const CoreArea core{a.slices, a.blocks, a.memory_bits};
        const Sourced<ClockFigures> mhz = clock(design, device, key);
        if (design.constant_bands.value_or(false) && facts.kind != "stencil") {
            gap({fmt::format("{} on {}", design.key(), problem),
                 "bands = \"constant\" holds a stencil, and this problem's bands vary",
                 "give the design bands = \"streamed\" for it"});
            return;
        }
        const bool constant = design.constant_bands.value_or(c.constant_bands) && facts.kind == "stencil";
        const Traffic traffic = traffic_of(design.spec, constant, c.packed);
        Workload work{static_cast<double>(facts.unknowns),
                      static_cast<double>(facts.row_length),
                      cycles->second.value.per_pass,
                      0,
                      0,
                      host->second.value};
        // Iterations do not change how many cores are worth their while; the shortest of the solves is taken.
        Fit fit;
        std::vector<Estimate> list;
        std::vector<const Sourced<SolveFigures>*> taken;
        for (const auto* solve : solved) {
            work.iterations = static_cast<double>(solve->value.result.inner_iterations);
            work.outer = static_cast<double>(solve->value.result.outer_iterations);
            const auto these = estimates(core, design.spec, traffic, work, device, c.fill, mhz.value.mhz * 1e6, fit);
            list.resize(these.size());
            taken.resize(these.size());
            for (std::size_t i = 0; i < these.size(); ++i)
                if (taken[i] == nullptr || these[i].seconds < list[i].seconds) {
                    list[i] = these[i];
                    taken[i] = solve;
                }
        }
        if (list.empty())
            unfit.add(fmt::format("one core does not fit {} (short of {}); choose a larger device or shorter formats{}",
                                  device.name, fit.bound,
                                  fit.bound == "blocks" && multiplier == "block"
                                      ? ", or give the design multiplier = \"logic\""
                                      : ""),
                      fmt::format("{}, {} multipliers", spec, multiplier));
        for (std::size_t i = 0; i < list.size(); ++i) {
            const Estimate& e = list[i];
            Row row;
            row.problem = problem;
            row.device = index;
            row.design = &design;
            row.spec = spec;
            row.multiplier = multiplier;
            row.solve = taken[i]->value;
            row.estimate = e;
            row.core = core;
            row.clock_hz = mhz.value.mhz * 1e6;
            row.clock_kind = mhz.value.kind;
            row.cycles_per_pass = cycles->second.value.per_pass;
            row.modelled = {"slices", "area_share", "area_time", "seconds_inner", "seconds"};
            if (e.cores > 1) row.modelled.emplace_back("cycles_per_iteration");
            if (mhz.value.kind == "modelled") row.modelled.emplace_back("clock_hz");
            if (device.link) row.modelled.emplace_back("seconds_outer");
            if (device.watts) row.modelled.emplace_back("energy_joules");
            row.origins = {taken[i]->origin,
                           cycles->second.origin,
                           area->second.origin,
                           mhz.origin,
                           host->second.origin,
                           g.origins.add({"given", fmt::format("{}: {}", device.name, device.source), here}),
                           g.origins.add({"modelled", kModel, here})};
            rows.push_back(std::move(row));
        }
    }

    void mark_front(const std::string& problem, std::size_t device) {
        std::vector<std::size_t> of;
        std::vector<std::pair<double, double>> points;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (rows[i].problem == problem && rows[i].device == device) {
                of.push_back(i);
                points.emplace_back(rows[i].estimate.area_share, rows[i].estimate.seconds);
            }
        const auto front = pareto_front(points);
        for (std::size_t i = 0; i < of.size(); ++i) rows[of[i]].pareto = front[i];
    }
};

} // namespace

const Sourced<SolveFigures>* solve_of(const Gathered& gathered, const std::string& problem, const std::string& design) {
    const auto it = gathered.solves.find({problem, design});
    if (it == gathered.solves.end()) return nullptr;
    for (const auto& solve : it->second)
        if (solve.value.inner == it->second.front().value.inner && solve.value.result.status == Status::converged)
            return &solve;
    return nullptr;
}

std::vector<const Sourced<SolveFigures>*> solves_of(const Comparison& comparison, const Gathered& gathered,
                                                    const std::string& problem, const std::string& design) {
    std::vector<const Sourced<SolveFigures>*> list;
    const auto it = gathered.solves.find({problem, design});
    if (it == gathered.solves.end()) return list;
    for (const std::uint64_t inner : comparison.inner)
        for (const auto& solve : it->second)
            if (solve.value.inner == inner && solve.value.result.status == Status::converged) {
                list.push_back(&solve);
                break;
            }
    return list;
}

Sourced<ClockFigures> clock_of(Gathered& gathered, const CoreKey& key, const Provenance& here) {
    if (const auto placed = gathered.clocks.find(key); placed != gathered.clocks.end()) return placed->second;
    const AreaFigures& a = gathered.areas.at(key).value;
    const synthesis::CoreClock clock = synthesis::modelled_clock(key.target, a.model_mhz, a.model_path);
    return {{clock.mhz, clock.kind},
            gathered.origins.add({clock.kind,
                                  fmt::format("longest path of the netlist of {} on {}, {} multipliers: {}", key.spec,
                                              key.target, key.multiplier, clock.derivation),
                                  here})};
}

Sourced<ClockFigures> design_clock(Gathered& g, const Design& design, const Device& device, const CoreKey& key,
                                   const Provenance& here) {
    Sourced<ClockFigures> clock;
    if (design.clock_mhz)
        clock = {{*design.clock_mhz, "given"}, g.origins.add({"given", "clock of the comparison file", here})};
    else if (device.clock_mhz && !g.clocks.contains(key))
        clock = {{*device.clock_mhz, "given"}, g.origins.add({"given", "clock of the device file", here})};
    else clock = clock_of(g, key, here);
    if (device.max_mhz && clock.value.mhz > *device.max_mhz)
        clock = {{*device.max_mhz, "given"},
                 g.origins.add({"given", fmt::format("greatest clock of {}: {}", device.id, device.source), here})};
    return clock;
}

std::vector<Row> join(const Comparison& comparison, Gathered& gathered, const Provenance& here) {
    Joiner joiner{comparison, gathered, here};
    for (const std::string& problem : comparison.problems)
        for (const Design& design : comparison.designs)
            for (const auto& [device, multiplier] : design.cores) joiner.enter(problem, design, device, multiplier);
    for (const std::string& problem : comparison.problems)
        for (std::size_t device = 0; device < comparison.devices.size(); ++device) joiner.mark_front(problem, device);
    for (Gap& gap : joiner.unfit.gaps("cores")) joiner.gap(std::move(gap));
    return std::move(joiner.rows);
}

std::vector<Row> join_constant(const Comparison& comparison, Gathered& gathered, const Provenance& here) {
    const bool streamed = std::ranges::any_of(comparison.designs, [](const Design& d) {
        return !d.resident && !d.sparse && !d.constant_bands.value_or(false) && !synthesis::holds_stencil(d.spec);
    });
    if (!streamed) return {}; // it would say what the rows say
    Comparison held = comparison;
    held.constant_bands = true;
    std::erase_if(held.problems, [&](const std::string& p) {
        return comparison.constant_bands || gathered.problems.at(p).kind != "stencil";
    });
    std::vector<Row> rows = join(held, gathered, here);
    std::erase_if(rows, [](const Row& row) { return row.resident.has_value(); }); // nothing of theirs is streamed
    for (Row& row : rows)                                                         // the rows outlive `held`
        row.design = &comparison.designs[static_cast<std::size_t>(row.design - held.designs.data())];
    return rows;
}

const Row* best_row(const std::vector<Row>& rows, const std::string& problem, std::size_t device, comparison::By by) {
    const Row* best = nullptr;
    const auto measure = [&](const Row& row) {
        return by == comparison::By::time ? std::pair(row.estimate.seconds, row.estimate.area_share)
                                          : std::pair(row.estimate.area_time, row.estimate.seconds);
    };
    for (const Row& row : rows)
        if (row.problem == problem && row.device == device && (best == nullptr || measure(row) < measure(*best)))
            best = &row;
    return best;
}

std::vector<std::pair<comparison::Stage, std::string>> stages_of(const DatapathSpec& s) {
    using comparison::Stage;
    const std::string vectors = s.r == s.p && s.p == s.q
                                    ? to_string(s.r)
                                    : fmt::format("r={},p={},q={}", to_string(s.r), to_string(s.p), to_string(s.q));
    const DotSpec& d = s.dot;
    std::string dot = d.fixed ? fmt::format("fixed[{}:{}]", d.window.msb, d.window.lsb)
                              : fmt::format("{}/{}", to_string(d.accumulator), d.depth);
    // (Sums of words are exact: a row is rounded once, where q is made, and a dot product not at all.)
    if (s.fixed_vectors())
        return {{Stage::vectors, vectors},
                {Stage::iterate, to_string(s.u)},
                {Stage::row_sum, "exact"},
                {Stage::accumulators, "exact"}};
    return {{Stage::vectors, vectors},
            {Stage::iterate, to_string(s.u)},
            {Stage::row_sum, to_string(s.row) + (s.order == RowOrder::tree ? " in a tree" : "")},
            {Stage::accumulators, std::move(dot)}};
}

} // namespace mantissa::compare
