// What hardware needs of a cycle on a grid, tolerances in words, and which systems have solves in words.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mantissa/multilevel/word_rows.hpp"
#include "mantissa/multilevel/word_solve.hpp"

namespace mantissa::multilevel {

namespace {

constexpr int kOuterBits = 64;

std::vector<StepWeight> step_weights(const std::vector<Weight>& weights) {
    std::vector<StepWeight> steps;
    for (const Weight& w : weights) steps.push_back({w.significand, w.shift});
    return steps;
}

} // namespace

GridPlan grid_plan(const GridWords& grid, const CycleSpec& spec) {
    if (spec.in_double) throw InvalidInput("cycle: w=double has no words; give bits, as w=10");
    if (grid.levels() < 2) throw InvalidInput("cycle: a grid of 3 nodes a side has no coarser level; take a finer one");
    GridPlan plan;
    plan.centre = grid.centre;
    plan.east = grid.east;
    plan.north = grid.north;
    plan.corner = grid.corner;
    plan.guard = spec.guard;
    plan.inverse = inverse_words({1.0 / grid.centre}, plan.inverse_point).front();
    for (std::size_t l = 0; l < grid.levels(); ++l) {
        const LevelWords words = grid_level_words(grid, spec, l);
        plan.level.push_back({words.w, words.f, words.e, words.phi, words.h});
        plan.most = words.n;
        plan.before = step_weights(words.before);
        plan.after = step_weights(words.after);
    }
    return plan;
}

std::uint64_t WordTolerance::limit(int x) const {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
    const int left = 2 * (point - x);
    if (t == 0 || left <= -64) return 0;
    if (left <= 0) return t >> -left;
    return left >= 62 || t > kMost >> left ? kMost : t << left;
}

WordTolerance word_tolerance(double norm) {
    constexpr int kBits = 52;
    if (!(norm > 0)) return {};
    int exponent = 0;
    const double square = std::ldexp(norm * norm, 2 * kVerdictBits); // of s at x = 0
    static_cast<void>(std::frexp(square, &exponent));
    const int quarter = (exponent - kBits) / 2; // square = t 4^quarter, t of some 52 bits
    return {static_cast<std::uint64_t>(std::ldexp(square, -2 * quarter)), quarter};
}

double WordVerdict::norm() const {
    return std::ldexp(std::sqrt(static_cast<double>(sum)), length - kVerdictBits);
}

std::string word_cycle_refusal(std::string_view engine, const System& system, const CycleSpec& spec) {
    const auto grid = grid_words(system);
    if (!grid)
        return fmt::format(
            "preconditioner multilevel: engine {} has cycles for constant stencils that bilinear "
            "interpolation reproduces, on 2^n + 1 nodes a side (poisson2d); leave that engine out (mantissa "
            "solve --engine emulated takes this system)",
            engine);
    if (grid->levels() < kLeastCycleLevel || grid->levels() > kMostCycleLevel)
        return fmt::format("preconditioner multilevel: engine {} has cycles for grids of 2^{} + 1 to 2^{} + 1 nodes a "
                           "side; give such a grid, or leave that engine out (mantissa solve --engine emulated)",
                           engine, kLeastCycleLevel, kMostCycleLevel);
    if (spec.in_double)
        return fmt::format(
            "preconditioner multilevel: engine {} has cycles in words, and none in double; give bits, as "
            "w=10, or leave that engine out (mantissa solve --engine emulated)",
            engine);
    return {};
}

std::string word_cycles_refusal(std::string_view engine, const System& system, const CycleSpec& spec,
                                const CycleLoop& loop) {
    if (std::string why = word_cycle_refusal(engine, system, spec); !why.empty()) return why;
    if (loop.cg)
        return fmt::format("preconditioner multilevel: engine {} has no loop of CG of its own, and the host's stands "
                           "around its cycles; for a loop of its own give --scheme defect-correction",
                           engine);
    if (!loop.iterate.is_fixed() || loop.iterate.word_bits != kOuterBits)
        return fmt::format(
            "outer {}: the outer loop of engine {}'s cycles has words of 64 bits, as fx64.62; give that, "
            "or leave it out",
            to_string(loop.iterate), engine);
    return {};
}

} // namespace mantissa::multilevel
