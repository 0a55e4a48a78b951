// The stages of the loop around the cycles: what VERDICT sums, and U += c, D -= S c.
#pragma once

#include "mantissa_hls/cycle/window.hpp"

namespace mantissa_hls::cycle {

/// The sum of floor(D 2^(15 - x))^2, exact.
template <int Lanes> class Squares {
public:
    void begin(int x) {
        right_ = x > kVerdictBits ? x - kVerdictBits : 0;
        left_ = x > kVerdictBits ? 0 : kVerdictBits - x;
        sum_ = 0;
    }
    void step(const Beat<Word, Lanes>& d) {
#pragma HLS INLINE
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const Word word = (d.lane[l] >> right_) * (Word{1} << left_);
            sum_ += static_cast<std::uint64_t>(word * word);
        }
    }
    [[nodiscard]] std::uint64_t sum() const {
        return sum_;
    }

private:
    int right_ = 0, left_ = 0;
    std::uint64_t sum_ = 0;
};

/// c = half(e, point); U += c at once, D -= S c a row and a beat later.
template <int Lanes> class Update {
public:
    void begin(const CyclePlan& plan, const LevelGrid<Lanes>& grid, int point) {
        plan_ = &plan;
        half_ = Half(point);
        window_.begin(grid);
        d_.begin(grid);
        edge_.begin(grid);
        all_ = 0;
    }
    /// One beat of e, of U and of D: U's new words are there at once; true where `d_out` is D of beat slot - lag.
    bool step(const Beat<std::int32_t, Lanes>& e, const Beat<Word, Lanes>& u, const Beat<Word, Lanes>& d,
              Beat<Word, Lanes>& u_out, Beat<Word, Lanes>& d_out) {
#pragma HLS INLINE
        constexpr Word kMost = Word{1} << kMostStepBits;
        Beat<Word, Lanes> c{};
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const Word step = half_(e.lane[l]);
            const bool fits = step < kMost && step > -kMost;
            c.lane[l] = fits ? step : 0;
            const SignedWide sum = static_cast<SignedWide>(u.lane[l]) + c.lane[l];
            u_out.lane[l] = static_cast<Word>(sum);
            over_ |= !fits || sum != u_out.lane[l];
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
            over_ |= !edge && rest != d_out.lane[l];
            all_ |= magnitude(d_out.lane[l]);
        }
        return true;
    }
    [[nodiscard]] std::uint64_t all() const {
        return all_;
    }
    [[nodiscard]] bool over() const {
        return over_;
    }
    void clear_over() {
        over_ = false;
    }

private:
    const CyclePlan* plan_ = nullptr;
    Half half_;
    Window<Word, Lanes> window_;
    Delay<Word, Lanes> d_;
    EdgeLanes<Lanes> edge_;
    std::uint64_t all_ = 0;
    bool over_ = false;
};

} // namespace mantissa_hls::cycle
