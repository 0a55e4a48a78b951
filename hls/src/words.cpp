// Values and words between the contract and the kernels.
#include <bit>

#include "mantissa/exact.hpp"
#include "mantissa/fixed_words.hpp"
#include "mantissa/hls/kernel.hpp"

namespace mantissa::hls {

std::uint64_t to_word(const Format& f, double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const int field = static_cast<int>((bits >> 52) & 0x7FF);
    const std::uint64_t sign = (bits >> 63) << (f.exponent_bits + f.fraction_bits);
    if (field != 0 && field != 0x7FF) // flush formats have normal numbers only, and all are normal doubles
        return sign | (static_cast<std::uint64_t>(field - 1023 + f.bias()) << f.fraction_bits) |
               ((bits & ((std::uint64_t{1} << 52) - 1)) >> (52 - f.fraction_bits));
    if (field == 0) return sign;
    return encode(f, value);
}

double from_word(const Format& f, std::uint64_t word) {
    const auto field = static_cast<int>((word >> f.fraction_bits) & ((std::uint64_t{1} << f.exponent_bits) - 1));
    const std::uint64_t sign = (word >> (f.exponent_bits + f.fraction_bits)) << 63;
    if (field == 0) return std::bit_cast<double>(sign);
    if (field == (1 << f.exponent_bits) - 1) return decode(f, word);
    const std::uint64_t fraction = word & ((std::uint64_t{1} << f.fraction_bits) - 1);
    return std::bit_cast<double>(sign | (static_cast<std::uint64_t>(field - f.bias() + 1023) << 52) |
                                 (fraction << (52 - f.fraction_bits)));
}

StoredWord stored_word(const Format& f, double value) {
    if (!f.is_fixed()) return {to_word(f, exact::convert(f, value)), false};
    const fixed::Rounded rounded = fixed::from_double(f, value);
    return {static_cast<std::uint64_t>(rounded.word), rounded.overflow};
}

double stored_value(const Format& f, std::uint64_t word) {
    if (!f.is_fixed()) return from_word(f, word);
    const int above = 64 - f.word_bits; // memory keeps whole bytes
    return fixed::to_double(f, static_cast<fixed::Word>(word << above) >> above);
}

Scalars scalars_of(const DatapathSpec& spec, const mantissa_hls::ScalarWords& w) {
    const Format& f = spec.scalar;
    return {from_word(f, w.rho),   from_word(f, w.pq),    from_word(f, w.qq),
            from_word(f, w.alpha), from_word(f, w.sigma), from_word(f, w.beta)};
}

namespace {

constexpr bool same_number(mantissa_hls::PassEnd a, RunEnd b) {
    return static_cast<std::uint32_t>(a) == static_cast<std::uint32_t>(b);
}
using mantissa_hls::PassEnd;
static_assert(same_number(PassEnd::go_on, RunEnd::passes) && same_number(PassEnd::rho_reached, RunEnd::rho_reached) &&
                  same_number(PassEnd::exact, RunEnd::exact) && same_number(PassEnd::indefinite, RunEnd::indefinite) &&
                  same_number(PassEnd::not_finite, RunEnd::not_finite) &&
                  same_number(PassEnd::window_overflow, RunEnd::window_overflow),
              "the kernel's PassEnd has the numbers of RunEnd");

} // namespace

RunEnd run_end(mantissa_hls::PassEnd end) {
    return run_end_of(static_cast<std::uint32_t>(end)).value_or(RunEnd::fault);
}

WordUse word_use(const DatapathSpec& spec, const mantissa_hls::ScalarResult& result) {
    const auto bits = [&](const Format& f, std::size_t v) {
        return f.is_fixed() ? static_cast<int>(std::bit_width(result.taken[v])) + 1 : 0;
    };
    return {bits(spec.u, 0), bits(spec.r, 1), bits(spec.p, 2), bits(spec.q, 3)};
}

} // namespace mantissa::hls
