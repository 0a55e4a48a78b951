// Cycle cores of some stages and lanes with their memories. Internal to hls/.
#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

#include "mantissa/hls/cycle_memories.hpp"
#include "mantissa/hls/cycles.hpp"
#include "mantissa_hls/cycle/core.hpp"

namespace mantissa::hls {

template <int Before, int After, int Lanes, int Cores = 1> class CycleMachine final : public multilevel::WordSolver {
public:
    explicit CycleMachine(const multilevel::GridPlan& given) : core_(std::make_unique<Core>()) {
        const mantissa_hls::cycle::CyclePlan plan = cycle_plan(given);
        nodes_ = (std::size_t{1} << plan.levels) + 1;
        mantissa_hls::cycle::CycleSlab slabs[Cores];
        mantissa_hls::cycle::CycleMemory memories[Cores];
        for (int c = 0; c < Cores; ++c) {
            slabs[c] = cycle_slab(given, c, Cores);
            memories_.push_back(std::make_unique<CycleMemories>(plan.levels, slabs[c]));
            memories[c] = memories_.back()->memory();
        }
        if (!core_->begin(plan, slabs, memories)) throw std::logic_error("a cycle core of other steps than its plan");
    }
    multilevel::WordOutcome solve(std::span<const std::int64_t> b, const multilevel::WordRequest& request,
                                  std::vector<std::int64_t>& u) override {
        for (const auto& m : memories_) m->load(b);
        multilevel::WordOutcome out;
        out.end =
            end_of(core_->solve({request.tolerance.t, request.tolerance.point, request.most_cycles, request.alone},
                                out.cycles, [&](const mantissa_hls::cycle::CycleVerdict& seen) {
                                    out.history.push_back({seen.length, seen.sum});
                                }));
        u.assign(nodes_ * nodes_, 0);
        for (const auto& m : memories_) m->read(u);
        return out;
    }

private:
    using Core = mantissa_hls::cycle::CycleCore<Before, After, Lanes, Cores>;
    std::size_t nodes_; ///< of a side
    std::vector<std::unique_ptr<CycleMemories>> memories_;
    std::unique_ptr<Core> core_;
};

} // namespace mantissa::hls
