#include "mantissa/host/point.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mantissa/host/options.hpp"

namespace mantissa {

std::string point_key(const Point& point) {
    return fmt::format("{} {}={}{}", point.problem, options::common(options::Common::engine).name, point.engine,
                       options::key_text(point.options));
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
