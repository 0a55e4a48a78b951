// The stages of the way up: shortening, interpolation and sum, smoothing steps.
#pragma once

#include "mantissa_hls/cycle/window.hpp"

namespace mantissa_hls::cycle {

/// v = cut(half(e, n), E)
template <int Lanes> class Shorten {
public:
    void begin(int n, int e) {
        half_ = Half(n);
        cut_ = Cut(e);
    }
    [[nodiscard]] Beat<std::int32_t, Lanes> step(const Beat<std::int32_t, Lanes>& e) const {
#pragma HLS INLINE
        Beat<std::int32_t, Lanes> v;
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            v.lane[l] = static_cast<std::int32_t>(cut_(half_(e.lane[l])));
        }
        return v;
    }

private:
    Half half_;
    Cut cut_;
};

/// e = half(f, phi - i) + half(P v, j + 2 - i). A beat of f gives one of e; v comes by rows of the coarse level from
/// its row 1 on, in time: a beat of row j + 1 when the fine row between rows j and j + 1 needs it, one ahead for the
/// column to the east.
template <int Lanes> class Interpolate {
public:
    void begin(const LevelGrid<Lanes>& fine, const LevelGrid<Lanes>& coarse, const LevelWords& words, int i, int j) {
        fine_ = fine;
        coarse_ = coarse;
        of_f_ = Half(words.phi - i);
        of_x_ = Half(j + kInterpolationPoint - i);
        row_ = beat_ = have_ = 0;
        at_ = 0;
        swapped_ = false;
        all_ = 0;
        for (auto& row : rows_)
            for (int k = 0; k <= coarse.side; ++k) row[k] = 0;
    }
    /// Beats of v of the row that stands at row 0, where that is not the grid's.
    void begins_with(int beat, const Beat<std::int32_t, Lanes>& v) { keep(rows_[0], beat, v); }
    /// Beats of v that the next beat of f needs beyond those that are there.
    [[nodiscard]] int wants() const {
        if (row_ % 2 == 0 || row_ + 1 == fine_.rows) return 0;
        const int last = (beat_ + 1) * fine_.lanes / 2, need = last / coarse_.lanes + 1;
        return (need < coarse_.row ? need : coarse_.row) - have_;
    }
    void take(const Beat<std::int32_t, Lanes>& v) { keep(rows_[swapped_ ? 0 : 1], have_++, v); }
    [[nodiscard]] Beat<std::int32_t, Lanes> step(const Beat<std::int32_t, Lanes>& f) {
#pragma HLS INLINE
        const std::int32_t *const south = rows_[swapped_ ? 1 : 0], *const next = rows_[swapped_ ? 0 : 1];
        const std::int32_t* const north = row_ % 2 == 0 ? south : next;
        Beat<std::int32_t, Lanes> e{};
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            if (l >= fine_.lanes) break;
            const int column = beat_ * fine_.lanes + l, west = column / 2, east = (column + 1) / 2;
            const Word x = Word{south[west]} + south[east] + north[west] + north[east];
            e.lane[l] = static_cast<std::int32_t>(of_f_(f.lane[l]) + of_x_(x));
            if (fine_.owns(at_)) all_ |= magnitude(e.lane[l]);
        }
        ++at_;
        if (++beat_ == fine_.row) {
            beat_ = 0;
            if (row_ % 2 != 0) {
                swapped_ = !swapped_;
                have_ = 0;
                // After the last coarse row there is the edge.
                if (row_ + 3 == fine_.rows)
                    for (int k = 0; k <= coarse_.side; ++k) rows_[swapped_ ? 0 : 1][k] = 0;
            }
            ++row_;
        }
        return e;
    }
    [[nodiscard]] std::uint64_t all() const {
        return all_;
    }

private:
    void keep(std::int32_t* row, int beat, const Beat<std::int32_t, Lanes>& v) const {
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            if (l < coarse_.lanes) row[beat * coarse_.lanes + l] = v.lane[l];
        }
    }
    LevelGrid<Lanes> fine_, coarse_;
    Half of_f_, of_x_;
    int row_ = 0, beat_ = 0, have_ = 0;
    std::uint32_t at_ = 0; ///< beats so far
    bool swapped_ = false;
    std::uint64_t all_ = 0;
    std::int32_t rows_[2][(1 << (kMostLevel - 1)) + 1]{};
};

/// What a smoothing step on the way up needs: e, and r as it entered the level.
template <int Lanes> struct Risen {
    Beat<std::int32_t, Lanes> e;
    Beat<std::int16_t, Lanes> r;
};

/// e = cut(e + half(m (r - S e, rounded once), s), N + 1)
template <int Lanes> class SmoothUp {
public:
    void begin(const CyclePlan& plan, const LevelWords& words, const LevelGrid<Lanes>& grid, int k, int i) {
        plan_ = &plan;
        weight_ = plan.weight_after[k];
        rest_ = Rest(plan, words.h, 0, i);
        half_ = Half(plan.shift_after[k] + plan.guard - i);
        cut_ = Cut(plan.most + 1);
        window_.begin(grid);
        r_.begin(grid);
        edge_.begin(grid);
        all_ = 0;
    }
    /// True where `out` is that of beat slot - lag.
    bool step(const Risen<Lanes>& in, Risen<Lanes>& out) {
#pragma HLS INLINE
        Around<Lanes> around;
        const bool good = window_.step(in.e, around);
        out.r = r_.step(in.r);
        if (!good) return false;
        edge_.step();
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const Word rest = rest_(out.r.lane[l], static_cast<Word>(stencil_row<Lanes>(*plan_, around, l))),
                       e = cut_(around.row[1][l + 1] + half_(Word{weight_} * rest));
            out.e.lane[l] = edge_(l) ? 0 : static_cast<std::int32_t>(e);
            if (edge_.owned()) all_ |= magnitude(out.e.lane[l]);
        }
        return true;
    }
    [[nodiscard]] std::uint64_t all() const {
        return all_;
    }

private:
    const CyclePlan* plan_ = nullptr;
    Word weight_ = 0;
    Rest rest_;
    Half half_;
    Cut cut_;
    Window<std::int32_t, Lanes> window_;
    Delay<std::int16_t, Lanes> r_;
    EdgeLanes<Lanes> edge_;
    std::uint64_t all_ = 0;
};

} // namespace mantissa_hls::cycle
