// What a multilevel cycle on a grid is told, as plain data, and how a level lies in the core's memory.
// The computation is that of multilevel/cycle.hpp and multilevel/word_solve.hpp of the project's numerics.
#pragma once

#include <cstdint>

#include "mantissa_hls/datapath.hpp"

namespace mantissa_hls::cycle {

inline constexpr int kMostSteps = 4, kMostLevel = 14;
inline constexpr int kCoarsestNode = 3;       ///< of the coarsest level's four words the one inner node's
inline constexpr int kInterpolationPoint = 2; ///< words 4, 2, 1
inline constexpr int kVerdictBits = 15, kMostWordBits = 62;

/// Words of a level.
struct LevelWords {
    std::int32_t w = 0, f = 0, e = 0, phi = 0, h = 0;
};
struct CyclePlan {
    std::int32_t levels = 0; ///< the finest has 2^levels + 1 nodes a side; level[0] is its
    std::int32_t centre = 0, east = 0, north = 0, corner = 0;
    std::int32_t guard = 0, most = 0;   ///< G and N
    std::int32_t before = 0, after = 0; ///< smoothing steps on the way down and up
    std::int32_t weight_before[kMostSteps]{}, shift_before[kMostSteps]{};
    std::int32_t weight_after[kMostSteps]{}, shift_after[kMostSteps]{};
    std::int32_t inverse = 0, inverse_point = 0;
    LevelWords level[kMostLevel];
};

/// Rows of a level that one of several cores has, from row `low` of the grid on: its own ones, and rows of its
/// neighbours at either end, which it computes too, in part wrongly. One core alone has all rows, and they are its own.
struct LevelSlab {
    std::int32_t low = 0, rows = 0, own_first = 0,
                 own_last = 0; ///< the last two counted from low on; past the last one
};
/// The same of all levels, the finest 0.
struct CycleSlab {
    LevelSlab level[kMostLevel];
};

/// A level of 2^log + 1 nodes a side in beats. Rows and columns 0 to 2^log - 1 have words, those of row and column 0
/// are zero; row and column 2^log have none: what is asked of them, the zero of the next row answers. So a level has
/// 4^log words, a row fills whole beats, and beats of rows shorter than all lanes use the first lanes alone. Of a slab
/// it is the same with its rows, where the first one counts as row 0 and what follows the last one as zero.
template <int Lanes> struct LevelGrid {
    static_assert(Lanes > 0 && (Lanes & (Lanes - 1)) == 0, "lanes are a power of two");
    static constexpr int kMostBeats = (1 << kMostLevel) / Lanes; ///< of a row
    int side = 0, lanes = 0, row = 0, rows = 0;                  ///< words of a row; lanes in use; beats of a row; rows
    std::uint32_t beats = 0, own_first = 0, own_last = 0;
    LevelGrid() = default;
    LevelGrid(int log, const LevelSlab& slab)
        : side(1 << log), lanes(side < Lanes ? side : Lanes), row(side / lanes), rows(slab.rows),
          beats(beats_of(slab.rows)), own_first(beats_of(slab.own_first)), own_last(beats_of(slab.own_last)) {}
    [[nodiscard]] std::uint32_t beats_of(int count) const {
        return static_cast<std::uint32_t>(row) * static_cast<std::uint32_t>(count);
    }
    /// Is the beat of the slab one of the core's own rows?
    [[nodiscard]] bool owns(std::uint32_t beat) const { return beat >= own_first && beat < own_last; }
    /// Beats by which a window of three rows lags what goes in.
    [[nodiscard]] std::uint32_t lag() const { return static_cast<std::uint32_t>(row) + 1; }
};

} // namespace mantissa_hls::cycle
