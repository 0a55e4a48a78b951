// Float<F>: a number of a format fixed at compile time, used like a built-in one.
//
//     using namespace mantissa::literals;
//     using Half = mantissa::Float<"s10e5:rne:subnormals"_fmt>;     // or Float<mantissa::formats::kHalf>
//     using Short = mantissa::Float<"s17e8"_fmt>;                   // truncating, flushing: the hardware policy
//     Short x = 1.5, y(argument);                                   // exact constants implicitly, the rest explicitly
//     y += x * sqrt(y) - 0.25;
//
// Every operation is the exact result of its operands, rounded once into F: the contract of exact.hpp, bit for bit,
// and constexpr. A value is carried in a float (M <= 23 and E <= 8) or a double. The processor's rounding mode is
// neither used nor changed; it must be the default one. + - * / of float-carried formats and of flushing double-carried
// ones are free of branches and vectorise in plain loops (-O3 -march=x86-64-v3 or -v4 -mprefer-vector-width=512; arrays
// on 64-byte boundaries matter there); what remains (products, quotients and roots of double-carried formats with
// gradual underflow, and the fma of all double-carried ones but double) goes through integers.
//
// <cmath>'s functions that are exact or rounded once are here, found by argument: abs, fma, sqrt, min, max, fmin, fmax,
// copysign, ldexp, frexp, logb, nextafter, floor, rint, isnan and their like; they are constexpr too. Text:
// float_io.hpp, float_charconv.hpp, float_fmt.hpp. Arrays: float_kernels.hpp.
//
// Conversions: implicit where every value survives (a wider format; a constant that F holds), else explicit and
// rounded into F. Compile without contraction of a*b+c (-ffp-contract=off or a -std=c++20 mode), else the formats that
// are float or double themselves lose a rounding.
#pragma once

#include <cmath>
#include <compare>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

#include "mantissa/detail/functions.hpp"
#include "mantissa/detail/rounding.hpp"
#include "mantissa/detail/wide_rounding.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/format.hpp"

