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

#include "advise/advice_report.hpp"
#include "command.hpp"
#include "command/native/native_options.hpp"
#include "dense/solve_dense.hpp"
#include "mantissa/base/ending.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/checked_engine.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/matrix_market.hpp"
#include "mantissa/host/point.hpp"
#include "mantissa/host/provenance.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/host/solve_parts.hpp"
#include "options/solve_flags.hpp"
#include "options/values.hpp"
#include "parts/parts.hpp"
#include "running/progress.hpp"
#include "store/result_json.hpp"
#include "text/json_text.hpp"
#include "text/key_values.hpp"

namespace mantissa::cli {

namespace {

struct Flags {
    std::string problem, engine = "emulated", history, solution, check, advise, guess, device, store;
    int threads = 0;
    bool json = false;
    SolveFlags solver;
    DenseFlags dense;
    PartFlags parts;
    NativeFlags native;
};

SolveOptions options_of(const Flags& flags) {
    SolveOptions o = flags.solver.options();
    if (o.resident && !o.outer) o.outer = kResidentIterate;
    o.threads = thread_count(flags.threads);
    o.history = !flags.history.empty();
    o.keep_solution = !flags.solution.empty();
    return o;
}

/// The engine that ran beside the solving one, and how often the two were compared.
struct Check {
    std::string engine;
    std::uint64_t passes = 0;
};

std::string to_text(const ChebyshevBounds& c) {
    return fmt::format("{:.6g} to {:.6g}, {}", c.bounds.low, c.bounds.high,
                       c.lanczos_steps == 0 ? "as given"
                                            : fmt::format("estimated by {} Lanczos steps", c.lanczos_steps));
}

std::string to_text(const EnergyEstimate& e) {
    return fmt::format("{:.2e}  ({:.2e} to {:.2e}{}; A-norm, relative to the solution; estimated)", e.value(), e.lower,
                       e.upper, e.settled ? "" : ", not settled");
}
std::string to_text(const ErrorBound& b) {
    if (!b.absolute) return "none: " + b.why;
    return fmt::format("{:.3e}{}  (largest element of the error, for sure; {})", *b.absolute,
                       b.relative ? fmt::format(", {:.3e} of the solution's", *b.relative) : "", b.method);
}

void print_row(std::FILE* to, const char* name, const std::string& value) {
    fmt::print(to, "{:<15}{}\n", name, value);
}

/// What was asked for.
void print_request(std::FILE* to, const Point& point, const Problem& problem, const std::string& parts = {},
                   const std::string& exchanges = {}) {
    const auto row = [to](const char* name, const std::string& value) { print_row(to, name, value); };
    const SolveOptions& o = point.options;
    const bool refining = refines(o.scheme);
    std::string scheme = scheme_name(o);
    if (refining && o.digits > 0) scheme += fmt::format(", {} digits an inner solve", text::shortest(o.digits));
    else if (refining && !o.preconditioner) scheme += fmt::format(", {} inner iterations per step", o.inner);
    const RecurrenceChoice choice = iterated(o);
    if (refining && choice != RecurrenceChoice::pipelined) scheme += ", " + to_string(choice) + " inside";
    else if (choice.name == RecurrenceChoice::gmres) scheme += fmt::format(", cycles of {} steps", choice.restart);
    if (!o.middle.empty()) scheme += ", through " + options::middle_text(o.middle);
    if (o.jacobi) scheme += ", Jacobi scaling";
    if (o.preconditioner) scheme += ", preconditioner " + options::preconditioner_text(o);
    if (o.resident) scheme += ", resident with an iterate in " + to_string(*o.outer);
    else if (o.outer) scheme += ", outer loop in " + to_string(*o.outer);
    if (o.energy) scheme += fmt::format(", to an energy error of {}", text::shortest(*o.energy));
    if (o.headroom) scheme += fmt::format(", {} bits of headroom", *o.headroom);
    if (o.couplings) scheme += fmt::format(", couplings in {} with the rows' sums kept", to_string(*o.couplings));
    row("problem",
        fmt::format("{}  ({} unknowns, {})", problem.name, problem.system.size(), to_string(problem.system.kind())));
    row("scheme", scheme);
    if (!o.preconditioner) row("datapath", to_string(o.spec));
    for (std::size_t i = 1; i < o.schedule.size(); ++i)
        row(i == 1 ? "then" : "",
            fmt::format("{} below a defect of {}", to_string(o.schedule[i].spec), text::shortest(o.schedule[i].below)));
    row("engine", parts.empty() ? point.engine : point.engine + ", " + parts);
    if (!exchanges.empty()) row("exchanges", exchanges);
    if (!problem.guess.empty()) row("begins at", "a guess");
}

void print_answer(std::FILE* to, const SolveOptions& o, const SolveResult& r, const std::optional<Check>& check) {
    const auto row = [to](const char* name, const std::string& value) { print_row(to, name, value); };
    const bool refining = refines(o.scheme);
    print_native(to, r);
    const char* const option = r.status == Status::iteration_limit ? " (--max-iterations)" : "";
    row("status",
        r.detail.empty() ? to_string(r.status) : fmt::format("{}: {}{}", to_string(r.status), r.detail, option));
    row("iterations", refining ? fmt::format("{} inner, {} outer", r.inner_iterations, r.outer_iterations)
                               : fmt::format("{}", r.inner_iterations));
    row("true residual", fmt::format("{:.3e}  (double precision, relative to the first)", r.true_residual));
    if (r.error) row("error", fmt::format("{:.5e}  (root mean square, against the continuous solution)", *r.error));
    if (r.energy) row("energy error", to_text(*r.energy));
    if (r.bound) row("error bound", to_text(*r.bound));
    if (r.chebyshev) row("bounds", to_text(*r.chebyshev));
    if (r.equation_scale != 1)
        row("equation", fmt::format("the engine's is {} times the problem's", text::shortest(r.equation_scale)));
    if (o.spec.fixed_vectors()) {
        const auto word = [](const char* name, int bits, const Format& f) {
            return f.is_fixed() ? fmt::format("{} {} of {}  ", name, bits, f.word_bits) : std::string();
        };
        row("longest words", word("u", r.words.u, o.spec.u) + word("r", r.words.r, o.spec.r) +
                                 word("p", r.words.p, o.spec.p) + word("q", r.words.q, o.spec.q) + "bits");
        if (r.overflows != 0) row("overflows", fmt::format("{} outer steps lost to a word's overflow", r.overflows));
    }
    if (r.resident)
        row("resident", fmt::format("ended {}; {} scales corrected, {} bits of headroom at the end",
                                    to_string(r.resident->end), r.resident->formed_again, r.resident->headroom));
    if (r.bit_operations != BitOperations{})
        row("bit operations",
            fmt::format("{:.4g} multiplied, {:.4g} added", static_cast<double>(r.bit_operations.multiplied),
                        static_cast<double>(r.bit_operations.added)));
    if (r.sigma_guards != 0) row("sigma guards", fmt::format("{}", r.sigma_guards));
    if (r.cycles) row("cycles", fmt::format("{}", *r.cycles));
    if (check)
        row("check", check->passes == 0
                         ? fmt::format("nothing compared with {}: no pass ran on an engine", check->engine)
                         : fmt::format("all {} passes equal to {}, bit for bit", check->passes, check->engine));
    if (r.device_seconds) row("device", fmt::format("{:.3g} s", *r.device_seconds));
    row("time", fmt::format("{:.3g} s", r.seconds));
}

/// Of several right-hand sides: a line each.
void print_answers(std::FILE* to, const std::vector<SolveResult>& results) {
    fmt::print(to, "\n{:>15}  {:<15} {:>10} {:>6}  {:<13} {}\n", "right-hand side", "status", "iterations", "outer",
               "true residual", "time");
    for (std::size_t k = 0; k < results.size(); ++k) {
        const SolveResult& r = results[k];
        fmt::print(to, "{:>15}  {:<15} {:>10} {:>6}  {:<13.3e} {:.3g} s{}\n", k + 1, to_string(r.status),
                   r.inner_iterations, r.outer_iterations, r.true_residual, r.seconds,
                   r.detail.empty() ? "" : "  " + r.detail);
    }
}

std::string history_csv(const SolveResult& result) {
    std::string text = "inner_iterations,outer_iterations,relative_defect\n";
    for (const HistoryPoint& h : result.history)
        text += fmt::format("{},{},{}\n", h.inner_iterations, h.outer_iterations, text::shortest(h.relative_defect));
    return text;
}

/// A MatrixMarket array that reads back as the same numbers (rhs=file:).
std::string solution_text(const Point& point, const Problem& problem, const std::vector<SolveResult>& results,
                          const Provenance& here) {
    std::string text = "%%MatrixMarket matrix array real general\n";
    const SolveOptions& o = point.options;
    const std::string inner = o.preconditioner ? options::preconditioner_text(o) : to_string(o.spec);
    text += fmt::format("% solution of {}, {}, {} on {}\n", base::shortened(problem.name, 500),
                        scheme_name(point.options), inner, point.engine);
    for (const SolveResult& result : results)
        text += fmt::format("% {}, true residual {}\n", to_string(result.status), result.true_residual);
    if (!problem.origin.empty()) text += "% at the mesh's place: the origin that the solve took off is added again\n";
    text +=
        fmt::format("% mantissa {} ({})\n{} {}\n", here.version, here.commit, results.front().u.size(), results.size());
    for (const SolveResult& result : results)
        for (const double value : problem.placed(result.u)) text += text::shortest(value) + '\n';
    return text;
}

/// Writes the files asked for. When one cannot be written, the others are, and the first fault is returned.
std::string write_files(const Flags& flags, const Point& point, const Problem& problem,
                        const std::vector<SolveResult>& results, const Provenance& here) {
    std::string fault;
    const auto attempt = [&](const std::string& path, const auto& text) {
        if (path.empty()) return;
        try {
            base::write_file(path, text());
        } catch (const InvalidInput& failed) {
            if (fault.empty()) fault = failed.what();
        }
    };
    attempt(flags.history, [&] { return history_csv(results.front()); });
    const auto not_finite = [](const SolveResult& r) {
        return std::any_of(r.u.begin(), r.u.end(), [](double value) { return !std::isfinite(value); });
    };
    const auto bad = std::find_if(results.begin(), results.end(), not_finite);
    if (bad == results.end()) attempt(flags.solution, [&] { return solution_text(point, problem, results, here); });
    else
        fmt::print(stderr,
                   "mantissa: --solution: the solution is not finite ({}), so it was not written; choose a "
                   "datapath or scheme that converges\n",
                   to_string(bad->status));
    return fault;
}

/// The advice; with --advise=solve the solve that it names behind it.
int advise_command(const Flags& flags, const std::string& engines, const std::string& typed) {
    if (flags.advise != "only" && flags.advise != "solve")
        throw InvalidInput(fmt::format("--advise={}: write --advise, or --advise=solve to run what it names",
                                       base::shortened(flags.advise)));
    if (flags.advise == "solve" && flags.json)
        throw InvalidInput("--advise=solve: prints no JSON; use --advise --json and run the command that it holds");
    const SolveOptions asked = options_of(flags);
    const bool on_device = !flags.device.empty();
    if (!on_device && !flags.store.empty())
        throw InvalidInput("--store: it keeps what --device computes; give --device too, or leave it out");
    if (!flags.store.empty()) base::check_store_path("--store", flags.store);
    AdviceOptions options{asked.tolerance, asked.inner, asked.threads};
    if (!engines.empty() || on_device) options.refusal = advising::refusal_by(engines, on_device);
    const Problem problem = make_problem(flags.problem);
    const advising::HardwareRequest request{flags.device, flags.store, typed, asked.threads};
    if (on_device) advising::check_device(problem, request);
    if (!problem.note.empty()) fmt::print(stderr, "mantissa: {}\n", problem.note);
    const Advice advice = advising::advise_with_progress(problem, options);
    std::optional<advising::Hardware> hardware;
    if (on_device && advice.found()) hardware = advising::hardware_of(problem, *advice.advised, request);
    advising::print_advice(problem, advice, hardware, flags.json);
    if (!advice.found()) return kNotConverged;
    if (flags.advise == "only") return kDone;
    const std::string solver = engines.empty() ? "emulated" : engines.substr(0, engines.find(','));
    const auto engine = make_engine(solver);
    running::SolveProgress line(options.tolerance);
    const SolveResult result = solve(problem, *engine, advice.advised->options, [&](const HistoryPoint& h) {
        line.update(h.inner_iterations, h.relative_defect);
        return true;
    });
    fmt::print("\n");
    print_request(stdout, {problem.name, solver, advice.advised->options}, problem);
    print_answer(stdout, advice.advised->options, result, {});
    return result.status == Status::converged ? kDone : kNotConverged;
}

/// What a solve needs, made before it begins.
struct Ready {
    Point point;
    std::FILE* words = stdout;
    std::unique_ptr<Engine> engine, reference, checked; ///< the last two: where --check was given
    std::shared_ptr<std::atomic<std::uint64_t>> passes = std::make_shared<std::atomic<std::uint64_t>>(0);
    std::optional<Problem> problem;
    SharedOut shared;
    std::string parts; ///< in words; empty where the system stays whole
};

/// --guess: a file as --solution writes it.
void take_guess(const Flags& flags, Problem& problem, const running::Ranks& ranks) {
    if (flags.guess.empty()) return;
    if (ranks.count() > 1) throw InvalidInput("--guess: a solve over ranks begins at zero; leave it or mpirun out");
    problem.guess = read_vector(flags.guess, problem.system.size());
    for (std::size_t i = 0; i < problem.origin.size(); ++i) problem.guess[i] -= problem.origin[i];
}

/// What several right-hand sides do not go with.
void refuse_columns(const Flags& flags, const Problem& problem, const Ready& ready, const running::Ranks& ranks) {
    const bool over_parts = in_double_over_parts(ready.point.options, ready.shared);
    if (over_parts && !problem.guess.empty())
        throw InvalidInput("--guess: CG in double over parts begins at zero; leave it or --parts out");
    if (problem.more.empty()) return;
    const auto refuse = [&](const char* what) {
        throw InvalidInput(fmt::format("{}: it goes with one right-hand side, and the file has {}; leave it out", what,
                                       problem.more.size() + 1));
    };
    if (!flags.history.empty()) refuse("--history");
    if (ranks.count() > 1) refuse("mpirun");
    if (over_parts) refuse("--parts");
}

Ready make_ready(const Flags& flags, const running::Ranks& ranks, const std::vector<RankGpus>& rank_gpus) {
    Ready r;
    r.point = {{}, flags.engine, options_of(flags)};
    std::string chosen = apply_native(flags.native, flags.engine, flags.problem, r.point.options);
    if (ranks.first())
        r.words = check_outputs({{"--history", flags.history}, {"--solution", flags.solution}}, flags.json);
    r.shared = shared_out(flags.parts, ranks, flags.engine, r.point.options, rank_gpus);
    r.engine = make_solving_engine(flags.engine, r.point.options, r.shared);
    if (!flags.check.empty()) {
        if (in_double_over_parts(r.point.options, r.shared))
            throw InvalidInput("--check: CG in double over parts runs on no engine; leave it out");
        r.reference = make_engine(flags.check);
        r.checked = make_checked_engine(*r.engine, *r.reference, r.passes);
    }
    if (std::string why = options::refusal(r.point.options); !why.empty()) throw InvalidInput(why);
    r.problem = make_problem_of_columns(flags.problem);
    if (std::string other = apply_native(flags.native, flags.engine, *r.problem, r.point.options); !other.empty())
        chosen = std::move(other);
    if (std::string why = options::refusal(r.point.options, *r.problem); !why.empty()) throw InvalidInput(why);
    take_guess(flags, *r.problem, ranks);
    refuse_columns(flags, *r.problem, r, ranks);
    if (ranks.first() && !r.problem->note.empty()) fmt::print(stderr, "mantissa: {}\n", r.problem->note);
    r.point.problem = r.problem->name;
    if (std::string why = parts_refusal(r.shared, *r.engine, r.point.options, r.problem->system); !why.empty())
        throw InvalidInput(why);
    if (ranks.first() && !chosen.empty()) fmt::print(stderr, "mantissa: {}\n", chosen);
    r.parts = parts_in_words(r.shared, r.problem->system, r.point.options.spec, ranks);
    return r;
}

int solve_ready(const Flags& flags, const std::string& typed, const Ready& ready, const running::Ranks& ranks) {
    const Point& point = ready.point;
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
    std::string parts = ready.parts;
    if (const std::string& picked = ready.shared.picked->text; !picked.empty()) parts += "; of the GPUs " + picked;
    const std::string fault = write_files(flags, point, problem, results, current_provenance(typed));
    if (flags.json) {
        results::Json j = results::to_json(point);
        j["unknowns"] = problem.system.size();
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
        else print_answers(ready.words, results);
    }
    if (!fault.empty()) throw InvalidInput(fault); // behind the answer, so that it is not lost
    return code;
}

/// Over several ranks: all of them make ready or none goes on, and the first alone speaks. A rank that fails later ends
/// the others, which would wait for it.
int solve_command(const Flags& flags, const std::string& typed) {
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

/// A dense system: what else was given is refused, not passed over.
int dense_command(CLI::App& app, Flags& flags) {
    for (const CLI::Option* option : app.get_options()) {
        const std::string name = option->get_name();
        const bool known = name == "--dense" || name == "--lu" || name == "--refine" || name == "--refine-steps" ||
                           name == "--method" || name == "--gmres-tolerance" || name == "--unscaled" ||
                           name == "--threads" || name == "--solution" || name == "--json" || name == "--engine" ||
                           name == "--check";
        if (option->count() != 0 && !known)
            throw InvalidInput(fmt::format("{}: a dense system has no such option; leave it out", name));
    }
    flags.dense.threads = flags.threads;
    flags.dense.solution = flags.solution;
    flags.dense.engine = flags.engine;
    flags.dense.check = flags.check;
    flags.dense.json = flags.json;
    return solve_dense_command(flags.dense);
}

Run setup(CLI::App& app, const std::string& typed) {
    const auto flags = std::make_shared<Flags>();
    Flags& f = *flags;
    using options::Group;
    const auto begin = [&app](const char* title) { app.option_defaults()->group(title); };
    begin(options::title(Group::problem));
    app.add_option("--problem", f.problem,
                   "poisson2d:level=8[,anisotropy=A][,rhs=smooth|random], "
                   "diffusion2d:level=7[,field=smooth|jump|checker][,contrast=C]"
                   "[,seed=S], poisson3d:level=5, convection2d:level=7|n=N[,peclet=P]"
                   "[,difference=upwind|central][,wind=constant|recirculating][,rhs=known|random], "
                   "convection3d likewise, "
                   "mtx:FILE[,rhs=ones|random|file:FILE][,seed=S], or, from meshes, "
                   "lscm:FILE[,weight=area|opennl][,pins=axes|boundary][,cut=no|auto] and "
                   "dsi:FILE[,task=smooth|interpolate][,weight=W][,coordinate=x|y|z|xyz] (docs/meshes.md); "
                   "generated:kind=nd|band|thermal|elasticity|scattered|power|arrow|circuit|supply,n=N[,seed=S]"
                   "[,order=natural|random], large and sparse");
    CLI::Option* const advise = app.add_flag(
        "--advise{only}", f.advise,
        "estimate the condition of the matrix and propose widths and options; --advise=solve runs them as well; "
        "--engine names those that shall take them, separated by commas");
    app.add_option("--device", f.device,
                   "with --advise: area, clock and time of the advised datapath on this device, a name in "
                   "experiments/devices or a .toml file");
    app.add_option("--store", f.store, "with --device: a results file that keeps what it computes");
    for (const Group group : options::kGroups) f.solver.declare(app, group);
    f.solver.exclude(app);
    app.add_option("--guess", f.guess,
                   "begin there in place of zero: a file of as many numbers as unknowns, as --solution writes it");
    begin(options::title(Group::place));
    app.add_option("--engine", f.engine, "see mantissa engines")->capture_default_str();
    app.add_option("--check", f.check, "run this engine beside it and compare every iteration, bit for bit");
    app.add_option("--threads", f.threads, "threads, 0 for all cores; results do not depend on it")
        ->capture_default_str();
    add_part_options(app, f.parts);
    begin(options::title(Group::output));
    app.add_option("--history", f.history, "write the defect of every step to a CSV file; -: standard output");
    app.add_option("--solution", f.solution,
                   "write the solution to a MatrixMarket file, converged or not; -: standard output");
    app.add_flag("--json", f.json, "print a JSON object");
    begin("A dense system by LU");
    add_dense_options(app, f.dense);
    return [flags, typed, advise, &app] {
        const bool dense = app.get_option("--dense")->count() != 0;
        if (running::launch().count > 1 && (dense || advise->count() != 0))
            throw InvalidInput(fmt::format("{} runs in one process: leave mpirun out", dense ? "--dense" : "--advise"));
        if (dense) return dense_command(app, *flags);
        if (flags->problem.empty())
            throw InvalidInput(
                "--problem: give the system to solve, as poisson2d:level=8, or a dense one with --dense");
        for (const char* name : {"--lu", "--refine", "--refine-steps", "--gmres-tolerance", "--unscaled"})
            if (app.get_option(name)->count() != 0)
                throw InvalidInput(
                    fmt::format("{}: it is for a dense system; give one with --dense, or leave it out", name));
        flags->native = note_asked(app, flags->solver);
        if (advise->count() == 0) {
            for (const char* name : {"--device", "--store"})
                if (app.get_option(name)->count() != 0)
                    throw InvalidInput(fmt::format("{}: it is for --advise; give that too, or leave it out", name));
            return solve_command(*flags, typed);
        }
        const auto refuse = [](std::string_view name) {
            throw InvalidInput(fmt::format("{}: --advise chooses the solve itself; leave it out", name));
        };
        for (const options::Option* option : flags->solver.given())
            if (!option->with_advice) refuse(flag_of(*option));
        for (const char* name : {"--guess", "--check", "--history", "--solution", "--parts", "--cut", "--exchange",
                                 "--gpus", "--devices", "--rank-wait"})
            if (app.get_option(name)->count() != 0) refuse(name);
        return advise_command(*flags, app.get_option("--engine")->count() != 0 ? flags->engine : "", typed);
    };
}

} // namespace

const Command kSolve{"solve", "Solve one problem and report iterations and the true residual", setup};

} // namespace mantissa::cli
