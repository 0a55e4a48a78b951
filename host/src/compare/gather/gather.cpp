#include "gather.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compare/cycle_cores/cycle_cores.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/host/sweep.hpp"
#include "mantissa/resident.hpp"
#include "running/progress.hpp"

namespace mantissa::compare {

std::string Origins::add(const Origin& o) {
    const Provenance& p = o.provenance;
    const std::string content =
        fmt::format("{}\n{}\n{}\n{}\n{}\n{}", o.kind, o.what, p.command, p.commit, p.machine, p.date);
    const std::lock_guard lock(*mutex_);
    const auto [it, fresh] = ids_.emplace(content, fmt::format("o{}", all_.size() + 1));
    if (fresh) all_.push_back(o);
    return it->second;
}

std::vector<comparison::Origin> Origins::all() const {
    const std::lock_guard lock(*mutex_);
    std::vector<comparison::Origin> list;
    for (std::size_t i = 0; i < all_.size(); ++i) {
        const Provenance& p = all_[i].provenance;
        list.push_back({fmt::format("o{}", i + 1), comparison::known_value_of<comparison::Kind>(all_[i].kind),
                        all_[i].what, p.command, p.commit, p.machine, p.date, p.version});
    }
    return list;
}

void GatherContext::gap(Gap gap) const {
    if (std::find(out.gaps.begin(), out.gaps.end(), gap) == out.gaps.end()) out.gaps.push_back(std::move(gap));
}

namespace {

Point point_of(const Comparison& c, const std::string& problem, const std::string& engine, const Design& design,
               std::uint64_t inner) {
    Point point;
    point.problem = problem;
    point.engine = engine;
    point.options.scheme = c.scheme;
    point.options.inner = inner;
    point.options.tolerance = c.tolerance;
    point.options.spec = design.spec;
    point.options.outer = design.outer;
    point.options.resident = design.resident;
    point.options.jacobi = design.jacobi;
    point.options.headroom = design.headroom;
    if (design.chebyshev) {
        point.options.scheme = Scheme::defect_correction;
        point.options.recurrence = RecurrenceChoice::chebyshev;
    }
    point.options.history = true;
    return point;
}

/// Calls action(problem, design, engine, inner) once for every solve: each engine with the first inner, then the first
/// engine with the others.
template <class Action> void for_solves(const Comparison& c, const Action& action) {
    std::set<std::tuple<std::string, std::string, std::string, std::uint64_t>> seen;
    const auto once = [&](const std::string& problem, const Design& design, const std::string& engine,
                          std::uint64_t inner) {
        if (seen.emplace(problem, design.key(), engine, inner).second) action(problem, design, engine, inner);
    };
    for (const std::string& problem : c.problems)
        for (const Design& design : c.designs) {
            for (const std::string& engine : design.engines) once(problem, design, engine, c.inner.front());
            for (std::size_t i = 1; i < c.inner.size(); ++i) once(problem, design, design.engines.front(), c.inner[i]);
        }
}

/// For the time left: an engine that simulates clocks takes so many times the emulated one's time.
double work_of(const Point& point) {
    return estimated_work(point) * (point.engine == "rtl" ? 200 : point.engine == "systemc" ? 100 : 1);
}

/// Refuses a core that none of the problems suits: its netlists would be made for nothing.
void check_stencils(const Comparison& comparison, const std::map<std::string, Problem>& problems) {
    const auto require_one = [&](const std::string& what, const auto& refusal_of) {
        std::string why;
        for (const auto& [text, problem] : problems)
            if (why = refusal_of(problem.system); why.empty()) return;
        throw InvalidInput(fmt::format("{} suits no problem of this comparison: {}", what, why));
    };
    for (const Design& design : comparison.designs) {
        const std::string what = "design " + to_string(design.spec);
        if (design.resident)
            require_one(what, [&](const System& s) { return resident_refusal(design.spec, s, *design.outer); });
        else if (design.constant_bands.value_or(false) && !design.cores.empty())
            require_one(what, [](const System& s) {
                return s.kind() == System::Kind::stencil
                           ? std::string()
                           : "bands = \"constant\" holds a stencil, and their bands vary; give it bands = \"streamed\"";
            });
    }
    for (const CycleDesign& design : comparison.cycles)
        require_one("cycle " + to_string(design.cycle),
                    [&](const System& s) { return cycle_system_refusal(design, s); });
}

} // namespace

Gap gap_of(std::string what, const std::string& line) {
    const auto at = line.find("; ");
    return {std::move(what), line.substr(0, at), at == std::string::npos ? "see docs/compare.md" : line.substr(at + 2)};
}

void GapGroups::add(const std::string& reason, const std::string& item) {
    const std::lock_guard lock(mutex_);
    const auto it = std::find_if(groups_.begin(), groups_.end(), [&](const auto& g) { return g.first == reason; });
    auto& items = it == groups_.end() ? groups_.emplace_back(reason, std::vector<std::string>{}).second : it->second;
    if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
}

std::vector<Gap> GapGroups::gaps(const std::string& what) const {
    const std::lock_guard lock(mutex_);
    std::vector<Gap> list;
    for (const auto& [reason, items] : groups_)
        list.push_back(gap_of(fmt::format("{}: {}", what, fmt::join(items, "; ")), reason));
    return list;
}

void GapGroups::enter(const GatherContext& context, const std::string& what) const {
    for (Gap& gap : gaps(what)) context.gap(std::move(gap));
}

void gather_solves(GatherContext& context) {
    const Comparison& c = context.comparison;
    std::map<std::string, std::string> missing; // engine to why
    for (const EngineEntry& e : list_engines())
        if (!e.missing.empty()) missing[e.name] = e.missing;
    std::vector<Point> todo;
    GapGroups gaps;
    double work = 0;
    for_solves(c,
               [&](const std::string& problem, const Design& design, const std::string& engine, std::uint64_t inner) {
                   Point point = point_of(c, problem, engine, design, inner);
                   if (context.store.contains(point)) return;
                   const std::string what = fmt::format("{} on {} by {}", design.key(), problem, engine);
                   if (const auto it = missing.find(engine); it != missing.end()) {
                       gaps.add(it->second, what);
                   } else if (context.options.stored_only) {
                       gaps.add(kNotStored, what);
                   } else {
                       work += work_of(point);
                       todo.push_back(std::move(point));
                   }
               });
    {
        running::ItemProgress line("solves", todo.size(), work);
        solve_points(todo, context.options.threads, [&](std::size_t index, const PointOutcome& outcome) {
            const Point& point = todo[index];
            if (outcome.refused.empty())
                context.store.put(point, outcome.result, outcome.unknowns, current_provenance(context.options.command));
            else
                gaps.add(outcome.refused,
                         fmt::format("{} on {} by {}", to_string(point.options.spec), point.problem, point.engine));
            line.done(work_of(point));
        });
    }
    gaps.enter(context, "solves");
    for_solves(c,
               [&](const std::string& problem, const Design& design, const std::string& engine, std::uint64_t inner) {
                   const Point point = point_of(c, problem, engine, design, inner);
                   const auto result = context.store.find(point);
                   const auto from = context.documents.origin_of(point);
                   if (!result || !from) return;
                   const std::string id =
                       context.out.origins.add({"measured",
                                                fmt::format("solve of {} with {}, {} iterations per step, on engine {}",
                                                            problem, design.key(), inner, engine),
                                                *from});
                   context.out.solves[{problem, design.key()}].push_back({{engine, inner, *result}, id});
               });
}

void gather(const Comparison& comparison, const GatherOptions& options, Gathered& out) {
    const std::vector<GpuFile> gpu = read_gpu_files(comparison);
    for (const CycleDesign& design : comparison.cycles)
        for (const std::string& path : design.gpu_runs)
            static_cast<void>(read_word_cycle_runs(path)); // before any work
    std::map<std::string, Problem> problems;
    for (const std::string& text : comparison.problems) {
        Problem problem = make_problem(text);
        options::require_suits_cg(problem, "compare");
        problems.emplace(text, std::move(problem));
    }
    // Time and area are of cores that stream a grid: for sparse rows they would be another core's.
    for (const auto& [text, problem] : problems)
        if (problem.system.kind() == System::Kind::sparse &&
            std::ranges::any_of(comparison.designs, [](const Design& d) { return !d.cores.empty() && !d.sparse; }))
            throw InvalidInput(fmt::format(
                "problem {}: its matrix has sparse rows, and a design without sparse = true is a core for grids; give "
                "the designs sparse = true, or area = false to compare iterations alone",
                base::quoted(text)));
    check_sparse(comparison, problems);
    check_stencils(comparison, problems);
    for_solves(comparison,
               [&](const std::string& problem, const Design& design, const std::string& engine, std::uint64_t inner) {
                   const Point point = point_of(comparison, problem, engine, design, inner);
                   if (const std::string why = options::refusal(point.options); !why.empty())
                       throw InvalidInput(fmt::format("design {}: {}", to_string(design.spec), why));
               });
    const StoreAccess access = options.stored_only ? StoreAccess::read : StoreAccess::write;
    Store store(options.store, access);
    ComparisonStore documents(options.store, access);
    GatherContext context{comparison, options, store, documents, out, std::move(problems)};
    for (const auto& [text, problem] : context.problems) {
        out.problems[text] = {problem.system.size(), problem.system.row_length(), to_string(problem.system.kind())};
        if (const auto* rows = std::get_if<CompressedRows>(&problem.system.matrix()))
            out.problems[text].nonzeros = rows->nonzeros();
    }
    // Streams of a device that names neither pins nor bandwidth wait for no memory: that is never silent.
    if (std::ranges::any_of(comparison.designs,
                            [](const Design& d) { return !d.cores.empty() && !d.resident && !d.sparse; }))
        for (const Device& d : comparison.devices)
            if (!d.pins && !d.bandwidth)
                context.gap({"memory of " + d.id,
                             "its file gives neither pins nor bandwidth, so its times are of cores that never wait for "
                             "memory",
                             "give it pins = N, or bandwidth = BYTES per second"});
    gather_solves(context);
    gather_cycle_solves(context);
    gather_host(context);
    gather_gpu(context, gpu);
    gather_cycles(context);
    gather_areas(context); // takes longest
    gather_sparse(context);
    std::map<std::string, std::string> contents;
    for (const std::string& text : comparison.problems) contents[text] = store.content_of(text);
    out.beside = documents.solves(contents);
    for (const std::string& line : store.notes_on_files()) fmt::print(stderr, "mantissa: {}\n", line);
}

} // namespace mantissa::compare
