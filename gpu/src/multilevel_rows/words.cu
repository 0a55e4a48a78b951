// A cycle in words on rows: its levels on the device, and the order of its kernels.
#include "words.cuh"

#include <algorithm>

#include "levels.hpp"
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
static_assert(kLeastShared >= kManyToEnter, "entries of a row must not round what others have");

/// C: the type of coefficients.
template <class C> struct WordsOfLevel : LevelRows<C> {
    std::uint32_t rows;
    BitsOfLevel bits;
    std::vector<StepWords> before, after;
    LevelVectors v{};

    WordsOfLevel(const std::vector<WordMatrices>& level, std::size_t l, const SharedLevels& shared, int part,
                 Arena& keep, Arena& scratch)
        : LevelRows<C>(level[l], l + 1 < level.size() ? &level[l + 1] : nullptr, l, shared, part, keep, scratch),
          rows(level[l].a.rows) {
        const LevelWords& w = level[l].words;
        bits = {w.w, w.e, w.f, w.guard, w.phi, w.h, w.n, w.pl, w.pc, w.ac};
        std::ranges::transform(w.before, std::back_inserter(before), step_of);
        std::ranges::transform(w.after, std::back_inserter(after), step_of);
        for (int** one : {&v.entered, &v.r, &v.f, &v.g, &v.next_g, &v.e, &v.other}) *one = keep.get<int>(rows);
        v.t = keep.get<Wide>(rows);
    }
};

/// What a part has of a cycle, on its device.
template <class C> struct WordsOfPart {
    Arena memory;
    const int* inverse;
    const double* scale = nullptr;
    Wide* coarsest; ///< e of the last level
    Buffer<LevelState> states;
    std::vector<WordsOfLevel<C>> level;

    WordsOfPart(const DeviceWords& h, const SharedLevels& shared, int part)
        : memory(room_of(h.level, sizeof(C), 7 * sizeof(int) + sizeof(Wide))),
          inverse(memory.copy(std::span(h.coarsest))), states(h.level.size()) {
        Arena scratch;
        for (std::size_t l = 0; l < h.level.size(); ++l) level.emplace_back(h.level, l, shared, part, memory, scratch);
        if (h.scale != nullptr) scale = memory.copy_on_device(h.scale, level.front().rows);
        coarsest = memory.get<Wide>(level.back().rows);
        check(cudaDeviceSynchronize(), "levels of a part");
    }
};

