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

template <int Lanes> bool TimedCycles<Lanes>::over() const {
    return std::ranges::any_of(cores_, [](const auto& core) { return core->over(); });
}

template <int Lanes> std::uint64_t TimedCycles<Lanes>::complete(std::uint64_t of_t, Cycle& at) {
    const int coarsest_level = plan_.levels - 1;
    int l = 0;
    while (sequencer_.descended(l, of_t)) {
        at = counted(at, mantissa_hls::cycle::length(of_t));
        if (++l == coarsest_level) break;
        of_t = down(l, at);
        at = swept_ + 1;
    }
    if (l == coarsest_level) {
        coarsest(l--);
        at += static_cast<Cycle>(multilevel::kCycleTiming.enter);
    }
    for (;; --l) {
        sequencer_.rises(l);
        at = counted(at, sequencer_[l].nothing ? 0 : sequencer_[l + 1].e_length) +
             static_cast<Cycle>(multilevel::kCycleTiming.points);
        const std::uint64_t of_e = up(l, at);
        at = swept_ + 1;
        if (l == 0) return of_e;
        sequencer_[l].e_length = mantissa_hls::cycle::length(of_e);
    }
}

template <int Lanes>
CycleSolveEnd TimedCycles<Lanes>::correct_alone(std::uint64_t all, multilevel::WordOutcome& out, Cycle& at) {
    const int x = mantissa_hls::cycle::length(all);
    at = counted(at, x);
    if (x == 0) return CycleSolveEnd::reached;
    sequencer_.begin(plan_, x);
    const std::uint64_t of_t = down(0, at);
    at = swept_ + 1;
    complete(of_t, at);
    out.cycles = 1;
    return over() ? CycleSolveEnd::overflow : CycleSolveEnd::limit;
}

template <int Lanes>
CycleSolveEnd TimedCycles<Lanes>::iterate(const multilevel::WordRequest& request, std::uint64_t all,
                                          multilevel::WordOutcome& out, Cycle& at) {
    for (;; ++out.cycles) {
        const int x = mantissa_hls::cycle::length(all);
        at = counted(at, x);
        const bool too_long = over() || x > mantissa_hls::cycle::kMostWordBits;
        if (too_long || x == 0) {
            out.history.push_back({x, 0});
            return too_long ? CycleSolveEnd::overflow : CycleSolveEnd::reached;
        }
        sequencer_.begin(plan_, x);
        const std::uint64_t of_t = down(0, at);
        at = swept_ + 1 + static_cast<Cycle>(multilevel::kCycleTiming.verdict);
        std::uint64_t sum = 0;
        for (const auto& core : cores_) sum += core->squares();
        out.history.push_back({x, sum});
        if (sum <= request.tolerance.limit(x)) return CycleSolveEnd::reached;
        if (out.cycles == request.most_cycles) return CycleSolveEnd::limit;
        all = complete(of_t, at);
    }
}

template <int Lanes> multilevel::WordOutcome TimedCycles<Lanes>::run(const multilevel::WordRequest& request) {
    multilevel::WordOutcome out;
    std::uint64_t all = 0; // of D's magnitudes: gathered as D came
    for (const auto& core : cores_) all |= core->all_of_d();
    // (Well above zero: what is read ahead of a sweep begins before it.)
    const auto start = static_cast<Cycle>(now_cycles()) + 64;
    Cycle at = start;
    out.end = request.alone ? correct_alone(all, out, at) : iterate(request, all, out, at);
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