namespace mantissa {

/// A number of the floating format F with the operators of an arithmetic type; each result is rounded once.
template <Format F> class Float {
    static_assert(!F.is_fixed() && F.valid(), "M is in 2..52 and E in 2..11; fixed formats have Fixed<F>");

public:
    /// The native type that holds a value.
    using carrier_type = std::conditional_t<F.template fits<float>(), float, double>;
    /// The unsigned type of a bit pattern.
    using bits_type =
        std::conditional_t<F.width() <= 8, std::uint8_t,
                           std::conditional_t<F.width() <= 16, std::uint16_t,
                                              std::conditional_t<F.width() <= 32, std::uint32_t, std::uint64_t>>>;
    static constexpr Format format = F;

    /// +0
    constexpr Float() = default;

    /// `value` rounded into F.
    explicit constexpr Float(double value) : value_(rounded(value)) {}
    explicit constexpr Float(float value) : value_(rounded(static_cast<double>(value))) {}
    explicit constexpr Float(int value) : value_(rounded(value)) {}
    template <std::integral Integer>
    requires(!std::same_as<Integer, int>) explicit constexpr Float(Integer value) : value_(from_integer(value)) {}

    /// A constant that F holds exactly; any other does not compile.
    template <class Constant>
    requires std::same_as<Constant, double> || std::same_as<Constant, float> || std::same_as<Constant, int>
    consteval Float(Constant value) : value_(static_cast<carrier_type>(value)) {
        const auto wide = static_cast<double>(value);
        if (std::bit_cast<std::uint64_t>(exact::convert(F, wide)) != std::bit_cast<std::uint64_t>(wide))
            throw "this constant is no value of the format: construct it explicitly to round it";
    }

    /// A number of another format, rounded into F; implicit when F holds every value of G.
    template <Format G>
    requires(G != F) explicit(!F.contains(G)) constexpr Float(Float<G> other) : value_(from_format(other)) {}

    /// The number whose carrier is `value`, which must be a value of F; any NaN is one.
    static constexpr Float from_carrier(carrier_type value) {
        Float x;
        x.value_ = value;
        return x;
    }
    /// The number as its native type. Which NaN a NaN is, is not specified.
    [[nodiscard]] constexpr carrier_type carrier() const { return value_; }

    /// Exact.
    explicit constexpr operator double() const { return static_cast<double>(value_); }
    /// Exact for float-carried formats, else to nearest.
    explicit constexpr operator float() const { return static_cast<float>(value_); }
    explicit constexpr operator bool() const { return value_ != 0; }
    template <std::integral Integer>
    requires(!std::same_as<Integer, bool>) explicit constexpr operator Integer() const {
        return static_cast<Integer>(value_);
    }

    /// The bit pattern, as encode() gives it: sign, exponent, fraction; one NaN.
    [[nodiscard]] constexpr bits_type bits() const;
    /// The number of a bit pattern, as decode() reads it.
    static constexpr Float from_bits(bits_type bits);

    friend constexpr Float operator+(Float a, Float b) { return from_carrier(sum(a.value_, b.value_)); }
    friend constexpr Float operator-(Float a, Float b) { return from_carrier(sum(a.value_, -b.value_)); }
    friend constexpr Float operator*(Float a, Float b) { return from_carrier(product(a.value_, b.value_)); }
    friend constexpr Float operator/(Float a, Float b) { return from_carrier(quotient(a.value_, b.value_)); }
    constexpr Float& operator+=(Float other) { return *this = *this + other; }
    constexpr Float& operator-=(Float other) { return *this = *this - other; }
    constexpr Float& operator*=(Float other) { return *this = *this * other; }
    constexpr Float& operator/=(Float other) { return *this = *this / other; }
    constexpr Float operator+() const { return *this; }
    constexpr Float operator-() const { return from_carrier(-value_); }

    friend constexpr bool operator==(Float a, Float b) { return a.value_ == b.value_; }
    friend constexpr std::partial_ordering operator<=>(Float a, Float b) { return a.value_ <=> b.value_; }
    /// Against native numbers: exact, nothing is rounded into F.
    friend constexpr bool operator==(Float a, double b) { return static_cast<double>(a.value_) == b; }
    friend constexpr std::partial_ordering operator<=>(Float a, double b) {
        return static_cast<double>(a.value_) <=> b;
    }

    friend constexpr Float sqrt(Float x) { return from_carrier(root(x.value_)); }
    /// a * b + c rounded once.
    friend constexpr Float fma(Float a, Float b, Float c) {
        return from_carrier(product_sum(a.value_, b.value_, c.value_));
    }
    friend constexpr bool signbit(Float x) { return detail::bits_of(x.value_) < 0; }
    friend constexpr Float abs(Float x) {
        return from_carrier(
            detail::from_bits_of<carrier_type>(detail::bits_of(x.value_) & ~detail::kSignBit<carrier_type>));
    }
    friend constexpr Float fabs(Float x) { return abs(x); }
    friend constexpr bool isnan(Float x) { return x.value_ != x.value_; }
    friend constexpr bool isinf(Float x) { return abs(x).value_ == std::numeric_limits<carrier_type>::infinity(); }
    friend constexpr bool isfinite(Float x) { return abs(x).value_ < std::numeric_limits<carrier_type>::infinity(); }
    friend constexpr bool isnormal(Float x) { return isfinite(x) && abs(x).value_ >= narrow(F.min_normal()); }
    /// FP_NAN, FP_INFINITE, FP_ZERO, FP_SUBNORMAL or FP_NORMAL.
    friend constexpr int fpclassify(Float x) {
        if (isnan(x)) return FP_NAN;
        if (isinf(x)) return FP_INFINITE;
        return x.value_ == 0 ? FP_ZERO : isnormal(x) ? FP_NORMAL : FP_SUBNORMAL;
    }

    /// As std::min and std::max: a unless b is less, or greater.
    friend constexpr Float min(Float a, Float b) { return b < a ? b : a; }
    friend constexpr Float max(Float a, Float b) { return a < b ? b : a; }
    /// A number wins over NaN, and -0 is less than +0.
    friend constexpr Float fmin(Float a, Float b) { return isnan(b) || a < b || (a == b && signbit(a)) ? a : b; }
    friend constexpr Float fmax(Float a, Float b) { return isnan(b) || b < a || (a == b && signbit(b)) ? a : b; }
    friend constexpr Float copysign(Float magnitude, Float sign) {
        return signbit(magnitude) == signbit(sign) ? magnitude : -magnitude;
    }

    /// x 2^exponent rounded once by the format's policy, as an operation is.
    friend constexpr Float ldexp(Float x, int exponent) {
        return from_carrier(narrow(detail::scaled(F, static_cast<double>(x.value_), exponent)));
    }
    friend constexpr Float scalbn(Float x, int exponent) { return ldexp(x, exponent); }
    /// x = result 2^*exponent with the result's magnitude in [1/2, 1); a zero, an infinity and NaN are their own, with
    /// exponent 0. Formats of two exponent bits have no numbers there.
    friend constexpr Float frexp(Float x, int* exponent) requires(F.exponent_bits > 2) {
        *exponent = 0;
        if (!isfinite(x) || x.value_ == 0) return x;
        *exponent = ilogb(x) + 1;
        return from_carrier(narrow(detail::fraction_of(static_cast<double>(x.value_))));
    }
    /// The exponent e with 2^e <= |x| < 2^(e+1), subnormal numbers included; FP_ILOGB0, INT_MAX and FP_ILOGBNAN for a
    /// zero, an infinity and NaN.
    friend constexpr int ilogb(Float x) {
        if (isnan(x)) return FP_ILOGBNAN;
        if (isinf(x)) return std::numeric_limits<int>::max();
        return x.value_ == 0 ? FP_ILOGB0 : detail::exponent_of(static_cast<double>(x.value_));
    }
    /// ilogb(x) rounded into F; -infinity, infinity and NaN for a zero, an infinity and NaN.
    friend constexpr Float logb(Float x) {
        if (isnan(x)) return x;
        if (isinf(x)) return abs(x);
        if (x.value_ == 0) return -std::numeric_limits<Float>::infinity();
        return Float(ilogb(x));
    }

    /// The next number of F after `from` toward `to`; with flushing, zero and the smallest normal number are
    /// neighbours. After the largest number comes infinity, under every policy.
    friend constexpr Float nextafter(Float from, Float to) {
        if (isnan(from) || isnan(to)) return std::numeric_limits<Float>::quiet_NaN();
        if (from == to) return to;
        if (from.value_ == 0) return copysign(std::numeric_limits<Float>::denorm_min(), to);
        const bool away = (from < to) == (from.value_ > 0);
        auto bits = static_cast<std::uint64_t>(abs(from).bits());
        bits = away ? bits + 1 : bits - 1;
        if (F.flushes() && bits < std::uint64_t{1} << F.fraction_bits) bits = 0;
        return copysign(from_bits(static_cast<bits_type>(bits)), from);
    }

    // To integers, whatever the processor's rounding mode; a result beyond F's numbers overflows by its policy.
    friend constexpr Float floor(Float x) { return x.to_integer(detail::ToInteger::down); }
    friend constexpr Float ceil(Float x) { return x.to_integer(detail::ToInteger::up); }
    friend constexpr Float trunc(Float x) { return x.to_integer(detail::ToInteger::toward_zero); }
    /// Halves away from zero.
    friend constexpr Float round(Float x) { return x.to_integer(detail::ToInteger::nearest_away); }
    /// Halves to even.
    friend constexpr Float rint(Float x) { return x.to_integer(detail::ToInteger::nearest_even); }

private:
    static constexpr bool kInFloat = std::same_as<carrier_type, float>;
    static constexpr bool kNative = detail::kNative<F, carrier_type>;
    static constexpr bool kWideRounding = detail::kWideRounding<F>;
    static constexpr bool kNearestProduct = detail::kHasFusedProduct && kInFloat && F.fraction_bits < 23 &&
                                            F == formats::ieee(F.fraction_bits, 8).with(Subnormals::flush);
    /// In float only where the tail is cheap to use; otherwise the exact product in double costs less.
    static constexpr bool kFusedProduct =
        detail::kHasFusedProduct && kWideRounding && (!kInFloat || F.truncates() || F.fraction_bits == 23);

    static constexpr carrier_type rounded(double value);
    template <std::integral Integer> static constexpr carrier_type from_integer(Integer value);
    template <Format G> static constexpr carrier_type from_format(Float<G> other);
    static constexpr carrier_type sum(carrier_type a, carrier_type b);
    static constexpr carrier_type product(carrier_type a, carrier_type b);
    static constexpr carrier_type quotient(carrier_type a, carrier_type b);
    static constexpr carrier_type root(carrier_type a);
    static constexpr carrier_type product_sum(carrier_type a, carrier_type b, carrier_type c);
    static constexpr carrier_type narrow(double value) { return static_cast<carrier_type>(value); }
    [[nodiscard]] constexpr Float to_integer(detail::ToInteger way) const {
        return Float(detail::to_integer(static_cast<double>(value_), way));
    }

    carrier_type value_ = 0;
};

template <Format F> constexpr auto Float<F>::rounded(double value) -> carrier_type {
    if (std::is_constant_evaluated()) return narrow(exact::convert(F, value));
    return detail::round_double<F, carrier_type>(value == value ? value : exact::detail::kNaN);
}

template <Format F>
template <std::integral Integer>
constexpr auto Float<F>::from_integer(Integer value) -> carrier_type {
    static_assert(sizeof(Integer) <= 8);
    if constexpr (sizeof(Integer) <= 4) return rounded(static_cast<double>(value));
    const bool negative = value < 0;
    const auto magnitude = static_cast<std::uint64_t>(value);
    return narrow(exact::from_integer(F, negative ? 0 - magnitude : magnitude, negative, 0));
}

template <Format F> template <Format G> constexpr auto Float<F>::from_format(Float<G> other) -> carrier_type {
    if constexpr (F.contains(G)) return static_cast<carrier_type>(other.carrier());
    return rounded(static_cast<double>(other.carrier()));
}

// In constant evaluation the compiler refuses what overflows or makes a NaN, so there the integer form serves.

template <Format F> constexpr auto Float<F>::sum(carrier_type a, carrier_type b) -> carrier_type {
    if (std::is_constant_evaluated()) return narrow(exact::add(F, static_cast<double>(a), static_cast<double>(b)));
    return detail::rounded_sum<F>(a, b);
}

template <Format F> constexpr auto Float<F>::product(carrier_type a, carrier_type b) -> carrier_type {
    if (std::is_constant_evaluated()) return narrow(exact::mul(F, static_cast<double>(a), static_cast<double>(b)));
    if constexpr (kNative) return a * b;
    else if constexpr (kNearestProduct) return detail::nearest_product<F>(a, b);
    else if constexpr (kFusedProduct) return detail::fused_product<F>(a, b);
    else if constexpr (kInFloat && F.flushes()) return detail::flushed_product<F>(a, b);
    else if constexpr (kInFloat) return detail::round_double<F, float>(static_cast<double>(a) * static_cast<double>(b));
    else if constexpr (kWideRounding) return detail::wide_product<F>(a, b);
    else return exact::mul(F, a, b);
}

template <Format F> constexpr auto Float<F>::quotient(carrier_type a, carrier_type b) -> carrier_type {
    if (std::is_constant_evaluated()) return narrow(exact::div(F, static_cast<double>(a), static_cast<double>(b)));
    if constexpr (kNative) return a / b;
    else if constexpr (kInFloat) return detail::round_double<F, float>(static_cast<double>(a) / static_cast<double>(b));
    else if constexpr (kWideRounding) return detail::wide_quotient<F>(a, b);
    else return exact::div(F, a, b);
}

template <Format F> constexpr auto Float<F>::root(carrier_type a) -> carrier_type {
    if (std::is_constant_evaluated()) return narrow(exact::sqrt(F, static_cast<double>(a)));
    if constexpr (kNative) return std::sqrt(a);
    else if constexpr (kInFloat) return detail::round_double<F, float>(std::sqrt(static_cast<double>(a)));
    else if constexpr (kWideRounding) return detail::wide_root<F>(a);
    else return exact::sqrt(F, a);
}

template <Format F>
constexpr auto Float<F>::product_sum(carrier_type a, carrier_type b, carrier_type c) -> carrier_type {
    if (std::is_constant_evaluated())
        return narrow(exact::fma(F, static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)));
    if constexpr (kNative) return std::fma(a, b, c);
    else if constexpr (kInFloat)
        return detail::round_double<F, float>(
            detail::sum_to_odd(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)));
    else return exact::fma(F, a, b, c);
}

