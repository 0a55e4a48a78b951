#include "widths.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mantissa/fitted.hpp"
#include "mantissa/format.hpp"

namespace mantissa::advising {

namespace {

constexpr int kMostIdle = -kLeastHeadroom;
/// The fewest fraction bits that are worth naming for u.
constexpr int kFewestIterate = 10;
/// Coefficients of so many bits are short: q may be longer by them.
constexpr int kShort = 4;
/// The integers of a stencil that smooth vectors do not show in q's length.
constexpr double kSmallIntegers = 16;

int bits_at_least(double bits) {
    return static_cast<int>(std::ceil(std::min(bits, 1000.0)));
}

} // namespace

std::optional<Fitted> fitted_stencil(const System& matrix, int word_bits, int fraction_bits) {
    if (matrix.kind() != System::Kind::stencil) return std::nullopt;
    DatapathSpec spec(Format::fixed(40, 30));
    spec.coefficient = Format::fixed(word_bits, fraction_bits);
    return fitted(matrix, spec);
}

AdvisedWidths with_vectors(AdvisedWidths w, const Aim& aim, const MatrixMeasured& m, std::uint64_t steps,
                           const System& matrix) {
    const double n = static_cast<double>(m.unknowns), inner = static_cast<double>(steps);
    const double finer = std::log2(aim.finer);
    w.curvature = bits_at_least(std::log2(1 / m.smallest) + 1 + finer);
    w.energy = bits_at_least(0.5 * std::log2(n * m.condition() / 12) + 1.5 + finer);
    w.descent = bits_at_least(0.5 * std::log2(n * inner / 12) + 2.5 + aim.gain);
    // With short coefficients a few more bits of q hold its rows exactly; a constant stencil that is scaled to
    // integers has exact rows in as many bits as p, but longer ones.
    const auto fit = fitted_stencil(matrix, w.coefficient_word, w.coefficient);
    const double integers = fit ? fit->scale : 1;
    w.exact_rows = integers > 1 || w.coefficient <= kShort;
    w.vector = std::max({w.exact_rows ? 0 : w.curvature, w.energy, w.descent});
    w.product = w.vector + (w.exact_rows && integers <= 1 ? w.coefficient : 0);
    w.product_integer = integers > kSmallIntegers ? bits_at_least(std::log2(integers)) : 0;
    // The defect may gather in one element, whatever the double run's did: r holds 1 at least.
    w.integer = 2 + std::max(0, m.largest_word > 0 ? bits_at_least(std::log2(m.largest_word)) : 0);
    // Each pass rounds u once; what that adds up to, seen through A, stays below an eighth of r.
    w.iterate = std::max(kFewestIterate, bits_at_least(std::log2(8 * m.largest * std::sqrt(n * inner / 12)) + finer));
    // A norm of 1 that lies in many elements leaves bits of every word idle: the scale makes use of them.
    const int idle = m.largest_word > 0 ? static_cast<int>(std::floor(-std::log2(m.largest_word))) : 0;
    w.headroom = -std::clamp(idle, 0, kMostIdle);
    w.iterate = std::max(kFewestIterate, w.iterate + w.headroom);
    w.iterate_integer =
        2 - w.headroom + std::max(0, m.largest_correction > 0 ? bits_at_least(std::log2(m.largest_correction)) : 0);
    w.operand = std::max(DatapathSpec::kFixedOperand.fraction_bits, bits_at_least(0.5 * std::log2(m.condition()) + 1));
    w.product_integer += w.integer;
    return w;
}

std::string too_long(const AdvisedWidths& w) {
    const int word = w.product + w.product_integer;
    if (word <= kMostBits && w.coefficient_word <= kMostBits && w.iterate + w.iterate_integer <= kMostBits) return {};
    return fmt::format("vectors would take words of {} bits, coefficients {} and the iterate {}", word,
                       w.coefficient_word, w.iterate + w.iterate_integer);
}

AdvisedWidths shorter_of(AdvisedWidths a, const AdvisedWidths& b) {
    if (b.vector < a.vector) {
        a.product -= a.vector - b.vector;
        a.vector = b.vector;
    }
    if (b.coefficient < a.coefficient) {
        a.coefficient = b.coefficient;
        a.coefficient_word = b.coefficient_word;
        a.perturbation = b.perturbation;
    }
    a.iterate = std::min(a.iterate, b.iterate);
    a.iterate_integer = std::max(a.iterate_integer, b.iterate_integer);
    return a;
}

SolveOptions solve_with(const AdvisedWidths& w, const AdviceOptions& options, const MatrixMeasured& m) {
    SolveOptions o;
    o.scheme = Scheme::residual_guided;
    o.jacobi = true;
    o.headroom = w.headroom; // the words have what they need before their points: no step is lost to a bold guess
    o.inner = options.inner;
    o.tolerance = options.tolerance;
    o.threads = options.threads;
    // Short words take several times the iterations of double precision.
    const std::uint64_t wanted = kMostSlower * m.double_iterations;
    if (wanted > default_iteration_limit(m.unknowns)) o.max_iterations = 2 * wanted;
    o.spec = DatapathSpec(Format::fixed(w.vector + w.integer, w.vector));
    o.spec.q = Format::fixed(w.product + w.product_integer, w.product);
    o.spec.coefficient = Format::fixed(w.coefficient_word, w.coefficient);
    o.spec.u = Format::fixed(w.iterate + w.iterate_integer, w.iterate);
    if (w.operand > DatapathSpec::kFixedOperand.fraction_bits) o.spec.operand = Format{w.operand, 11};
    return o;
}

} // namespace mantissa::advising
