// The numbers of a cycle core: scales and points of levels, and what ends a solve.
#pragma once

#include "mantissa_hls/cycle/words.hpp"

namespace mantissa_hls::cycle {

/// What ends a solve.
struct CycleLimit {
    std::uint64_t t = 0;
    std::int32_t point = 0;
    std::uint64_t most_cycles = 0;
    bool alone = false; ///< one cycle, whose c is U, and no verdict
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
    [[nodiscard]] const LevelState& operator[](int l) const { return state_[l]; }
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
    /// e of the coarsest level's one node from its t, in the words that are kept.
    Word coarsest(int l, Word t) {
        const LevelWords& words = plan_->level[l];
        const Word r = Cut(words.w)(Half(entering(l))(t)), e = plan_->inverse * r;
        // e is longer than the other levels' words: it is shortened before it is kept, and not again.
        const int long_by = length(magnitude(e)) - (words.e - 1), n = long_by > 0 ? long_by : 0;
        const Word v = Cut(words.e)(Half(n)(e));
        state_[l].e_length = length(magnitude(v));
        state_[l].e_point = plan_->inverse_point - n;
        return v;
    }

private:
    const CyclePlan* plan_ = nullptr;
    LevelState state_[kMostLevel + 1];
};

} // namespace mantissa_hls::cycle
