// The bound that holds.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "correction.hpp"
#include "envelope.hpp"
#include "mantissa/host/error_bounds.hpp"
#include "mantissa/host/residual.hpp"

namespace mantissa {

namespace errors {

namespace {

/// What makes up for the rounding of a few operations on bounds, none of which has more than 2^-53 each.
constexpr double kUp = 1 + 1e-12, kDown = 1 - 1e-12;

/// The defect of the iterate, in a double each, and by how much an element may be off.
struct Defect {
    std::vector<double> d;
    double error = 0; ///< beside the last rounding
};

/// A bound of |b - A (y + c)|, element by element.
std::vector<double> rest_of(const Balanced& s, const Defect& of, std::span<const double> c, int threads) {
    std::vector<double> rest(s.size());
    const double error = defect_of(s, c, of.d, rest, threads) + of.error;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        rest[i] = kUp * (std::abs(rest[i]) + 0x1p-53 * (std::abs(rest[i]) + std::abs(of.d[i])) + error +
                         s.slack_of(i) * (std::abs(s.y[i]) + std::abs(c[i])));
        if (!std::isfinite(rest[i])) rest[i] = std::numeric_limits<double>::infinity(); // (no maximum passes it over)
    }
    return rest;
}

bool couplings_below_zero(const CompressedRows& a) {
    for (std::size_t i = 0; i < a.rows(); ++i)
        for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k)
            if (a.column()[k] != i && a.value()[k] > 0) return false;
    return true;
}

/// v > 0 with A v > 0.
struct PositiveVector {
    std::vector<double> v, product; ///< of the latter a lower bound
};

std::optional<PositiveVector> positive_vector(const Balanced& s, int threads) {
    constexpr int kRounds = 4;
    const std::size_t size = s.size();
    const double root = std::sqrt(static_cast<double>(size));
    const std::vector<double> zero(size, 0.0);
    std::vector<double> missing(size, 1.0);
    PositiveVector found{std::vector<double>(size, 0.0), std::vector<double>(size)};
    for (int round = 0; round < kRounds; ++round) {
        const Correction more =
            correct(s, missing, {.most = 1000 + static_cast<std::uint64_t>(150 * root), .left = 0.3 / root}, threads);
        for (std::size_t i = 0; i < size; ++i) found.v[i] += more.c[i];
        std::vector<double>& product = found.product;
        const double error = defect_of(s, found.v, zero, product, threads);
        bool holds = std::isfinite(error);
        for (std::size_t i = 0; i < size; ++i) {
            missing[i] = 1 + product[i];
            product[i] = kDown * (-product[i] - 0x1p-52 * std::abs(product[i]) - error - s.slack_of(i) * found.v[i]);
            holds = holds && found.v[i] > 0 && product[i] > 0;
        }
        if (holds) return found;
    }
    return std::nullopt;
}

/// What the error is at most, element by element, in the balanced system's units.
using Elements = std::vector<double>;

Elements by_positive_vector(const Balanced& s, const Defect& of, const PositiveVector& positive, int threads) {
    const auto bound_with = [&](std::span<const double> c) {
        const std::vector<double> rest = rest_of(s, of, c, threads);
        double factor = 0;
        for (std::size_t i = 0; i < rest.size(); ++i) factor = std::max(factor, kUp * (rest[i] / positive.product[i]));
        Elements bound(rest.size());
        for (std::size_t i = 0; i < bound.size(); ++i) bound[i] = kUp * (std::abs(c[i]) + factor * positive.v[i]);
        return bound;
    };
    const auto largest = [](std::span<const double> v) {
        double most = 0;
        for (const double value : v) most = std::isfinite(value) ? std::max(most, std::abs(value)) : value;
        return most;
    };
    // A correction, and one of it, until what is left of the defect adds little.
    constexpr int kRounds = 5;
    constexpr std::uint64_t kMostSteps = 5000;
    std::vector<double> c(s.size(), 0.0), left = of.d;
    Elements best = bound_with(c);
    for (int round = 0; round < kRounds && largest(best) > 1.1 * largest(c); ++round) {
        const Correction more = correct(s, left, {.most = kMostSteps, .left = 1e-4}, threads);
        for (std::size_t i = 0; i < c.size(); ++i) c[i] += more.c[i];
        Elements next = bound_with(c);
        if (!(largest(next) < 0.5 * largest(best)) && round > 0) break;
        if (largest(next) < largest(best)) best = std::move(next);
        defect_of(s, c, of.d, left, threads);
    }
    return best;
}

/// By the factor of A - shift: a correction by a few sweeps, and what they leave.
template <class T>
Elements by_factor(const Balanced& s, const Defect& of, const EnvelopeFactor<T>& factor, double smallest, int threads) {
    constexpr int kSweeps = 10;
    const std::size_t size = s.size();
    std::vector<double> c(size, 0.0), best = c, left(size), more(size);
    double least = std::numeric_limits<double>::infinity();
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        const double norm = norm2(rest_of(s, of, c, threads), threads);
        if (!(norm < 0.9 * least)) break;
        least = norm;
        best = c;
        defect_of(s, c, of.d, left, threads);
        factor.solve(left, more);
        for (std::size_t i = 0; i < size; ++i) c[i] += more[i];
    }
    const std::vector<double> rest = rest_of(s, of, best, threads);
    const double norm = norm2(rest, threads) * (1 + certain::norm_error(size)), reach = kUp * (norm / smallest);
    Elements bound(size);
    for (std::size_t i = 0; i < size; ++i) bound[i] = kUp * (std::abs(best[i]) + reach);
    return bound;
}

