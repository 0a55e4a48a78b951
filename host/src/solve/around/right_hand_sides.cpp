// Several right-hand sides of one system.
#include <algorithm>

#include <fmt/format.h>

#include "mantissa/host/options.hpp"
#include "mantissa/host/solve.hpp"
#include "solve/around/around.hpp"

namespace mantissa {

std::vector<SolveResult> solve_all(const Problem& problem, const Engine& engine, const SolveOptions& options,
                                   const Progress& progress) {
    for (std::size_t k = 0; k < problem.more.size(); ++k)
        if (problem.more[k].size() != problem.system.size())
            throw InvalidInput(fmt::format("right-hand side {}: it has {} elements and the system {} unknowns; give as "
                                           "many",
                                           k + 2, problem.more[k].size(), problem.system.size()));
    // The textbook's Jacobi-PCG on this processor takes them together: a pass over the matrix serves all.
    if (!problem.more.empty() && problem.guess.empty() && options.scheme == Scheme::jacobi_pcg &&
        engine.name() == "emulated" && !options.spec.sums_free()) {
        std::vector<std::vector<double>> b{problem.b};
        b.insert(b.end(), problem.more.begin(), problem.more.end());
        SolveOptions with_solution = options;
        with_solution.keep_solution = options.keep_solution || options.bound;
        std::vector<SolveResult> results = solve_jacobi_pcg(problem.system, b, with_solution, progress);
        Problem bounded = problem;
        for (std::size_t k = 0; k < b.size() && options.bound; ++k) {
            bounded.b = b[k];
            results[k].bound = error_bound(bounded, results[k].u, options.threads);
            if (!options.keep_solution) results[k].u.clear();
        }
        return results;
    }
    if (solving::solves_together(problem, engine, options))
        return solving::solve_together(problem, engine, options, progress);
    std::vector<SolveResult> results;
    if (problem.more.empty()) { // (at a hundred million unknowns a copy is a second)
        results.push_back(solve(problem, engine, options, progress));
        return results;
    }
    const std::size_t size = problem.system.size();
    const bool own_guesses = problem.guess.size() == size * (problem.more.size() + 1);
    Problem one = problem;
    one.more.clear();
    if (own_guesses) one.guess.resize(size);
    results.push_back(solve(one, engine, options, progress));
    one.exact = {}; // (of the first alone)
    for (std::size_t k = 0; k < problem.more.size(); ++k) {
        one.b = problem.more[k];
        if (own_guesses)
            std::copy_n(problem.guess.begin() + static_cast<std::ptrdiff_t>((k + 1) * size), size, one.guess.begin());
        results.push_back(solve(one, engine, options, progress));
    }
    return results;
}

} // namespace mantissa
