// The advice on cycles in words.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mantissa/base/shell_words.hpp"
#include "mantissa/host/advise_cycles.hpp"

namespace mantissa {

namespace {

/// More than this part of the couplings positive is worth a word where cycles do badly.
constexpr double kManyPositive = 0.05;
/// ... and a grid whose directions differ by more than this.
constexpr double kManyTimes = 10;

std::string levels_text(const LevelsMeasured& levels) {
    if (!levels.why_not.empty()) return {};
    return fmt::format("Levels {}: {} unknowns; their matrices have {:.2f} times the entries of the first.\n",
                       levels.of_grid ? "of the grid, every second node" : "by smoothed aggregation",
                       fmt::join(levels.unknowns, ", "), levels.entries) +
           (levels.in_words.empty() ? std::string() : fmt::format("A cycle in words has {}.\n", levels.in_words));
}

std::string iterations_text(const CycleTrial& trial) {
    return fmt::format("{} iterations, the work of {:.0f} products with the matrix, {:.2g} s of processor time",
                       trial.iterations, trial.work, trial.seconds);
}

std::string jacobi_text(const CycleAdvice& advice) {
    if (advice.indefinite) return {};
    return fmt::format("Jacobi CG in double precision: {} iterations{}, as many products, {:.2g} s.\n",
                       advice.jacobi_iterations, advice.jacobi_reached ? "" : " and has not converged then",
                       advice.jacobi_seconds);
}

/// What was measured that makes cycles converge badly.
std::string cause_text(const LevelsMeasured& levels) {
    if (levels.anisotropy > kManyTimes)
        return fmt::format("Couplings along one direction of the grid are {:.0f} times as strong as along the other: "
                           "levels of every second node in both are not made for that.\n",
                           levels.anisotropy);
    if (levels.positive < kManyPositive) return {};
    return fmt::format(
        "{:.0f} % of what couples the unknowns is positive, as in plates, shells and mass matrices: smooth "
        "errors are not near-constant there, and levels made for constants miss them.\n",
        100 * levels.positive);
}

} // namespace

std::string cycle_command(const Problem& problem, const CycleSpec& spec, double tolerance) {
    std::string text = fmt::format("mantissa solve --problem {} --preconditioner {}", base::shell_quoted(problem.name),
                                   base::shell_quoted("multilevel:" + to_string(spec)));
    if (tolerance != SolveOptions{}.tolerance) text += fmt::format(" --tolerance {}", tolerance);
    return text;
}

std::string jacobi_command(const Problem& problem, double tolerance) {
    const bool rows = problem.system.kind() == System::Kind::sparse;
    std::string text = fmt::format("mantissa solve --problem {} {} --format double", base::shell_quoted(problem.name),
                                   rows ? "--scheme jacobi-pcg" : "--jacobi --scheme direct");
    if (tolerance != SolveOptions{}.tolerance) text += fmt::format(" --tolerance {}", tolerance);
    return text;
}

std::string cycle_advice_text(const Problem& problem, const CycleAdvice& advice, double tolerance) {
    std::string text =
        fmt::format("{}: {} unknowns.\n", problem.name, advice.size) + jacobi_text(advice) + levels_text(advice.levels);
    for (const CycleTrial& trial : advice.in_double)
        text += trial.converged ? fmt::format("Cycles {}: {}.\n", to_string(trial.spec), iterations_text(trial))
                                : fmt::format("Cycles {}: not converged after {} iterations ({}).\n",
                                              to_string(trial.spec), trial.iterations, trial.ended);
    const std::string take_jacobi =
        fmt::format("Jacobi CG {}:\n  {}\n", advice.found() ? "takes less work here" : "is the way here",
                    jacobi_command(problem, tolerance));
    if (!advice.found()) {
        text += fmt::format("No cycle is advised: {}.\n", advice.why_not) + cause_text(advice.levels);
        return text + (advice.jacobi_reached ? take_jacobi : std::string());
    }
    text += fmt::format("{} trial solve{} in words went before this{}.\n", advice.trials, advice.trials == 1 ? "" : "s",
                        advice.time_up ? "; time was up before all were tried" : "");
    if (!advice.within)
        text += fmt::format("No words keep double's iterations within {} times: these are the shortest that keep those "
                            "of the longest words.\n",
                            kMostTimesOfCycles) +
                cause_text(advice.levels);
    text += fmt::format("Advised:\n  {}\n  Tried: {}; {:.2f} times the iterations of double precision.\n",
                        cycle_command(problem, advice.advised->spec, tolerance), iterations_text(*advice.advised),
                        static_cast<double>(advice.advised->iterations) /
                            static_cast<double>(std::max<std::uint64_t>(advice.reference->iterations, 1)));
    return advice.pays() ? text : text + (advice.within ? cause_text(advice.levels) : "") + take_jacobi;
}

} // namespace mantissa
