// Line buffers of a level: what passes by, some beats later.
#pragma once

#include "mantissa_hls/cycle/words.hpp"

namespace mantissa_hls::cycle {

/// Beats as they were `lag` beats before: a row and one, as a window's centre.
template <class T, int Lanes> class Delay {
public:
    void begin(const LevelGrid<Lanes>& grid) {
        lag_ = grid.lag();
        at_ = 0;
    }
    Beat<T, Lanes> step(const Beat<T, Lanes>& in) {
#pragma HLS INLINE
        const Beat<T, Lanes> out = held_[at_];
        held_[at_] = in;
        at_ = at_ + 1 == lag_ ? 0 : at_ + 1;
        return out;
    }

private:
    std::uint32_t lag_ = 1, at_ = 0;
    Beat<T, Lanes> held_[LevelGrid<Lanes>::kMostBeats + 1];
};

/// From beats the three rows around each, `lag` beats later. Beats before the first and after the last are zero: the
/// caller feeds the latter.
template <class T, int Lanes> class Window {
public:
    void begin(const LevelGrid<Lanes>& grid) {
        row_ = static_cast<std::uint32_t>(grid.row);
        last_ = grid.lanes - 1;
        slot_ = at_ = 0;
        for (auto& row : near_)
            for (auto& beat : row) beat = {};
    }
    /// True where `around` is that of beat slot - lag.
    bool step(const Beat<T, Lanes>& in, Around<Lanes>& around) {
#pragma HLS INLINE
        // Rows north, here and south of the beat: what comes, what came a row and two rows before.
        const Beat<T, Lanes> here = slot_ >= row_ ? first_[at_] : Beat<T, Lanes>{},
                             south = slot_ >= 2 * row_ ? second_[at_] : Beat<T, Lanes>{};
        first_[at_] = in;
        second_[at_] = here;
        at_ = at_ + 1 == row_ ? 0 : at_ + 1;
        shift(near_[2], in);
        shift(near_[1], here);
        shift(near_[0], south);
        for (int k = 0; k < 3; ++k) {
#pragma HLS UNROLL
            around.row[k][0] = near_[k][0].lane[last_];
            for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
                around.row[k][l + 1] = near_[k][1].lane[l];
            }
            // Rows shorter than all lanes: the beat's end is where the lanes in use end.
            around.row[k][last_ + 2] = near_[k][2].lane[0];
        }
        ++slot_;
        return slot_ > row_ + 1;
    }

private:
    static void shift(Beat<T, Lanes> (&near)[3], const Beat<T, Lanes>& in) {
        near[0] = near[1];
        near[1] = near[2];
        near[2] = in;
    }
    std::uint32_t row_ = 1, slot_ = 0, at_ = 0;
    int last_ = Lanes - 1;
    Beat<T, Lanes> near_[3][3];
    Beat<T, Lanes> first_[LevelGrid<Lanes>::kMostBeats], second_[LevelGrid<Lanes>::kMostBeats];
};

/// Which lanes of the beats that come one after the other hold no inner node: those of row 0 and column 0, and lanes
/// that short rows leave free; and whether a beat is the core's own.
template <int Lanes> class EdgeLanes {
public:
    void begin(const LevelGrid<Lanes>& grid) {
        grid_ = grid;
        beat_ = -1;
        next_ = 0;
    }
    /// Goes on to the next beat.
    void step() {
#pragma HLS INLINE
        if (++beat_ == grid_.row) beat_ = 0;
        ++next_;
    }
    [[nodiscard]] bool operator()(int lane) const {
        const bool south = next_ <= static_cast<std::uint32_t>(grid_.row);
        return south || lane >= grid_.lanes || (beat_ == 0 && lane == 0);
    }
    [[nodiscard]] bool owned() const {
        return grid_.owns(next_ - 1);
    }

private:
    LevelGrid<Lanes> grid_;
    int beat_ = -1;          ///< in its row
    std::uint32_t next_ = 0; ///< beats so far
};

} // namespace mantissa_hls::cycle
