// Fixed<F>: a number of a fixed-point format that is fixed at compile time, used like a built-in one.
//
//     using namespace mantissa::literals;
//     using Word = mantissa::Fixed<"fx18.16"_fmt>;           // 18-bit words, -2 .. 2 - 2^-16, half up
//     Word x = 1.5, y(argument);                             // exact constants implicitly, the rest explicitly
//     y = x * y - 0.25;
//     if (const auto sum = add_checked(x, y)) ...            // nothing where the sum does not fit
//
// Every operation is the exact result of its operands, rounded once onto F's grid by F's rounding: the contract of
// fixed_arithmetic.hpp, bit for bit, and constexpr. A result that no word holds is never silent: operators, functions
// and conversions throw FixedOverflow (errors.hpp), which in a constant expression does not compile; the functions
// *_checked return std::optional in place of it. A division by zero overflows; there are no infinities and there is no
// NaN.
//
// Conversions: implicit where every value survives (a wider format; a constant that F holds), else explicit and rounded
// once into F. Text: fixed_io.hpp, fixed_charconv.hpp, fixed_fmt.hpp. Arrays: fixed_kernels.hpp.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "mantissa/errors.hpp"
#include "mantissa/fixed_arithmetic.hpp"
#include "mantissa/float.hpp"

namespace mantissa {

namespace detail {
/// What overflowed, for FixedOverflow's text: "fx18.16: 1.5 + 1 overflows; ...". Words are of f.
[[noreturn]] void throw_fixed_overflow(const Format& f, std::string_view operation, fixed::Word a, fixed::Word b = 0,
                                       fixed::Word c = 0);
/// The same of a conversion: `value` in words, of another type or format.
[[noreturn]] void throw_fixed_conversion(const Format& f, double value);
/// ... and of one to an integer type of so many bits.
[[noreturn]] void throw_fixed_to_integer(const Format& f, fixed::Word word, int bits, bool is_signed);

template <class I>
concept FixedInteger = std::integral<I> && !std::same_as<I, bool>;
template <class X>
concept FixedConstant = std::same_as<X, double> || std::same_as<X, float> || std::same_as<X, int>;
} // namespace detail

/// A number of the fixed-point format F with the operators of an arithmetic type; each result is rounded once.
template <Format F> class Fixed {
    static_assert(F.is_fixed() && F.valid(), "W is in 2..64 and F in -64..126");

public:
    /// What holds a word.
    using word_type = std::conditional_t<F.word_bits <= 32, std::int32_t, std::int64_t>;
    static constexpr Format format = F.canonical();

    /// 0
    constexpr Fixed() = default;

    /// `value` rounded once into F. FixedOverflow when no word holds the result, and of infinities and NaN.
    explicit constexpr Fixed(double value) : Fixed(converted(value)) {}
    explicit constexpr Fixed(float value) : Fixed(converted(static_cast<double>(value))) {}
    explicit constexpr Fixed(int value) : Fixed(converted(value)) {}
    template <detail::FixedInteger Integer>
    requires(!std::same_as<Integer, int>) explicit constexpr Fixed(Integer value) : Fixed(converted(value)) {}
    template <Format G> explicit constexpr Fixed(Float<G> value) : Fixed(converted(static_cast<double>(value))) {}

    /// A constant that F holds exactly; any other does not compile.
    template <detail::FixedConstant Constant> consteval Fixed(Constant value) {
        const fixed::Rounded rounded = fixed::from_double(F, static_cast<double>(value));
        if (rounded.overflow || std::is_neq(fixed::compare(F, rounded.word, static_cast<double>(value))))
            throw "this constant is no value of the format: construct it explicitly to round it";
        word_ = static_cast<word_type>(rounded.word);
    }

    /// A number of another format, rounded once into F; implicit when F holds every value of G.
    template <Format G>
    requires(G != F) explicit(!F.contains(G)) constexpr Fixed(Fixed<G> other) : Fixed(converted(other)) {}

    /// Any of these conversions, or nothing where it overflows.
    static constexpr std::optional<Fixed> checked(double value) { return kept(fixed::from_double(F, value)); }
    static constexpr std::optional<Fixed> checked(float value) { return checked(static_cast<double>(value)); }
    template <detail::FixedInteger Integer> static constexpr std::optional<Fixed> checked(Integer value) {
        return kept(fixed::from_integer(F, static_cast<fixed::Wide>(value)));
    }
    template <Format G> static constexpr std::optional<Fixed> checked(Float<G> value) {
        return checked(static_cast<double>(value));
    }
    template <Format G> static constexpr std::optional<Fixed> checked(Fixed<G> other) {
        return kept(fixed::convert(F, G, other.word()));
    }

    /// The number word * 2^-F; `word` must be a W-bit word.
    static constexpr Fixed from_word(word_type word) {
        Fixed x;
        x.word_ = word;
        return x;
    }
    [[nodiscard]] constexpr word_type word() const { return word_; }

    /// Exact for W <= 53, else rounded to nearest even.
    explicit constexpr operator double() const { return fixed::to_double(F, word_); }
    /// Exact for W <= 24, else rounded to nearest even.
    explicit constexpr operator float() const {
        return static_cast<float>(fixed::to_floating(formats::kFloat, F, word_));
    }
    explicit constexpr operator bool() const { return word_ != 0; }
    /// Without its fraction, as a double is converted. FixedOverflow where the type does not hold it.
    template <detail::FixedInteger Integer> explicit constexpr operator Integer() const {
        using Limits = std::numeric_limits<Integer>;
        const fixed::Wide whole = integer_part();
        if (whole < static_cast<fixed::Wide>(Limits::min()) || whole > static_cast<fixed::Wide>(Limits::max()))
            detail::throw_fixed_to_integer(F, word_, Limits::digits + Limits::is_signed, Limits::is_signed);
        return static_cast<Integer>(whole);
    }
    /// Rounded once by G's policy.
    template <Format G> explicit constexpr operator Float<G>() const {
        return Float<G>::from_carrier(static_cast<typename Float<G>::carrier_type>(fixed::to_floating(G, F, word_)));
    }

    friend constexpr Fixed operator+(Fixed a, Fixed b) { return take(fixed::add(F, a.word_, b.word_), "+", a, b); }
    friend constexpr Fixed operator-(Fixed a, Fixed b) { return take(fixed::sub(F, a.word_, b.word_), "-", a, b); }
    friend constexpr Fixed operator*(Fixed a, Fixed b) { return take(fixed::mul(F, a.word_, b.word_), "*", a, b); }
    friend constexpr Fixed operator/(Fixed a, Fixed b) { return take(fixed::div(F, a.word_, b.word_), "/", a, b); }
    constexpr Fixed& operator+=(Fixed other) { return *this = *this + other; }
    constexpr Fixed& operator-=(Fixed other) { return *this = *this - other; }
    constexpr Fixed& operator*=(Fixed other) { return *this = *this * other; }
    constexpr Fixed& operator/=(Fixed other) { return *this = *this / other; }
    constexpr Fixed operator+() const { return *this; }
    constexpr Fixed operator-() const { return take(fixed::negate(F, word_), "negate", *this); }

    friend constexpr bool operator==(Fixed, Fixed) = default;
    friend constexpr std::strong_ordering operator<=>(Fixed a, Fixed b) { return a.word_ <=> b.word_; }
    /// Against numbers of other types: of their values, nothing is rounded.
    template <Format G>
    requires(G != F) friend constexpr bool operator==(Fixed a, Fixed<G> b) {
        return std::is_eq(fixed::compare(F, a.word_, G, b.word()));
    }
    template <Format G>
    requires(G != F) friend constexpr std::strong_ordering operator<=>(Fixed a, Fixed<G> b) {
        return fixed::compare(F, a.word_, G, b.word());
    }
    friend constexpr bool operator==(Fixed a, double b) { return std::is_eq(fixed::compare(F, a.word_, b)); }
    friend constexpr std::partial_ordering operator<=>(Fixed a, double b) { return fixed::compare(F, a.word_, b); }
    template <detail::FixedInteger Integer> friend constexpr bool operator==(Fixed a, Integer b) {
        return std::is_eq(a.compared(b));
    }
    template <detail::FixedInteger Integer> friend constexpr std::strong_ordering operator<=>(Fixed a, Integer b) {
        return a.compared(b);
    }

    /// a * b + c rounded once.
    friend constexpr Fixed fma(Fixed a, Fixed b, Fixed c) {
        return take(fixed::fma(F, a.word_, b.word_, c.word_), "fma", a, b, c);
    }
    friend constexpr Fixed abs(Fixed x) { return x.word_ < 0 ? -x : x; }
    friend constexpr Fixed fabs(Fixed x) { return abs(x); }
    friend constexpr bool signbit(Fixed x) { return x.word_ < 0; }
    friend constexpr Fixed copysign(Fixed magnitude, Fixed sign) {
        return signbit(magnitude) == signbit(sign) ? magnitude : -magnitude;
    }
    friend constexpr Fixed min(Fixed a, Fixed b) { return b < a ? b : a; }
    friend constexpr Fixed max(Fixed a, Fixed b) { return a < b ? b : a; }
    friend constexpr Fixed fmin(Fixed a, Fixed b) { return min(a, b); }
    friend constexpr Fixed fmax(Fixed a, Fixed b) { return max(a, b); }
    /// x 2^exponent, rounded once.
    friend constexpr Fixed ldexp(Fixed x, int exponent) {
        const fixed::Rounded rounded = fixed::ldexp(F, x.word_, exponent);
        if (rounded.overflow) detail::throw_fixed_overflow(F, "ldexp", x.word_, exponent);
        return from_word(static_cast<word_type>(rounded.word));
    }
    friend constexpr Fixed scalbn(Fixed x, int exponent) { return ldexp(x, exponent); }

    // The same results, or nothing where they overflow.
    friend constexpr std::optional<Fixed> add_checked(Fixed a, Fixed b) {
        return kept(fixed::add(F, a.word_, b.word_));
    }
    friend constexpr std::optional<Fixed> sub_checked(Fixed a, Fixed b) {
        return kept(fixed::sub(F, a.word_, b.word_));
    }
    friend constexpr std::optional<Fixed> mul_checked(Fixed a, Fixed b) {
        return kept(fixed::mul(F, a.word_, b.word_));
    }
    friend constexpr std::optional<Fixed> div_checked(Fixed a, Fixed b) {
        return kept(fixed::div(F, a.word_, b.word_));
    }
    friend constexpr std::optional<Fixed> fma_checked(Fixed a, Fixed b, Fixed c) {
        return kept(fixed::fma(F, a.word_, b.word_, c.word_));
    }
    friend constexpr std::optional<Fixed> negate_checked(Fixed x) { return kept(fixed::negate(F, x.word_)); }
    friend constexpr std::optional<Fixed> abs_checked(Fixed x) { return x.word_ < 0 ? negate_checked(x) : x; }
    friend constexpr std::optional<Fixed> ldexp_checked(Fixed x, int exponent) {
        return kept(fixed::ldexp(F, x.word_, exponent));
    }

private:
    static constexpr std::optional<Fixed> kept(fixed::Rounded rounded) {
        if (rounded.overflow) return std::nullopt;
        return from_word(static_cast<word_type>(rounded.word));
    }
    // A call of what is no constexpr function: where it would be reached, a constant expression does not compile.
    static constexpr Fixed take(fixed::Rounded rounded, const char* operation, Fixed a, Fixed b = {}, Fixed c = {}) {
        if (rounded.overflow) detail::throw_fixed_overflow(F, operation, a.word_, b.word_, c.word_);
        return from_word(static_cast<word_type>(rounded.word));
    }
    template <class X> static constexpr Fixed converted(X value) {
        const std::optional<Fixed> x = checked(value);
        if (!x) detail::throw_fixed_conversion(F, static_cast<double>(value));
        return *x;
    }
    /// The value toward zero, below 2^127 always.
    [[nodiscard]] constexpr fixed::Wide integer_part() const {
        const fixed::Wide word = word_;
        if constexpr (F.fraction_bits <= 0) return word * (fixed::Wide{1} << -F.fraction_bits);
        else return word < 0 ? -(-word >> F.fraction_bits) : word >> F.fraction_bits;
    }
    template <class Integer> [[nodiscard]] constexpr std::strong_ordering compared(Integer b) const {
        if constexpr (F.fraction_bits <= 0)
            return fixed::Wide{word_} * (fixed::Wide{1} << -F.fraction_bits) <=> static_cast<fixed::Wide>(b);
        else if (!std::in_range<fixed::Word>(b)) return std::strong_ordering::less; // 2^63 or more
        else return fixed::compare(F, word_, kWholes, static_cast<fixed::Word>(b));
    }
    static constexpr Format kWholes = Format::fixed(64, 0, Rounding::down);

    word_type word_ = 0;
};

} // namespace mantissa

