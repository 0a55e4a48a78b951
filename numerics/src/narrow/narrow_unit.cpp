// The operations on floats: each forms its result in double with the sign of what that lost, and rounds it to odd, from
// which every rounding to 24 bits or fewer is as from the exact result. Kernels round (narrow_isa.cpp).
#include "mantissa/narrow/narrow_unit.hpp"

#include <bit>
#include <cmath>
#include <string>

#include "../fp_mode.hpp"
#include "../isa/isa.hpp"
#include "exact_rounding.hpp"
#include "mantissa/errors.hpp"
#include "narrow_kernels.hpp"

namespace mantissa::narrow {

namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63, kInfinity = std::uint64_t{0x7FF} << 52;

std::int64_t pattern(double x) {
    return std::bit_cast<std::int64_t>(x);
}

/// Can the kernels round into it? Their grids are those of normal doubles.
bool has_kernel(const NarrowFormat& f) {
    return f.gradual ? f.min_exponent >= -1022 : f.min_exponent > -1022;
}

detail::NarrowParams params_of(const NarrowFormat& f, std::uint64_t seed) {
    const Extremes extremes(f);
    detail::NarrowParams p;
    p.flushes = !f.gradual;
    p.drop = 52 - f.fraction_bits;
    p.least_field = f.min_exponent + 1023;
    const int unit = f.min_exponent - f.fraction_bits;
    p.unit = pattern(std::ldexp(1.0, unit));
    p.half = unit > -1074 ? std::ldexp(1.0, unit - 1) : std::nan("");
    if (f.fraction_bits > 0) p.last_or = std::int64_t{1} << 52;
    else p.last_xor = static_cast<std::int64_t>((1023 + f.bias()) & 1) << 52;
    p.max = pattern(f.max);
    p.min_normal = pattern(std::ldexp(1.0, f.min_exponent));
    p.below = f.has_zero ? 0 : p.min_normal;
    p.zero = pattern(extremes.zero);
    p.over[0] = pattern(extremes.over[0]);
    p.over[1] = p.over[0] ^ pattern(extremes.over[1]);
    p.infinite[0] = pattern(extremes.infinite[0]);
    p.infinite[1] = p.infinite[0] ^ pattern(extremes.infinite[1]);
    p.negative = pattern(extremes.negative);
    p.grid = std::ldexp(1.0, unit + 52);
    const int scale = 32 - unit;
    p.unit_scale[0] = std::ldexp(1.0, scale / 2);
    p.unit_scale[1] = std::ldexp(1.0, scale - scale / 2);
    p.seed = seed;
    return p;
}

const detail::NarrowKernels& kernels() {
#if defined(__x86_64__)
    if (detail::best_isa() == detail::Isa::avx512) return detail::avx512::narrow_kernels();
    if (detail::best_isa() == detail::Isa::avx2) return detail::avx2::narrow_kernels();
#endif
    return detail::baseline::narrow_kernels();
}

const detail::ShortKernels& short_kernels() {
#if defined(__x86_64__)
    if (detail::best_isa() == detail::Isa::avx512) return detail::avx512::short_kernels();
    if (detail::best_isa() == detail::Isa::avx2) return detail::avx2::short_kernels();
#endif
    return detail::baseline::short_kernels();
}

/// The kernel for the format, nullptr where there is none.
detail::NarrowRound kernel_of(const NarrowFormat& f) {
    using detail::Signs;
    using detail::Tiny;
    const Signs signs = !f.is_signed ? Signs::none : f.signed_zero() ? Signs::two_zeros : Signs::one_zero;
    const auto direction = static_cast<int>(f.direction), sign = static_cast<int>(signs);
    if (f.fraction_bits <= detail::kShortFraction && f.min_exponent >= -1023) {
        // Below a gradual format's smallest normal number lies a binade of normal doubles for each bit, and its unit's
        // half.
        const int room = f.min_exponent - f.fraction_bits + 1022;
        const Tiny tiny = f.min_exponent <= -1022 ? Tiny::lowest : f.gradual ? Tiny::gradual : Tiny::flush;
        const detail::NarrowRound brief = short_kernels().round[direction][static_cast<int>(tiny)][sign];
        if (brief != nullptr && (tiny != Tiny::gradual || room >= 64)) return brief;
    }
    return has_kernel(f) ? kernels().round[direction][f.gradual ? 1 : 0][sign] : nullptr;
}

/// A result in double and what it lost, whose sign alone counts: rounded to odd.
double to_odd(double sum, double lost) {
    auto bits = std::bit_cast<std::uint64_t>(sum);
    if (lost == 0 || (bits & ~kSign) >= kInfinity) return sum;
    if (sum == 0) return lost;
    if ((lost < 0) != (sum < 0)) --bits; // toward zero
    return std::bit_cast<double>(bits | 1);
}

/// a + b and what it lost, exactly (Knuth).
double add_odd(double a, double b) {
    const double sum = a + b, from_b = sum - a, from_a = sum - from_b;
    const double lost = (a - from_a) + (b - from_b);
    return std::isfinite(sum) ? to_odd(sum, lost) : sum;
}

double operate(Operation op, double a, double b, double c) {
    switch (op) {
    case Operation::add:
        return add_odd(a, b);
    case Operation::sub:
        return add_odd(a, -b);
    case Operation::mul:
        return a * b; // 24 bits by 24 bits: exact
    case Operation::fma:
        return add_odd(a * b, c);
    case Operation::div: {
        const double q = a / b;
        if (!std::isfinite(q) || q == 0 || !std::isfinite(b)) return q;
        const double rest = std::fma(-q, b, a); // exact
        return to_odd(q, std::signbit(b) ? -rest : rest);
    }
    case Operation::sqrt: {
        const double root = std::sqrt(a);
        return std::isfinite(root) && root != 0 ? to_odd(root, std::fma(-root, root, a)) : root;
    }
    default:
        return a;
    }
}

bool is_float(double x) {
    return x != x || static_cast<double>(static_cast<float>(x)) == x;
}

} // namespace

