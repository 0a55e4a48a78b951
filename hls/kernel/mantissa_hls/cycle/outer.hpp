// The stages of the loop around the cycles: what VERDICT sums, and U += c, D -= S c.
#pragma once

#include "mantissa_hls/cycle/window.hpp"

namespace mantissa_hls::cycle {

/// The sum of half(D, x - 15)^2, exact.
template <int Lanes> class Squares {
public:
    void begin(int x) {
        half_ = Half(x - kVerdictBits);
        sum_ = 0;
    }
    void step(const Beat<Word, Lanes>& d) {
#pragma HLS INLINE
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const Word word = half_(d.lane[l]);
            sum_ += static_cast<std::uint64_t>(word * word);
        }
    }
    [[nodiscard]] std::uint64_t sum() const {
        return sum_;
    }

private:
    Half half_;
    std::uint64_t sum_ = 0;
};

/// c = half(e, point); U += c at once, D -= S c a row and a beat later. Of a cycle alone D's new words are not used.
template <int Lanes> class Update {
public:
    void begin(const CyclePlan& plan, const LevelGrid<Lanes>& grid, int point) {
        plan_ = &plan;
        half_ = Half(point);
        window_.begin(grid);
        d_.begin(grid);
        edge_.begin(grid);
        of_u_.begin(grid);
        all_ = 0;
    }
    /// One beat of e, of U and of D: U's new words are there at once; true where `d_out` is D of beat slot - lag.
    bool step(const Beat<std::int32_t, Lanes>& e, const Beat<Word, Lanes>& u, const Beat<Word, Lanes>& d,
              Beat<Word, Lanes>& u_out, Beat<Word, Lanes>& d_out) {
#pragma HLS INLINE
        of_u_.step();
        Beat<Word, Lanes> c{};
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const Word step = half_(e.lane[l]);
            const bool fits = small(step);
            c.lane[l] = fits ? step : 0;
            const SignedWide sum = static_cast<SignedWide>(u.lane[l]) + c.lane[l];
            u_out.lane[l] = static_cast<Word>(sum);
            over_ |= of_u_.owned() && (!fits || !small(sum));
        }
        Around<Lanes> around;
        const bool good = window_.step(c, around);
        const Beat<Word, Lanes> before = d_.step(d);
        if (!good) return false;
        edge_.step();
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const SignedWide rest = before.lane[l] - stencil_row<Lanes>(*plan_, around, l);
            const bool edge = edge_(l);
            d_out.lane[l] = edge ? 0 : static_cast<Word>(rest);
            over_ |= !edge && edge_.owned() && !alone_ && !small(rest);
            if (edge_.owned()) all_ |= magnitude(d_out.lane[l]);
        }
        return true;
    }
    [[nodiscard]] std::uint64_t all() const {
        return all_;
    }
    [[nodiscard]] bool over() const {
        return over_;
    }
    void begin_solve(bool alone) {
        alone_ = alone;
        over_ = false;
    }

private:
    static bool small(SignedWide word) {
        constexpr Word kMost = Word{1} << kMostWordBits;
        return word < kMost && word > -kMost;
    }
    const CyclePlan* plan_ = nullptr;
    Half half_;
    Window<Word, Lanes> window_;
    Delay<Word, Lanes> d_;
    EdgeLanes<Lanes> edge_, of_u_;
    std::uint64_t all_ = 0;
    bool alone_ = false, over_ = false;
};

} // namespace mantissa_hls::cycle
