// Sparse designs: which cores fit, the time of their passes and solves, and what stands beside them.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "join.hpp"
#include "mantissa/format.hpp"

namespace mantissa::compare {

namespace {

constexpr const char* kModel = "sparse cores on a device: the model of docs/compare.md, \"Sparse designs\"";

/// Operations of an iteration: a multiplication and an addition for each entry of the matrix, and twelve for each
/// element of the vectors. Whatever else an engine computes is not counted, so that all are measured alike.
double operations_of(double nonzeros, double unknowns) {
    return 2 * nonzeros + 12 * unknowns;
}

/// Areas of the mapped cores by lanes.
std::map<int, CoreArea> areas_of(const Gathered& g, const Design& design, const std::string& target,
                                 const std::string& multiplier, std::vector<std::string>& origins) {
    std::map<int, CoreArea> areas;
    for (const int lanes : kMappedLanes) {
        const auto it =
            g.areas.find({to_string(with_lanes(design.spec, lanes)), target, multiplier, "streamed", "sparse"});
        if (it == g.areas.end()) continue;
        const AreaFigures& a = it->second.value;
        areas[lanes] = {a.slices, a.blocks, a.memory_bits};
        origins.push_back(it->second.origin);
    }
    return areas;
}

using comparison::Ending;
using comparison::Kind;
using comparison::SparseRow;

struct SparseJoiner {
    const Comparison& c;
    Gathered& g;
    const Provenance& here;
    std::vector<SparseRow> rows{};

    void gap(Gap gap) const {
        if (std::find(g.gaps.begin(), g.gaps.end(), gap) == g.gaps.end()) g.gaps.push_back(std::move(gap));
    }

    [[nodiscard]] double operations(const std::string& problem) const {
        const ProblemFacts& facts = g.problems.at(problem);
        return operations_of(static_cast<double>(facts.nonzeros), static_cast<double>(facts.unknowns));
    }

    /// What an iteration's time says, for ours and for others'.
    void add_rates(SparseRow& row, double seconds, const std::optional<double>& watts) const {
        row.seconds_per_iteration = seconds;
        row.operations_per_second = operations(row.problem) / seconds;
        row.watts = watts;
        if (watts) row.operations_per_joule = row.operations_per_second / *watts;
    }

    /// The fastest converged solve; null figures where none converged.
    void add_solve(SparseRow& row, const Design& design, const Device& device) const {
        const std::string& problem = row.problem;
        const double pass_seconds = row.seconds_per_iteration;
        const auto solves = solves_of(c, g, problem, design.key());
        const auto host = g.host_step.find(problem);
        const Sourced<SolveFigures>* best = nullptr;
        double least = 0;
        for (const auto* solve : solves) {
            const SolveResult& r = solve->value.result;
            double step = host == g.host_step.end() ? 0 : host->second.value;
            if (device.link)
                step += traffic_of(design.spec, false, c.packed).vector_bytes *
                        static_cast<double>(g.problems.at(problem).unknowns) / *device.link;
            const double seconds =
                static_cast<double>(r.inner_iterations) * pass_seconds + static_cast<double>(r.outer_iterations) * step;
            if (best == nullptr || seconds < least) {
                best = solve;
                least = seconds;
            }
        }
        const auto any = g.solves.find({problem, design.key()});
        row.status = best != nullptr         ? Ending::converged
                     : any == g.solves.end() ? Ending::not_solved
                                             : ending_of(any->second.front().value.result.status);
        if (best == nullptr || host == g.host_step.end()) return;
        const SolveResult& r = best->value.result;
        row.inner = best->value.inner;
        row.iterations = r.inner_iterations;
        row.outer_iterations = r.outer_iterations;
        row.true_residual = comparison::finite(r.true_residual);
        row.seconds_inner = static_cast<double>(r.inner_iterations) * pass_seconds;
        row.seconds = least;
        row.area_time = *row.area_share * least;
        if (device.watts) row.energy_joules = *device.watts * least;
        row.origins.push_back(best->origin);
        row.origins.push_back(host->second.origin);
    }