template <Format F> constexpr auto Float<F>::bits() const -> bits_type {
    constexpr int kM = F.fraction_bits;
    constexpr std::uint64_t kExponentOnes = (std::uint64_t{1} << F.exponent_bits) - 1;
    const auto wide = std::bit_cast<std::uint64_t>(static_cast<double>(value_));
    const std::uint64_t sign = (wide >> 63) << (F.width() - 1);
    const std::uint64_t significand = (wide & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1} << 52);
    const int exponent = static_cast<int>((wide >> 52) & 0x7FF) - 1023;
    if (value_ != value_) return static_cast<bits_type>((kExponentOnes << kM) | (std::uint64_t{1} << (kM - 1)));
    if (value_ == 0) return static_cast<bits_type>(sign);
    if (exponent == 1024) return static_cast<bits_type>(sign | (kExponentOnes << kM));
    if constexpr (F.exponent_bits == 11) // double's own layout, subnormal numbers and all
        return static_cast<bits_type>(sign | ((wide & (~std::uint64_t{0} >> 1)) >> (52 - kM)));
    if (exponent < F.min_exponent()) {
        const int shift = F.min_exponent() - exponent + 52 - kM;
        return static_cast<bits_type>(sign | (significand >> shift));
    }
    const auto field = static_cast<std::uint64_t>(exponent + F.bias());
    return static_cast<bits_type>(sign | (field << kM) | ((significand >> (52 - kM)) & ((std::uint64_t{1} << kM) - 1)));
}

