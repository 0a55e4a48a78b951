// The vector update, one beat per step. A stage is the body of one pipelined loop; its members are the registers and
// memories that live from step to step.
#pragma once

#include "mantissa_hls/operators.hpp"
#include "mantissa_hls/words.hpp"

namespace mantissa_hls {

/// u' = u + (alpha p), r' = r - (alpha q), p' = r' + (beta p). Lanes from `live` on become +0.
template <Datapath D, int Lanes, bool Words = D.words()> class VectorUpdate {
public:
    void begin_pass(const Number<D.operand>& alpha, const Number<D.operand>& beta) {
        alpha_ = alpha;
        beta_ = beta;
    }

    void step(const Beat<Word<D.u>, Lanes>& u, const Beat<Word<D.r>, Lanes>& r, const Beat<Word<D.p>, Lanes>& p,
              const Beat<Word<D.q>, Lanes>& q, int live, Beat<Word<D.u>, Lanes>& u_new, Beat<Word<D.r>, Lanes>& r_new,
              Beat<Word<D.p>, Lanes>& p_new) {
#pragma HLS INLINE
        const Number<D.operand> a = alpha_, b = beta_;
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const auto step_ = multiply<D.u>(a, unpack<D.p>(p.lane[l]));
            const Word<D.u> word = pack(add<D.u>(unpack<D.u>(u.lane[l]), step_));
            u_new.lane[l] = choose(l < live, word, Word<D.u>{0});
        }
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const auto step_ = multiply<D.r>(a, unpack<D.q>(q.lane[l]));
            const Word<D.r> word = pack(add<D.r, true>(unpack<D.r>(r.lane[l]), step_));
            r_new.lane[l] = choose(l < live, word, Word<D.r>{0});
        }
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const auto step_ = multiply<D.p>(b, unpack<D.p>(p.lane[l]));
            const Word<D.p> word = pack(add<D.p>(unpack<D.r>(r_new.lane[l]), step_));
            p_new.lane[l] = choose(l < live, word, Word<D.p>{0});
        }
    }

private:
    Number<D.operand> alpha_, beta_;
};

/// In words: u' = u + rnd(alpha p), r' = r - rnd(alpha q), p' = rnd(r') + rnd(beta p), each onto its vector's grid, and
/// the low bits of the sum kept. u may be floating.
template <Datapath D, int Lanes> class VectorUpdate<D, Lanes, true> {
public:
    void begin_pass(const Number<D.operand>& alpha, const Number<D.operand>& beta) {
        alpha_ = alpha;
        if constexpr (D.u.fixed()) along_u_.set(alpha);
        along_r_.set(alpha);
        along_p_.set(beta);
        onto_p_.set(D.r.m - D.p.m, D.p.nearest);
        u_use_.begin();
        r_use_.begin();
        p_use_.begin();
    }

    void step(const Beat<Word<D.u>, Lanes>& u, const Beat<Word<D.r>, Lanes>& r, const Beat<Word<D.p>, Lanes>& p,
              const Beat<Word<D.q>, Lanes>& q, int live, Beat<Word<D.u>, Lanes>& u_new, Beat<Word<D.r>, Lanes>& r_new,
              Beat<Word<D.p>, Lanes>& p_new) {
#pragma HLS INLINE
        update_u(u, p, live, u_new);
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const Moved along = along_r_(integer<D.q>(q.lane[l]));
            const Kept<D.r> kept = keep<D.r>(wide<D.r>(r.lane[l]) - along.units, along.beyond);
            r_new.lane[l] = put(r_use_, kept, l, live);
        }
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const Moved from = onto_p_(integer<D.r>(r_new.lane[l])), along = along_p_(integer<D.p>(p.lane[l]));
            const Kept<D.p> kept = keep<D.p>(from.units + along.units, from.beyond | along.beyond);
            p_new.lane[l] = put(p_use_, kept, l, live);
        }
    }

    /// What another core's words took.
    void merge(const VectorUpdate& other) {
        u_use_.merge(other.u_use_);
        r_use_.merge(other.r_use_);
        p_use_.merge(other.p_use_);
    }
    [[nodiscard]] std::uint64_t u_taken() const {
        return D.u.fixed() ? u_use_.taken() : 0;
    }
    [[nodiscard]] std::uint64_t r_taken() const {
        return r_use_.taken();
    }
    [[nodiscard]] std::uint64_t p_taken() const {
        return p_use_.taken();
    }
    [[nodiscard]] bool over() const {
        return (D.u.fixed() && u_use_.over()) | r_use_.over() | p_use_.over();
    }

private:
    /// Some fixed format in place of a floating u's.
    static constexpr Fmt kU = D.u.fixed() ? D.u : D.p;

    template <Fmt F> MANTISSA_HLS_INLINE static std::uint64_t wide(Word<F> word) {
        return static_cast<std::uint64_t>(std::int64_t{integer<F>(word)});
    }
    template <Fmt F>
    MANTISSA_HLS_INLINE static Word<F> put(WordUse<F, Lanes>& use, const Kept<F>& kept, int lane, int live) {
        const Word<F> word = choose(lane < live, static_cast<Word<F>>(kept.word), Word<F>{0});
        use.note(lane, static_cast<Integer<F>>(word), static_cast<Word<F>>(kept.over & (lane < live)));
        return word;
    }
    MANTISSA_HLS_INLINE void update_u(const Beat<Word<D.u>, Lanes>& u, const Beat<Word<D.p>, Lanes>& p, int live,
                                      Beat<Word<D.u>, Lanes>& u_new) {
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const Integer<D.p> direction = integer<D.p>(p.lane[l]);
            if constexpr (D.u.fixed()) {
                const Moved along = along_u_(direction);
                const Kept<D.u> kept = keep<D.u>(wide<D.u>(u.lane[l]) + along.units, along.beyond);
                u_new.lane[l] = put(u_use_, kept, l, live);
            } else {
                const auto along = multiply<D.u>(alpha_, number<D.p>(direction));
                const Word<D.u> word = pack(add<D.u>(unpack<D.u>(u.lane[l]), along));
                u_new.lane[l] = choose(l < live, word, Word<D.u>{0});
            }
        }
    }

    Number<D.operand> alpha_;
    Scale<D.operand, D.p, kU> along_u_;
    Scale<D.operand, D.q, D.r> along_r_;
    Scale<D.operand, D.p, D.p> along_p_;
    Shift<std::int64_t> onto_p_;
    WordUse<kU, Lanes> u_use_;
    WordUse<D.r, Lanes> r_use_;
    WordUse<D.p, Lanes> p_use_;
};

} // namespace mantissa_hls
