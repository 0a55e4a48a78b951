// The scalar unit between two passes: alpha, sigma and beta from the three totals, and the tests that end a run.
#pragma once

#include "mantissa_hls/dot_product.hpp"

namespace mantissa_hls {

/// How a pass ended: the numbers of mantissa::RunEnd (compared in hls/src/words.cpp) and of the core's status register.
enum class PassEnd : std::uint32_t {
    go_on = 0,
    rho_reached = 1,
    exact = 2,
    indefinite = 3,
    not_finite = 4,
    window_overflow = 5
};

/// What the scalar unit holds, as words of the scalar format.
struct ScalarWords {
    std::uint64_t rho = 0, pq = 0, qq = 0, alpha = 0, sigma = 0, beta = 0;
};

struct ScalarResult {
    ScalarWords words;
    PassEnd end = PassEnd::go_on;
    std::uint32_t guarded = 0; ///< sigma was negative
    std::uint64_t taken[4]{};  ///< bits that words of u, r, p and q took in the pass: see WordUse
};

/// rho_stop is a word of the scalar format; it is tested when `test_rho` is set.
template <Datapath D>
inline ScalarResult scalar_unit(const Total<D.scalar>& rr, const Total<D.scalar>& pq, const Total<D.scalar>& qq,
                                std::uint64_t rho_stop, bool test_rho) {
    constexpr Fmt F = D.scalar;
    using N = Number<F>;
    ScalarResult out;
    if (rr.over | pq.over | qq.over) {
        out.end = PassEnd::window_overflow;
        return out;
    }
    const N rho = rr.value, d = pq.value, e = qq.value;
    out.words.rho = pack(rho);
    out.words.pq = pack(d);
    out.words.qq = pack(e);
    if (rho.special() | d.special() | e.special()) out.end = PassEnd::not_finite;
    else if (rho.zero()) out.end = PassEnd::exact;
    else if (d.zero() | (d.sign != 0)) out.end = PassEnd::indefinite;
    if (out.end != PassEnd::go_on) return out;
    const N alpha = divide<F>(rho, d);
    N sigma = multiply<F>(alpha, add<F, true>(multiply<F>(alpha, e), d));
    if (sigma.sign != 0) { // a NaN is positive
        sigma = N{};
        out.guarded = 1;
    }
    const N beta = divide<F>(sigma, rho);
    if (alpha.special() | sigma.special() | beta.special()) {
        out.end = PassEnd::not_finite;
        out.guarded = 0;
        return out;
    }
    out.words.alpha = pack(alpha);
    out.words.sigma = pack(sigma);
    out.words.beta = pack(beta);
    // rho is positive and finite here, so words compare as integers against a threshold that is not negative
    const N stop = unpack<F>(static_cast<Word<F>>(rho_stop));
    const bool below = !stop.nan() && stop.sign == 0 && out.words.rho < rho_stop;
    if (test_rho && below) out.end = PassEnd::rho_reached;
    return out;
}

} // namespace mantissa_hls
