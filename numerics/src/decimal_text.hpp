// Decimal texts of numbers, taken apart and put together: what from_chars() and to_chars() of floating and of
// fixed-point formats share.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include <boost/multiprecision/cpp_int.hpp>

namespace mantissa::detail {

/// A text that std::from_chars accepts, taken apart: sign, digits (a point counted), and the exponent after them.
struct Digits {
    bool negative = false;
    std::string digits; ///< without the point and leading zeros
    long exponent = 0;  ///< of the base, or of 2 after hexadecimal digits
};

/// An exponent (of 10) that far is beyond every format; longer ones are cut to it.
inline constexpr long kFar = 200'000;

Digits take_apart(std::string_view text, bool hex);
/// The integer of such digits, of base 10 or 16.
boost::multiprecision::cpp_int integer(const std::string& digits, bool hex);

/// digits 10^exponent as text, without zeros at the end: the shorter of fixed and scientific notation, fixed when
/// equal, or the one that `notation` names. `digits` has no leading zero and is not zero.
std::string decimal_text(std::string digits, int exponent, bool negative, std::chars_format notation);

/// The text where it fits, else std::errc::value_too_large.
std::to_chars_result put_text(char* first, char* last, std::string_view text);

} // namespace mantissa::detail
