#include "mantissa/fixed_kernels.hpp"

#include <bit>

#include <fmt/format.h>

#include "fp_mode.hpp"
#include "isa/fixed_kernels.hpp"

namespace mantissa {

namespace {

using detail::FixedKernels;
using detail::FixedParams;
using fixed::Rounded;
using fixed::Scalar;
using fixed::Word;

void require_lengths(bool equal) {
    if (!equal) throw InvalidInput("fixed-point kernel: arrays of different lengths; give equal ones");
}

template <class T> const FixedKernels<T>& kernels() {
    if constexpr (sizeof(T) == 4) return detail::best_fixed_table().words32;
    else return detail::best_fixed_table().words64;
}

constexpr bool is_scaled(Operation op) {
    return op == Operation::scale || op == Operation::add_scaled || op == Operation::sub_scaled;
}

/// Bits of a magnitude.
int bits(Word x) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(fixed::detail::magnitude(x))));
}

/// The one definition, element by element.
Rounded define(const Format& f, Operation op, const Scalar& s, Word a, Word b, Word c) {
    switch (op) {
    case Operation::add:
        return fixed::add(f, a, b);
    case Operation::sub:
        return fixed::sub(f, a, b);
    case Operation::mul:
        return fixed::mul(f, a, b);
    case Operation::fma:
        return fixed::fma(f, a, b, c);
    case Operation::scale:
        return fixed::scale(f, s, f, a);
    case Operation::add_scaled:
        return fixed::add_scaled(f, b, s, f, a);
    default:
        return fixed::sub_scaled(f, b, s, f, a);
    }
}

/// One call's kernel and parameters; no kernel where only the definition serves.
template <class T> struct Plan {
    detail::FixedKernel<T> kernel = nullptr;
    FixedParams params;

    Plan(const Format& f, Operation op, Scalar s) {
        const FixedKernels<T>& k = kernels<T>();
        const auto index = static_cast<int>(op);
        params.word_bits = f.word_bits;
        kernel = k.narrow[index];
        if (op == Operation::add || op == Operation::sub) return;
        int factor = f.word_bits - 1; // |factor| <= 2^factor
        params.shift = f.fraction_bits;
        if (is_scaled(op)) {
            while (s.significand != 0 && s.significand % 2 == 0) s = {s.significand / 2, s.exponent + 1};
            params.shift = s.significand == 0 ? 0 : fixed::shift_of(f, s, f);
            if (params.shift < 0 && bits(s.significand) - params.shift <= 63) {
                s.significand *= std::int64_t{1} << -params.shift;
                params.shift = 0;
            }
            params.s = s.significand;
            factor = bits(s.significand);
        }
        params.up = f.rounding == Rounding::nearest_up && params.shift > 0;
        const bool narrow = f.word_bits - 1 + factor <= 62 && (sizeof(T) == 8 || factor <= 31) && params.shift <= 62;
        if (!narrow) kernel = k.wide[index];
        if (params.shift < 0 || params.shift > 126) kernel = nullptr;
    }
};

/// The processor's rounding to nearest for a scope, where it has another one.
class NearestScope {
#if MANTISSA_HAS_FP_MODE
    detail::FpScope scope_{{detail::FpRounding::nearest, false}};
#endif
public:
    NearestScope() {} // NOLINT(modernize-use-equals-default): not trivial, so that a scope is no unused variable
};

template <class S, class T>
bool convert_words(const Format& from, const Format& f, const void* a, void* out, std::size_t n) {
    const detail::Source<S> in(a);
    detail::Sink<T> words(out);
    bool lost = false;
    for (std::size_t i = 0; i < n; ++i) {
        const Rounded rounded = fixed::convert(f, from, in[i]);
        lost |= rounded.overflow;
        words[i] = static_cast<T>(rounded.word);
    }
    return lost;
}

} // namespace

template <class T>
FixedUnit<T>::FixedUnit(const Format& format, Path path)
    : format_(format.canonical()), portable_(path == Path::portable) {
    if (!format.is_fixed())
        throw InvalidInput(fmt::format(
            "fixed-point kernel: {} is a floating format; these are of fixed ones, as fx18.16", to_string(format)));
    if (!format.valid() || format.word_bits > 8 * static_cast<int>(sizeof(T)))
        throw InvalidInput(
            fmt::format("fixed-point kernel: words of {} do not fit {} bits: use FixedUnit<std::int64_t>",
                        to_string(format), 8 * sizeof(T)));
    if (path == Path::fastest) detail::best_isa(); // refuses a bad MANTISSA_ISA here, not in some thread
}