/// Factors A - shift for falling shifts. Nothing where none is above what rounding hides.
template <class T>
std::optional<Elements> by_cholesky(const Balanced& s, const Defect& of, const Envelope& envelope, double ritz,
                                    int threads) {
    constexpr int kTries = 12;
    EnvelopeFactor<T> factor(s, envelope);
    const double hidden = factor.hidden(), least = 4 * hidden;
    double shift = std::max(0.25 * ritz, least);
    for (int n = 0; n < kTries && shift >= least; ++n) {
        if (factor.factor(shift)) return by_factor(s, of, factor, kDown * (shift - hidden), threads);
        shift = shift > least ? std::max(shift / 16, least) : 0;
    }
    return std::nullopt;
}

/// The largest element in the problem's units, rounded up; infinite beyond double precision.
double largest_as_given(const Balanced& s, const Elements& bound) {
    double largest = 0;
    for (std::size_t i = 0; i < bound.size(); ++i) {
        const double value = std::ldexp(kUp * (bound[i] + kLost), s.exponent[i] + s.shift);
        if (!std::isfinite(value)) return std::numeric_limits<double>::infinity();
        largest = std::max(largest, std::nextafter(value, std::numeric_limits<double>::infinity()));
    }
    return largest;
}

ErrorBound bound_of(const Balanced& s, std::span<const double> x, const Elements& elements, std::string method) {
    ErrorBound out;
    const double absolute = largest_as_given(s, elements);
    if (!std::isfinite(absolute)) {
        out.why = "it leaves the range of double precision";
        return out;
    }
    out.absolute = absolute;
    out.method = std::move(method);
    double largest = 0;
    for (const double value : x) largest = std::max(largest, std::abs(value));
    const double least = largest * (1 - 0x1p-50) - absolute; // of the exact solution
    if (least > 0) out.relative = absolute / least * (1 + 0x1p-50);
    return out;
}

/// By Cholesky factors, in double and then in pairs.
ErrorBound by_envelope(const Balanced& s, std::span<const double> x, const Defect& of, int threads) {
    ErrorBound none;
    const Envelope envelope = envelope_of(s.rows());
    if (envelope.entries() > kMostEnvelope || envelope.work > static_cast<double>(kMostCholeskyWork)) {
        none.why =
            fmt::format("the matrix is no M-matrix by the vector that was tried, and its envelope of {} "
                        "numbers and {:.1e} products is too large to be factored (at most {} and {:.1e})",
                        envelope.entries(), envelope.work, kMostEnvelope, static_cast<double>(kMostCholeskyWork));
        return none;
    }
    constexpr std::uint64_t kMostSteps = 500;
    const double ritz = correct(s, of.d, {.most = kMostSteps, .left = 1e-12}, threads).smallest;
    if (const auto found = by_cholesky<double>(s, of, envelope, ritz, threads))
        return bound_of(s, x, *found, "Cholesky");
    if (envelope.work > static_cast<double>(kMostDoubledWork)) {
        none.why = fmt::format("the smallest eigenvalue is not above what rounding hides in double, and the envelope "
                               "of {:.1e} products is too large for pairs of doubles (at most {:.1e})",
                               envelope.work, static_cast<double>(kMostDoubledWork));
        return none;
    }
    if (const auto found = by_cholesky<Pair>(s, of, envelope, ritz, threads))
        return bound_of(s, x, *found, "doubled Cholesky");
    none.why = "the matrix is not positive definite, or too near to one that is not";
    return none;
}

} // namespace

} // namespace errors

ErrorBound error_bound(const Problem& problem, std::span<const double> x, int threads) {
    ErrorBound none;
    const std::optional<errors::Balanced> s = errors::balanced(problem, x, none.why);
    if (!s) return none;
    errors::Defect of{std::vector<double>(s->size()), 0};
    of.error = errors::defect_of(*s, s->y, s->b, of.d, threads);
    if (errors::couplings_below_zero(s->rows()))
        if (const auto positive = errors::positive_vector(*s, threads))
            return errors::bound_of(*s, x, errors::by_positive_vector(*s, of, *positive, threads), "M-matrix");
    return errors::by_envelope(*s, x, of, threads);
}

} // namespace mantissa
