#include "decimal_text.hpp"

#include <algorithm>
#include <cstdlib>

namespace mantissa::detail {

namespace {

constexpr std::size_t kSignificant = 1100; ///< no number between two doubles' middles has more decimal digits

} // namespace

Digits take_apart(std::string_view text, bool hex) {
    Digits d;
    if (!text.empty() && text.front() == '-') {
        d.negative = true;
        text.remove_prefix(1);
    }
    const auto mark = text.find_first_of(hex ? "pP" : "eE");
    std::string_view mantissa = text.substr(0, mark);
    bool after_point = false;
    long point = 0;
    for (const char c : mantissa) {
        if (c == '.') {
            after_point = true;
            continue;
        }
        point += after_point ? 1 : 0;
        if (c != '0' || !d.digits.empty()) d.digits.push_back(c);
    }
    // What is cut off counts as one more digit, which is not zero unless all of it is.
    if (d.digits.size() > kSignificant) {
        point -= static_cast<long>(d.digits.size() - kSignificant) - 1;
        const bool rest = d.digits.find_first_not_of('0', kSignificant) != std::string::npos;
        d.digits.resize(kSignificant);
        d.digits.push_back(rest ? '1' : '0');
    }
    if (mark != std::string_view::npos) {
        std::string_view exponent = text.substr(mark + 1);
        if (!exponent.empty() && exponent.front() == '+') exponent.remove_prefix(1);
        if (std::from_chars(exponent.data(), exponent.data() + exponent.size(), d.exponent).ec != std::errc())
            d.exponent = exponent.front() == '-' ? -10 * kFar : 10 * kFar;
    }
    d.exponent = std::clamp(d.exponent, -10 * kFar, 10 * kFar) - point * (hex ? 4 : 1);
    return d;
}

boost::multiprecision::cpp_int integer(const std::string& digits, bool hex) {
    constexpr std::size_t kChunk = 15; // below 2^64 in either base
    boost::multiprecision::cpp_int value = 0;
    for (std::size_t i = 0; i < digits.size(); i += kChunk) {
        const std::string chunk = digits.substr(i, kChunk);
        std::uint64_t part = 0, scale = 1;
        std::from_chars(chunk.data(), chunk.data() + chunk.size(), part, hex ? 16 : 10);
        for (std::size_t k = 0; k < chunk.size(); ++k) scale *= hex ? 16 : 10;
        value *= scale;
        value += part;
    }
    return value;
}

std::string decimal_text(std::string digits, int exponent, bool negative, std::chars_format notation) {
    while (digits.back() == '0') {
        digits.pop_back();
        ++exponent;
    }
    const auto count = static_cast<int>(digits.size());
    const int leading = exponent + count - 1; // of the first digit
    const std::string power = std::to_string(std::abs(leading));
    const std::string scientific = digits.substr(0, 1) + (count > 1 ? "." + digits.substr(1) : "") +
                                   (leading < 0 ? "e-" : "e+") + (power.size() < 2 ? "0" : "") + power;
    std::string fixed;
    if (exponent >= 0) fixed = digits + std::string(static_cast<std::size_t>(exponent), '0');
    else if (leading >= 0)
        fixed = digits.substr(0, static_cast<std::size_t>(leading) + 1) + "." +
                digits.substr(static_cast<std::size_t>(leading) + 1);
    else fixed = "0." + std::string(static_cast<std::size_t>(-leading) - 1, '0') + digits;
    const bool fixed_serves = notation == std::chars_format::fixed ||
                              (notation == std::chars_format::general && fixed.size() <= scientific.size());
    return (negative ? "-" : "") + (fixed_serves ? fixed : scientific);
}

std::to_chars_result put_text(char* first, char* last, std::string_view text) {
    if (last - first < static_cast<std::ptrdiff_t>(text.size())) return {last, std::errc::value_too_large};
    return {std::copy(text.begin(), text.end(), first), std::errc()};
}

} // namespace mantissa::detail
