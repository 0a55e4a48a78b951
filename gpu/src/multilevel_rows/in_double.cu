// A cycle in double on rows: its levels on the device, and the order of its kernels.
#include "in_double.cuh"

#include <algorithm>

#include "mantissa/multilevel/words.hpp"
#include "setup/hierarchy.hpp"
#include "setup/layout.hpp"

namespace mantissa::gpu::multilevel_rows {

namespace {

using mantissa::multilevel::chebyshev_weights, mantissa::multilevel::least_smoothed, mantissa::multilevel::Weight;

struct NumbersOfLevel {
    LaidRows<double> a, prolongation, restriction;
    std::uint32_t rows;
    std::vector<double> before, after;
    LevelNumbers v{};

    NumbersOfLevel(const SetupLevel& from, const CycleSpec& spec, Arena& keep, Arena& scratch)
        : a(lay_out<double>(from.a, keep, scratch)), prolongation(lay_out<double>(from.prolongation, keep, scratch)),
          restriction(lay_out<double>(from.restriction, keep, scratch)), rows(from.a.rows) {
        const double least = least_smoothed(from.largest);
        for (const Weight& w : chebyshev_weights(spec.before, least, from.largest)) before.push_back(w.value());
        if (spec.after != 0)
            for (const Weight& w : chebyshev_weights(spec.after, least, from.largest)) after.push_back(w.value());
        std::ranges::reverse(after);
        for (double** part : {&v.entered, &v.r, &v.f, &v.g, &v.next_g, &v.other}) *part = keep.get<double>(rows);
    }
};

class DoubleCycleOnRows final : public DeviceCycle {
public:
    DoubleCycleOnRows(const DeviceHierarchy& h, const CycleSpec& spec)
        : memory_(room_of(h.level, sizeof(double), 6 * sizeof(double))),
          scale_(memory_.copy_on_device(h.scale, h.level.front().a.rows)),
          inverse_(memory_.copy(std::span(h.coarsest))) {
        Arena scratch;
        for (const SetupLevel& from : h.level) level_.emplace_back(from, spec, memory_, scratch);
    }
    [[nodiscard]] const double* scale() const override { return scale_; }
    [[nodiscard]] std::string description() const override {
        return std::to_string(level_.size()) + " levels of rows in double, " + std::to_string(level_.front().rows) +
               " to " + std::to_string(level_.back().rows) + " unknowns";
    }
    void launch_on(cudaStream_t stream, const LoopView& loop) override {
        stream_ = stream;
        loop_ = loop;
        const NumbersOfLevel& top = level_.front();
        start(enter_first, top.rows, top.rows, loop.r, scale_, top.v, top.before.front());
        if (level_.size() == 1) return last<true>(top);
        visit<true>(0);
    }

private:
    template <class... Parameters, class... Arguments>
    void start(void (*kernel)(Parameters...), double threads, Arguments... arguments) const {
        launch(kernel, at_a_time(kernel, blocks_for(threads)), kThreads, stream_, true, arguments..., loop_.status);
    }
    /// Of a kernel that finishes a level's f: blocks are counted where they leave sums.
    template <bool First, class... Parameters, class... Arguments>
    void finish(void (*kernel)(Parameters...), double threads, Arguments... arguments) const {
        launch(kernel, at_a_time(kernel, First ? loop_.sum_blocks : blocks_for(threads)), kThreads, stream_, true,
               arguments..., loop_, scale_, loop_.status);
    }
    template <bool First> void last(const NumbersOfLevel& l) const {
        finish<First>(solve_last<First>, 32.0 * l.rows, inverse_, l.rows, l.v);
    }
    template <bool First> void visit(std::size_t at) const {
        const NumbersOfLevel &l = level_[at], &next = level_[at + 1];
        descend(l, next);
        if (at + 2 == level_.size()) last<false>(next);
        else visit<false>(at + 1);
        ascend<First>(l, at + 2 == level_.size() || next.after.size() % 2 == 0 ? next.v.f : next.v.other);
    }
    void descend(const NumbersOfLevel& l, const NumbersOfLevel& next) const {
        LevelNumbers v = l.v;
        for (std::size_t k = 0; k < l.before.size(); ++k) {
            const bool last = k + 1 == l.before.size();
            with_lanes(l.a, [&](auto lanes) {
                constexpr int kLanes = decltype(lanes)::value;
                start(leave<kLanes>, threads_of<kLanes>(l.rows), l.a.view, v, k == 0 ? v.entered : v.r, last,
                      last ? 0 : l.before[k + 1]);
            });
            std::swap(v.g, v.next_g);
        }
        with_lanes(l.restriction, [&](auto lanes) {
            constexpr int kLanes = decltype(lanes)::value;
            start(restrict_numbers<kLanes>, threads_of<kLanes>(next.rows), l.restriction.view, v.r, next.v,
                  next.before.front());
        });
    }
    /// From f of the next level to this one's.
    template <bool First> void ascend(const NumbersOfLevel& l, const double* below) const {
        with_lanes(l.prolongation, [&](auto lanes) {
            constexpr int kLanes = decltype(lanes)::value;
            finish<First>(rise<kLanes, First>, threads_of<kLanes>(l.rows), l.prolongation.view, below, l.v,
                          l.after.empty());
        });
        double *f = l.v.f, *to = l.v.other;
        for (std::size_t k = 0; k < l.after.size(); ++k) {
            with_lanes(l.a, [&](auto lanes) {
                constexpr int kLanes = decltype(lanes)::value;
                finish<First>(step_after<kLanes, First>, threads_of<kLanes>(l.rows), l.a.view, l.v, f, to, l.after[k],
                              k + 1 == l.after.size());
            });
            std::swap(f, to);
        }
    }

    Arena memory_;
    const double *scale_, *inverse_;
    std::vector<NumbersOfLevel> level_;
    cudaStream_t stream_ = nullptr;
    LoopView loop_{};
};

} // namespace

std::unique_ptr<DeviceCycle> make_double_cycle(const DeviceHierarchy& hierarchy, const CycleSpec& spec) {
    return std::make_unique<DoubleCycleOnRows>(hierarchy, spec);
}

} // namespace mantissa::gpu::multilevel_rows
