// Areas and clocks of the cores that the designs and devices ask for.
#include <set>

#include <fmt/format.h>

#include "compare/cycle_cores/cycle_cores.hpp"
#include "compare/model/resident.hpp"
#include "gather.hpp"
#include "mantissa/base/jobs.hpp"
#include "mantissa/format.hpp"
#include "running/progress.hpp"
#include "synthesis/core_clock.hpp"
#include "synthesis/synthesis.hpp"

namespace mantissa::compare {

namespace {

double work_of(const DatapathSpec& spec) {
    double work = 4000; // the rest of the core
    for (const Format* f : {&spec.u, &spec.r, &spec.p, &spec.q, &spec.row}) work += f->width() * f->width();
    return work * spec.lanes;
}

struct Task {
    CoreKey key;
    synthesis::SynthesisRequest request;
    double work = 0;
};

struct ToMap {
    DatapathSpec spec;
    std::string part;
};

/// What is mapped for a design: of a sparse one the core with several lanes; of a resident one its units with several
/// lanes, since the number of lanes is found, and the whole with one, which tells what control takes beside them.
std::vector<ToMap> parts_to_map(const Design& design) {
    std::vector<ToMap> list;
    if (design.sparse) {
        for (const int lanes : kMappedLanes) list.push_back({with_lanes(design.spec, lanes), "sparse"});
        return list;
    }
    if (!design.resident) return {{design.spec, design.core_part()}};
    list = {{design.spec, "resident"}};
    for (const int lanes : kMappedLanes)
        for (const char* part : {"inner", "outer"}) list.push_back({with_lanes(design.spec, lanes), part});
    return list;
}

std::string text_of(const CoreKey& key) {
    return fmt::format("{}{} on {}, {} multipliers{}", key.part == "core" ? "" : key.part + " of ", key.spec,
                       key.target, key.multiplier, key.bands == "constant" ? ", a constant stencil" : "");
}

struct Gatherer {
    GatherContext& context;
    std::string store; ///< of syntheses
    ComparisonStore documents{store, context.options.stored_only ? StoreAccess::read : StoreAccess::write};
    GapGroups gaps{};
    std::mutex mutex{};

    void enter_area(const Task& task, const synthesis::SynthesisFigures& f, const Provenance& from,
                    const std::string& tool) {
        const CoreKey& key = task.key;
        const std::string& target = key.target;
        const std::string id =
            context.out.origins.add({"measured", fmt::format("cells of the core {} ({})", text_of(key), tool), from});
        const std::lock_guard lock(mutex);
        context.out.areas[key] = {{f.luts, f.memory_luts, f.flip_flops, f.slices(target), f.multipliers, f.memory_bits,
                                   f.io_bits, f.depth, f.model_mhz, f.model_path, synthesis::lanes_of(task.request)},
                                  id};
    }
    /// `placements` slowest first; nothing of none.
    void enter_clock(const CoreKey& key, const std::vector<synthesis::Placement>& placements, const Provenance& from) {
        if (placements.empty()) return;
        const synthesis::CoreClock clock = synthesis::core_clock(key.target, 0, {}, placements);
        const std::string id = context.out.origins.add(
            {clock.kind, fmt::format("clock of the core {}: {}", text_of(key), clock.derivation), from});
        const std::lock_guard lock(mutex);
        context.out.clocks[key] = {{clock.mhz, clock.kind}, id};
    }

    /// What the store has, whoever put it and with whichever sources: for --stored, and where yosys is missing.
    bool from_store(const Task& task) {
        const CoreKey& key = task.key;
        const auto known = documents.newest_synthesis(key);
        if (!known) return false;
        enter_area(task, known->figures, known->provenance, known->tool);
        const auto placed = documents.placements(key, known->sources);
        std::vector<synthesis::Placement> placements;
        for (const auto& p : placed) placements.push_back(p.placement);
        if (!placed.empty()) enter_clock(key, placements, placed.front().provenance);
        return true;
    }

