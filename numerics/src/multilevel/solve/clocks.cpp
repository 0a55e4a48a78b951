#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "mantissa/multilevel/cycle_clocks.hpp"

namespace mantissa::multilevel {

namespace {

/// r may grow by so many bits in R r, whose words sum to 16.
constexpr int kRestrictionBits = 4;

std::uint64_t of(int clocks) {
    return static_cast<std::uint64_t>(clocks);
}

/// fx_weighted_latency() of rtl/fx_digits.svh: constants in canonical signed digits, a tree of adders for each sign.
int weighted_latency(const std::vector<int>& constants) {
    unsigned added = 0, taken = 0;
    for (const int c : constants) {
        const auto a = static_cast<unsigned>(std::abs(c)), t = 3 * a;
        const auto more = static_cast<unsigned>(std::popcount((t & ~a) >> 1)),
                   less = static_cast<unsigned>(std::popcount((a & ~t) >> 1));
        added += c < 0 ? less : more;
        taken += c < 0 ? more : less;
    }
    const auto levels = [](unsigned n) { return n < 2 ? 0 : static_cast<int>(std::bit_width(n - 1)); };
    return std::max(levels(added), levels(taken)) + (taken > 0 ? 1 : 0);
}

/// cy_window_latency() of rtl/cycle/cycle_bounds.svh.
int window_latency(const GridPlan& plan) {
    const int c = plan.centre, e = plan.east, n = plan.north, corner = plan.corner;
    const int rows = std::max(weighted_latency({n, c}), weighted_latency({-n, -c}));
    int beside = e < 0 || corner < 0 ? weighted_latency({-corner, -e}) : weighted_latency({corner, e});
    if (e * corner < 0) beside = std::max(weighted_latency({corner, e}), weighted_latency({-corner, -e}));
    return std::max(rows, beside);
}

/// Beats of fx_cycle's levels, and what a sweep takes after them.
struct CoreSweeps {
    CycleSlabs slabs;
    std::uint64_t lanes, least_row, before, after, window;
    CoreSweeps(const GridPlan& plan, int count, int most_level, int cores)
        : slabs(plan.before.size(), plan.after.size(), cores), lanes(of(count)), before(plan.before.size()),
          after(plan.after.size()), window(of(window_latency(plan))) {
        constexpr std::uint64_t kDeep = 32; // rows of more beats are in block memories
        least_row = count == 1 ? 1 : (std::uint64_t{1} << most_level) > kDeep * lanes ? 4 : 2;
    }
    [[nodiscard]] std::uint64_t row(int log) const { return std::max(least_row, (std::uint64_t{1} << log) / lanes); }
    [[nodiscard]] std::uint64_t beats(int log) const { return row(log) * slabs.most_rows(log); }
    /// What follows a sweep of level `log` where rows are shared: of t or of e, a round to the north and one to the
    /// south; of t of the first level that is whole, all rows go from core to core.
    [[nodiscard]] std::uint64_t shared(int log, bool t) const {
        if (slabs.cores == 1 || log < slabs.split) return 0;
        const int level = t ? log - 1 : log;
        return slabs.shared(level, row(level));
    }
    // Clocks of a sweep: the sequencer's four, rows and stages after the nodes.
    [[nodiscard]] std::uint64_t down(int log) const {
        return lanes == 1 ? whole(log) : beats(log) + before * row(log) + 22 + before * (window + 11) + together();
    }
    /// What all cores say is known a clock later.
    [[nodiscard]] std::uint64_t together() const { return slabs.cores > 1 ? 1 : 0; }
    [[nodiscard]] std::uint64_t up(int log, bool finest) const {
        if (lanes == 1) return whole(log);
        const std::uint64_t stages = after * (window + 17) + (finest ? 39 + window : 28) + together();
        return beats(log) + (finest ? after + 1 : std::max<std::uint64_t>(after, 1)) * row(log) + stages;
    }
    [[nodiscard]] std::uint64_t without_nodes(int log) const {
        const std::uint64_t drain = std::max(16 + before * (window + 11), 33 + window + after * (window + 17));
        return std::max(before, after + 1) * row(log) + drain + (lanes > 1 ? 6 : 4) + together();
    }

private:
    [[nodiscard]] std::uint64_t whole(int log) const { return beats(log) + without_nodes(log); }
};

} // namespace

LevelBeats::LevelBeats(int log, int lanes) {
    const auto side = std::uint64_t{1} << log;
    row = std::max<std::uint64_t>(1, side / static_cast<std::uint64_t>(lanes));
    all = row * side;
}

CycleClocks cycle_clocks(const GridPlan& plan, int lanes, int cores, const CycleTiming& timing) {
    CycleClocks clocks;
    const std::size_t levels = plan.level.size(), before = plan.before.size(), after = plan.after.size();
    const CycleSlabs slabs(before, after, cores);
    for (std::size_t l = 0; l + 1 < levels; ++l) {
        const int log = static_cast<int>(levels - l);
        const LevelBeats beats(log, lanes), coarse(log - 1, lanes);
        LevelClocks& level = clocks.level.emplace_back();
        level.beats = beats.row * slabs.most_rows(log);
        // On the way up a slab that does not begin at the grid's edge waits for the row of v that stands at its first.
        std::uint64_t up = 0;
        for (int core = 0; core < cores; ++core)
            up = std::max(up, beats.row * slabs.rows(core, log) + (slabs.low(core, log) > 0 ? coarse.row : 0));
        level.down = level.beats + before * (beats.lag() + of(timing.step)) + of(timing.enter + timing.restriction);
        level.up = up + after * (beats.lag() + of(timing.after)) + of(timing.rise);
        if (cores > 1 && log >= slabs.split)
            clocks.shared += slabs.shared(log - 1, coarse.row) + slabs.shared(log, beats.row);
        if (l == 0) level.up += beats.lag() + of(timing.correct);
        // In front of the way down D's or t's largest word is counted, in front of the way up e's.
        const int longest = l == 0 ? kMostWordBits : plan.level[l - 1].h + kRestrictionBits;
        level.at_down = of(timing.sweep + timing.length + longest);
        level.at_up = of(timing.sweep + timing.length + plan.most + 1 + timing.points);
        clocks.cycle += level.down + level.up + level.at_down + level.at_up;
    }
    clocks.cycle += clocks.shared;
    clocks.coarsest = of(timing.sweep + timing.length + plan.level[levels - 2].h + kRestrictionBits + timing.enter);
    clocks.cycle += clocks.coarsest + of(timing.verdict);
    clocks.last = clocks.level.front().at_down + clocks.level.front().down + of(timing.verdict);
    if (const int finest = static_cast<int>(levels); cores > 1 && finest >= slabs.split)
        clocks.last += slabs.shared(finest - 1, LevelBeats(finest - 1, lanes).row);
    return clocks;
}

CycleSlabs::CycleSlabs(std::size_t before, std::size_t after, int count) : cores(count) {
    if (cores == 1) return;
    const std::size_t reach = before + std::max<std::size_t>(after, 1) + 1;
    const int log = reach <= 4 ? 2 : reach <= 8 ? 3 : 4;
    cut = static_cast<int>(std::bit_width(static_cast<unsigned>(cores - 1)));
    if (!std::has_single_bit(static_cast<unsigned>(cores))) cut += 3;
    halo = 1 << log;
    for (split = cut + 1; ((1 << cut) / cores) << (split - cut) < halo;) ++split;
}
std::uint64_t CycleSlabs::first(int core, int level) const {
    // (Of a level with less rows than blocks the first core has all.)
    if (level < cut) return core == 0 ? 0 : std::uint64_t{1} << level;
    return of((core << cut) / cores) << (level - cut);
}
std::uint64_t CycleSlabs::low(int core, int level) const {
    return level < split || core == 0 ? 0 : first(core, level) - of(halo);
}
std::uint64_t CycleSlabs::rows(int core, int level) const {
    const bool to_end = level < split || core + 1 == cores;
    const std::uint64_t end = to_end ? std::uint64_t{1} << level : first(core + 1, level) + of(halo);
    return end - low(core, level);
}
std::uint64_t CycleSlabs::most_rows(int level) const {
    std::uint64_t most = 0;
    for (int core = 0; core < cores; ++core) most = std::max(most, rows(core, level));
    return most;
}
std::uint64_t CycleSlabs::shared(int level, std::uint64_t row) const {
    constexpr std::uint64_t kRound = 9;
    if (level < split) return 2 * of(cores - 1) * ((row << level) + kRound);
    return 2 * (of(halo) * row + kRound);
}

CycleClocks core_clocks(const GridPlan& plan, int lanes, int most_level, int cores) {
    // The sequencer's states (cy_control) beside sweeps and lengths.
    constexpr std::uint64_t kVerdict = 67, kLook = 5, kLower = 5, kRise = 17;
    const CoreSweeps sweeps(plan, lanes, most_level, cores);
    CycleClocks clocks;
    const int levels = static_cast<int>(plan.level.size());
    for (int l = 0; l + 1 < levels; ++l) {
        const int log = levels - l;
        LevelClocks& level = clocks.level.emplace_back();
        level.beats = sweeps.beats(log);
        level.down = sweeps.down(log);
        level.up = sweeps.up(log, l == 0);
        const auto t = of(plan.level[static_cast<std::size_t>(l)].h + kRestrictionBits), e = of(plan.most + 1);
        level.at_down = kLower + t + sweeps.together(); // (after the sweep: its t's)
        level.at_up = kRise + e + sweeps.together();
        clocks.cycle += level.down + level.up + level.at_down + level.at_up;
        clocks.counted += t + e;
        clocks.shared += sweeps.shared(log, true) + sweeps.shared(log, false);
    }
    clocks.cycle += clocks.shared;
    clocks.coarsest = sweeps.down(1);
    clocks.counted += of(kMostWordBits);
    clocks.cycle += clocks.coarsest + kVerdict + kLook + sweeps.together() + of(kMostWordBits);
    clocks.last =
        sweeps.without_nodes(levels) + 4 + sweeps.together() + of(kMostWordBits) + sweeps.down(levels) + kVerdict;
    return clocks;
}

CycleStore cycle_store(const GridPlan& plan, int cores) {
    constexpr double kOuter = 64;
    CycleStore store;
    const CycleSlabs slabs(plan.before.size(), plan.after.size(), cores);
    const std::size_t levels = plan.level.size();
    for (std::size_t l = 0; l < levels; ++l) {
        const int log = static_cast<int>(levels - l);
        double nodes = 0;
        for (int core = 0; core < cores; ++core) nodes += std::ldexp(static_cast<double>(slabs.rows(core, log)), log);
        const GridLevelPlan& words = plan.level[l];
        if (l == 0) store.u = store.d = kOuter * nodes;
        else store.words += nodes * std::max(plan.level[l - 1].h + kRestrictionBits, plan.most + 1);
        if (l + 1 < levels) {
            store.f += nodes * words.f;
            if (!plan.after.empty()) store.r += nodes * words.w;
        }
    }
    const double row = cores * std::ldexp(1.0, static_cast<int>(levels));
    const GridLevelPlan& finest = plan.level.front();
    // A step down keeps two rows of g, one of r and one of f; a step up two of e and one of r; the outer one two of c,
    // one of D.
    store.lines = row * (static_cast<double>(plan.before.size()) * (3 * finest.f + finest.h) +
                         static_cast<double>(plan.after.size()) * (2 * (plan.most + 1) + finest.w) + 3 * kOuter +
                         (finest.h + kRestrictionBits) / 2.0);
    return store;
}

} // namespace mantissa::multilevel
