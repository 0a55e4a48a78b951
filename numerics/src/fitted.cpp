#include "mantissa/fitted.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "emulated/fixed_matrix.hpp"
#include "mantissa/format.hpp"
#include "mantissa/narrow/block_format.hpp"
#include "mantissa/row_forms.hpp"

namespace mantissa {

namespace {

constexpr int kMostMultiple = 4095, kIntegerBits = 24;
/// Powers of two that leave m times a normal double one.
constexpr int kFarthest = 1000;
constexpr double kTolerance = 0x1p-48;
constexpr std::size_t kCentre = 4;
using Nine = std::array<double, kBands>;

/// Integers times a power of two next to the nine numbers, which are at most 1 in magnitude; nothing when one number is
/// not near enough.
std::optional<Nine> whole(const Nine& x) {
    double largest = 0;
    for (const double v : x) largest = std::max(largest, std::abs(v));
    // The largest unit first, for the shortest integers.
    for (int bits = 1; bits <= kIntegerBits; ++bits) {
        const double unit = std::ldexp(1.0, std::ilogb(largest) + 1 - bits);
        const auto near = [unit](double v) { return std::nearbyint(v / unit) * unit; };
        if (std::ranges::all_of(x, [&](double v) { return std::abs(v - near(v)) <= kTolerance * std::abs(v); })) {
            Nine n{};
            std::ranges::transform(x, n.begin(), near);
            return n;
        }
    }
    return std::nullopt;
}

/// Do blocks of MX words hold these constants, stored one after the other?
template <std::size_t N> bool exact_in_blocks(const narrow::BlockFormat& f, const std::array<double, N>& constants) {
    std::array<double, N> held{};
    narrow::round_blocks(f, constants, held);
    return held == constants;
}

/// Are the stencil's coefficients values of the format: words and blocks of products as they are, or what second
/// differences are formed from?
bool exact_in(const DatapathSpec& spec, const Stencil& stencil) {
    const Format& f = spec.coefficient;
    if (f.is_fixed())
        return std::ranges::all_of(stencil.coefficients(), [&](double c) {
            const double units = std::ldexp(c, f.fraction_bits);
            return units == std::nearbyint(units);
        });
    const narrow::BlockFormat& blocks = spec.coefficient_blocks;
    if (blocks.given() && adds_products(spec.order)) return exact_in_blocks(blocks, stencil.coefficients());
    const SecondDifferences s = *second_differences(stencil);
    if (blocks.given()) return exact_in_blocks(blocks, std::array{s.alpha, s.beta, s.gamma, s.c});
    return representable(f, s.alpha) && representable(f, s.beta) && representable(f, s.gamma) && representable(f, s.c);
}

double magnitude(double so_far, double value) {
    return std::max(so_far, std::abs(value));
}

/// The largest magnitudes off the diagonal and on it.
struct Largest {
    double off = 0, diagonal = 0;
};
Largest largest(const System& system) {
    Largest l;
    const auto nine = [&](auto&& coefficient) {
        for (std::size_t b = 0; b < kBands; ++b) {
            double& to = b == kCentre ? l.diagonal : l.off;
            to = magnitude(to, coefficient(b));
        }
    };
    std::visit(Overloaded{[&](const Stencil& m) { nine([&](std::size_t b) { return m.coefficients()[b]; }); },
                          [&](const Bands& m) {
                              for (std::size_t i = 0; i < m.size(); ++i)
                                  nine([&](std::size_t b) { return m.band(b)[i]; });
                          },
                          [&](const SymmetricBands& m) {
                              for (std::size_t i = 0; i < m.size(); ++i)
                                  nine([&](std::size_t b) { return m.coefficient(b, i); });
                          },
                          [&](const CompressedRows& m) {
                              for (std::size_t i = 0; i < m.rows(); ++i)
                                  for (auto k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k) {
                                      double& to = m.column()[k] == i ? l.diagonal : l.off;
                                      to = magnitude(to, m.value()[k]);
                                  }
                          }},
               system.matrix());
    return l;
}

/// Every coefficient times 2^k.
System times_power(const System& system, int k) {
    const auto scaled = [k](std::vector<double> values) {
        for (double& v : values) v = std::ldexp(v, k);
        return values;
    };
    const auto all = [&](auto arrays) {
        for (auto& a : arrays) a = scaled(std::move(a));
        return arrays;
    };
    return std::visit(Overloaded{[&](const Stencil& m) -> System {
                                     Nine c = m.coefficients();
                                     for (double& v : c) v = std::ldexp(v, k);
                                     return Stencil(m.row_length(), m.rows(), c);
                                 },
                                 [&](const Bands& m) -> System { return Bands(m.row_length(), all(m.bands())); },
                                 [&](const SymmetricBands& m) -> System {
                                     return SymmetricBands(m.row_length(), all(m.weights()), scaled(m.row_sums()));
                                 },
                                 [&](const CompressedRows& m) -> System { return m.with_values(scaled(m.value())); }},
                      system.matrix());
}

bool fits(const System& system, const Format& coefficient) {
    try {
        static_cast<void>(detail::fixed_matrix(system, coefficient));
    } catch (const InvalidInput&) {
        return false;
    }
    return true;
}

/// The largest k for which 2^k times every coefficient fits words, and the system scaled by it; k = 0 for a zero
/// matrix.
std::pair<int, System> fitted_power(const System& system, const Format& f) {
    const Largest l = largest(system);
    if (l.off == 0 && l.diagonal == 0) return {0, system};
    constexpr int kFar = 1 << 20;
    const int words = f.word_bits - f.fraction_bits;
    // One more than fits in any case; what rounding and sign decide is tried.
    int k = std::min(l.off == 0 ? kFar : words - 1 - std::ilogb(l.off),
                     l.diagonal == 0 ? kFar : words - std::ilogb(l.diagonal));
    for (int tries = 0; tries < 4; ++tries, --k) {
        if (std::abs(k) > kFarthest)
            throw InvalidInput(fmt::format("coef={}: its coefficients reach {} and would be scaled by 2^{}, which is "
                                           "beyond double precision: scale the equation first",
                                           to_string(f), std::max(l.off, l.diagonal), k));
        System scaled = times_power(system, k);
        if (fits(scaled, f)) return {k, std::move(scaled)};
    }
    throw InvalidInput(fmt::format("coef={}: no power of two makes the coefficients fit", to_string(f)));
}

/// The power of two that brings integers times a power of two onto grids where no row sum is rounded: q's grid is p's
/// times the lowest bit of the coefficients. (A sum that loses a few bits rounded half up has a constant part; that
/// costs half of the convergence.) Lower where the sums would be too long for q's words, but no lower than the
/// coefficient format's own grid.
int exact_power(const Stencil& stencil, const DatapathSpec& spec) {
    int lowest = std::numeric_limits<int>::max();
    for (const double c : stencil.coefficients()) {
        if (c == 0) continue;
        int e = 0;
        const auto significand = static_cast<std::uint64_t>(std::ldexp(std::abs(std::frexp(c, &e)), 53));
        lowest = std::min(lowest, e - 53 + std::countr_zero(significand));
    }
    const int exact = spec.p.fraction_bits - spec.q.fraction_bits - lowest;
    // Words of q hold the sums of a row whose magnitudes are 16 times what q's range is of p's; two bits more may be
    // left to the headroom, but not more: then rows are rounded, by two bits at least.
    double magnitudes = 0;
    for (const double c : stencil.coefficients()) magnitudes += std::abs(c);
    const auto above = [](const Format& f) { return f.word_bits - f.fraction_bits; };
    const double held = std::ldexp(16.0, above(spec.q) - above(spec.p));
    int k = exact;
    if (std::ldexp(magnitudes, k) > 4 * held)
        while (std::ldexp(magnitudes, k) > held) --k;
    return std::max(k, -spec.coefficient.fraction_bits - lowest);
}

/// Both steps for a stencil: the smallest m that gives exact coefficients.
std::optional<Fitted> with_multiple(const Stencil& stencil, const DatapathSpec& spec) {
    double top = 0;
    for (const double c : stencil.coefficients()) top = magnitude(top, c);
    if (top == 0) return std::nullopt;
    const int exponent = std::ilogb(top);
    for (int m = 1; m <= kMostMultiple; m += 2) { // m and 2 m have the same integers
        Nine c = stencil.coefficients();
        for (double& v : c) v = m * std::ldexp(v, -exponent);
        const std::optional<Nine> integers = whole(c);
        if (!integers) continue;
        for (std::size_t b = 0; b < kBands; ++b) c[b] = std::ldexp((*integers)[b], exponent);
        if (!std::ranges::all_of(c, [](double v) { return std::isfinite(v); })) continue;
        const Stencil exact(stencil.row_length(), stencil.rows(), c);
        if (!spec.coefficient.is_fixed()) {
            if (exact_in(spec, exact)) return Fitted{exact, static_cast<double>(m)};
            continue;
        }
        const int k = exact_power(exact, spec);
        if (std::abs(k) > kFarthest) return std::nullopt;
        System system = times_power(exact, k);
        if (exact_in(spec, std::get<Stencil>(system.matrix())) && fits(system, spec.coefficient))
            return Fitted{std::move(system), std::ldexp(static_cast<double>(m), k)};
    }
    return std::nullopt;
}

} // namespace

std::optional<Fitted> fitted(const System& system, const DatapathSpec& spec) {
    const bool fixed = spec.coefficient.is_fixed();
    const bool constants =
        spec.order == RowOrder::second_difference || (spec.coefficient_blocks.given() && adds_products(spec.order));
    if (!fixed && (!constants || !row_form_refusal(spec.order, system).empty())) return std::nullopt;
    std::optional<Fitted> result;
    if (const Stencil* const stencil = std::get_if<Stencil>(&system.matrix())) result = with_multiple(*stencil, spec);
    if (!result && fixed) {
        auto [k, scaled] = fitted_power(system, spec.coefficient);
        result = Fitted{std::move(scaled), std::ldexp(1.0, k)};
    }
    if (!result || (result->scale == 1 && result->system == system)) return std::nullopt;
    return result;
}

} // namespace mantissa
