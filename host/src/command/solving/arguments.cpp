#include "arguments.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "command/answers/solve_answer.hpp"
#include "command/command.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/matrix_market.hpp"

namespace mantissa::cli {

SolveOptions options_of(const SolveArguments& flags) {
    SolveOptions o = flags.solver.options();
    if (o.resident && !o.outer) o.outer = kResidentIterate;
    o.threads = thread_count(flags.threads);
    o.history = !flags.history.empty();
    o.keep_solution = !flags.solution.empty();
    return o;
}

std::string write_files(const SolveArguments& flags, const Point& point, const Problem& problem,
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

std::vector<double> read_guess(const SolveArguments& flags, const Problem& problem) {
    if (flags.guess.empty()) return {};
    const std::size_t size = problem.system.size(), sides = problem.more.size() + 1;
    std::vector<double> guess = read_columns_together(flags.guess, size, sides, "guess");
    if (guess.size() != size && guess.size() != sides * size)
        throw InvalidInput(fmt::format("{}: {} columns for {} right-hand sides; give one, or as many", flags.guess,
                                       guess.size() / size, sides));
    for (std::size_t i = 0; i < guess.size() && !problem.origin.empty(); ++i) guess[i] -= problem.origin[i % size];
    return guess;
}

} // namespace mantissa::cli