    void enter(const std::string& problem, const Design& design, std::size_t index, const std::string& multiplier) {
        const Device& device = c.devices[index];
        std::vector<Gap> unfit;
        for (const SparsePlan& plan : sparse_plans(c, g, here, problem, design, index, multiplier, &unfit)) {
            const auto found = g.sparse_passes.find(plan.key);
            if (found == g.sparse_passes.end()) continue; // gathering has said why
            const SparsePassFigures& f = found->second.value;
            SparseRow row;
            row.problem = problem;
            row.device = device.id;
            row.kind = Kind::modelled;
            row.label = fmt::format("{} x {} lanes", plan.fit.cores, plan.fit.lanes);
            row.spec = to_string(design.spec);
            row.multiplier = comparison::known_value_of<comparison::Multiplier>(multiplier);
            row.cores = plan.fit.cores;
            row.lanes = plan.fit.lanes;
            row.channels = plan.fit.cores * plan.fit.channels;
            row.bound = comparison::known_value_of<comparison::Bound>(plan.fit.bound);
            row.clock_hz = plan.clock.value.mhz * 1e6;
            row.clock_kind = comparison::known_value_of<Kind>(plan.clock.value.kind);
            row.cycles_per_iteration = f.clocks;
            row.cycles_kind = Kind::measured;
            row.cycles_one_core = f.one_core;
            row.beats = f.beats;
            row.addresses = f.addresses;
            row.fixed_clocks = f.fixed;
            row.conflict_beats = f.conflict_beats;
            row.fill = f.fill;
            row.slices = plan.fit.area.slices;
            row.blocks = plan.fit.area.blocks;
            row.area_share = plan.fit.area_share;
            for (std::size_t i = 0; i < plan.fit.memories.size(); ++i)
                row.memories.push_back({device.memories[i].name, plan.fit.memories[i], {}});
            row.modelled = {"area_share",       "slices",  "seconds_per_iteration", "operations_per_second",
                            "bytes_per_second", "seconds", "operations_per_joule",  "energy_joules",
                            "area_time"};
            row.origins = plan.origins;
            row.origins.push_back(found->second.origin);
            row.origins.push_back(plan.clock.origin);
            row.origins.push_back(g.origins.add({"given", fmt::format("{}: {}", device.name, device.source), here}));
            row.origins.push_back(g.origins.add({"modelled", kModel, here}));
            add_rates(row, f.clocks / *row.clock_hz, device.watts);
            row.bytes_per_second =
                static_cast<double>(f.beat_bits) / 8 * static_cast<double>(f.beats) / row.seconds_per_iteration;
            add_solve(row, design, device);
            rows.push_back(std::move(row));
        }
        for (Gap& what : unfit) gap(std::move(what));
    }

    /// Marks our rows that no other of the same problem and device beats in area and time.
    void mark_fronts() {
        std::map<std::pair<std::string, std::string>, std::vector<SparseRow*>> groups;
        for (SparseRow& row : rows)
            if (row.ours() && row.seconds) groups[{row.problem, *row.device}].push_back(&row);
        for (const auto& [unused, of] : groups) {
            std::vector<std::pair<double, double>> points;
            for (const SparseRow* row : of) points.emplace_back(*row->area_share, *row->seconds);
            const std::vector<bool> front = pareto_front(points);
            for (std::size_t k = 0; k < of.size(); ++k) of[k]->pareto = front[k];
        }
    }

    /// A row of somebody else's time.
    SparseRow beside(const std::string& problem, Kind kind, const std::string& label, double seconds,
                     const std::optional<double>& watts, const std::string& origin) const {
        SparseRow row;
        row.problem = problem;
        row.kind = kind;
        row.label = label;
        row.origins = {origin};
        add_rates(row, seconds, watts);
        return row;
    }

