// <charconv> for Float<F>: text rounded once into the format, and the shortest text that reads back.
//
//     mantissa::Float<"s17e8"_fmt> x;
//     const auto [end, error] = from_chars(text.data(), text.data() + text.size(), x);
//     char buffer[mantissa::kMaxCharacters];
//     const auto written = to_chars(buffer, buffer + sizeof buffer, x);
//
// Of text, nothing is rounded twice: decimal to double to F is not what these do. Neither locale nor the processor's
// rounding mode matters, and no memory is allocated but for texts beside a rounding boundary.
#pragma once

#include <charconv>

#include "mantissa/float.hpp"

namespace mantissa {

/// Enough room for to_chars() without a precision: sign, 17 digits, point, exponent; or the zeros of a small number
/// written as fixed.
inline constexpr int kMaxCharacters = 360;

/// std::from_chars for a format chosen at run time: the number at the front of [first, last), in the grammar of
/// std::from_chars, rounded once into f by its policy. Results as std::from_chars gives them, with one difference: when
/// the text's number lies beyond f's largest one or is rounded (or flushed) to zero, the error is
/// std::errc::result_out_of_range as there, and `value` is what the policy makes of it (infinity, the largest number, a
/// zero), where std::from_chars leaves it alone. Unchanged after std::errc::invalid_argument. Of a fixed format, `value`
/// is the word's, and fixed_charconv.hpp says the rest.
std::from_chars_result from_chars(const char* first, const char* last, const Format& f, double& value,
                                  std::chars_format notation = std::chars_format::general);

/// The shortest decimal text that from_chars() reads back as `value`, a value of f; of those, the nearest to it. The
/// shorter of fixed and scientific notation, fixed when equal; nan, inf. std::errc::value_too_large when it does not
/// fit. With `notation`, in that notation (general: the shorter one; hex is exact).
std::to_chars_result to_chars(char* first, char* last, const Format& f, double value,
                              std::chars_format notation = std::chars_format::general);

/// The same into and from Float<F>.
template <Format F>
std::from_chars_result from_chars(const char* first, const char* last, Float<F>& x,
                                  std::chars_format notation = std::chars_format::general) {
    double value = 0;
    const std::from_chars_result result = from_chars(first, last, F, value, notation);
    if (result.ec != std::errc::invalid_argument)
        x = Float<F>::from_carrier(static_cast<typename Float<F>::carrier_type>(value));
    return result;
}
template <Format F>
std::to_chars_result to_chars(char* first, char* last, Float<F> x,
                              std::chars_format notation = std::chars_format::general) {
    return to_chars(first, last, F, static_cast<double>(x), notation);
}

/// The exact value in `precision` digits, as std::to_chars writes the double of that value.
template <Format F>
std::to_chars_result to_chars(char* first, char* last, Float<F> x, std::chars_format notation, int precision) {
    return std::to_chars(first, last, static_cast<double>(x), notation, precision);
}

} // namespace mantissa
