// <charconv> for Fixed<F>: text rounded once into the format, the shortest text that reads back, and the exact one,
// which is finite for every number of a fixed-point format.
//
//     mantissa::Fixed<"fx18.16"_fmt> x;
//     const auto [end, error] = from_chars(text.data(), text.data() + text.size(), x);
//     char buffer[mantissa::kMaxCharacters];
//     const auto written = to_chars(buffer, buffer + sizeof buffer, x);            // 0.1
//     const auto all = to_chars_exact(buffer, buffer + sizeof buffer, x);          // 0.100006103515625
//
// Neither locale nor the processor's rounding mode matters.
#pragma once

#include <charconv>

#include "mantissa/fixed.hpp"
#include "mantissa/float_charconv.hpp"

namespace mantissa {

/// The number at the front of [first, last), in the grammar of std::from_chars, rounded once into the fixed format f by
/// its rounding; its word. std::errc::result_out_of_range where no word holds it (`word` is then the largest or the
/// smallest one) and of nan (then 0). A number that is rounded to zero is no error. Unchanged after
/// std::errc::invalid_argument.
std::from_chars_result from_chars(const char* first, const char* last, const Format& f, fixed::Word& word,
                                  std::chars_format notation = std::chars_format::general);

/// The shortest decimal text that from_chars() reads back as this word of f; of those, the nearest to its value. The
/// shorter of fixed and scientific notation, fixed when equal. std::errc::value_too_large when it does not fit. With
/// `notation`, in that notation (general: the shorter one; hex is exact).
std::to_chars_result to_chars(char* first, char* last, const Format& f, fixed::Word word,
                              std::chars_format notation = std::chars_format::general);

/// The value itself, every digit of it, in fixed notation.
std::to_chars_result to_chars_exact(char* first, char* last, const Format& f, fixed::Word word);

/// The same into and from Fixed<F>.
template <Format F>
std::from_chars_result from_chars(const char* first, const char* last, Fixed<F>& x,
                                  std::chars_format notation = std::chars_format::general) {
    fixed::Word word = x.word();
    const std::from_chars_result result = from_chars(first, last, F, word, notation);
    x = Fixed<F>::from_word(static_cast<typename Fixed<F>::word_type>(word));
    return result;
}
template <Format F>
std::to_chars_result to_chars(char* first, char* last, Fixed<F> x,
                              std::chars_format notation = std::chars_format::general) {
    return to_chars(first, last, F, fixed::Word{x.word()}, notation);
}
template <Format F> std::to_chars_result to_chars_exact(char* first, char* last, Fixed<F> x) {
    return to_chars_exact(first, last, F, fixed::Word{x.word()});
}

} // namespace mantissa
