#include <algorithm>
#include <cmath>

#include "mantissa/multilevel/cycle_clocks.hpp"

namespace mantissa::multilevel {

namespace {

/// r may grow by so many bits in R r, whose words sum to 16.
constexpr int kRestrictionBits = 4;

std::uint64_t of(int clocks) {
    return static_cast<std::uint64_t>(clocks);
}

} // namespace

LevelBeats::LevelBeats(int log, int lanes) {
    const auto side = std::uint64_t{1} << log;
    row = std::max<std::uint64_t>(1, side / static_cast<std::uint64_t>(lanes));
    all = row * side;
}

CycleClocks cycle_clocks(const GridPlan& plan, int lanes, const CycleTiming& timing) {
    CycleClocks clocks;
    const std::size_t levels = plan.level.size(), before = plan.before.size(), after = plan.after.size();
    for (std::size_t l = 0; l + 1 < levels; ++l) {
        const LevelBeats beats(static_cast<int>(levels - l), lanes);
        LevelClocks& level = clocks.level.emplace_back();
        level.beats = beats.all;
        level.down = beats.all + before * (beats.lag() + of(timing.step)) + of(timing.enter + timing.restriction);
        level.up = beats.all + after * (beats.lag() + of(timing.after)) + of(timing.rise);
        if (l == 0) level.up += beats.lag() + of(timing.correct);
        // In front of the way down D's or t's largest word is counted, in front of the way up e's.
        const int longest = l == 0 ? kMostWordBits : plan.level[l - 1].h + kRestrictionBits;
        level.before = of(timing.sweep + timing.length + longest);
        level.behind = of(timing.sweep + timing.length + plan.most + 1 + timing.points);
        clocks.cycle += level.down + level.up + level.before + level.behind;
    }
    clocks.coarsest = of(timing.sweep + timing.length + plan.level[levels - 2].h + kRestrictionBits + timing.enter);
    clocks.cycle += clocks.coarsest + of(timing.verdict);
    clocks.last = clocks.level.front().before + clocks.level.front().down + of(timing.verdict);
    return clocks;
}

CycleStore cycle_store(const GridPlan& plan) {
    constexpr double kOuter = 64;
    CycleStore store;
    const std::size_t levels = plan.level.size();
    for (std::size_t l = 0; l < levels; ++l) {
        const double nodes = std::ldexp(1.0, 2 * static_cast<int>(levels - l));
        const GridLevelPlan& words = plan.level[l];
        if (l == 0) store.u = store.d = kOuter * nodes;
        else store.words += nodes * std::max(plan.level[l - 1].h + kRestrictionBits, plan.most + 1);
        if (l + 1 < levels) {
            store.f += nodes * words.f;
            if (!plan.after.empty()) store.r += nodes * words.w;
        }
    }
    const double row = std::ldexp(1.0, static_cast<int>(levels));
    const GridLevelPlan& finest = plan.level.front();
    // A step down keeps two rows of g, one of r and one of f; a step up two of e and one of r; the outer one two of c,
    // one of D.
    store.lines = row * (static_cast<double>(plan.before.size()) * (3 * finest.f + finest.h) +
                         static_cast<double>(plan.after.size()) * (2 * (plan.most + 1) + finest.w) + 3 * kOuter +
                         (finest.h + kRestrictionBits) / 2.0);
    return store;
}

} // namespace mantissa::multilevel
