// mantissa solve --advise: what it proposes for a matrix, and the solve after it.
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "advise/advice_report.hpp"
#include "arguments.hpp"
#include "command/answers/solve_answer.hpp"
#include "command/command.hpp"
#include "command/options/declare.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/registry.hpp"
#include "running/processor_time.hpp"
#include "running/progress.hpp"

namespace mantissa::cli {

namespace {

/// The solve that an advice names, beginning at `problem`'s guess; its outputs are those that were asked for.
int solve_advised(const SolveArguments& flags, const std::string& typed, const Problem& problem,
                  const std::string& solver, SolveOptions advised) {
    const SolveOptions asked = options_of(flags);
    advised.bound = asked.bound;
    advised.history = asked.history;
    advised.keep_solution = asked.keep_solution;
    const auto engine = make_engine(solver);
    running::SolveProgress line(advised.tolerance);
    const SolveResult result = solve(problem, *engine, advised, std::ref(line));
    const Point point{problem.name, solver, advised};
    const std::string fault = write_files(flags, point, problem, {result}, current_provenance(typed));
    fmt::print("\n");
    print_request(stdout, point, problem);
    print_answer(stdout, advised, result, {});
    if (!fault.empty()) throw InvalidInput(fault); // after the answer, so that it is not lost
    return result.status == Status::converged ? kDone : kNotConverged;
}

/// Advice is words on standard output, so a file of the solve after it cannot go there.
void check_advised_outputs(const SolveArguments& flags) {
    for (const auto& [which, path] : {std::pair(Common::history, flags.history), {Common::solution, flags.solution}}) {
        if (base::is_standard_output(path))
            throw InvalidInput(fmt::format("{} -: the advice goes to standard output; give it a file", flag_of(which)));
        check_outputs({{flag_of(which), path}}, false);
    }
}

/// The advice on multilevel cycles.
int advise_cycles_command(const SolveArguments& flags, const std::string& engines, const std::string& typed,
                          const SolveOptions& asked) {
    for (const auto& [which, value] : {std::pair(Common::engine, engines), {Common::device, flags.device}})
        if (!value.empty())
            throw InvalidInput(fmt::format("{}: advice on cycles is for this processor; leave it out", flag_of(which)));
    if (asked.inner != SolveOptions{}.inner)
        throw InvalidInput("--inner: a multilevel cycle is the inner solver itself; leave it out");
    AdviceOptions options;
    options.tolerance = asked.tolerance;
    options.threads = asked.threads;
    Problem problem = make_problem(flags.problem);
    std::vector<double> guess = read_guess(flags, problem);
    if (!problem.note.empty()) fmt::print(stderr, "mantissa: {}\n", problem.note);
    CycleSpec words;
    words.before = asked.preconditioner->before;
    words.after = asked.preconditioner->after;
    if (to_string(*asked.preconditioner) != to_string(words) && !asked.preconditioner->in_double)
        fmt::print(stderr, "mantissa: the advice chooses the words itself: of {} it holds the smoothing alone\n",
                   to_string(*asked.preconditioner));
    options.before = running::processor_seconds();
    const CycleAdvice advice = advising::advise_cycles_with_progress(problem, *asked.preconditioner, options);
    advising::print_cycle_advice(problem, advice, options.tolerance, flags.json);
    if (!advice.found()) return kNotConverged;
    if (flags.advise == "only") return kDone;
    problem.guess = std::move(guess); // (the advice is of the matrix)
    return solve_advised(flags, typed, problem, "emulated", cycle_solve_options(advice.advised->spec, options));
}

} // namespace

int advise_command(const SolveArguments& flags, const std::string& engines, const std::string& typed) {
    if (flags.advise != "only" && flags.advise != "solve")
        throw InvalidInput(fmt::format("--advise={}: write --advise, or --advise=solve to run what it names",
                                       base::shortened(flags.advise)));
    if (flags.advise == "solve" && flags.json)
        throw InvalidInput("--advise=solve: prints no JSON; use --advise --json and run the command that it holds");
    const SolveOptions asked = options_of(flags);
    const bool on_device = !flags.device.empty();
    // (Of those that may stand here; Jacobi scaling is what the advice takes anyway.)
    for (const options::Option* option : flags.solver.given())
        if (option->asks == options::Asks::solver && !asked.preconditioner && !asked.jacobi)
            throw InvalidInput(
                fmt::format("{} {}: the advice takes Jacobi scaling; leave it out, or give multilevel for "
                            "advice on cycles",
                            flag_of(*option), options::text_of(flags.solver.value(*option))));
    check_advised_outputs(flags);
    if (asked.preconditioner && !flags.store.empty())
        throw InvalidInput("--store: an advice on cycles computes nothing that a results file keeps; leave it out");
    if (asked.preconditioner) return advise_cycles_command(flags, engines, typed, asked);
    if (!on_device && !flags.store.empty())
        throw InvalidInput("--store: it keeps what --device computes; give --device too, or leave it out");
    if (!flags.store.empty()) base::check_store_path(flag_of(Common::store), flags.store);
    AdviceOptions options{asked.tolerance, asked.inner, asked.threads};
    if (!engines.empty() || on_device) options.refusal = advising::refusal_by(engines, on_device);
    options.engine = engines.substr(0, engines.find(','));
    Problem problem = make_problem(flags.problem);
    std::vector<double> guess = read_guess(flags, problem);
    const advising::HardwareRequest request{flags.device, flags.store, typed, asked.threads};
    if (on_device) advising::check_device(problem, request);
    if (!problem.note.empty()) fmt::print(stderr, "mantissa: {}\n", problem.note);
    options.before = running::processor_seconds(); // of this process: all of it is advice
    const Advice advice = advising::advise_with_progress(problem, options);
    std::optional<advising::Hardware> hardware;
    if (on_device && advice.found()) {
        // Who stops the minutes that follow has the advice.
        fmt::print(stderr, "mantissa: advised: {}\nmantissa: now its core, mapped for {}\n",
                   advised_command(problem, *advice.advised), flags.device);
        hardware = advising::hardware_of(problem, *advice.advised, request);
    }
    advising::print_advice(problem, advice, hardware, flags.json);
    if (!advice.found()) return kNotConverged;
    if (flags.advise == "only") return kDone;
    problem.guess = std::move(guess); // (the advice is of the matrix)
    return solve_advised(flags, typed, problem, options.engine.empty() ? "emulated" : options.engine,
                         advice.advised->options);
}

} // namespace mantissa::cli
