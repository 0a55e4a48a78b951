// A cycle in words on rows: its levels on the device, and the order of its kernels.
#include "words.cuh"

#include <algorithm>

#include "setup/layout.hpp"
#include "setup/words.hpp"

namespace mantissa::gpu::multilevel_rows {

namespace {

using mantissa::multilevel::LevelWords, mantissa::multilevel::Weight;

StepWords step_of(const Weight& w) {
    return {w.significand, w.shift};
}

/// From so many rows on a level's words enter it by a kernel of their own: on the second level of a circuit of 1.6
/// million rows an H200 took 56 us for what two kernels do in 4 and 21. Below, a launch costs more than it saves.
constexpr std::uint32_t kManyToEnter = 60000;

/// C: the type of coefficients.
template <class C> struct WordsOfLevel {
    LaidRows<C> a, prolongation, restriction;
    std::uint32_t rows;
    BitsOfLevel bits;
    std::vector<StepWords> before, after;
    LevelVectors v{};

    WordsOfLevel(const WordMatrices& from, Arena& keep, Arena& scratch)
        : a(lay_out<C>(from.a, keep, scratch)), prolongation(lay_out<C>(from.prolongation, keep, scratch)),
          restriction(lay_out<C>(from.restriction, keep, scratch)), rows(from.a.rows) {
        const LevelWords& w = from.words;
        bits = {w.w, w.e, w.f, w.guard, w.phi, w.h, w.n, w.pl, w.pc, w.ac};
        std::ranges::transform(w.before, std::back_inserter(before), step_of);
        std::ranges::transform(w.after, std::back_inserter(after), step_of);
        for (int** part : {&v.entered, &v.r, &v.f, &v.g, &v.next_g, &v.e, &v.other}) *part = keep.get<int>(rows);
        v.t = keep.get<Wide>(rows);
    }
};

template <class C> class WordCycleOnRows final : public DeviceCycle {
public:
    explicit WordCycleOnRows(const DeviceWords& h)
        : memory_(room_of(h.level, sizeof(C), 7 * sizeof(int) + sizeof(Wide))), factor_(h.factor),
          inverse_(memory_.copy(std::span(h.coarsest))), inverse_point_(h.coarsest_point), states_(h.level.size()) {
        Arena scratch;
        for (const WordMatrices& from : h.level) level_.emplace_back(from, memory_, scratch);
        if (h.scale != nullptr) scale_ = memory_.copy_on_device(h.scale, level_.front().rows);
        coarsest_ = memory_.get<Wide>(level_.back().rows);
    }
    [[nodiscard]] const double* scale() const override { return scale_; }
    [[nodiscard]] States states() const override {
        return {reinterpret_cast<unsigned long long*>(states_.data()),
                static_cast<unsigned>(states_.size() * sizeof(LevelState) / sizeof(unsigned long long))};
    }
    [[nodiscard]] std::string description() const override {
        return std::to_string(level_.size()) + " levels of rows in words, " + std::to_string(level_.front().rows) +
               " to " + std::to_string(level_.back().rows) + " unknowns";
    }
    void launch_on(cudaStream_t stream, const LoopView& loop) override {
        stream_ = stream;
        loop_ = loop;
        const WordsOfLevel<C>& top = level_.front();
        start(enter_first, top.rows, top.rows, loop.r, scale_, top.v, top.bits, top.before.front(), states_.data());
        if (level_.size() == 1) return last<true>(top);
        visit<true>(0);
    }

private:
    template <class... Parameters, class... Arguments>
    void start(void (*kernel)(Parameters...), double threads, Arguments... arguments) const {
        launch(kernel, at_a_time(kernel, blocks_for(threads)), kThreads, stream_, true, arguments..., loop_.status);
    }
    /// Of a kernel that finishes a level's e: blocks are counted where they leave sums.
    template <bool First, class... Parameters, class... Arguments>
    void finish(void (*kernel)(Parameters...), double threads, Arguments... arguments) const {
        launch(kernel, at_a_time(kernel, First ? loop_.sum_blocks : blocks_for(threads)), kThreads, stream_, true,
               arguments..., loop_.status);
    }

    template <bool First> void last(const WordsOfLevel<C>& l) const {
        finish<First>(solve_last<First>, 32.0 * l.rows, inverse_, l.rows, inverse_point_, l.bits.w, l.v, coarsest_,
                      loop_, scale_, factor_, states_.data() + level_.size() - 1);
    }
    template <bool First> void visit(std::size_t at) const {
        descend(at);
        if (at + 2 == level_.size()) {
            last<false>(level_[at + 1]);
            ascend<First>(at, coarsest_);
        } else {
            visit<false>(at + 1);
            const WordsOfLevel<C>& next = level_[at + 1];
            ascend<First>(at, next.after.size() % 2 == 0 ? next.v.e : next.v.other);
        }
    }
    void descend(std::size_t at) const {
        const WordsOfLevel<C>&l = level_[at], &next = level_[at + 1];
        LevelVectors v = l.v;
        const bool apart = at != 0 && l.rows >= kManyToEnter;
        if (apart) start(enter_words, l.rows, l.rows, v, l.bits, l.before.front(), states_.data() + at);
        for (std::size_t k = 0; k < l.before.size(); ++k) {
            const bool last = k + 1 == l.before.size();
            with_lanes(l.a, [&](auto lanes) {
                constexpr int kLanes = decltype(lanes)::value;
                const StepWords following = last ? StepWords{} : l.before[k + 1];
                if (k == 0 && at != 0 && !apart)
                    return start(enter_and_leave<kLanes, C>, threads_of<kLanes>(l.rows), l.a.view, v, l.bits,
                                 l.before.front(), last, following, states_.data() + at);
                start(leave<kLanes, C>, threads_of<kLanes>(l.rows), l.a.view, v, k == 0 ? v.entered : v.r,
                      k == 0 ? 0 : l.bits.guard, l.bits, last, following);
            });
            std::swap(v.g, v.next_g);
        }
        LevelState* const state = states_.data() + at + 1;
        with_lanes(l.restriction, [&](auto lanes) {
            constexpr int kLanes = decltype(lanes)::value;
            start(restrict_words<kLanes, C>, threads_of<kLanes>(next.rows), l.restriction.view, v.r, next.v.t, state);
        });
    }
    /// From e of the next level to this one's.
    template <bool First, class E> void ascend(std::size_t at, const E* below_e) const {
        const WordsOfLevel<C>&l = level_[at], &next = level_[at + 1];
        LevelState* const state = states_.data() + at;
        with_lanes(l.prolongation, [&](auto lanes) {
            constexpr int kLanes = decltype(lanes)::value;
            finish<First>(rise<kLanes, C, E, First>, threads_of<kLanes>(l.rows), l.prolongation.view, below_e, l.v,
                          l.bits, next.bits, l.after.empty(), loop_, scale_, factor_, state, state + 1);
        });
        int *e = l.v.e, *to = l.v.other;
        for (std::size_t k = 0; k < l.after.size(); ++k) {
            with_lanes(l.a, [&](auto lanes) {
                constexpr int kLanes = decltype(lanes)::value;
                finish<First>(step_after<kLanes, C, First>, threads_of<kLanes>(l.rows), l.a.view, l.v, e, to, l.bits,
                              l.after[k], k + 1 == l.after.size(), loop_, scale_, factor_, state);
            });
            std::swap(e, to);
        }
    }

    Arena memory_;
    double factor_;
    const double* scale_ = nullptr;
    const int* inverse_;
    int inverse_point_;
    Wide* coarsest_; ///< e of the last level
    Buffer<LevelState> states_;
    std::vector<WordsOfLevel<C>> level_;
    cudaStream_t stream_ = nullptr;
    LoopView loop_{};
};

} // namespace

std::unique_ptr<DeviceCycle> make_word_cycle(const DeviceWords& words) {
    if (words.short_words) return std::make_unique<WordCycleOnRows<std::int16_t>>(words);
    return std::make_unique<WordCycleOnRows<std::int32_t>>(words);
}

} // namespace mantissa::gpu::multilevel_rows
