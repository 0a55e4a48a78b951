// The cycle core: stages joined by streams, one level after the other through the same ones, and the loop around them.
#pragma once

#include "mantissa_hls/cycle/down.hpp"
#include "mantissa_hls/cycle/outer.hpp"
#include "mantissa_hls/cycle/up.hpp"
#include "mantissa_hls/stream.hpp"

namespace mantissa_hls::cycle {

/// The core's memories. Of level l, the finest 0: 4^(levels - l) words each, by rows; LevelGrid says which.
struct CycleMemory {
    Word *d = nullptr, *u = nullptr;
    Word* t[kMostLevel]{};                           ///< from level 1 on: what r is formed from
    std::int32_t *f[kMostLevel]{}, *e[kMostLevel]{}; ///< f but on the coarsest; e from level 1 on
};

/// What ends a solve.
struct CycleLimit {
    std::uint64_t t = 0;
    std::int32_t point = 0;
    std::uint64_t most_cycles = 0;
    [[nodiscard]] std::uint64_t at(int x) const {
        constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
        const int left = 2 * (point - x);
        if (t == 0 || left <= -64) return 0;
        if (left <= 0) return t >> -left;
        return left >= 62 || t > kMost >> left ? kMost : t << left;
    }
};
enum class CycleEnd : std::uint8_t { reached, limit, overflow };
/// What VERDICT saw.
struct CycleVerdict {
    std::int32_t length = 0;
    std::uint64_t sum = 0;
};

/// A word of every lane in use, and zeros in the others.
template <class To, class From, int Lanes>
MANTISSA_HLS_INLINE Beat<To, Lanes> read_beat(const From* from, const LevelGrid<Lanes>& grid, std::uint32_t beat) {
    Beat<To, Lanes> out;
    const From* const at = from + static_cast<std::uint64_t>(beat) * static_cast<unsigned>(grid.lanes);
    for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
        out.lane[l] = l < grid.lanes ? static_cast<To>(at[l]) : To{0};
    }
    return out;
}
template <class To, class From, int Lanes>
MANTISSA_HLS_INLINE void write_beat(To* to, const LevelGrid<Lanes>& grid, std::uint32_t beat,
                                    const Beat<From, Lanes>& in) {
    To* const at = to + static_cast<std::uint64_t>(beat) * static_cast<unsigned>(grid.lanes);
    for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
        if (l < grid.lanes) at[l] = static_cast<To>(in.lane[l]);
    }
}

/// The stages with their registers and line buffers.
template <int Before, int After, int Lanes> struct CycleStages {
    Scale<Lanes> scale;
    Squares<Lanes> squares;
    SmoothDown<Lanes> down[Before];
    Restrict<Lanes> restriction;
    Shorten<Lanes> shorten;
    Interpolate<Lanes> interpolation;
    SmoothUp<Lanes> up[After > 0 ? After : 1];
    Update<Lanes> update;
};

/// What the sequencer knows of a level.
struct LevelState {
    int y = 0;           ///< len of what r is formed from
    int e_length = 0;    ///< len(e)
    int e_point = 0;     ///< of e
    int v_point = 0;     ///< of v of the next level, in units of this one's r: j
    int v_shift = 0;     ///< n of the next level
    bool nothing = true; ///< t of the next level is zero
};

/// The numbers of the sequencer: scales and points from lengths, by adders and shifts alone.
class Sequencer {
public:
    void begin(const CyclePlan& plan, int x) {
        plan_ = &plan;
        state_[0] = {};
        state_[0].y = x;
    }
    [[nodiscard]] LevelState& operator[](int l) { return state_[l]; }
    /// The shift that makes r of level l.
    [[nodiscard]] int entering(int l) const { return state_[l].y - (plan_->level[l].w - 1); }
    /// After the way down of level l, `all` the OR of t's magnitudes. False where t is zero: no further level.
    bool descended(int l, std::uint64_t all) {
        const int y = length(all);
        state_[l].nothing = y == 0;
        if (y == 0) return false;
        state_[l + 1] = {};
        state_[l + 1].y = y;
        return true;
    }
    /// e of the level below l is known by its point and length: n, j and the point of this level's e.
    void rises(int l) {
        LevelState& here = state_[l];
        const LevelWords &words = plan_->level[l], &next = plan_->level[l + 1];
        int v_length = 0, j = 0;
        if (!here.nothing) {
            const LevelState& below = state_[l + 1];
            const int n = below.e_length > next.e - 1 ? below.e_length - (next.e - 1) : 0;
            here.v_shift = n;
            v_length = below.e_length - n; // (a longest word that rounding makes longer is cut)
            j = below.e_point - n + plan_->guard + kInterpolationPoint + next.w - 1 - below.y;
        }
        here.v_point = j;
        const int of_f = words.f - 1 - words.phi, of_v = v_length + kInterpolationPoint - j - kInterpolationPoint;
        const int bound = (of_f > of_v ? of_f : of_v) + 1, room = plan_->most - 1 - bound;
        here.e_point = words.phi < room ? words.phi : room;
    }

private:
    const CyclePlan* plan_ = nullptr;
    LevelState state_[kMostLevel + 1];
};

