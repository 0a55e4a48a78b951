// The Chebyshev iteration's step lengths, known in advance from bounds of the spectrum.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mantissa/engine.hpp"

namespace mantissa {

/// All eigenvalues of a symmetric positive definite matrix are to lie from `low` to `high`. Some below `low` (and above
/// 0) are damped more slowly; one above `high` grows.
struct SpectrumBounds {
    double low = 0, high = 0;
    /// Empty where 0 < low < high, both finite; else one line.
    [[nodiscard]] std::string why_bad() const;
    friend bool operator==(const SpectrumBounds&, const SpectrumBounds&) = default;
};

/// The pairs of `steps` steps: steps + 1 passes from r = b, u = p = q = 0, after which u holds them all (the Chebyshev
/// iteration of Barrett et al., Templates, 1994, section 2.3.9, in the order of the pipelined pass). With
/// theta = (high + low) / 2 and delta = (high - low) / 2:
///
///     alpha_0 = 1 / theta;  beta_1 = (delta alpha_0)^2 / 2;  beta_k = (delta alpha_(k-1) / 2)^2 for k > 1
///     alpha_k = 1 / (theta - beta_k / alpha_(k-1))
///     pairs: (0, 0), (alpha_0, beta_1), (alpha_1, beta_2), ...
///
/// in double precision, every operation rounded. The first pass forms p = r and q = A p. Throws InvalidInput, one
/// line, on bad bounds.
[[nodiscard]] std::vector<StepPair> chebyshev_pairs(const SpectrumBounds& bounds, std::size_t steps);

/// The pairs of a run as its passes take them, rounded into the operand format. Throws InvalidInput, one line, where
/// the request has fewer pairs than passes, or one of them is not finite in that format.
[[nodiscard]] std::vector<StepPair> operand_pairs(const DatapathSpec& spec, const RunRequest& request);

} // namespace mantissa
