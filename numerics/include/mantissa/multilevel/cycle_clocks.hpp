// Clocks of a cycle core: what its stages take, and from that what a cycle and a solve take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mantissa/multilevel/word_solve.hpp"

namespace mantissa::multilevel {

/// Clocks from a beat's entry into a part to its leaving it, and of the sequencer between two sweeps.
struct CycleTiming {
    int enter = 6, step = 16, restriction = 5, rise = 14, after = 22, correct = 24;
    int shorten = 4; ///< of e of the next level
    int sweep = 3;   ///< to start a sweep, and to see its end
    int length = 3;  ///< beside a clock for each bit of the largest word
    int points = 14; ///< scales and points of the way up
    int verdict = 8;
};
inline constexpr CycleTiming kCycleTiming;

/// Beats of a level of 2^log + 1 nodes a side: 4^log words, in rows of 2^log, rows shorter than all lanes a beat each.
struct LevelBeats {
    std::uint64_t row = 0, all = 0;
    LevelBeats(int log, int lanes);
    /// Beats by which a stage of three rows lags what goes into it.
    [[nodiscard]] std::uint64_t lag() const { return row + 1; }
};

struct LevelClocks {
    std::uint64_t down = 0, up = 0;       ///< of a sweep, its latency included
    std::uint64_t beats = 0;              ///< of the level
    std::uint64_t at_down = 0, at_up = 0; ///< of the sequencer, in front of each sweep or after it
};
/// Clocks of a cycle. The lengths of words, which the sequencer counts bit by bit, are not known beforehand: `most`
/// takes the longest that a level can have, so it is a bound.
struct CycleClocks {
    std::vector<LevelClocks> level; ///< from the finest on; the coarsest is a multiplication
    std::uint64_t coarsest = 0, cycle = 0;
    std::uint64_t last = 0;    ///< the sweep after the last cycle, whose squares end the solve, and the first look
    std::uint64_t counted = 0; ///< of `cycle`: bits of largest words, at their most
    std::uint64_t shared = 0;  ///< of `cycle`: several cores share rows
    [[nodiscard]] std::uint64_t solve(std::uint64_t cycles) const { return cycles * cycle + last; }
};
/// Of `cores` of them, with so many lanes each, the one with the most rows counts.
[[nodiscard]] CycleClocks cycle_clocks(const GridPlan& plan, int lanes, int cores = 1,
                                       const CycleTiming& timing = kCycleTiming);

/// The same of fx_cycle (rtl/cycle), to the clock but for the lengths of words, with rows for grids of up to
/// 2^most_level + 1 nodes a side. With one lane each sweep ends by one count for both directions; with several a row
/// has two beats at least, four where rows wait in block memories. `lanes`: a power of two. `cores` of them on one grid
/// (fx_cycles), of which the one with the most rows counts, share rows with their neighbours after sweeps.
[[nodiscard]] CycleClocks core_clocks(const GridPlan& plan, int lanes, int most_level, int cores = 1);

/// Rows of a grid that each of several cycle cores has (rtl/cycle/cycle_slabs.svh): its own ones and `halo` of its
/// neighbours' at either end. Levels below `split` are whole in every core.
struct CycleSlabs {
    int cores, cut = 0, halo = 0, split = 0;
    /// Of cycles with so many smoothing steps on the way down and up.
    CycleSlabs(std::size_t before, std::size_t after, int count);
    /// From this row on they are core `core`'s own; `core` may be `cores`, which is where the grid ends.
    [[nodiscard]] std::uint64_t first(int core, int level) const;
    /// From this one on they are in its slab, `rows` of them.
    [[nodiscard]] std::uint64_t low(int core, int level) const;
    [[nodiscard]] std::uint64_t rows(int core, int level) const;
    [[nodiscard]] std::uint64_t most_rows(int level) const;
    /// Clocks in which a vector of a level, `row` beats a row, goes north and then south: of slabs the neighbours'
    /// rows, of a level that is whole all rows from core to core.
    [[nodiscard]] std::uint64_t shared(int level, std::uint64_t row) const;
};

/// Words of D or U a beat of fx_cycle's streams: one for each lane, up to AXI's 1,024 bits.
constexpr int bus_words(int lanes) {
    constexpr int kMost = 16;
    return lanes < kMost ? lanes : kMost;
}
/// Clocks that a stream of D or U takes for a grid of 2^level + 1 nodes a side, a beat a clock: its edges to the north
/// and east are not in it, and a row begins with a beat.
constexpr std::uint64_t stream_clocks(int level, int lanes) {
    const std::uint64_t side = std::uint64_t{1} << level, words = static_cast<std::uint64_t>(bus_words(lanes));
    return side * (side < words ? 1 : side / words);
}

/// Words on the chip of a core, or of all `cores` on one grid with what they keep of their neighbours, bits by vector,
/// for a grid of 2^level + 1 nodes a side.
struct CycleStore {
    double u = 0, d = 0; ///< 64 bits a node of the finest level
    double words = 0;    ///< t and e, one place for both, of all levels but the finest
    double f = 0;
    double r = 0;     ///< as it entered, where there are steps after
    double lines = 0; ///< line buffers of the stages
    [[nodiscard]] double all() const { return u + d + words + f + r + lines; }
};
[[nodiscard]] CycleStore cycle_store(const GridPlan& plan, int cores = 1);

} // namespace mantissa::multilevel
