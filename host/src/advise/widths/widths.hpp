// What an advice's widths are made of, and the solve that has them. Internal to host/src/advise/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mantissa/fitted.hpp"
#include "mantissa/host/advise.hpp"
#include "mantissa/system.hpp"

namespace mantissa::advising {

/// No width is named beyond this: vectors cross the engine's seam as doubles.
inline constexpr int kMostBits = 52;
/// Iterations that the fewest bits may take, times those of double precision, before the limit is raised.
inline constexpr std::uint64_t kMostSlower = 10;

/// How much better than "converges at all".
struct Aim {
    double finer = 1;  ///< errors are this much smaller than kPart
    double gain = 1;   ///< bits that an inner solve shall gain
    int too_short = 1; ///< coefficient bits that are known not to do
};

/// A constant stencil times what a solve multiplies it with for these coefficients; none where that is 1, and for other
/// matrices.
[[nodiscard]] std::optional<Fitted> fitted_stencil(const System& matrix, int word_bits, int fraction_bits);
/// Fraction bits of r, p and q, the bits before their point, and those of u, alpha and beta; `steps` inner iterations.
[[nodiscard]] AdvisedWidths with_vectors(AdvisedWidths w, const Aim& aim, const MatrixMeasured& m, std::uint64_t steps,
                                         const System& matrix);
/// Why these words cannot be named, in one line; empty where they can.
[[nodiscard]] std::string too_long(const AdvisedWidths& w);
/// What is fewest of each.
[[nodiscard]] AdvisedWidths shorter_of(AdvisedWidths a, const AdvisedWidths& b);
/// The solve in these widths. u is a word too: so the cores in hardware take what is named.
[[nodiscard]] SolveOptions solve_with(const AdvisedWidths& w, const AdviceOptions& options, const MatrixMeasured& m);

} // namespace mantissa::advising