    void enter_beside(const std::string& problem) {
        for (const GpuSparse& run : g.gpu_sparse) {
            if (run.problem != problem) continue;
            SparseRow row = beside(problem, Kind::measured, run.label,
                                   run.seconds / static_cast<double>(run.iterations), c.gpu_watts, run.origin);
            row.status = run.converged ? Ending::converged : Ending::iteration_limit;
            row.iterations = run.iterations;
            if (run.converged) {
                row.seconds = run.seconds;
                if (c.gpu_watts) row.energy_joules = *c.gpu_watts * run.seconds;
            }
            rows.push_back(std::move(row));
        }
        for (const Published& p : c.published) {
            if (p.problem != problem) continue;
            const Device* device = p.device ? &c.devices[*p.device] : nullptr;
            SparseRow row =
                beside(problem, Kind::published, p.label, p.seconds_per_iteration,
                       device != nullptr ? device->watts : std::nullopt, g.origins.add({"given", p.source, here}));
            if (device != nullptr) row.device = device->id;
            rows.push_back(std::move(row));
        }
    }
};

} // namespace

std::vector<SparsePlan> sparse_plans(const Comparison& c, Gathered& g, const Provenance& here,
                                     const std::string& problem, const Design& design, std::size_t index,
                                     const std::string& multiplier, std::vector<Gap>* unfit) {
    const Device& device = c.devices[index];
    std::vector<std::string> origins;
    const std::map<int, CoreArea> areas = areas_of(g, design, device.target, multiplier, origins);
    if (!areas.contains(1)) return {}; // gathering has said why
    // The clock of the core with the most lanes that were mapped: the nearest to what is built.
    const CoreKey widest{to_string(with_lanes(design.spec, areas.rbegin()->first)), device.target, multiplier,
                         "streamed", "sparse"};
    const Sourced<ClockFigures> clock = design_clock(g, design, device, widest, here);
    std::vector<SparsePlan> plans;
    for (const std::uint64_t cores : design.sparse_cores) {
        std::string why_not;
        for (SparseCores& fit : sparse_arrangements(LaneArea(areas), design.spec, g.problems.at(problem).unknowns,
                                                    cores, device, c.fill, clock.value.mhz * 1e6, why_not)) {
            std::string key =
                fmt::format("{}; {}; {}; {}; {} x {}", problem, design.key(), device.id, multiplier, cores, fit.lanes);
            plans.push_back({std::move(fit), clock, origins, std::move(key)});
        }
        if (!why_not.empty() && unfit != nullptr)
            unfit->push_back({fmt::format("{} cores of {} on {}, {}", cores, design.key(), device.name, problem),
                              fmt::format("they do not fit with one lane (short of {})", why_not),
                              "give fewer cores, a larger device or shorter words"});
    }
    return plans;
}

std::vector<SparseRow> sparse_rows(const Comparison& c, Gathered& g, const Provenance& here) {
    SparseJoiner joiner{c, g, here};
    if (!c.has_sparse()) return joiner.rows;
    for (const std::string& problem : c.problems) {
        for (const Design& design : c.designs)
            if (design.sparse)
                for (const auto& [device, multiplier] : design.cores) joiner.enter(problem, design, device, multiplier);
        joiner.enter_beside(problem);
    }
    joiner.mark_fronts();
    return std::move(joiner.rows);
}

std::vector<std::string> sparse_assumptions(const Comparison& c) {
    if (!c.has_sparse()) return {};
    std::vector<std::string> list = {
        "Sparse designs keep u, r, p and q on the chip and stream the matrix from the memory's channels once a pass. "
        "Counted: clocks of a pass on the timed SystemC model, also of several cores; cells of the RTL core with 1, 4 "
        "and 16 lanes for 1,024 rows a lane; iterations of the whole solve of the matrix scaled by its diagonal, "
        "emulated. Modelled only: area with other numbers of lanes (linear between and beyond; beyond 16 too "
        "small, since a lane's share of the gather grows with the lanes), memories of longer vectors, the power.",
        "A channel brings its full bandwidth in pieces of 32 bytes, 100 clocks after a request. FIFOs of channels and "
        "the link between cores have no area here.",
        "Operations of an iteration are two for each entry of the matrix and twelve for each row, whoever computes it; "
        "GB/s is the matrix's stream. Published times are of one iteration, and their solvers compute in other "
        "words: ours take more iterations, so compare times of whole solves where both are given.",
        "Watts are the greatest power of the card or GPU: upper bounds, so that operations a joule are lower bounds."};
    for (const Device& d : c.devices)
        if (d.channels > 0)
            list.push_back(
                fmt::format("{} has {} channels of {:.4g} GB/s.", d.id, d.channels, d.channel_bandwidth / 1e9));
    return list;
}

} // namespace mantissa::compare
