// mantissa solve: one problem, one datapath, one answer.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "command/answers/solve_answer.hpp"
#include "dense/solve_dense.hpp"
#include "mantissa/base/ending.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/checked_engine.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/fastest.hpp"
#include "mantissa/host/matrix_market.hpp"
#include "mantissa/host/native.hpp"
#include "mantissa/host/point.hpp"
#include "mantissa/host/provenance.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/host/solve_parts.hpp"
#include "options/declare.hpp"
#include "options/values.hpp"
#include "parts/gpus.hpp"
#include "parts/parts.hpp"
#include "running/progress.hpp"
#include "solving/arguments.hpp"
#include "store/result_json.hpp"
#include "text/json_text.hpp"

namespace mantissa::cli {

namespace {

/// What a solve needs, made before it begins.
struct Ready {
    Point point;
    std::FILE* words = stdout;
    std::unique_ptr<Engine> engine, reference, checked; ///< the last two: where --check was given
    std::shared_ptr<std::atomic<std::uint64_t>> passes = std::make_shared<std::atomic<std::uint64_t>>(0);
    std::optional<Problem> problem;
    SharedOut shared;
    bool own_choice = false; ///< was this way nobody's wish?
};

/// What several right-hand sides do not go with.
void refuse_columns(const SolveArguments& flags, const Problem& problem, const Ready& ready,
                    const running::Ranks& ranks) {
    const bool over_parts = in_double_over_parts(ready.point.options, ready.shared);
    if (over_parts && !problem.guess.empty())
        throw InvalidInput("--guess: CG in double over parts begins at zero; leave it or --parts out");
    if (problem.more.empty()) return;
    const auto refuse = [&](const std::string& what) {
        throw InvalidInput(fmt::format("{}: it goes with one right-hand side, and the file has {}; leave it out", what,
                                       problem.more.size() + 1));
    };
    if (!flags.history.empty()) refuse(flag_of(Common::history));
    if (ranks.count() > 1) refuse("mpirun");
    if (over_parts) refuse(flag_of(Common::parts));
}

Ready make_ready(const SolveArguments& flags, const running::Ranks& ranks, const std::vector<RankGpus>& rank_gpus) {
    Ready r;
    r.point = {{}, flags.engine, options_of(flags)};
    std::string chosen = apply_native(flags.native, flags.engine, flags.problem, r.point.options);
    if (ranks.first())
        r.words = check_outputs(
            {{flag_of(Common::history), flags.history}, {flag_of(Common::solution), flags.solution}}, flags.json);
    r.shared = shared_out(flags.parts, ranks, flags.engine, r.point.options, rank_gpus);
    r.engine = make_solving_engine(flags.engine, r.point.options, r.shared);
    if (!flags.check.empty()) {
        if (in_double_over_parts(r.point.options, r.shared))
            throw InvalidInput("--check: CG in double over parts runs on no engine; leave it out");
        if (flags.check == flags.engine && r.shared.space == nullptr && !on_gpus(r.shared.gpus))
            throw InvalidInput(fmt::format("--check {}: it is the engine that solves; name another", flags.check));
        r.reference = make_engine(flags.check);
        r.checked = make_checked_engine(*r.engine, *r.reference, r.passes);
    }
    if (std::string why = options::refusal(r.point.options); !why.empty()) throw InvalidInput(why);
    r.problem = make_problem_of_columns(flags.problem);
    const bool by_cg = r.point.options.scheme == Scheme::jacobi_pcg;
    if (std::string other = apply_native(flags.native, flags.engine, *r.problem, r.point.options); !other.empty())
        chosen = std::move(other);
    const bool any_way = !chosen.empty() && flags.native.format.empty() && !flags.native.plan;
    r.own_choice = (any_way || (by_cg && r.point.options.scheme == Scheme::recurrence)) &&
                   has_other_ways(r.point.options) && flags.check.empty() &&
                   !in_double_over_parts(r.point.options, r.shared);
    if (std::string why = options::refusal(r.point.options, *r.problem); !why.empty()) throw InvalidInput(why);
    if (!flags.guess.empty() && ranks.count() > 1)
        throw InvalidInput("--guess: a solve over ranks begins at zero; leave it or mpirun out");
    if (const std::string idle = options::idle(r.point.options, *r.problem); ranks.first() && !idle.empty())
        fmt::print(stderr, "mantissa: {}\n", idle);
    r.problem->guess = read_guess(flags, *r.problem);
    refuse_columns(flags, *r.problem, r, ranks);
    if (ranks.first() && !r.problem->note.empty()) fmt::print(stderr, "mantissa: {}\n", r.problem->note);
    r.point.problem = r.problem->name;
    if (std::string why = parts_refusal(r.shared, *r.engine, r.point.options, r.problem->system); !why.empty())
        throw InvalidInput(why);
    // (A cut is of CG's parts: who names one wants that.)
    r.own_choice = r.own_choice && r.shared.space == nullptr && r.shared.method == CutMethod::contiguous;
    if (r.own_choice && first_cycles(*r.problem, *r.engine, r.point.options)) chosen.clear(); // (it says so itself)
    if (ranks.first() && !chosen.empty()) fmt::print(stderr, "mantissa: {}\n", chosen);
    return r;
}

int solve_ready(const SolveArguments& flags, const std::string& typed, const Ready& ready,
                const running::Ranks& ranks) {
    Point point = ready.point;
    const Problem& problem = *ready.problem;
    std::vector<SolveResult> results;
    try {
        running::SolveProgress line(point.options.tolerance);
        const auto show = [&](const HistoryPoint& h) {
            if (ranks.first()) line.update(h.inner_iterations, h.relative_defect);
            return true;
        };
        if (in_double_over_parts(point.options, ready.shared))
            results.push_back(solve_over_parts(problem, ready.shared.space, ready.shared.method, ready.shared.exchange,
                                               loops_elsewhere(ready.shared, ranks, flags.parts), point.options, show));
        else if (ready.own_choice)
            results = solve_fastest(problem, *ready.engine, point.options, show, [&](const std::string& line_of_text) {
                if (ranks.first()) fmt::print(stderr, "mantissa: {}\n", line_of_text);
            });
        else results = solve_all(problem, ready.checked ? *ready.checked : *ready.engine, point.options, show);
    } catch (const Mismatch& m) {
        if (!ranks.first()) return kNotConverged; // every rank has seen it
        fmt::print(stderr, "mantissa: {}\n", m.what());
        if (m.difference.first_clock)
            fmt::print(
                stderr,
                "mantissa: to see it, mantissa simulate with the same options, --trace pass.fst --window {}:{}\n",
                *m.difference.first_clock, *m.difference.last_clock);
        return kNotConverged;
    }
    const auto converged = [](const SolveResult& r) { return r.status == Status::converged; };
    const int code = std::ranges::all_of(results, converged) ? kDone : kNotConverged;
    if (!ranks.first()) return code;
    const SolveResult& result = results.front();
    const auto check = ready.checked ? std::optional(Check{flags.check, *ready.passes}) : std::nullopt;
    // Of the way that was taken, which solve_fastest() may have chosen.
    std::string parts = parts_in_words(ready.shared, problem.system, point.options, ranks);
    if (const std::string& picked = ready.shared.picked->text; !picked.empty()) parts += "; of the GPUs " + picked;
    const std::string fault = write_files(flags, point, problem, results, current_provenance(typed));
    if (flags.json) {
        results::Json j = results::to_json(point);
        j["unknowns"] = problem.system.size();
        if (!flags.guess.empty()) j[options::spelt(options::common(Common::guess))] = flags.guess;
        if (results.size() == 1) j.update(results::to_json(result));
        for (const SolveResult& each : results)
            if (results.size() > 1) j["right_hand_sides"].push_back(results::to_json(each));
        if (!parts.empty()) j["parts"] = parts;
        if (ready.shared.exchange.counts) {
            const ExchangeCounts& counts = *ready.shared.exchange.counts;
            j["exchange"] = {{"way", way_name(ready.shared)},
                             {"iterations", counts.iterations.load()},
                             {"synchronisations", counts.synchronisations.load()},
                             {"elements", counts.elements.load()},
                             {"held", result.held}};
        }
        if (check) j["check"] = {{"engine", check->engine}, {"passes", check->passes}};
        fmt::print("{}\n", json_text(j));
    } else {
        print_request(ready.words, point, problem, parts, exchanges_in_words(ready.shared, result.held));
        if (results.size() == 1) print_answer(ready.words, point.options, result, check);
        else print_answers(ready.words, results, check);
    }
    if (!fault.empty()) throw InvalidInput(fault); // after the answer, so that it is not lost
    return code;
}

/// Over several ranks: all of them make ready or none goes on, and the first alone speaks. A rank that fails later ends
/// the others, which would wait for it.
int solve_command(const SolveArguments& flags, const std::string& typed) {
    const running::Ranks ranks;
    if (flags.parts.rank_wait) {
        if (ranks.count() == 1) throw InvalidInput("--rank-wait: ranks wait for each other under mpirun; leave it out");
        running::Ranks::set_wait(*flags.parts.rank_wait);
    }
    // (before anything that a single rank may fail at)
    std::vector<RankGpus> rank_gpus;
    if (on_gpus_of_ranks(flags.parts, ranks, flags.engine)) rank_gpus = gpus_of_ranks(ranks);
    if (ranks.count() == 1) return solve_ready(flags, typed, make_ready(flags, ranks, rank_gpus), ranks);
    std::optional<Ready> ready;
    std::string fault;
    try {
        ready = make_ready(flags, ranks, rank_gpus);
    } catch (const std::exception& e) {
        fault = e.what();
    }
    fault = ranks.first_fault(fault);
    if (!fault.empty()) {
        if (ranks.first()) throw InvalidInput(fault);
        return kWrongRequest;
    }
    std::optional<base::EndingNote> note; // mpirun ends the others where a rank dies
    if (ranks.first())
        note.emplace([] { return std::string("rank 0: ended by a signal, as when another rank has died; no answer"); });
    try {
        return solve_ready(flags, typed, *ready, ranks);
    } catch (const std::exception& e) {
        // A request that is wrong is so in every rank: the first one speaks and ends the others meanwhile.
        if (!ranks.first()) std::this_thread::sleep_for(std::chrono::seconds(2));
        fmt::print(stderr, "mantissa: rank {}: {}\n", ranks.rank(), e.what());
        ranks.abandon(kWrongRequest);
    }
}

bool of_dense(const CLI::Option& option) {
    return option.get_group() == options::title(options::Group::dense);
}

/// Refuses the first option that was given and is among those that `wrong` says; it gets the declaration, or null.
template <class Wrong> void refuse(const CLI::App& app, Wrong&& wrong, const char* why) {
    for (const CLI::Option* option : app.get_options()) {
        const std::string name = option->get_name();
        if (option->count() != 0 && wrong(*option, declared_as(name)))
            throw InvalidInput(fmt::format("{}: {}", name, why));
    }
}

/// A dense system: what else was given is refused, not passed over.
int dense_command(CLI::App& app, SolveArguments& flags) {
    refuse(
        app,
        [](const CLI::Option& option, const options::Option* known) {
            return !of_dense(option) && !(known && known->with_dense);
        },
        "a dense system has no such option; leave it out");
    flags.dense.threads = flags.threads;
    flags.dense.solution = flags.solution;
    flags.dense.engine = flags.engine;
    flags.dense.engine_given = given(app, Common::engine);
    for (const options::Option* option : flags.solver.given()) // (only the format may stand here)
        flags.dense.format = options::text_of(flags.solver.value(*option));
    flags.dense.check = flags.check;
    flags.dense.json = flags.json;
    return solve_dense_command(flags.dense);
}

Run setup(CLI::App& app, const std::string& typed) {
    const auto flags = std::make_shared<SolveArguments>();
    SolveArguments& f = *flags;
    using options::Group;
    const auto begin = [&app](const char* title) { app.option_defaults()->group(title); };
    begin(options::title(Group::problem));
    declare(app, Common::problem, f.problem);
    const options::Option& advice = options::common(Common::advise);
    app.add_flag(flag_of(advice) + "{only}", f.advise, help_of(advice));
    declare(app, Common::device, f.device);
    declare(app, Common::store, f.store);
    for (const Group group : options::kGroups) f.solver.declare(app, group);
    f.solver.exclude(app);
    declare(app, Common::guess, f.guess);
    begin(options::title(Group::place));
    declare(app, Common::engine, f.engine);
    declare(app, Common::check, f.check);
    declare(app, Common::threads, f.threads);
    add_part_options(app, f.parts);
    begin(options::title(Group::output));
    declare(app, Common::history, f.history);
    declare(app, Common::solution, f.solution);
    declare(app, Common::json, f.json);
    begin(options::title(Group::dense));
    add_dense_options(app, f.dense);
    return [flags, typed, &app] {
        const bool dense = given(app, Common::dense), advise = given(app, Common::advise);
        if (running::launch().count > 1 && (dense || advise))
            throw InvalidInput(fmt::format("{} runs in one process: leave mpirun out",
                                           flag_of(dense ? Common::dense : Common::advise)));
        if (dense) return dense_command(app, *flags);
        if (flags->problem.empty())
            throw InvalidInput(
                "--problem: give the system to solve, as poisson2d:level=8, or a dense one with --dense");
        refuse(
            app, [](const CLI::Option& option, const options::Option*) { return of_dense(option); },
            "it is for a dense system; give one with --dense, or leave it out");
        flags->native = note_asked(app, flags->solver);
        if (!advise) {
            for (const Common which : {Common::device, Common::store})
                if (given(app, which))
                    throw InvalidInput(
                        fmt::format("{}: it is for --advise; give that too, or leave it out", flag_of(which)));
            return solve_command(*flags, typed);
        }
        const auto of_solve = [](const options::Option* known) { // what the advised solve writes, and where it begins
            return known->group == Group::output || known == &options::common(Common::guess);
        };
        refuse(
            app,
            [&](const CLI::Option&, const options::Option* known) {
                return known && !known->with_advice && !of_solve(known);
            },
            "--advise chooses the solve itself; leave it out");
        if (flags->advise == "only")
            refuse(
                app,
                [&](const CLI::Option&, const options::Option* known) {
                    return known && !known->with_advice && of_solve(known);
                },
                "it is of a solve, and --advise makes none; give --advise=solve, or leave it out");
        return advise_command(*flags, given(app, Common::engine) ? flags->engine : "", typed);
    };
}

} // namespace

const Command kSolve{"solve", "Solve one problem and report iterations and the true residual", setup, true};

} // namespace mantissa::cli
