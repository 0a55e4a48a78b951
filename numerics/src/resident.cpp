#include "mantissa/resident.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "emulated/fixed_matrix.hpp"
#include "mantissa/exact.hpp"

namespace mantissa {

namespace {

constexpr int kMostVectorBits = 30, kMostIterateBits = 53, kStencilBits = 30;
constexpr Format kDefect = Format::fixed(64, kDefectFraction);

} // namespace

std::string resident_words_refusal(const DatapathSpec& spec) {
    if (!spec.fixed_vectors()) return "vectors are floating; give fixed-point words, as fx18.16";
    if (spec.moves()) return "the point moves; leave point=moving out";
    if (!(spec.r == spec.p && spec.r == spec.q))
        return fmt::format("r, p and q are {}, {} and {}; give them one format", to_string(spec.r), to_string(spec.p),
                           to_string(spec.q));
    if (spec.r.word_bits > kMostVectorBits)
        return fmt::format("words of r, p and q have {} bits; give at most {}", spec.r.word_bits, kMostVectorBits);
    if (!spec.u.is_fixed()) return fmt::format("u is floating ({}); give it a fixed format", to_string(spec.u));
    if (spec.u.word_bits > kMostIterateBits)
        return fmt::format("words of u have {} bits; give at most {}", spec.u.word_bits, kMostIterateBits);
    if (!spec.dot.exact) return "dot products have a window; leave dot= out, they are exact then";
    // Every sum r.r but 0 is in 2^-2F .. 2^(2 (W - 1 - F) + 32).
    const Format &r = spec.r, &scalar = spec.scalar;
    if (scalar.max_exponent() < 2 * (r.word_bits - r.fraction_bits) + 32 ||
        scalar.min_exponent() > -2 * r.fraction_bits)
        return fmt::format("scalar={} does not hold every r.r; give it more exponent bits", to_string(scalar));
    return {};
}

std::string to_string(ResidentEnd end) {
    static constexpr std::array kNames{"converged",       "passes", "exact",          "indefinite", "not finite",
                                       "window overflow", "fault",  "outer overflow", "stopped"};
    return kNames.at(static_cast<std::size_t>(end));
}

ResidentStencil resident_stencil(const System& system, const Format& coefficient) {
    if (system.kind() != System::Kind::stencil)
        throw InvalidInput(
            "resident: the matrix is no constant stencil; give a problem that has one, as poisson2d:level=8");
    const detail::FixedMatrix matrix = detail::fixed_matrix(system, coefficient);
    const int common = detail::common_power(matrix.stencil);
    ResidentStencil stencil;
    for (std::size_t b = 0; b < kBands; ++b) stencil.s[b] = matrix.stencil[b] >> common;
    stencil.point = coefficient.fraction_bits - common;
    return stencil;
}

std::string resident_refusal(const DatapathSpec& spec, const System& system, const Format& iterate) {
    try {
        spec.validate();
        std::string why = resident_words_refusal(spec);
        if (why.empty() && system.kind() != System::Kind::stencil)
            why =
                fmt::format("its rows are constants of the circuit, and this matrix is of kind {}; give a problem with "
                            "a constant stencil, as poisson2d:level=8",
                            to_string(system.kind()));
        if (why.empty()) why = detail::fixed_refusal(system, spec);
        if (why.empty())
            for (const std::int64_t c : resident_stencil(system, spec.coefficient).s)
                if (std::abs(c) >> kStencilBits != 0)
                    why = fmt::format("coef={}: the stencil's integers take more than {} bits",
                                      to_string(spec.coefficient), kStencilBits);
        if (why.empty() && !(iterate.is_fixed() && iterate.valid() && iterate.word_bits == 64 &&
                             iterate.rounding == Rounding::nearest_up))
            why = fmt::format("its iterate has words of 64 bits, rounded half up, not {}; give one as fx64.54",
                              to_string(iterate));
        return why.empty() ? why : "resident: " + why;
    } catch (const InvalidInput& e) {
        return e.what();
    }
}

int resident_exponent(double norm) {
    int exponent = 0;
    const double fraction = std::frexp(norm, &exponent);
    return fraction == 0.5 ? exponent - 1 : exponent;
}

std::vector<fixed::Word> resident_words(std::span<const double> b, int e0) {
    std::vector<fixed::Word> words(b.size());
    // 2^-e0 in two factors, since it may be beyond double where b is not; each product is exact but among subnormals,
    // which round to the word 0 all the same.
    const double first = std::ldexp(1.0, -e0 / 2), second = std::ldexp(1.0, -e0 - -e0 / 2);
    for (std::size_t i = 0; i < b.size(); ++i) {
        const fixed::Rounded word = fixed::from_double(kDefect, b[i] * first * second);
        if (word.overflow)
            throw InvalidInput(fmt::format(
                "resident: right-hand side element {} is {}, beyond 8 times the norm; scale it", i + 1, b[i]));
        words[i] = word.word;
    }
    return words;
}

ResidentTolerance resident_tolerance(const Format& scalar, double relative) {
    int x = 0;
    const double fraction = 2 * std::frexp(relative, &x); // in [1, 2)
    --x;
    return {exact::convert(scalar, fraction * fraction), x};
}

double resident_scaled(const Format& scalar, double value, int power) {
    return exact::mul(scalar, value, Format::power_of_two(std::clamp(power, -1000, 1000)));
}

int resident_magnitude(double square) {
    const int e = std::ilogb(square);
    return (e >= 0 ? e / 2 : -((1 - e) / 2)) + 1;
}

std::string Engine::resident_refusal(const DatapathSpec&, const System&, const Format&) const {
    return fmt::format("engine '{}' has no resident solver; use engine emulated or rtl", name());
}

std::unique_ptr<ResidentSolver> Engine::resident(const System& system, const DatapathSpec& spec, const Format& iterate,
                                                 int) const {
    throw InvalidInput(resident_refusal(spec, system, iterate));
}

} // namespace mantissa
