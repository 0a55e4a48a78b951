// The scalar unit between two passes: alpha, sigma and beta from the dot products (FCCM'06, Eq. 5), with the tests
// that end a run: the scalar statements of `pipelined` in the library. One definition for every engine.
#pragma once

#include "mantissa/engine.hpp"
#include "mantissa/recurrence/library.hpp"
#include "mantissa/recurrence/scalar_walk.hpp"

namespace mantissa {

/// What the scalar unit forms after a pass.
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
    using Walk = recurrence::ScalarWalk<recurrence::kPipelined>;
    Walk walk(f);
    s.rho = walk[Walk::at("rho")] = rho;
    s.pq = walk[Walk::at("pq")] = pq;
    s.qq = walk[Walk::at("qq")] = qq;
    step.end = walk.next();
    s.alpha = walk[Walk::at("alpha")];
    s.sigma = walk[Walk::at("sigma")];
    s.beta = walk[Walk::at("beta")];
    step.sigma_guarded = walk.guarded() && step.end == RunEnd::passes;
    return step;
}

} // namespace mantissa
