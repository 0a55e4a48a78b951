// A cycle core of some stages and lanes with its memories. Internal to hls/.
#pragma once

#include <memory>
#include <vector>

#include "mantissa/hls/cycle_memories.hpp"
#include "mantissa/hls/cycles.hpp"
#include "mantissa_hls/cycle/core.hpp"

namespace mantissa::hls {

template <int Before, int After, int Lanes> class CycleMachine final : public multilevel::WordSolver {
public:
    explicit CycleMachine(const mantissa_hls::cycle::CyclePlan& plan)
        : memories_(plan.levels), core_(std::make_unique<Core>()) {
        core_->begin(plan, memories_.memory());
    }
    multilevel::WordOutcome solve(std::span<const std::int64_t> b, const multilevel::WordRequest& request,
                                  std::vector<std::int64_t>& u) override {
        memories_.load(b);
        multilevel::WordOutcome out;
        out.end = end_of(core_->solve({request.tolerance.t, request.tolerance.point, request.most_cycles}, out.cycles,
                                      [&](const mantissa_hls::cycle::CycleVerdict& seen) {
                                          out.history.push_back({seen.length, seen.sum});
                                      }));
        memories_.read(u);
        return out;
    }

private:
    using Core = mantissa_hls::cycle::CycleCore<Before, After, Lanes>;
    CycleMemories memories_;
    std::unique_ptr<Core> core_;
};

} // namespace mantissa::hls