    void run(synthesis::Synthesizer& synthesizer, const Task& task) {
        const auto& [key, request, work] = task;
        const bool core = synthesis::is_core(key.part);
        try {
            synthesizer.take_kept(request);
            const synthesis::SynthesisFigures f = synthesizer.figures(request);
            const auto from = documents.origin_of_synthesis(key, f.luts, f.flip_flops, f.depth);
            enter_area(task, f, from.value_or(current_provenance(context.options.command)), synthesizer.tool());
        } catch (const std::runtime_error& fault) { // refused, or yosys or nextpnr is missing or failed
            gaps.add(fault.what(), text_of(key));
            return;
        }
        if (key.target != "ecp5" || !core) return;
        try {
            std::string why_not;
            if (context.comparison.place && synthesizer.place(request, context.comparison.seeds, 1, why_not).empty()) {
                gaps.add(why_not, text_of(key) + " (MHz)");
                return;
            }
            // All that the store has of this netlist, whoever placed it: so `synthesize` says the same.
            const auto placements = synthesizer.stored_placements(request);
            if (placements.empty()) return;
            const synthesis::Placement& median = synthesis::median_placement(placements);
            const auto from = documents.origin_of_placement(key, median.seed, median.mhz);
            enter_clock(key, placements, from.value_or(current_provenance(context.options.command)));
        } catch (const std::runtime_error& fault) { // refused, or yosys or nextpnr is missing or failed
            gaps.add(fault.what(), text_of(key) + " (MHz)");
        }
    }
};

} // namespace

namespace {

/// What the cycle cores of the comparison are mapped with.
void append_cycle_cores(std::vector<Task>& todo, std::set<CoreKey>& seen, const GatherContext& context) {
    constexpr double kLaneWork = 4000;
    const std::size_t level = cycle_rows_level(context.out);
    for (const CycleDesign& design : context.comparison.cycles)
        for (const std::size_t device : design.devices)
            for (const std::uint64_t lanes : design.mapped)
                for (const std::uint64_t cores : design.cores) {
                    if (level == 0) continue;
                    auto request =
                        cycle_core_request(design, context.comparison.devices[device].target, lanes, cores, level);
                    CoreKey key = key_of_cycle_core(request);
                    if (seen.insert(key).second)
                        todo.push_back(
                            {std::move(key), std::move(request), kLaneWork * static_cast<double>(lanes * cores)});
                }
}

} // namespace

void gather_areas(GatherContext& context) {
    const Comparison& c = context.comparison;
    std::vector<Task> todo;
    std::set<CoreKey> seen;
    GapGroups left_out;
    double work = 0;
    for (const Design& design : c.designs) {
        if (design.cores.empty())
            left_out.add("the comparison leaves its synthesis out (area = false); set area = true", design.key());
        for (const auto& [device, multiplier] : design.cores)
            for (const auto& [spec, part] : parts_to_map(design)) {
                CoreKey key{to_string(spec), c.devices[device].target, multiplier,
                            synthesis::is_core(part) ? design.core_bands() : "streamed", part};
                if (!seen.insert(key).second) continue;
                // (Units of a resident core always hold their stencil.)
                const bool constant = synthesis::is_core(part) && key.bands == "constant";
                synthesis::SynthesisRequest request{spec, key.target, key.multiplier, part, false, constant};
                todo.push_back({std::move(key), std::move(request), work_of(spec)});
            }
    }
    append_cycle_cores(todo, seen, context);
    for (const Task& task : todo) work += task.work;
    left_out.enter(context, "area");
    const std::string& store = context.options.areas.empty() ? context.options.store : context.options.areas;
    Gatherer gatherer{context, store};
    std::optional<synthesis::Synthesizer> synthesizer;
    std::string why_not = kNotStored;
    if (!todo.empty() && !context.options.stored_only) {
        try {
            synthesizer.emplace(store, current_provenance(context.options.command));
        } catch (const std::runtime_error& fault) { // refused, or yosys or nextpnr is missing or failed
            why_not = fault.what();
        }
    }
    running::ItemProgress line("syntheses", todo.size(), work);
    base::run_jobs(todo.size(), synthesizer ? context.options.threads : 1, [&](std::size_t i) {
        const Task& task = todo[i];
        if (synthesizer) gatherer.run(*synthesizer, task);
        else if (!gatherer.from_store(task)) gatherer.gaps.add(why_not, text_of(task.key));
        line.done(task.work);
    });
    gatherer.gaps.enter(context, "area");
}

} // namespace mantissa::compare