template <class C> class WordCycleOnRows final : public DeviceCycle {
public:
    WordCycleOnRows(const DeviceWords& h, Parts& parts)
        : parts_(parts), factor_(h.factor), inverse_point_(h.coarsest_point) {
        const SharedLevels shared(h.level, parts);
        own_.resize(static_cast<std::size_t>(parts.count()));
        for_each_part(
            parts, [&](int p) { own_[static_cast<std::size_t>(p)] = std::make_unique<WordsOfPart<C>>(h, shared, p); });
    }
    [[nodiscard]] const double* scale(int part) const override { return own_[static_cast<std::size_t>(part)]->scale; }
    [[nodiscard]] States states(int part) const override {
        const Buffer<LevelState>& all = own_[static_cast<std::size_t>(part)]->states;
        return {reinterpret_cast<unsigned long long*>(all.data()),
                static_cast<unsigned>(all.size() * sizeof(LevelState) / sizeof(unsigned long long))};
    }
    [[nodiscard]] std::string description() const override {
        const auto& level = own_.front()->level;
        return std::to_string(level.size()) + " levels of rows in words, " + std::to_string(level.front().rows) +
               " to " + std::to_string(level.back().rows) + " unknowns";
    }
    void launch_on(cudaStream_t stream, int part, const LoopView& loop) override {
        stream_ = stream;
        loop_ = loop;
        part_ = part;
        here_ = own_[static_cast<std::size_t>(part)].get();
        const WordsOfLevel<C>& top = here_->level.front();
        start(enter_first, top.own.count(), top.own, loop.r, here_->scale, top.v, top.bits, top.before.front(),
              state(0));
        if (here_->level.size() == 1) return last<true>(top);
        visit<true>(0);
    }

private:
    using Vector = int* LevelVectors::*;

    template <class... Parameters, class... Arguments>
    void start(void (*kernel)(Parameters...), double threads, Arguments... arguments) const {
        launch(kernel, at_a_time(kernel, blocks_for(threads)), kThreads, stream_, parts_.early(), arguments...,
               loop_.status);
    }
    /// Of a kernel that finishes a level's e: blocks are counted where they leave sums.
    template <bool First, class... Parameters, class... Arguments>
    void finish(void (*kernel)(Parameters...), double threads, Arguments... arguments) const {
        launch(kernel, at_a_time(kernel, First ? loop_.sum_blocks : blocks_for(threads)), kThreads, stream_,
               parts_.early(), arguments..., loop_.status);
    }
    [[nodiscard]] LevelState* state(std::size_t at) const { return here_->states.data() + at; }

    /// What parts have found of level `at`: elements of a vector that others' rows read, and the largest of words.
    template <class T>
    void exchange(std::size_t at, const Ghosts& ghosts, T* LevelVectors::*vector,
                  std::initializer_list<unsigned long long LevelState::*> words = {}) const {
        Exchange m;
        if (vector != nullptr) m.ghosts = ghosts;
        m.bytes = vector != nullptr ? static_cast<int>(sizeof(T)) : 0;
        for (std::size_t p = 0; p < own_.size(); ++p) {
            if (vector != nullptr) m.vector[p] = own_[p]->level[at].v.*vector;
            std::size_t k = 0;
            for (const auto word : words) m.largest[k++][p] = &(own_[p]->states.data()[at].*word);
        }
        parts_.exchange(stream_, part_, m, loop_.status);
    }

    template <bool First> void last(const WordsOfLevel<C>& l) const {
        finish<First>(solve_last<First>, 32.0 * l.rows, here_->inverse, l.rows, inverse_point_, l.bits.w, l.v,
                      here_->coarsest, loop_, here_->scale, factor_, state(here_->level.size() - 1));
    }
    template <bool First> void visit(std::size_t at) const {
        descend(at);
        if (at + 2 == here_->level.size()) {
            last<false>(here_->level[at + 1]);
            ascend<First>(at, here_->coarsest);
        } else {
            visit<false>(at + 1);
            const WordsOfLevel<C>& next = here_->level[at + 1];
            const Vector e = next.after.size() % 2 == 0 ? &LevelVectors::e : &LevelVectors::other;
            if (next.shared)
                exchange(at + 1, here_->level[at].of_prolongation, e, {&LevelState::e_above, &LevelState::e_below});
            ascend<First>(at, next.v.*e);
        }
    }
    void descend(std::size_t at) const {
        const WordsOfLevel<C>&l = here_->level[at], &next = here_->level[at + 1];
        LevelVectors v = l.v;
        Vector g = &LevelVectors::g, next_g = &LevelVectors::next_g;
        const bool apart = at != 0 && l.rows >= kManyToEnter;
        if (apart) start(enter_words, l.own.count(), l.own, v, l.bits, l.before.front(), state(at));
        for (std::size_t k = 0; k < l.before.size(); ++k) {
            const bool last = k + 1 == l.before.size();
            if (l.shared) exchange(at, l.of_a, g);
            with_lanes(l.a, [&](auto lanes) {
                constexpr int kLanes = decltype(lanes)::value;
                const StepWords following = last ? StepWords{} : l.before[k + 1];
                if (k == 0 && at != 0 && !apart)
                    return start(enter_and_leave<kLanes, C>, threads_of<kLanes>(l.own.count()), l.a.view, v, l.bits,
                                 l.before.front(), last, following, state(at));
                start(leave<kLanes, C>, threads_of<kLanes>(l.own.count()), l.a.view, v, k == 0 ? v.entered : v.r,
                      k == 0 ? 0 : l.bits.guard, l.bits, last, following);
            });
            std::swap(v.g, v.next_g);
            std::swap(g, next_g);
        }
        if (l.shared) exchange(at, l.of_restriction, &LevelVectors::r);
        with_lanes(l.restriction, [&](auto lanes) {
            constexpr int kLanes = decltype(lanes)::value;
            start(restrict_words<kLanes, C>, threads_of<kLanes>(l.own_next.count()), l.restriction.view, v.r, next.v.t,
                  state(at + 1));
        });
        if (l.shared && l.next_shared) exchange<Wide>(at + 1, {}, nullptr, {&LevelState::t});
        else if (l.shared) exchange(at + 1, l.next_of_others, &LevelVectors::t, {&LevelState::t});
    }
    /// From e of the next level to this one's.
    template <bool First, class E> void ascend(std::size_t at, const E* below_e) const {
        const WordsOfLevel<C>&l = here_->level[at], &next = here_->level[at + 1];
        with_lanes(l.prolongation, [&](auto lanes) {
            constexpr int kLanes = decltype(lanes)::value;
            finish<First>(rise<kLanes, C, E, First>, threads_of<kLanes>(l.own.count()), l.prolongation.view, below_e,
                          l.v, l.bits, next.bits, l.after.empty(), loop_, here_->scale, factor_, state(at),
                          state(at + 1));
        });
        Vector e = &LevelVectors::e, to = &LevelVectors::other;
        for (std::size_t k = 0; k < l.after.size(); ++k) {
            if (l.shared) exchange(at, l.of_a, e);
            with_lanes(l.a, [&](auto lanes) {
                constexpr int kLanes = decltype(lanes)::value;
                finish<First>(step_after<kLanes, C, First>, threads_of<kLanes>(l.own.count()), l.a.view, l.v, l.v.*e,
                              l.v.*to, l.bits, l.after[k], k + 1 == l.after.size(), loop_, here_->scale, factor_,
                              state(at));
            });
            std::swap(e, to);
        }
    }

    Parts& parts_;
    double factor_;
    int inverse_point_;
    std::vector<std::unique_ptr<WordsOfPart<C>>> own_;
    // While kernels are launched:
    const WordsOfPart<C>* here_ = nullptr;
    int part_ = 0;
    cudaStream_t stream_ = nullptr;
    LoopView loop_{};
};

} // namespace

std::unique_ptr<DeviceCycle> make_word_cycle(const DeviceWords& words, Parts& parts) {
    check(cudaDeviceSynchronize(), "levels in words"); // (others' devices take from here)
    if (words.short_words) return std::make_unique<WordCycleOnRows<std::int16_t>>(words, parts);
    return std::make_unique<WordCycleOnRows<std::int32_t>>(words, parts);
}

} // namespace mantissa::gpu::multilevel_rows
