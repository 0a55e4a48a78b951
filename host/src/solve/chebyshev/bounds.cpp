#include "bounds.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "advise/spectrum.hpp"

namespace mantissa::solving {

ChebyshevBounds estimated_bounds(const System& system, int threads) {
    advising::LanczosOptions options;
    options.threads = threads;
    options.limit = kMostLanczosSteps;
    const advising::Extremes found = advising::extreme_eigenvalues(system, options);
    if (!(found.smallest > 0) || !std::isfinite(found.largest))
        throw InvalidInput(fmt::format("recurrence chebyshev: {} Lanczos steps found an eigenvalue of {:.3g}, and it "
                                       "wants a positive definite matrix; solve with another recurrence",
                                       found.steps, found.smallest));
    const double steps = static_cast<double>(std::max<std::size_t>(found.steps, 2) - 1);
    const double short_of = std::log(static_cast<double>(system.size())) / steps;
    const double margin = std::clamp(2.575 * short_of * short_of, 0.01, 1.0);
    return {{0.9 * found.smallest, (1 + margin) * found.largest}, found.steps};
}

} // namespace mantissa::solving
