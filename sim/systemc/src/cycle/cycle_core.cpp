// The controller of a timed cycle core, and which lanes there are.
#include "cycle_core.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mantissa/format.hpp"
#include "timed_cycles.hpp"

namespace mantissa::sim {

namespace {

constexpr int kLaneChoices[] = {1, 2, 4, 16, 64}, kMostCores = 16;

} // namespace

template <int Lanes> void TimedCycles<Lanes>::coarsest(int l) {
    using mantissa_hls::cycle::kCoarsestNode;
    const Word v = sequencer_.coarsest(l, cores_[0]->memory().t[l][kCoarsestNode]);
    for (const auto& core : cores_) mantissa_hls::cycle::keep_coarsest(core->memory().e[l], v);
}

template <int Lanes> multilevel::WordOutcome TimedCycles<Lanes>::run(const multilevel::WordRequest& request) {
    using mantissa_hls::cycle::length;
    const multilevel::CycleTiming& t = multilevel::kCycleTiming;
    multilevel::WordOutcome out;
    std::uint64_t all = 0; // of D's magnitudes: gathered as D came
    for (const auto& core : cores_) all |= core->all_of_d();
    // (Well above zero: what is read ahead of a sweep begins before it.)
    const auto start = static_cast<Cycle>(now_cycles()) + 64;
    Cycle at = start;
    const int coarsest_level = plan_.levels - 1;
    for (;; ++out.cycles) {
        const int x = length(all);
        at = counted(at, x);
        const bool over = std::ranges::any_of(cores_, [](const auto& core) { return core->over(); }) ||
                          x > mantissa_hls::cycle::kMostWordBits;
        if (over || x == 0) {
            out.history.push_back({x, 0});
            out.end = over ? CycleSolveEnd::overflow : CycleSolveEnd::reached;
            break;
        }
        sequencer_.begin(plan_, x);
        std::uint64_t of_t = down(0, at);
        at = swept_ + 1 + static_cast<Cycle>(t.verdict);
        std::uint64_t sum = 0;
        for (const auto& core : cores_) sum += core->squares();
        out.history.push_back({x, sum});
        out.end = out.history.back().sum <= request.tolerance.limit(x) ? CycleSolveEnd::reached : CycleSolveEnd::limit;
        if (out.end == CycleSolveEnd::reached || out.cycles == request.most_cycles) break;
        int l = 0;
        while (sequencer_.descended(l, of_t)) {
            at = counted(at, length(of_t));
            if (++l == coarsest_level) break;
            of_t = down(l, at);
            at = swept_ + 1;
        }
        if (l == coarsest_level) {
            coarsest(l--);
            at += static_cast<Cycle>(t.enter);
        }
        for (; l >= 0; --l) {
            sequencer_.rises(l);
            at = counted(at, sequencer_[l].nothing ? 0 : sequencer_[l + 1].e_length) + static_cast<Cycle>(t.points);
            const std::uint64_t of_e = up(l, at);
            at = swept_ + 1;
            if (l > 0) sequencer_[l].e_length = length(of_e);
            else all = of_e;
        }
    }
    out.clocks = at - start;
    return out;
}

template <int Lanes> void TimedCycles<Lanes>::report(SystemReport& to, const multilevel::WordOutcome& outcome) const {
    to.cycles += *outcome.clocks;
    to.passes += outcome.cycles;
    to.core_seconds = static_cast<double>(to.cycles) / (options_.host.core_mhz * 1e6);
    to.stages.clear();
    to.fifos.clear();
    to.channels.clear();
    for (const auto& core : cores_) core->report(to);
}

std::unique_ptr<multilevel::WordSolver> make_timed_cycle_core(const multilevel::GridWords& grid, const CycleSpec& spec,
                                                              const SystemcOptions& options) {
    const multilevel::GridPlan plan = multilevel::grid_plan(grid, spec);
    if (options.cycle_cores < 1 || options.cycle_cores > kMostCores)
        throw InvalidInput(
            fmt::format("engine 'systemc': {} cores of cycles; give 1 to {}", options.cycle_cores, kMostCores));
    switch (options.cycle_lanes) {
    case 1:
        return std::make_unique<TimedCycles<1>>(plan, options);
    case 2:
        return std::make_unique<TimedCycles<2>>(plan, options);
    case 4:
        return std::make_unique<TimedCycles<4>>(plan, options);
    case 16:
        return std::make_unique<TimedCycles<16>>(plan, options);
    case 64:
        return std::make_unique<TimedCycles<64>>(plan, options);
    default:
        throw InvalidInput(fmt::format("engine 'systemc': {} lanes of the cycle core; give one of {}",
                                       options.cycle_lanes, fmt::join(kLaneChoices, ", ")));
    }
}

} // namespace mantissa::sim