NarrowUnit::NarrowUnit(const NarrowFormat& format, std::uint64_t seed) : format_(format), seed_(seed) {
    if (!format.fits_double())
        throw InvalidInput("values of " + to_string(format) +
                           " lie beyond float64: encode and decode them one by one, or take a format of fewer exponent "
                           "bits");
}

void NarrowUnit::round(std::span<const double> a, std::span<double> out, std::uint64_t first) const {
    if (a.size() != out.size()) throw InvalidInput("narrow format: arrays of different lengths; give equal ones");
    if (const detail::NarrowRound kernel = kernel_of(format_)) {
#if MANTISSA_HAS_FP_MODE
        const detail::FpScope scope({detail::FpRounding::nearest, false});
#endif
        kernel(a.data(), out.data(), out.size(), params_of(format_, seed_), first);
        return;
    }
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = exact_round(format_, Operation::convert, a[i], 0, 0, random_bits(seed_, first + i));
}

void NarrowUnit::apply(Operation op, std::span<const double> a, std::span<const double> b, std::span<const double> c,
                       std::span<double> out, std::uint64_t first) const {
    if (op == Operation::convert) return round(a, out, first);
    if (op != Operation::add && op != Operation::sub && op != Operation::mul && op != Operation::div &&
        op != Operation::sqrt && op != Operation::fma)
        throw InvalidInput("narrow formats have the operations add, sub, mul, div, sqrt and fma");
    const bool equal =
        a.size() == out.size() && (!reads_b(op) || b.size() == out.size()) && (!reads_c(op) || c.size() == out.size());
    if (!equal) throw InvalidInput("narrow format: arrays of different lengths; give equal ones");
    // Floats' results are formed in double and rounded by the kernels. Others are rounded in integers, element by
    // element; the kernels leave them as they are.
    const bool shorter = format_.fits_float() && kernel_of(format_) != nullptr;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double x = a[i], y = reads_b(op) ? b[i] : 0.0, z = reads_c(op) ? c[i] : 0.0;
        const bool floats = shorter && is_float(x) && is_float(y) && is_float(z);
        out[i] = floats ? operate(op, x, y, z) : exact_round(format_, op, x, y, z, random_bits(seed_, first + i));
    }
    if (shorter) round(out, out, first);
}

} // namespace mantissa::narrow