/// The core, untimed: each process takes its turn until its streams hold no more.
template <int Before, int After, int Lanes, int Depth = 64> class CycleCore {
public:
    void begin(const CyclePlan& plan, const CycleMemory& memory) {
        plan_ = plan;
        m_ = memory;
    }
    /// D is loaded, U is zero. `look` is told of every verdict.
    template <class Look> CycleEnd solve(const CycleLimit& limit, std::uint64_t& cycles, const Look& look) {
        const LevelGrid<Lanes> grid(plan_.levels);
        std::uint64_t all = 0;
        for (std::uint32_t k = 0; k < grid.beats; ++k) {
#pragma HLS PIPELINE II = 1
            const auto d = read_beat<Word>(m_.d, grid, k);
            for (int l = 0; l < Lanes; ++l) all |= magnitude(d.lane[l]);
        }
        stages_.update.clear_over();
        for (cycles = 0;; ++cycles) {
            const int x = length(all);
            if (stages_.update.over() || x > kMostWordBits || x == 0) {
                look(CycleVerdict{x, 0});
                return x == 0 && !stages_.update.over() ? CycleEnd::reached : CycleEnd::overflow;
            }
            sequencer_.begin(plan_, x);
            // What VERDICT sums passes by on the way down; where the solve ends here, what that pass made is not used.
            const std::uint64_t next = down(0);
            const std::uint64_t sum = stages_.squares.sum();
            look(CycleVerdict{x, sum});
            if (sum <= limit.at(x)) return CycleEnd::reached;
            if (cycles == limit.most_cycles) return CycleEnd::limit;
            descend(next);
            all = up(0);
        }
    }

private:
    /// From the finest level's t to its neighbour's e.
    void descend(std::uint64_t all) {
        int l = 0;
        const int coarsest = plan_.levels - 1;
        while (sequencer_.descended(l, all)) {
            ++l;
            if (l == coarsest) break;
            all = down(l);
        }
        if (l == coarsest) coarsest_level(l);
        // Where t was zero, that level's e comes from its f alone.
        for (int k = l == coarsest ? l - 1 : l; k > 0; --k) {
            const std::uint64_t of_e = up(k);
            sequencer_[k].e_length = length(of_e);
        }
    }
    void coarsest_level(int l) {
        const Word r = Cut(plan_.level[l].w)(Half(sequencer_.entering(l))(m_.t[l][3]));
        // e is longer than the other levels' words: it is shortened before it is kept, and not again.
        const Word e = plan_.inverse * r;
        const int bits = plan_.level[l].e, long_by = length(magnitude(e)) - (bits - 1), n = long_by > 0 ? long_by : 0;
        const Word v = Cut(bits)(Half(n)(e));
        m_.e[l][3] = static_cast<std::int32_t>(v);
        sequencer_[l].e_length = length(magnitude(v));
        sequencer_[l].e_point = plan_.inverse_point - n;
    }

    // The way down of a level. Returns the OR of t's magnitudes.
    std::uint64_t down(int l) {
        const LevelGrid<Lanes> fine(plan_.levels - l), coarse(plan_.levels - l - 1);
        const LevelWords& words = plan_.level[l];
        stages_.scale.begin(sequencer_.entering(l), words.w);
        if (l == 0) stages_.squares.begin(sequencer_[0].y);
        for (int k = 0; k < Before; ++k) stages_.down[k].begin(plan_, words, fine, k);
        stages_.restriction.begin(fine, coarse);
        std::uint32_t loaded = 0, smoothed[Before]{}, stored = 0, left = 0;
        while (stored < fine.beats) {
            load_down(l, fine, loaded);
            for (int k = 0; k < Before; ++k) smooth_down(k, fine, smoothed[k]);
            store_down(l, fine, coarse, stored, left);
        }
        return stages_.restriction.all();
    }
    void load_down(int l, const LevelGrid<Lanes>& grid, std::uint32_t& beat) {
        const Word* const from = l == 0 ? m_.d : m_.t[l];
        for (; beat < grid.beats && !down_[0].full(); ++beat) {
#pragma HLS PIPELINE II = 1
            const auto x = read_beat<Word>(from, grid, beat);
            if (l == 0) stages_.squares.step(x);
            const auto r = stages_.scale.step(x);
            Smoothed<Lanes> out{};
            for (int lane = 0; lane < Lanes; ++lane) out.r.lane[lane] = r.lane[lane];
            down_[0].write(out);
        }
    }
    void smooth_down(int k, const LevelGrid<Lanes>& grid, std::uint32_t& slot) {
        for (; slot < grid.beats + grid.lag(); ++slot) {
#pragma HLS PIPELINE II = 1
            if (down_[k + 1].full() || (slot < grid.beats && down_[k].empty())) break;
            Smoothed<Lanes> out;
            if (stages_.down[k].step(slot < grid.beats ? down_[k].read() : Smoothed<Lanes>{}, out))
                down_[k + 1].write(out);
        }
    }
    void store_down(int l, const LevelGrid<Lanes>& fine, const LevelGrid<Lanes>& coarse, std::uint32_t& beat,
                    std::uint32_t& left) {
        for (; beat < fine.beats && !down_[Before].empty(); ++beat) {
#pragma HLS PIPELINE II = 1
            const Smoothed<Lanes> in = down_[Before].read();
            write_beat(m_.f[l], fine, beat, in.f);
            Beat<Word, Lanes> t;
            if (stages_.restriction.step(in.r, t)) write_beat(m_.t[l + 1], coarse, left++, t);
        }
    }

    // The way up of a level. Returns the OR of e's magnitudes, of the finest level D's.
    std::uint64_t up(int l) {
        const LevelGrid<Lanes> fine(plan_.levels - l), coarse(plan_.levels - l - 1);
        const LevelWords& words = plan_.level[l];
        sequencer_.rises(l);
        const LevelState& at = sequencer_[l];
        stages_.scale.begin(sequencer_.entering(l), words.w);
        stages_.shorten.begin(at.v_shift, plan_.level[l + 1].e);
        stages_.interpolation.begin(fine, coarse, words, at.e_point, at.v_point);
        for (int k = 0; k < After; ++k) stages_.up[k].begin(plan_, words, fine, k, at.e_point);
        if (l == 0) stages_.update.begin(plan_, fine, at.e_point + words.w - 1 - at.y);
        std::uint32_t risen = 0, v = static_cast<std::uint32_t>(coarse.row), smoothed[After > 0 ? After : 1]{},
                      stored = 0;
        const std::uint32_t slots = fine.beats + (l == 0 ? fine.lag() : 0);
        while (stored < slots) {
            rise(l, fine, coarse, risen, v);
            for (int k = 0; k < After; ++k) smooth_up(k, fine, smoothed[k]);
            if (l == 0) update(fine, stored);
            else store_up(l, fine, stored);
        }
        if (l == 0) return stages_.update.all();
        if constexpr (After > 0) return stages_.up[After - 1].all();
        return stages_.interpolation.all();
    }
    void rise(int l, const LevelGrid<Lanes>& fine, const LevelGrid<Lanes>& coarse, std::uint32_t& beat,
              std::uint32_t& v) {
        const Word* const from = l == 0 ? m_.d : m_.t[l];
        for (; beat < fine.beats && !up_[0].full(); ++beat) {
#pragma HLS PIPELINE II = 1
            for (int k = stages_.interpolation.wants(); k > 0; --k) {
                const auto e = read_beat<std::int32_t>(m_.e[l + 1], coarse, v++);
                stages_.interpolation.take(sequencer_[l].nothing ? Beat<std::int32_t, Lanes>{}
                                                                 : stages_.shorten.step(e));
            }
            Risen<Lanes> out{};
            out.e = stages_.interpolation.step(read_beat<std::int32_t>(m_.f[l], fine, beat));
            if constexpr (After > 0) out.r = stages_.scale.step(read_beat<Word>(from, fine, beat));
            up_[0].write(out);
        }
    }
    void smooth_up(int k, const LevelGrid<Lanes>& grid, std::uint32_t& slot) {
        for (; slot < grid.beats + grid.lag(); ++slot) {
#pragma HLS PIPELINE II = 1
            if (up_[k + 1].full() || (slot < grid.beats && up_[k].empty())) break;
            Risen<Lanes> out;
            if (stages_.up[k].step(slot < grid.beats ? up_[k].read() : Risen<Lanes>{}, out)) up_[k + 1].write(out);
        }
    }
    void store_up(int l, const LevelGrid<Lanes>& grid, std::uint32_t& beat) {
        for (; beat < grid.beats && !up_[After].empty(); ++beat) {
#pragma HLS PIPELINE II = 1
            write_beat(m_.e[l], grid, beat, up_[After].read().e);
        }
    }
    void update(const LevelGrid<Lanes>& grid, std::uint32_t& slot) {
        for (; slot < grid.beats + grid.lag(); ++slot) {
#pragma HLS PIPELINE II = 1
            const bool real = slot < grid.beats;
            if (real && up_[After].empty()) break;
            const Risen<Lanes> in = real ? up_[After].read() : Risen<Lanes>{};
            const Beat<Word, Lanes> none{};
            Beat<Word, Lanes> u, d;
            const bool good = stages_.update.step(in.e, real ? read_beat<Word>(m_.u, grid, slot) : none,
                                                  real ? read_beat<Word>(m_.d, grid, slot) : none, u, d);
            if (real) write_beat(m_.u, grid, slot, u);
            if (good) write_beat(m_.d, grid, slot - grid.lag(), d);
        }
    }

    CyclePlan plan_;
    CycleMemory m_;
    CycleStages<Before, After, Lanes> stages_;
    Sequencer sequencer_;
    stream<Smoothed<Lanes>, Depth> down_[Before + 1];
    stream<Risen<Lanes>, Depth> up_[After + 1];
};

} // namespace mantissa_hls::cycle
