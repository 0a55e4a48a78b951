// A cycle in double on rows: its levels on the device, and the order of its kernels.
#include "in_double.cuh"

#include <algorithm>

#include "levels.hpp"
#include "mantissa/multilevel/words.hpp"
#include "setup/hierarchy.hpp"

namespace mantissa::gpu::multilevel_rows {

namespace {

using mantissa::multilevel::chebyshev_weights, mantissa::multilevel::least_smoothed, mantissa::multilevel::Weight;

struct NumbersOfLevel : LevelRows<double> {
    std::uint32_t rows;
    std::vector<double> before, after;
    LevelNumbers v{};

    NumbersOfLevel(const std::vector<SetupLevel>& level, std::size_t l, const CycleSpec& spec,
                   const SharedLevels& shared, int part, Arena& keep, Arena& scratch)
        : LevelRows<double>(level[l], l + 1 < level.size() ? &level[l + 1] : nullptr, l, shared, part, keep, scratch),
          rows(level[l].a.rows) {
        const double largest = level[l].largest, least = least_smoothed(largest);
        for (const Weight& w : chebyshev_weights(spec.before, least, largest)) before.push_back(w.value());
        if (spec.after != 0)
            for (const Weight& w : chebyshev_weights(spec.after, least, largest)) after.push_back(w.value());
        std::ranges::reverse(after);
        for (double** one : {&v.entered, &v.r, &v.f, &v.g, &v.next_g, &v.other}) *one = keep.get<double>(rows);
    }
};

/// What a part has of a cycle, on its device.
struct NumbersOfPart {
    Arena memory;
    const double *scale, *inverse;
    std::vector<NumbersOfLevel> level;

    NumbersOfPart(const DeviceHierarchy& h, const CycleSpec& spec, const SharedLevels& shared, int part)
        : memory(room_of(h.level, sizeof(double), 6 * sizeof(double))),
          scale(memory.copy_on_device(h.scale, h.level.front().a.rows)), inverse(memory.copy(std::span(h.coarsest))) {
        Arena scratch;
        for (std::size_t l = 0; l < h.level.size(); ++l)
            level.emplace_back(h.level, l, spec, shared, part, memory, scratch);
        check(cudaDeviceSynchronize(), "levels of a part");
    }
};

class DoubleCycleOnRows final : public DeviceCycle {
public:
    DoubleCycleOnRows(const DeviceHierarchy& h, const CycleSpec& spec, Parts& parts) : parts_(parts) {
        const SharedLevels shared(h.level, parts);
        own_.resize(static_cast<std::size_t>(parts.count()));
        for_each_part(parts, [&](int p) {
            own_[static_cast<std::size_t>(p)] = std::make_unique<NumbersOfPart>(h, spec, shared, p);
        });
    }
    [[nodiscard]] const double* scale(int part) const override { return own_[static_cast<std::size_t>(part)]->scale; }
    [[nodiscard]] std::string description() const override {
        const auto& level = own_.front()->level;
        return std::to_string(level.size()) + " levels of rows in double, " + std::to_string(level.front().rows) +
               " to " + std::to_string(level.back().rows) + " unknowns";
    }
    void launch_on(cudaStream_t stream, int part, const LoopView& loop) override {
        stream_ = stream;
        loop_ = loop;
        part_ = part;
        here_ = own_[static_cast<std::size_t>(part)].get();
        const NumbersOfLevel& top = here_->level.front();
        start(enter_first, top.own.count(), top.own, loop.r, here_->scale, top.v, top.before.front());
        if (here_->level.size() == 1) return last<true>(top);
        visit<true>(0);
    }

private:
    using Vector = double* LevelNumbers::*;

    template <class... Parameters, class... Arguments>
    void start(void (*kernel)(Parameters...), double threads, Arguments... arguments) const {
        launch(kernel, at_a_time(kernel, blocks_for(threads)), kThreads, stream_, parts_.early(), arguments...,
               loop_.status);
    }
    /// Of a kernel that finishes a level's f: blocks are counted where they leave sums.
    template <bool First, class... Parameters, class... Arguments>
    void finish(void (*kernel)(Parameters...), double threads, Arguments... arguments) const {
        launch(kernel, at_a_time(kernel, First ? loop_.sum_blocks : blocks_for(threads)), kThreads, stream_,
               parts_.early(), arguments..., loop_, here_->scale, loop_.status);
    }
    /// Elements of a vector of level `at` that others' rows read.
    void exchange(std::size_t at, const Ghosts& ghosts, Vector vector) const {
        Exchange m;
        m.ghosts = ghosts;
        m.bytes = sizeof(double);
        for (std::size_t p = 0; p < own_.size(); ++p) m.vector[p] = own_[p]->level[at].v.*vector;
        parts_.exchange(stream_, part_, m, loop_.status);
    }

