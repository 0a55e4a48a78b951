// Clocks of a pass: from whole solves on an engine that counts them, else from a few passes of the RTL core.
#include <algorithm>
#include <bit>
#include <exception>

#include <fmt/format.h>

#include "compare/model/resident.hpp"
#include "gather.hpp"
#include "mantissa/base/jobs.hpp"
#include "mantissa/fitted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/host/scaling.hpp"
#include "mantissa/resident.hpp"
#include "mantissa/sim/resident_core.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "running/progress.hpp"

namespace mantissa::compare {

namespace {

struct Job {
    std::string problem;
    ProblemSpec key; ///< that the figures are entered under
    DatapathSpec spec;
    std::optional<Format> resident; ///< its iterate; none: the core with streams
    bool chebyshev = false;         ///< the core with streams of that recurrence
    bool jacobi = false;            ///< of the problem scaled by its diagonal
};

/// The stored name: the core's parameters, its sources and the tools are in the model's key.
std::string name_of(const std::string& key, const std::string& problem, std::uint64_t passes) {
    return fmt::format("cycles: core {}, {}, {} passes", key, problem, passes);
}

std::string model_key_of(const System& given, const Job& job) {
    const auto fit = fitted(given, job.spec);
    const System& system = fit ? fit->system : given;
    if (job.resident) {
        if (const std::string why = sim::resident_core_refusal(job.spec, system); !why.empty()) throw InvalidInput(why);
        return sim::model_key({sim::resident_core_parameters(job.spec, system, *job.resident, 0), false}, {});
    }
    if (const std::string why = sim::core_refusal(job.spec, system); !why.empty()) throw InvalidInput(why);
    sim::CoreParameters parameters = sim::core_parameters(job.spec, system);
    if (job.chebyshev) parameters.emplace_back("Chebyshev", sim::kStepPairs);
    return sim::model_key({parameters, false}, {});
}

/// A run of the resident core that the number of passes ends: its clocks, but for those of FORMs that it did again.
double resident_clocks(ResidentSolver& solver, const std::vector<fixed::Word>& b, std::uint64_t inner,
                       std::uint64_t passes, double form) {
    const ResidentReport report = solver.solve(b, {.inner = inner, .max_passes = passes, .tolerance = {}});
    if (report.end != ResidentEnd::passes || report.overflows != 0)
        throw InvalidInput(fmt::format("the resident core's solve ended early ({}) after {} of {} passes; give "
                                       "fixed_clocks",
                                       to_string(report.end), report.passes, passes));
    return static_cast<double>(report.cycles.value_or(0)) - form * static_cast<double>(report.formed_again);
}

/// A pass and a step of the resident core, from solves that differ by a step, and by passes.
results::Json simulate_resident(const Problem& problem, const Job& job) {
    sim::RtlOptions options;
    options.cache.progress = sim::terminal_progress();
    const auto engine = sim::make_rtl_engine(options);
    const auto fit = fitted(problem.system, job.spec);
    const System& system = fit ? fit->system : problem.system;
    const auto solver = engine->resident(system, job.spec, *job.resident, 1);
    const std::vector<fixed::Word> b = mantissa::resident_words(problem.b, resident_exponent(norm2(problem.b, 1)));
    const std::uint64_t steps = 4;
    // (A FORM reads D once, as many elements a clock as the core has lanes.)
    const double form = static_cast<double>(system.size() + system.row_length()) / job.spec.lanes;
    const double two = resident_clocks(*solver, b, steps, 2 * steps, form);
    const double one = resident_clocks(*solver, b, 2 * steps, 2 * steps, form);
    const double half = resident_clocks(*solver, b, steps, steps, form);
    return {{"problem", problem.name},
            {"spec", to_string(job.spec)},
            {"passes", 2 * steps},
            {"pass_clocks", (one - half) / static_cast<double>(steps)},
            {"step_clocks", two - one}};
}

results::Json simulate(const Problem& problem, const DatapathSpec& spec, Recurrence recurrence, std::uint64_t passes) {
    sim::RtlOptions options;
    options.cache.progress = sim::terminal_progress();
    const auto engine = sim::make_rtl_engine(options);
    const auto fit = fitted(problem.system, spec); // as a solve loads it
    const auto session = engine->load(fit ? fit->system : problem.system, spec, {1, recurrence});
    std::vector<double> r = problem.b;
    const double norm = norm2(r, 1);
    if (norm > 0)
        for (double& x : r) x /= norm;
    session->write(Vec::r, 0, r);
    session->set_scalars(0, 0);
    const std::vector<StepPair> still(recurrence == Recurrence::chebyshev ? passes : 0); // clocks hang on no number
    const RunReport report = session->run({.passes = passes, .pairs = still});
    if (report.end != RunEnd::passes)
        throw InvalidInput(fmt::format("the core's run ended early ({}) after {} of {} passes; give fewer passes",
                                       to_string(report.end), report.passes, passes));
    const auto& counts = dynamic_cast<const sim::RtlSession&>(*session).counts();
    return {{"problem", problem.name},         {"spec", to_string(spec)},
            {"passes", report.passes},         {"cycles", report.cycles.value_or(0)},
            {"bytes_read", counts.bytes_read}, {"bytes_written", counts.bytes_written}};
}

Sourced<CycleFigures> figures_of(GatherContext& context, const StoredDocument& stored) {
    const results::Json& d = stored.document;
    const auto passes = d.at("passes").get<std::uint64_t>();
    if (d.contains("step_clocks"))
        return {
            {d.at("pass_clocks").get<double>(), 0, "rtl", passes, d.at("step_clocks").get<double>()},
            context.out.origins.add({"measured",
                                     fmt::format("clocks of a pass and of an outer step of the resident RTL core, {} "
                                                 "on {}",
                                                 d.at("spec").get<std::string>(), d.at("problem").get<std::string>()),
                                     stored.provenance})};
    CycleFigures f{d.at("cycles").get<double>() / static_cast<double>(passes),
                   (d.at("bytes_read").get<double>() + d.at("bytes_written").get<double>()) /
                       static_cast<double>(passes),
                   "rtl", passes};
    return {f,
            context.out.origins.add({"measured",
                                     fmt::format("clocks of {} passes of the RTL core, {} on {}", passes,
                                                 d.at("spec").get<std::string>(), d.at("problem").get<std::string>()),
                                     stored.provenance})};
}

} // namespace

void gather_cycles(GatherContext& context) {
    const Comparison& c = context.comparison;
    std::vector<Job> todo;
    GapGroups gaps;
    double work = 0;
    const auto elements_of = [&](const std::string& problem) {
        const auto known = context.out.problems.find(problem);
        return known == context.out.problems.end() ? kCountedElements : static_cast<double>(known->second.unknowns);
    };
    const auto want = [&](const std::string& problem, const ProblemSpec& key, const DatapathSpec& spec,
                          const std::optional<Format>& resident = {}, bool chebyshev = false, bool jacobi = false) {
        if (std::any_of(todo.begin(), todo.end(), [&](const Job& job) { return job.key == key; })) return;
        todo.push_back({problem, key, spec, resident, chebyshev, jacobi});
        work += elements_of(problem) + 2e6; // a model's build
    };
    for (const std::string& problem : c.problems)
        for (const Design& design : c.designs) {
            if (design.sparse) continue; // gather/sparse.cpp
            if (design.resident && (design.fixed_clocks || c.passes == 0)) {
                if (!design.fixed_clocks)
                    gaps.add("passes is 0, and no clocks are given; set passes = 4 or fixed_clocks", design.key());
                continue;
            }
            if (design.resident) {
                for (const int lanes : kCountedLanes) {
                    const DatapathSpec spec = with_lanes(design.spec, lanes);
                    want(kCountedOn, {kCountedOn, resident_key(to_string(spec))}, spec, design.outer);
                }
                continue;
            }
            const ProblemSpec key{problem, design.key()};
            if (const auto solves = context.out.solves.find(key); solves != context.out.solves.end())
                for (const auto& solve : solves->second) {
                    const SolveResult& r = solve.value.result;
                    if (!r.cycles || r.inner_iterations == 0 || context.out.cycles.contains(key)) continue;
                    const double per_pass = static_cast<double>(*r.cycles) / static_cast<double>(r.inner_iterations);
                    context.out.cycles.insert_or_assign(
                        key, Sourced<CycleFigures>{CycleFigures{per_pass, 0, solve.value.engine, r.inner_iterations},
                                                   solve.origin});
                }
            if (context.out.cycles.contains(key)) continue;
            if (c.passes == 0) {
                gaps.add("no engine of this design counts clocks, and passes is 0; set passes = 4", key.second);
                continue;
            }
            want(problem, key, design.spec, {}, design.chebyshev, design.jacobi);
        }
    running::ItemProgress line("cycle counts", todo.size(), work);
    std::mutex mutex;
    base::run_jobs(todo.size(), context.options.threads, [&](std::size_t i) {
        Problem problem = todo[i].resident ? make_problem(kCountedOn) : context.problems.at(todo[i].problem);
        if (todo[i].jacobi) problem = jacobi_scaled(problem).problem;
        const DatapathSpec& spec = todo[i].spec;
        try {
            const std::string name = name_of(model_key_of(problem.system, todo[i]), problem.name, c.passes);
            const std::string content = context.store.content_of(todo[i].resident ? kCountedOn : todo[i].problem);
            auto stored = context.documents.measurement(name, content);
            if (!stored && context.options.stored_only) throw InvalidInput(kNotStored);
            if (!stored) {
                stored = {todo[i].resident
                              ? simulate_resident(problem, todo[i])
                              : simulate(problem, spec,
                                         todo[i].chebyshev ? Recurrence::chebyshev : Recurrence::pipelined, c.passes),
                          current_provenance(context.options.command)};
                context.documents.put_measurement(name, stored->document, stored->provenance, content);
            }
            const std::lock_guard lock(mutex);
            context.out.cycles.insert_or_assign(todo[i].key, figures_of(context, *stored));
        } catch (const std::runtime_error& fault) { // not stored, refused, or a tool is missing or failed
            gaps.add(fault.what(), fmt::format("{} on {}", to_string(spec), problem.name));
        }
        line.done(static_cast<double>(problem.system.size()) + 2e6);
    });
    gaps.enter(context, "clocks of a pass");
}

} // namespace mantissa::compare