template <class T> void FixedUnit<T>::require_format(const Format& elements) const {
    if (elements.canonical() == format_) return;
    throw InvalidInput(fmt::format("fixed-point kernel: an array of {} numbers, but the unit's format is {}; make a "
                                   "FixedUnit of the array's format, or round() the array into another",
                                   to_string(elements), to_string(format_)));
}

template <class T> bool FixedUnit<T>::run(Operation op, Scalar s, In a, In b, In c, Out out) const {
    require_lengths(a.size == out.size && (!reads_b(op) || b.size == out.size) && (!reads_c(op) || c.size == out.size));
    const detail::FixedOperands<T> in{a.address, b.address, c.address};
    detail::Sink<T> to(out.address);
    if (!portable_) {
        const Plan<T> plan(format_, op, s);
        if (plan.kernel != nullptr) return plan.kernel(in, to, out.size, plan.params);
    }
    bool lost = false;
    for (std::size_t i = 0; i < out.size; ++i) {
        const Rounded rounded =
            define(format_, op, s, in.a[i], reads_b(op) ? in.b[i] : T{}, reads_c(op) ? in.c[i] : T{});
        lost |= rounded.overflow;
        to[i] = static_cast<T>(rounded.word);
    }
    return lost;
}

template <class T> bool FixedUnit<T>::from_doubles(std::span<const double> a, Out out) const {
    require_lengths(a.size() == out.size);
    detail::Sink<T> to(out.address);
    const bool up = format_.rounding == Rounding::nearest_up;
    if (!portable_ && format_.fraction_bits >= 0 && format_.word_bits <= Format::kMaxDoubleWord) {
        FixedParams params;
        params.up = up;
        params.unit = Format::power_of_two(format_.fraction_bits);
        params.greatest = static_cast<double>(fixed::max_word(format_));
        params.least = static_cast<double>(fixed::min_word(format_));
        params.above = params.greatest + (up ? 0.5 : 1.0);
        params.below = params.least - (up ? 0.5 : 0.0);
        const NearestScope scope; // nothing rounds but what is compared; and subnormal doubles are not flushed
        return kernels<T>().from_doubles(detail::Source<double>(a.data()), to, out.size, params);
    }
    bool lost = false;
    for (std::size_t i = 0; i < out.size; ++i) {
        const Rounded rounded = fixed::from_double(format_, a[i]);
        lost |= rounded.overflow;
        to[i] = static_cast<T>(rounded.word);
    }
    return lost;
}

template <class T> bool FixedUnit<T>::from_words(const Format& from, In a, std::size_t word_size, Out out) const {
    require_lengths(a.size == out.size);
    if (!from.is_fixed() || !from.valid() || from.word_bits > 8 * static_cast<int>(word_size))
        throw InvalidInput(fmt::format("fixed-point kernel: {} is no fixed-point format of {}-bit words; name the "
                                       "array's own",
                                       to_string(from), 8 * word_size));
    const int shift = from.fraction_bits - format_.fraction_bits;
    if (!portable_ && shift <= 63 && -shift < format_.word_bits) {
        FixedParams params;
        params.word_bits = format_.word_bits;
        params.shift = shift > 0 ? shift : 0;
        params.left = shift < 0 ? -shift : 0;
        params.up = format_.rounding == Rounding::nearest_up && shift > 0;
        const detail::Sink<T> to(out.address);
        if (word_size == 4) return kernels<T>().from_int32(a.address, to, out.size, params);
        return kernels<T>().from_int64(a.address, to, out.size, params);
    }
    if (word_size == 4) return convert_words<std::int32_t, T>(from, format_, a.address, out.address, out.size);
    return convert_words<std::int64_t, T>(from, format_, a.address, out.address, out.size);
}

template <class T> void FixedUnit<T>::into_doubles(In a, std::span<double> out) const {
    require_lengths(a.size == out.size());
    FixedParams params;
    params.unit = Format::power_of_two(-format_.fraction_bits);
    const NearestScope scope; // words of more than 53 bits
    const detail::FixedTable& table = portable_ ? detail::baseline::fixed_table() : detail::best_fixed_table();
    if constexpr (sizeof(T) == 4) table.words32.to_doubles(a.address, out.data(), out.size(), params);
    else table.words64.to_doubles(a.address, out.data(), out.size(), params);
}

template class FixedUnit<std::int32_t>;
template class FixedUnit<std::int64_t>;

} // namespace mantissa
