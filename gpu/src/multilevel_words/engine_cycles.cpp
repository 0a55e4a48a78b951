#include "engine_cycles.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include <fmt/format.h>

#include "../multilevel_rows/row_cycles.hpp"
#include "mantissa/gpu/peers.hpp"
#include "mantissa/gpu/word_cycle.hpp"
#include "mantissa/multilevel/grid_words.hpp"

namespace mantissa::gpu {

namespace {

constexpr std::size_t kLeastLevel = 3, kMostLevel = 14;
/// The solver's own test sums squares of the leading bits of words (WordSolveRequest): a little inside, so that the
/// true residual is inside as well.
constexpr double kInside = 0.999;

class DeviceCycles final : public CycleSolver {
public:
    DeviceCycles(const multilevel::GridWords& grid, const CycleSpec& spec, int fraction_bits,
                 const std::shared_ptr<Peers>& peers)
        : cycle_(cycle_of(static_cast<int>(grid.levels()), {grid.centre, grid.east, grid.north, grid.corner}, spec,
                          peers)),
          in_double_(spec.in_double), fraction_bits_(fraction_bits), factor_(grid.factor) {}

    CycleSolveReport solve(std::span<const double> b, double tolerance, std::uint64_t most_cycles,
                           std::vector<double>& u) override {
        constexpr std::uint64_t kMost = 1000000;
        WordSolveRequest request;
        request.tolerance = tolerance * kInside;
        request.most_cycles = static_cast<int>(std::clamp(most_cycles, std::uint64_t{1}, kMost));
        WordSolveReport report;
        u.resize(b.size());
        if (in_double_) {
            const auto right = std::make_unique_for_overwrite<double[]>(b.size());
#pragma omp parallel for schedule(static)
            for (std::size_t i = 0; i < b.size(); ++i) right[i] = b[i] * factor_;
            report = cycle_.solve(std::span<const double>(right.get(), b.size()), request, std::span(u));
        } else if (!in_words(b, request, report, u)) {
            CycleSolveReport unfit;
            unfit.end = CycleSolveEnd::overflow;
            return unfit;
        }
        const CycleSolveEnd end = report.end == WordSolveEnd::converged  ? CycleSolveEnd::reached
                                  : report.end == WordSolveEnd::overflow ? CycleSolveEnd::overflow
                                                                         : CycleSolveEnd::limit;
        return {end, static_cast<std::uint64_t>(report.cycles), report.seconds, report.residual, {}};
    }

private:
    static WordCycle cycle_of(int level, const WordStencil& stencil, const CycleSpec& spec,
                              const std::shared_ptr<Peers>& peers) {
        return peers ? WordCycle(peers, level, stencil, spec) : WordCycle(level, stencil, spec);
    }
    /// False where an element of b does not fit.
    bool in_words(std::span<const double> b, const WordSolveRequest& request, WordSolveReport& report,
                  std::span<double> u) {
        constexpr double kFits = 0x1p60;
        // b, and u in its place. (Not a vector, which one thread would fill with zeros: at level 12 that takes ten
        // times the solve's time.)
        const auto words = std::make_unique_for_overwrite<std::int64_t[]>(b.size());
        const double up = std::ldexp(1.0, fraction_bits_), down = std::ldexp(1.0, -fraction_bits_);
        bool fit = true;
#pragma omp parallel for schedule(static) reduction(&& : fit)
        for (std::size_t i = 0; i < b.size(); ++i) {
            const double word = std::floor(factor_ * b[i] * up + 0.5);
            fit = fit && std::abs(word) < kFits;
            words[i] = std::abs(word) < kFits ? static_cast<std::int64_t>(word) : 0;
        }
        if (!fit) return false;
        report = cycle_.solve(std::span<const std::int64_t>(words.get(), b.size()), request,
                              std::span(words.get(), b.size()));
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < b.size(); ++i) u[i] = static_cast<double>(words[i]) * down;
        return true;
    }

    WordCycle cycle_;
    bool in_double_;
    int fraction_bits_;
    double factor_;
};

/// Has the system a grid whose cycles the kernels of words know, and are they alone?
bool on_grid(const System& system, const CycleLoop& loop) {
    if (loop.cg) return false;
    const auto grid = multilevel::grid_words(system);
    return grid && grid->levels() >= kLeastLevel && grid->levels() <= kMostLevel;
}

} // namespace

std::string cycles_refusal(const System& system, const CycleSpec& spec, const CycleLoop& loop, int parts) {
    const bool grid = on_grid(system, loop);
    if (!grid) {
        if (!loop.cg && loop.iterate.is_fixed() && multilevel::grid_words(system))
            return fmt::format(
                "preconditioner multilevel: engine gpu has cycles in words for grids of 2^{} + 1 to 2^{} + "
                "1 nodes a side; leave the engine out, or give --scheme inexact-pcg",
                kLeastLevel, kMostLevel);
        return row_cycles_refusal(system, loop, parts);
    }
    if (!spec.in_double && (!loop.iterate.is_fixed() || loop.iterate.word_bits != 64))
        return fmt::format(
            "outer {}: the outer loop of engine gpu's cycles has words of 64 bits, as fx64.62; give that, "
            "or leave it out",
            to_string(loop.iterate));
    const auto level = static_cast<int>(multilevel::grid_words(system)->levels());
    if (parts > WordCycle::most_parts(level))
        return fmt::format("preconditioner multilevel: a grid of level {} has strips for at most {} GPUs", level,
                           WordCycle::most_parts(level));
    return {};
}

std::unique_ptr<CycleSolver> make_cycles(const System& system, const CycleSpec& spec, const CycleLoop& loop,
                                         const std::shared_ptr<Peers>& peers) {
    const int parts = peers ? peers->parts() : 1;
    if (const std::string why = cycles_refusal(system, spec, loop, parts); !why.empty()) throw InvalidInput(why);
    if (!on_grid(system, loop)) return make_row_cycles(system, spec, loop, peers);
    return std::make_unique<DeviceCycles>(*multilevel::grid_words(system), spec, loop.iterate.fraction_bits, peers);
}

} // namespace mantissa::gpu