    template <bool First> void last(const NumbersOfLevel& l) const {
        finish<First>(solve_last<First>, 32.0 * l.rows, here_->inverse, l.rows, l.v);
    }
    template <bool First> void visit(std::size_t at) const {
        const NumbersOfLevel& next = here_->level[at + 1];
        descend(at);
        const bool to_last = at + 2 == here_->level.size();
        if (to_last) last<false>(next);
        else visit<false>(at + 1);
        const Vector f = to_last || next.after.size() % 2 == 0 ? &LevelNumbers::f : &LevelNumbers::other;
        if (next.shared) exchange(at + 1, here_->level[at].of_prolongation, f);
        ascend<First>(at, next.v.*f);
    }
    void descend(std::size_t at) const {
        const NumbersOfLevel &l = here_->level[at], &next = here_->level[at + 1];
        LevelNumbers v = l.v;
        Vector g = &LevelNumbers::g, next_g = &LevelNumbers::next_g;
        for (std::size_t k = 0; k < l.before.size(); ++k) {
            const bool last = k + 1 == l.before.size();
            if (l.shared) exchange(at, l.of_a, g);
            with_lanes(l.a, [&](auto lanes) {
                constexpr int kLanes = decltype(lanes)::value;
                start(leave<kLanes>, threads_of<kLanes>(l.own.count()), l.a.view, v, k == 0 ? v.entered : v.r, last,
                      last ? 0 : l.before[k + 1]);
            });
            std::swap(v.g, v.next_g);
            std::swap(g, next_g);
        }
        if (l.shared) exchange(at, l.of_restriction, &LevelNumbers::r);
        with_lanes(l.restriction, [&](auto lanes) {
            constexpr int kLanes = decltype(lanes)::value;
            start(restrict_numbers<kLanes>, threads_of<kLanes>(l.own_next.count()), l.restriction.view, v.r, next.v,
                  next.before.front());
        });
        if (!l.shared || l.next_shared) return;
        // (f and g change before all have read them.)
        exchange(at + 1, l.next_of_others, &LevelNumbers::entered);
        start(enter_all, next.rows, next.rows, next.v, next.before.front());
    }
    /// From f of the next level to this one's.
    template <bool First> void ascend(std::size_t at, const double* below) const {
        const NumbersOfLevel& l = here_->level[at];
        with_lanes(l.prolongation, [&](auto lanes) {
            constexpr int kLanes = decltype(lanes)::value;
            finish<First>(rise<kLanes, First>, threads_of<kLanes>(l.own.count()), l.prolongation.view, below, l.v,
                          l.after.empty());
        });
        Vector f = &LevelNumbers::f, to = &LevelNumbers::other;
        for (std::size_t k = 0; k < l.after.size(); ++k) {
            if (l.shared) exchange(at, l.of_a, f);
            with_lanes(l.a, [&](auto lanes) {
                constexpr int kLanes = decltype(lanes)::value;
                finish<First>(step_after<kLanes, First>, threads_of<kLanes>(l.own.count()), l.a.view, l.v, l.v.*f,
                              l.v.*to, l.after[k], k + 1 == l.after.size());
            });
            std::swap(f, to);
        }
    }

    Parts& parts_;
    std::vector<std::unique_ptr<NumbersOfPart>> own_;
    // While kernels are launched:
    const NumbersOfPart* here_ = nullptr;
    int part_ = 0;
    cudaStream_t stream_ = nullptr;
    LoopView loop_{};
};

} // namespace

std::unique_ptr<DeviceCycle> make_double_cycle(const DeviceHierarchy& hierarchy, const CycleSpec& spec, Parts& parts) {
    check(cudaDeviceSynchronize(), "levels in double"); // (others' devices take from here)
    return std::make_unique<DoubleCycleOnRows>(hierarchy, spec, parts);
}

} // namespace mantissa::gpu::multilevel_rows