/// Numbers of one format that compare equal hash equal.
template <mantissa::Format F> struct std::hash<mantissa::Fixed<F>> {
    std::size_t operator()(mantissa::Fixed<F> x) const noexcept {
        return std::hash<typename mantissa::Fixed<F>::word_type>{}(x.word());
    }
};

/// Not integers and not floating, but exact: numbers with an exponent that is fixed, as the standard has it. So min()
/// is the lowest number, as of every type that is not floating, and what has to do with exponents is 0. epsilon() and
/// denorm_min() are the distance between neighbours, 2^-F, here the same everywhere.
template <mantissa::Format F> class std::numeric_limits<mantissa::Fixed<F>> {
    using Number = mantissa::Fixed<F>;
    using Word = typename Number::word_type;

public:
    static constexpr bool is_specialized = true;
    static constexpr bool is_signed = true;
    static constexpr bool is_integer = false; // quotients and products are rounded, even where F is 0
    static constexpr bool is_exact = true;
    static constexpr bool has_infinity = false;
    static constexpr bool has_quiet_NaN = false;
    static constexpr bool has_signaling_NaN = false;
    static constexpr std::float_denorm_style has_denorm = std::denorm_absent;
    static constexpr bool has_denorm_loss = false;
    static constexpr std::float_round_style round_style =
        F.rounding == mantissa::Rounding::down ? std::round_toward_neg_infinity : std::round_to_nearest;
    static constexpr bool is_iec559 = false;
    static constexpr bool is_bounded = true;
    static constexpr bool is_modulo = false; // an overflow throws
    static constexpr int digits = F.word_bits - 1;
    static constexpr int digits10 = digits * 30103 / 100000;
    static constexpr int max_digits10 = 2 + digits * 30103 / 100000;
    static constexpr int radix = 2;
    static constexpr int min_exponent = 0, min_exponent10 = 0, max_exponent = 0, max_exponent10 = 0;
    static constexpr bool traps = false;
    static constexpr bool tinyness_before = false;

    static constexpr Number min() noexcept { return lowest(); }
    static constexpr Number lowest() noexcept {
        return Number::from_word(static_cast<Word>(mantissa::fixed::min_word(F)));
    }
    static constexpr Number max() noexcept {
        return Number::from_word(static_cast<Word>(mantissa::fixed::max_word(F)));
    }
    static constexpr Number epsilon() noexcept { return Number::from_word(1); }
    static constexpr Number denorm_min() noexcept { return Number::from_word(1); }
    /// 0, as of every type that is not floating: half a unit need not be a number of F.
    static constexpr Number round_error() noexcept { return {}; }
    static constexpr Number infinity() noexcept { return {}; }
    static constexpr Number quiet_NaN() noexcept { return {}; }
    static constexpr Number signaling_NaN() noexcept { return {}; }
};
