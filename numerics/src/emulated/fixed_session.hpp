// What the two fixed-point sessions of the emulated engine share.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "../isa/fixed_pass.hpp"
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

/// A session whose words somebody else forms between its runs: the resident solver.
class FixedWordsSession : public Session {
public:
    /// Words of r, p or q, to read and to write; after writing, enter() the range of what was written.
    [[nodiscard]] virtual std::span<std::int32_t> words(Vec v) = 0;
    virtual void enter(Vec v, const WordRange& range) = 0;
    /// Bounds on the words of a vector.
    [[nodiscard]] virtual WordRange range(Vec v) const = 0;
    /// Words of a fixed u: one of the two is empty.
    [[nodiscard]] virtual std::span<const std::int32_t> short_u() const = 0;
    [[nodiscard]] virtual std::span<const std::int64_t> long_u() const = 0;
    /// The first pass of a resident solver's run (resident.hpp, INNER): q must equal r.
    virtual RunReport first_pass(double rr) = 0;
};

class PartLinks;

/// Element by element, any widths. `links`: where `system` is one part of a larger one (part_links.hpp); it outlives
/// the session.
std::unique_ptr<Session> make_fixed_general_session(const System& system, const DatapathSpec& spec,
                                                    const SessionOptions& options, PartLinks* links = nullptr);
/// Has the session in 32-bit integers a loop for this?
bool has_fixed_fused_session(const System& system, const DatapathSpec& spec, const SessionOptions& options);
/// In 32-bit integers; null where it has no loop for the spec. Of all parts of a system, either all take it or none.
std::unique_ptr<FixedWordsSession> make_fixed_fused_session(const System& system, const DatapathSpec& spec,
                                                            const SessionOptions& options, PartLinks* links = nullptr);

} // namespace mantissa::detail
