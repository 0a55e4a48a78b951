// What one scalar statement of a recurrence does, in the arithmetic of whoever runs it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "mantissa/recurrence/definition.hpp"
#include "mantissa/run_end.hpp"

namespace mantissa::recurrence {

/// What a scalar starts as, where it is not given.
constexpr double initial_value(Initial initial) {
    return initial == Initial::one ? 1.0 : initial == Initial::infinity ? std::numeric_limits<double>::infinity() : 0.0;
}
/// How many are.
constexpr std::size_t given_scalars(const Definition& d) {
    std::size_t n = 0;
    for (std::size_t s = 0; s < d.scalars; ++s) n += d.scalar[s].initial == Initial::given ? 1 : 0;
    return n;
}

/// What scalar statements leave beside the scalars.
struct ScalarFindings {
    double culprit = 0;        ///< the scalar whose test ended the run
    std::uint64_t guarded = 0; ///< how often a guard put +0
};

/// One statement on `scalars`. `arithmetic` has add, sub, mul and div. `test`: stop() counts.
template <class Arithmetic>
constexpr RunEnd scalar_step(const Arithmetic& arithmetic, const Step& step, std::span<double> scalars,
                             double threshold, bool test, ScalarFindings& findings) {
    const double a = scalars[step.a], b = scalars[step.b];
    double& result = scalars[step.result];
    const auto unless = [&](bool good, RunEnd end) {
        if (good) return RunEnd::passes;
        findings.culprit = a;
        return end;
    };
    switch (step.operation) {
    case Operation::assign:
        result = a;
        break;
    case Operation::negate:
        result = -a;
        break;
    case Operation::add:
        result = arithmetic.add(a, b);
        break;
    case Operation::subtract:
        result = arithmetic.sub(a, b);
        break;
    case Operation::multiply:
        result = arithmetic.mul(a, b);
        break;
    case Operation::divide:
        result = arithmetic.div(a, b);
        break;
    case Operation::guard:
        if (std::signbit(a) && !std::isnan(a)) {
            result = 0;
            ++findings.guarded;
        }
        break;
    case Operation::finite:
        return unless(std::isfinite(a), RunEnd::not_finite);
    case Operation::exact:
        return unless(a != 0, RunEnd::exact);
    case Operation::definite:
        return unless(a > 0, RunEnd::indefinite);
    case Operation::unbroken:
        return unless(a != 0, RunEnd::breakdown);
    case Operation::stop:
        return unless(!(test && a < threshold), RunEnd::rho_reached);
    default:
        break;
    }
    return RunEnd::passes;
}

} // namespace mantissa::recurrence
