#include "mantissa/host/point.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "options_text.hpp"
#include "text/key_values.hpp"

namespace mantissa {

std::string point_key(const Point& point) {
    const SolveOptions& o = point.options;
    std::string key = fmt::format("{} engine={} scheme={}", point.problem, point.engine, to_string(o.scheme));
    if (refines(o.scheme)) {
        key += o.digits > 0 ? fmt::format(" digits={}", text::shortest(o.digits)) : fmt::format(" inner={}", o.inner);
    }
    if (o.inner_recurrence == Recurrence::plain) key += " inner-recurrence=plain";
    if (o.scheme == Scheme::defect_correction) {
        if (!o.middle.empty()) {
            key += " middle=";
            for (std::size_t i = 0; i < o.middle.size(); ++i) {
                if (i != 0) key += ',';
                key += to_string(o.middle[i]);
            }
            key += fmt::format(" middle-digits={}", text::shortest(o.middle_digits));
        }
    }
    key += fmt::format(" spec={} tolerance={}", to_string(o.spec), text::shortest(o.tolerance));
    if (!o.schedule.empty()) key += " schedule=" + sweeps::schedule_text(o.schedule);
    if (o.outer) key += " outer=" + to_string(*o.outer);
    if (o.resident) key += " resident";
    if (o.headroom) key += fmt::format(" headroom={}", *o.headroom);
    if (o.couplings) key += " couplings=" + to_string(*o.couplings);
    if (o.max_iterations != 0) key += fmt::format(" max-iterations={}", o.max_iterations);
    if (o.jacobi) key += " jacobi";
    if (o.plan != NativePlan::automatic) key += " plan=" + to_string(o.plan);
    return key;
}

double estimated_work(const Point& point) {
    const SolveOptions& o = point.options;
    const double unknowns = std::max(outline_problem(point.problem).unknowns, 1.0), side = std::sqrt(unknowns);
    // Iterations of CG grow with the grid's side; short formats need more of them, restarts many more.
    double passes = 1.3 * side * std::clamp(-std::log10(o.tolerance) / 10.0, 0.1, 3.0);
    if (refines(o.scheme)) {
        const DatapathSpec& s = o.spec;
        const auto bits = [](const Format& f) { return f.is_fixed() ? f.word_bits : f.fraction_bits; };
        const int shortest = std::min({bits(s.r), bits(s.p), bits(s.q), bits(s.u)});
        passes *= 1 + std::max(0, 26 - shortest) / 6.0;
        if (o.scheme == Scheme::defect_correction)
            passes *= o.digits > 0 ? 2.0 : 1.0 + 2.0 * side / static_cast<double>(std::max<std::uint64_t>(o.inner, 1));
    }
    if (o.max_iterations != 0) passes = std::min(passes, static_cast<double>(o.max_iterations));
    return unknowns * passes;
}

} // namespace mantissa