template <Format F> constexpr Float<F> Float<F>::from_bits(bits_type bits) {
    constexpr int kM = F.fraction_bits;
    constexpr std::uint64_t kExponentOnes = (std::uint64_t{1} << F.exponent_bits) - 1;
    const std::uint64_t pattern = bits;
    const std::uint64_t fraction = pattern & ((std::uint64_t{1} << kM) - 1);
    const std::uint64_t field = (pattern >> kM) & kExponentOnes;
    const std::uint64_t sign = ((pattern >> (F.width() - 1)) & 1) << 63;
    std::uint64_t magnitude = 0;
    if (field == kExponentOnes) {
        if (fraction != 0) return from_carrier(narrow(exact::detail::kNaN));
        magnitude = std::uint64_t{0x7FF} << 52;
    } else if (field != 0) {
        magnitude = ((field + 1023 - static_cast<std::uint64_t>(F.bias())) << 52) | (fraction << (52 - kM));
    } else if (fraction != 0 && !F.flushes()) {
        const double unit = Format::power_of_two(F.min_exponent() - kM);
        magnitude = std::bit_cast<std::uint64_t>(static_cast<double>(fraction) * unit);
    }
    return from_carrier(narrow(std::bit_cast<double>(magnitude | sign)));
}

} // namespace mantissa

