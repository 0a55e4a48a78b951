// What the two fixed-point sessions of the emulated engine share.
#pragma once

#include <memory>

#include "mantissa/engine.hpp"
#include "mantissa/fixed_words.hpp"
#include "mantissa/scalar_unit.hpp"

namespace mantissa::detail {

/// An exact sum of `units` 2^-point, rounded once into the scalar format.
double exact_total(fixed::Wide units, int point, const Format& scalar);

/// The run of a session in fixed words: `pass(use)` runs one and adds the words it saw; a write() that did not fit ends
/// the first one.
template <class Pass>
RunReport run_fixed_passes(const RunRequest& request, double stop, Scalars& scalars, bool& unfit, Pass&& pass) {
    RunReport report;
    while (report.passes < request.passes && report.end == RunEnd::passes) {
        ScalarStep step = pass(report.words);
        if (unfit) {
            step = {};
            step.end = RunEnd::window_overflow;
            unfit = false;
        }
        ++report.passes;
        report.sigma_guards += step.sigma_guarded ? 1 : 0;
        report.end = step.end;
        scalars = step.scalars;
        if (report.end == RunEnd::passes && report.passes >= request.rho_stop_from && step.scalars.rho < stop)
            report.end = RunEnd::rho_reached;
    }
    return report;
}

/// Element by element, any widths.
std::unique_ptr<Session> make_fixed_general_session(const System& system, const DatapathSpec& spec,
                                                    const SessionOptions& options);
/// In 32-bit integers; null where it has no loop for the spec.
std::unique_ptr<Session> make_fixed_fused_session(const System& system, const DatapathSpec& spec,
                                                  const SessionOptions& options);

} // namespace mantissa::detail
