// Fixed<F> in streams and in std::format (where the standard library has it). Printed and read as a floating-point
// number of the same value, so every specification that a double takes works: a double where W <= 53, else a long
// double (on processors whose long double is a double, words of more than 53 bits are printed rounded to it). Text that
// is rounded once, the shortest and the exact one are fixed_charconv.hpp's. {fmt}: fixed_fmt.hpp.
#pragma once

#include <istream>
#include <ostream>
#include <version>

#if defined(__cpp_lib_format)
#include <format>
#endif

#include "mantissa/fixed.hpp"

namespace mantissa {

namespace detail {
/// What Fixed<F> is printed as.
template <Format F>
using PrintedFixed = std::conditional_t<(F.word_bits <= Format::kMaxDoubleWord), double, long double>;
template <Format F> constexpr PrintedFixed<F> printed(Fixed<F> x) {
    using T = PrintedFixed<F>;
    return static_cast<T>(x.word()) * static_cast<T>(Format::power_of_two(-F.fraction_bits));
}
} // namespace detail

template <Format F> std::ostream& operator<<(std::ostream& out, Fixed<F> x) {
    return out << detail::printed(x);
}

/// The number read is rounded to a double and then into F; one that no word holds fails as one beyond double does: the
/// stream's failbit is set and x is the largest or the smallest number. NaN: 0.
template <Format F> std::istream& operator>>(std::istream& in, Fixed<F>& x) {
    double value = 0;
    if (in >> value) {
        const fixed::Rounded rounded = fixed::from_double(F, value);
        x = Fixed<F>::from_word(static_cast<typename Fixed<F>::word_type>(rounded.word));
        if (rounded.overflow) in.setstate(std::ios_base::failbit);
    }
    return in;
}

} // namespace mantissa

#if defined(__cpp_lib_format)
template <mantissa::Format F, class Char>
struct std::formatter<mantissa::Fixed<F>, Char> : std::formatter<mantissa::detail::PrintedFixed<F>, Char> {
    template <class Context> auto format(mantissa::Fixed<F> x, Context& context) const {
        return std::formatter<mantissa::detail::PrintedFixed<F>, Char>::format(mantissa::detail::printed(x), context);
    }
};
#endif
