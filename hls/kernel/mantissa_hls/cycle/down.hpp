// The stages of the way down: scale, smoothing steps, restriction.
#pragma once

#include "mantissa_hls/cycle/window.hpp"

namespace mantissa_hls::cycle {

/// r = cut(half(x, s), W) of the finest level's D or of t, which come in wide words.
template <int Lanes> class Scale {
public:
    void begin(int s, int w) {
        half_ = Half(s);
        cut_ = Cut(w);
    }
    [[nodiscard]] Beat<std::int16_t, Lanes> step(const Beat<Word, Lanes>& x) const {
#pragma HLS INLINE
        Beat<std::int16_t, Lanes> r;
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            r.lane[l] = static_cast<std::int16_t>(cut_(half_(x.lane[l])));
        }
        return r;
    }

private:
    Half half_;
    Cut cut_;
};

/// r inside a level, and f so far.
template <int Lanes> struct Smoothed { Beat<std::int32_t, Lanes> r, f; };

/// A smoothing step: g = cut(half(m r, s), F), f = cut(f + g), r = r - S g rounded once.
template <int Lanes> class SmoothDown {
public:
    void begin(const CyclePlan& plan, const LevelWords& words, const LevelGrid<Lanes>& grid, int k) {
        plan_ = &plan;
        const int q = k == 0 ? 0 : plan.guard;
        weight_ = plan.weight_before[k];
        half_ = Half(plan.shift_before[k] + q - words.phi);
        cut_ = Cut(words.f);
        rest_ = Rest(plan, words.h, q, words.phi);
        window_.begin(grid);
        r_.begin(grid);
        f_.begin(grid);
        edge_.begin(grid);
    }
    /// True where `out` is that of beat slot - lag.
    bool step(const Smoothed<Lanes>& in, Smoothed<Lanes>& out) {
#pragma HLS INLINE
        Beat<std::int32_t, Lanes> g, f;
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            g.lane[l] = static_cast<std::int32_t>(cut_(half_(Word{weight_} * in.r.lane[l])));
            f.lane[l] = static_cast<std::int32_t>(cut_(Word{in.f.lane[l]} + g.lane[l]));
        }
        Around<Lanes> around;
        const bool good = window_.step(g, around);
        const Beat<std::int32_t, Lanes> r = r_.step(in.r);
        out.f = f_.step(f);
        if (!good) return false;
        edge_.step();
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const Word rest = rest_(r.lane[l], static_cast<Word>(stencil_row<Lanes>(*plan_, around, l)));
            out.r.lane[l] = edge_(l) ? 0 : static_cast<std::int32_t>(rest);
        }
        return true;
    }

private:
    const CyclePlan* plan_ = nullptr;
    Word weight_ = 0;
    Half half_;
    Cut cut_;
    Rest rest_;
    Window<std::int32_t, Lanes> window_;
    Delay<std::int32_t, Lanes> r_, f_;
    EdgeLanes<Lanes> edge_;
};

/// t = R r: words 1, 2, 1 along a row, then across rows. A beat of the coarse level leaves with every second or fourth
/// one that comes, the first one as beat `from` of its level.
template <int Lanes> class Restrict {
public:
    void begin(const LevelGrid<Lanes>& fine, const LevelGrid<Lanes>& coarse, std::uint32_t from) {
        fine_ = fine;
        coarse_ = coarse;
        at_ = from;
        row_ = beat_ = filled_ = 0;
        before_[0] = before_[1] = 0;
        all_ = 0;
    }
    bool step(const Beat<std::int32_t, Lanes>& r, Beat<Word, Lanes>& t) {
#pragma HLS INLINE
        bool full = false;
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            if (l >= fine_.lanes) break;
            const int column = beat_ * fine_.lanes + l, coarse = column / 2;
            if (column % 2 != 0) full |= sum(coarse, before_[0] + 2 * before_[1] + r.lane[l]);
            before_[0] = before_[1];
            before_[1] = r.lane[l];
        }
        if (full) {
            t = out_;
            ++at_;
        }
        if (++beat_ == fine_.row) {
            beat_ = 0;
            ++row_;
        }
        return full;
    }
    /// The OR of the magnitudes, of the core's own.
    [[nodiscard]] std::uint64_t all() const {
        return all_;
    }

private:
    bool sum(int coarse, Word h) {
        if (row_ % 2 == 0) {
            sums_[coarse] = (row_ == 0 ? 0 : sums_[coarse]) + 2 * h;
            return false;
        }
        const bool edge = row_ == 1 || coarse == 0;
        const Word t = edge ? 0 : sums_[coarse] + h;
        sums_[coarse] = h;
        if (coarse_.owns(at_)) all_ |= magnitude(t);
        out_.lane[filled_] = t;
        filled_ = filled_ + 1 == coarse_.lanes ? 0 : filled_ + 1;
        return filled_ == 0;
    }
    LevelGrid<Lanes> fine_, coarse_;
    std::uint32_t at_ = 0; ///< the beat of t to which words go
    int row_ = 0, beat_ = 0, filled_ = 0;
    Word before_[2]{}, sums_[1 << (kMostLevel - 1)]{};
    std::uint64_t all_ = 0;
    Beat<Word, Lanes> out_{};
};

} // namespace mantissa_hls::cycle
