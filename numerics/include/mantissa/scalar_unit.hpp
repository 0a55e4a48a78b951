// The scalar unit between two passes: alpha, sigma and beta from the dot products (FCCM'06, Eq. 5), with the tests
// that end a run. One definition for every engine.
#pragma once

#include <cmath>

#include "mantissa/engine.hpp"
#include "mantissa/exact.hpp"

namespace mantissa {

/// What the scalar unit forms behind a pass.
struct ScalarStep {
    Scalars scalars;
    RunEnd end = RunEnd::passes; ///< passes: go on
    bool sigma_guarded = false;
};

/// rho, pq and qq are values of `f`, the scalar format. See engine.hpp for the order of the tests.
inline ScalarStep scalar_step(const Format& f, double rho, double pq, double qq, bool window_overflow) {
    ScalarStep step;
    Scalars& s = step.scalars;
    if (window_overflow) {
        step.end = RunEnd::window_overflow;
        return step;
    }
    s.rho = rho;
    s.pq = pq;
    s.qq = qq;
    if (!std::isfinite(rho) || !std::isfinite(pq) || !std::isfinite(qq)) step.end = RunEnd::not_finite;
    else if (rho == 0) step.end = RunEnd::exact;
    else if (!(pq > 0)) step.end = RunEnd::indefinite;
    if (step.end != RunEnd::passes) return step;
    s.alpha = exact::div(f, rho, pq);
    s.sigma = exact::mul(f, s.alpha, exact::sub(f, exact::mul(f, s.alpha, qq), pq));
    if (std::signbit(s.sigma) && !std::isnan(s.sigma)) {
        s.sigma = 0;
        step.sigma_guarded = true;
    }
    s.beta = exact::div(f, s.sigma, rho);
    if (!std::isfinite(s.alpha) || !std::isfinite(s.sigma) || !std::isfinite(s.beta)) {
        s.alpha = s.sigma = s.beta = 0;
        step.end = RunEnd::not_finite;
        step.sigma_guarded = false;
    }
    return step;
}

} // namespace mantissa