/// Floats that compare equal hash equal.
template <mantissa::Format F> struct std::hash<mantissa::Float<F>> {
    std::size_t operator()(mantissa::Float<F> x) const noexcept {
        return std::hash<typename mantissa::Float<F>::carrier_type>{}(x.carrier());
    }
};

template <mantissa::Format F> class std::numeric_limits<mantissa::Float<F>> {
    using Number = mantissa::Float<F>;
    using Carrier = typename Number::carrier_type;
    static constexpr Number number(double x) { return Number::from_carrier(static_cast<Carrier>(x)); }

public:
    static constexpr bool is_specialized = true;
    static constexpr bool is_signed = true;
    static constexpr bool is_integer = false;
    static constexpr bool is_exact = false;
    static constexpr bool has_infinity = true;
    static constexpr bool has_quiet_NaN = true;
    static constexpr bool has_signaling_NaN = false;
    static constexpr std::float_denorm_style has_denorm = F.flushes() ? std::denorm_absent : std::denorm_present;
    static constexpr bool has_denorm_loss = false;
    static constexpr std::float_round_style round_style =
        F.truncates() ? std::round_toward_zero : std::round_to_nearest;
    static constexpr bool is_iec559 = F == mantissa::formats::ieee(F.fraction_bits, F.exponent_bits);
    static constexpr bool is_bounded = true;
    static constexpr bool is_modulo = false;
    static constexpr int digits = F.precision();
    static constexpr int digits10 = F.fraction_bits * 30103 / 100000;
    static constexpr int max_digits10 = 2 + F.precision() * 30103 / 100000;
    static constexpr int radix = 2;
    static constexpr int min_exponent = F.min_exponent() + 1;
    static constexpr int min_exponent10 = -((-F.min_exponent()) * 30103 / 100000);
    static constexpr int max_exponent = F.max_exponent() + 1;
    static constexpr int max_exponent10 = (F.max_exponent() + 1) * 30103 / 100000;
    static constexpr bool traps = false;
    static constexpr bool tinyness_before = false;

    static constexpr Number min() noexcept { return number(F.min_normal()); }
    static constexpr Number max() noexcept { return number(F.max()); }
    static constexpr Number lowest() noexcept { return number(-F.max()); }
    static constexpr Number epsilon() noexcept { return Number(F.epsilon()); }
    /// In units in the last place: one for truncation, a half for nearest.
    static constexpr Number round_error() noexcept { return Number(F.truncates() ? 1.0 : 0.5); }
    static constexpr Number denorm_min() noexcept { return number(F.min_positive()); }
    static constexpr Number infinity() noexcept { return number(mantissa::exact::detail::infinity(false)); }
    static constexpr Number quiet_NaN() noexcept { return number(mantissa::exact::detail::kNaN); }
    static constexpr Number signaling_NaN() noexcept { return quiet_NaN(); }
};
