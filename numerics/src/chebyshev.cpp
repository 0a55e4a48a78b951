#include "mantissa/chebyshev.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mantissa/errors.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/format.hpp"

namespace mantissa {

std::string SpectrumBounds::why_bad() const {
    if (low > 0 && high > low && std::isfinite(high)) return {};
    return fmt::format("bounds {},{}: give the smallest and the largest eigenvalue, two numbers above 0, the smaller "
                       "first",
                       low, high);
}

std::vector<StepPair> chebyshev_pairs(const SpectrumBounds& bounds, std::size_t steps) {
    if (const std::string why = bounds.why_bad(); !why.empty()) throw InvalidInput(why);
    const double theta = 0.5 * bounds.high + 0.5 * bounds.low, delta = 0.5 * bounds.high - 0.5 * bounds.low;
    std::vector<StepPair> pairs(steps + 1);
    double alpha = 1 / theta;
    for (std::size_t k = 1; k <= steps; ++k) {
        const double turn = delta * alpha;
        const double beta = k == 1 ? 0.5 * (turn * turn) : (0.5 * turn) * (0.5 * turn);
        pairs[k] = {alpha, beta};
        alpha = 1 / (theta - beta / alpha);
    }
    return pairs;
}

std::vector<StepPair> operand_pairs(const DatapathSpec& spec, const RunRequest& request) {
    if (request.pairs.size() < request.passes)
        throw InvalidInput(fmt::format("chebyshev: {} passes and {} pairs of alpha and beta; give one for each pass",
                                       request.passes, request.pairs.size()));
    std::vector<StepPair> pairs(request.pairs.begin(),
                                request.pairs.begin() + static_cast<std::ptrdiff_t>(request.passes));
    for (StepPair& pair : pairs) {
        const StepPair given = pair;
        pair = {exact::convert(spec.operand, given.alpha), exact::convert(spec.operand, given.beta)};
        if (!std::isfinite(pair.alpha) || !std::isfinite(pair.beta))
            throw InvalidInput(fmt::format("chebyshev: alpha {} and beta {} are not finite in operand={}; give it more "
                                           "exponent bits",
                                           given.alpha, given.beta, to_string(spec.operand)));
    }
    return pairs;
}

} // namespace mantissa
