// A cycle in words on rows: its levels on the device, and the order of its kernels.
#include "words.cuh"

#include <algorithm>

#include "mantissa/multilevel/word_rows.hpp"

namespace mantissa::gpu::multilevel_rows {

namespace {

using mantissa::multilevel::LevelWords, mantissa::multilevel::Weight, mantissa::multilevel::WordHierarchy,
    mantissa::multilevel::WordLevel, mantissa::multilevel::WordRows;

template <class C> OwnedRows<C> upload(const WordRows& a) {
    if constexpr (std::is_same_v<C, std::int32_t>) return {a.begin, a.column, a.word};
    else return {a.begin, a.column, std::vector<C>(a.word.begin(), a.word.end())};
}
StepWords step_of(const Weight& w) {
    return {w.significand, w.shift};
}

/// C: the type of coefficients.
template <class C> struct WordsOfLevel {
    OwnedRows<C> a, prolongation, restriction;
    BitsOfLevel bits;
    std::vector<StepWords> before, after;
    Buffer<int> memory;
    Buffer<Wide> t;
    LevelVectors v{};

    explicit WordsOfLevel(const WordLevel& from)
        : a(upload<C>(from.a)), prolongation(upload<C>(from.prolongation)), restriction(upload<C>(from.restriction)) {
        const LevelWords& w = from.words;
        bits = {w.w, w.e, w.f, w.guard, w.phi, w.h, w.n, w.pl, w.pc, w.ac};
        std::ranges::transform(w.before, std::back_inserter(before), step_of);
        std::ranges::transform(w.after, std::back_inserter(after), step_of);
        const std::size_t n = a.rows;
        memory.allocate(7 * n);
        t.allocate(n);
        int* at = memory.data();
        for (int** part : {&v.entered, &v.r, &v.f, &v.g, &v.next_g, &v.e, &v.other}) *part = std::exchange(at, at + n);
        v.t = t.data();
    }
};

template <class C> class WordCycleOnRows final : public DeviceCycle {
public:
    explicit WordCycleOnRows(const WordHierarchy& h)
        : factor_(h.factor), inverse_(to_device(h.coarsest)), inverse_point_(h.coarsest_point),
          states_(h.level.size()) {
        for (const WordLevel& from : h.level) level_.emplace_back(from);
        if (!h.scale.empty()) scale_ = to_device(h.scale);
        coarsest_.allocate(level_.back().a.rows);
    }
    [[nodiscard]] const double* scale() const override { return scale_.data(); }
    [[nodiscard]] States states() const override {
        return {reinterpret_cast<unsigned long long*>(states_.data()),
                static_cast<unsigned>(states_.size() * sizeof(LevelState) / sizeof(unsigned long long))};
    }
    [[nodiscard]] std::string description() const override {
        return std::to_string(level_.size()) + " levels of rows in words, " + std::to_string(level_.front().a.rows) +
               " to " + std::to_string(level_.back().a.rows) + " unknowns";
    }
    void launch_on(cudaStream_t stream, const LoopView& loop) override {
        stream_ = stream;
        loop_ = loop;
        const WordsOfLevel<C>& top = level_.front();
        start(enter_first, top.a.rows, top.a.rows, loop.r, scale_.data(), top.v, top.bits, top.before.front(),
              states_.data());
        if (level_.size() == 1) return last<true>(top);
        visit<true>(0);
    }

private:
    template <class... Parameters, class... Arguments>
    void start(void (*kernel)(Parameters...), double threads, Arguments... arguments) const {
        launch(kernel, blocks_for(threads), kThreads, stream_, true, arguments..., loop_.status);
    }
    /// Of a kernel that finishes a level's e: blocks are counted where they leave sums.
    template <bool First, class... Parameters, class... Arguments>
    void finish(void (*kernel)(Parameters...), double threads, Arguments... arguments) const {
        launch(kernel, First ? loop_.sum_blocks : blocks_for(threads), kThreads, stream_, true, arguments...,
               loop_.status);
    }

    template <bool First> void last(const WordsOfLevel<C>& l) const {
        finish<First>(solve_last<First>, 32.0 * l.a.rows, inverse_.data(), l.a.rows, inverse_point_, l.bits.w, l.v,
                      coarsest_.data(), loop_, scale_.data(), factor_, states_.data() + level_.size() - 1);
    }
    template <bool First> void visit(std::size_t at) const {
        descend(at);
        if (at + 2 == level_.size()) {
            last<false>(level_[at + 1]);
            ascend<First>(at, coarsest_.data());
        } else {
            visit<false>(at + 1);
            const WordsOfLevel<C>& next = level_[at + 1];
            ascend<First>(at, next.after.size() % 2 == 0 ? next.v.e : next.v.other);
        }
    }
    void descend(std::size_t at) const {
        const WordsOfLevel<C>&l = level_[at], &next = level_[at + 1];
        LevelVectors v = l.v;
        for (std::size_t k = 0; k < l.before.size(); ++k) {
            const bool last = k + 1 == l.before.size();
            with_lanes(l.a, [&](auto lanes) {
                constexpr int kLanes = decltype(lanes)::value;
                const StepWords following = last ? StepWords{} : l.before[k + 1];
                if (k == 0 && at != 0)
                    return start(enter_and_leave<kLanes, C>, threads_of<kLanes>(l.a.rows), l.a.view(), v, l.bits,
                                 l.before.front(), last, following, states_.data() + at);
                start(leave<kLanes, C>, threads_of<kLanes>(l.a.rows), l.a.view(), v, k == 0 ? v.entered : v.r,
                      k == 0 ? 0 : l.bits.guard, l.bits, last, following);
            });
            std::swap(v.g, v.next_g);
        }
        LevelState* const state = states_.data() + at + 1;
        with_lanes(l.restriction, [&](auto lanes) {
            constexpr int kLanes = decltype(lanes)::value;
            start(restrict_words<kLanes, C>, threads_of<kLanes>(next.a.rows), l.restriction.view(), v.r, next.v.t,
                  state);
        });
    }
    /// From e of the next level to this one's.
    template <bool First, class E> void ascend(std::size_t at, const E* below_e) const {
        const WordsOfLevel<C>&l = level_[at], &next = level_[at + 1];
        LevelState* const state = states_.data() + at;
        with_lanes(l.prolongation, [&](auto lanes) {
            constexpr int kLanes = decltype(lanes)::value;
            finish<First>(rise<kLanes, C, E, First>, threads_of<kLanes>(l.a.rows), l.prolongation.view(), below_e, l.v,
                          l.bits, next.bits, l.after.empty(), loop_, scale_.data(), factor_, state, state + 1);
        });
        int *e = l.v.e, *to = l.v.other;
        for (std::size_t k = 0; k < l.after.size(); ++k) {
            with_lanes(l.a, [&](auto lanes) {
                constexpr int kLanes = decltype(lanes)::value;
                finish<First>(step_after<kLanes, C, First>, threads_of<kLanes>(l.a.rows), l.a.view(), l.v, e, to,
                              l.bits, l.after[k], k + 1 == l.after.size(), loop_, scale_.data(), factor_, state);
            });
            std::swap(e, to);
        }
    }

    double factor_;
    Buffer<double> scale_;
    Buffer<int> inverse_;
    int inverse_point_;
    Buffer<Wide> coarsest_; ///< e of the last level
    Buffer<LevelState> states_;
    std::vector<WordsOfLevel<C>> level_;
    cudaStream_t stream_ = nullptr;
    LoopView loop_{};
};

} // namespace

std::unique_ptr<DeviceCycle> make_word_cycle(const System& system, const CycleSpec& spec, int threads) {
    const WordHierarchy h = mantissa::multilevel::word_hierarchy(system, spec, threads);
    const bool short_words = std::ranges::all_of(h.level, [](const WordLevel& l) {
        return mantissa::multilevel::short_words(l.a) && mantissa::multilevel::short_words(l.prolongation);
    });
    if (short_words) return std::make_unique<WordCycleOnRows<std::int16_t>>(h);
    return std::make_unique<WordCycleOnRows<std::int32_t>>(h);
}

} // namespace mantissa::gpu::multilevel_rows
