// A cycle in double on rows: its levels on the device, and the order of its kernels.
#include "in_double.cuh"

#include <algorithm>

#include "mantissa/multilevel/hierarchy.hpp"
#include "mantissa/multilevel/words.hpp"

namespace mantissa::gpu::multilevel_rows {

namespace {

using mantissa::multilevel::chebyshev_weights, mantissa::multilevel::Hierarchy, mantissa::multilevel::least_smoothed,
    mantissa::multilevel::Level, mantissa::multilevel::Weight;

struct NumbersOfLevel {
    OwnedRows<double> a, prolongation, restriction;
    std::vector<double> before, after;
    Buffer<double> memory;
    LevelNumbers v{};

    NumbersOfLevel(const Level& from, const CycleSpec& spec)
        : a(from.a.begin, from.a.column, from.a.value),
          prolongation(from.prolongation.begin, from.prolongation.column, from.prolongation.value),
          restriction(from.restriction.begin, from.restriction.column, from.restriction.value) {
        const double least = least_smoothed(from.largest);
        for (const Weight& w : chebyshev_weights(spec.before, least, from.largest)) before.push_back(w.value());
        if (spec.after != 0)
            for (const Weight& w : chebyshev_weights(spec.after, least, from.largest)) after.push_back(w.value());
        std::ranges::reverse(after);
        const std::size_t n = a.rows;
        memory.allocate(6 * n);
        double* at = memory.data();
        for (double** part : {&v.entered, &v.r, &v.f, &v.g, &v.next_g, &v.other}) *part = std::exchange(at, at + n);
    }
};

class DoubleCycleOnRows final : public DeviceCycle {
public:
    DoubleCycleOnRows(const Hierarchy& h, const CycleSpec& spec)
        : scale_(to_device(h.scale)), inverse_(to_device(h.coarsest)) {
        for (const Level& from : h.level) level_.emplace_back(from, spec);
    }
    [[nodiscard]] const double* scale() const override { return scale_.data(); }
    [[nodiscard]] std::string description() const override {
        return std::to_string(level_.size()) + " levels of rows in double, " + std::to_string(level_.front().a.rows) +
               " to " + std::to_string(level_.back().a.rows) + " unknowns";
    }
    void launch_on(cudaStream_t stream, const LoopView& loop) override {
        stream_ = stream;
        loop_ = loop;
        const NumbersOfLevel& top = level_.front();
        start(enter_first, top.a.rows, top.a.rows, loop.r, scale_.data(), top.v, top.before.front());
        if (level_.size() == 1) return last<true>(top);
        visit<true>(0);
    }

private:
    template <class... Parameters, class... Arguments>
    void start(void (*kernel)(Parameters...), double threads, Arguments... arguments) const {
        launch(kernel, blocks_for(threads), kThreads, stream_, true, arguments..., loop_.status);
    }
    /// Of a kernel that finishes a level's f: blocks are counted where they leave sums.
    template <bool First, class... Parameters, class... Arguments>
    void finish(void (*kernel)(Parameters...), double threads, Arguments... arguments) const {
        launch(kernel, First ? loop_.sum_blocks : blocks_for(threads), kThreads, stream_, true, arguments..., loop_,
               scale_.data(), loop_.status);
    }
    template <bool First> void last(const NumbersOfLevel& l) const {
        finish<First>(solve_last<First>, 32.0 * l.a.rows, inverse_.data(), l.a.rows, l.v);
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
                start(leave<kLanes>, threads_of<kLanes>(l.a.rows), l.a.view(), v, k == 0 ? v.entered : v.r, last,
                      last ? 0 : l.before[k + 1]);
            });
            std::swap(v.g, v.next_g);
        }
        with_lanes(l.restriction, [&](auto lanes) {
            constexpr int kLanes = decltype(lanes)::value;
            start(restrict_numbers<kLanes>, threads_of<kLanes>(next.a.rows), l.restriction.view(), v.r, next.v,
                  next.before.front());
        });
    }
    /// From f of the next level to this one's.
    template <bool First> void ascend(const NumbersOfLevel& l, const double* below) const {
        with_lanes(l.prolongation, [&](auto lanes) {
            constexpr int kLanes = decltype(lanes)::value;
            finish<First>(rise<kLanes, First>, threads_of<kLanes>(l.a.rows), l.prolongation.view(), below, l.v,
                          l.after.empty());
        });
        double *f = l.v.f, *to = l.v.other;
        for (std::size_t k = 0; k < l.after.size(); ++k) {
            with_lanes(l.a, [&](auto lanes) {
                constexpr int kLanes = decltype(lanes)::value;
                finish<First>(step_after<kLanes, First>, threads_of<kLanes>(l.a.rows), l.a.view(), l.v, f, to,
                              l.after[k], k + 1 == l.after.size());
            });
            std::swap(f, to);
        }
    }

    Buffer<double> scale_, inverse_;
    std::vector<NumbersOfLevel> level_;
    cudaStream_t stream_ = nullptr;
    LoopView loop_{};
};

} // namespace

std::unique_ptr<DeviceCycle> make_double_cycle(const System& system, const CycleSpec& spec, int threads) {
    return std::make_unique<DoubleCycleOnRows>(mantissa::multilevel::hierarchy_of(system, threads), spec);
}

} // namespace mantissa::gpu::multilevel_rows
