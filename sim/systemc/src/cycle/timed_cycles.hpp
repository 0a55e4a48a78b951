// Timed cycle cores of some lanes on one grid, in step, and their controller. Internal to sim/systemc.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../sparse/session.hpp"
#include "timed_sweeps.hpp"

namespace mantissa::sim {

template <int Lanes> class TimedCycles final : public multilevel::WordSolver {
public:
    TimedCycles(const multilevel::GridPlan& plan, const SystemcOptions& options)
        : options_(options), plan_(hls::cycle_plan(plan)),
          slabs_(plan.before.size(), plan.after.size(), options.cycle_cores) {
        for (int c = 0; c < options.cycle_cores; ++c)
            cores_.push_back(std::make_unique<TimedSweeps<Lanes>>(
                plan, hls::cycle_slab(plan, c, options.cycle_cores),
                options.cycle_cores == 1 ? std::string() : "core" + std::to_string(c) + "/"));
    }

    multilevel::WordOutcome solve(std::span<const std::int64_t> b, const multilevel::WordRequest& request,
                                  std::vector<std::int64_t>& u) override {
        for (const auto& core : cores_) core->load(b, request.alone);
        multilevel::WordOutcome out;
        {
            const Simulation lock;
            (void)CoreSystem::instance(); // elaborates
            sc_core::sc_spawn([&] { out = run(request); }, sc_core::sc_gen_unique_name("cycle_controller"));
            sc_core::sc_start();
        }
        const std::size_t side = (std::size_t{1} << plan_.levels) + 1;
        u.assign(side * side, 0);
        for (const auto& core : cores_) core->read(u);
        if (options_.last_report) report(*options_.last_report, out);
        return out;
    }

private:
    using Word = mantissa_hls::cycle::Word;
    using Bodies = std::vector<std::function<void()>>;

    /// All cores' sweep from clock `first` on: each runs what `bodies` gives as processes. Waits for all.
    template <class OfCore> void sweep(Cycle first, const OfCore& bodies_of) {
        sc_core::sc_event done;
        Bodies bodies;
        for (const auto& core : cores_) {
            core->begin_sweep(first);
            for (auto& body : bodies_of(*core)) bodies.push_back(std::move(body));
        }
        std::size_t running = bodies.size();
        for (auto& body : bodies)
            sc_core::sc_spawn(
                [&running, &done, body = std::move(body)] {
                    body();
                    if (--running == 0) done.notify(sc_core::SC_ZERO_TIME);
                },
                sc_core::sc_gen_unique_name("cycle_stage"));
        sc_core::wait(done);
        swept_ = 0;
        for (const auto& core : cores_) swept_ = std::max(swept_, core->swept());
    }
    /// From clock `first` on. Returns the OR of t's magnitudes.
    std::uint64_t down(int l, Cycle first) {
        sweep(first, [&](TimedSweeps<Lanes>& core) { return core.down(l, sequencer_); });
        std::uint64_t all = 0;
        for (const auto& core : cores_) all |= core->all_of_t();
        if (splits(l)) share<Word>(l + 1, [l](const mantissa_hls::cycle::CycleMemory& m) { return m.t[l + 1]; });
        return all;
    }
    /// Returns the OR of e's magnitudes, of the finest level D's.
    std::uint64_t up(int l, Cycle first) {
        sweep(first, [&](TimedSweeps<Lanes>& core) { return core.up(l, sequencer_); });
        std::uint64_t all = 0;
        for (const auto& core : cores_) all |= core->all_of_e(l);
        if (splits(l) && l == 0) share<Word>(l, [](const mantissa_hls::cycle::CycleMemory& m) { return m.d; });
        if (splits(l) && l > 0)
            share<std::int32_t>(l, [l](const mantissa_hls::cycle::CycleMemory& m) { return m.e[l]; });
        return all;
    }
    /// Have the cores slabs of a level?
    [[nodiscard]] bool splits(int l) const { return cores_[0]->slab(l).rows < cores_[0]->grid(l).side; }
    /// Of level l the memory that `words` picks.
    template <class T, class Words> void share(int l, const Words& words) {
        std::vector<mantissa_hls::cycle::CoreRows<T>> rows;
        for (const auto& core : cores_) rows.push_back({core->slab(l), words(core->memory())});
        const auto grid = cores_[0]->grid(l);
        mantissa_hls::cycle::share_rows(rows.data(), static_cast<int>(rows.size()), grid.side);
        swept_ += slabs_.shared(plan_.levels - l, static_cast<std::uint64_t>(grid.row));
    }

    /// The sequencer: counts a length, a bit a clock, and starts a sweep.
    Cycle counted(Cycle at, int length) const {
        const multilevel::CycleTiming& t = multilevel::kCycleTiming;
        return at + static_cast<Cycle>(t.length + length + t.sweep);
    }

    multilevel::WordOutcome run(const multilevel::WordRequest& request);
    /// From D, whose magnitudes' OR is `all`, in clock `at`, which moves on to the end.
    CycleSolveEnd correct_alone(std::uint64_t all, multilevel::WordOutcome& out, Cycle& at);
    CycleSolveEnd iterate(const multilevel::WordRequest& request, std::uint64_t all, multilevel::WordOutcome& out,
                          Cycle& at);
    /// What follows the finest level's way down, which has left t. Returns the OR of D's magnitudes.
    std::uint64_t complete(std::uint64_t of_t, Cycle& at);
    [[nodiscard]] bool over() const;
    void coarsest(int l);
    void report(SystemReport& to, const multilevel::WordOutcome& outcome) const;

    SystemcOptions options_;
    mantissa_hls::cycle::CyclePlan plan_;
    multilevel::CycleSlabs slabs_;
    std::vector<std::unique_ptr<TimedSweeps<Lanes>>> cores_;
    mantissa_hls::cycle::Sequencer sequencer_;
    Cycle swept_ = 0; ///< the clock in which the last sweep's last word was in memory, and shared
};

} // namespace mantissa::sim
