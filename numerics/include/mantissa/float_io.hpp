// Float<F> in streams and in std::format (where the standard library has it). Printed and read as the double of the
// same value, so every specification that a double takes works. Reading rounds that double into F: text that must be
// rounded just once, and the shortest text that reads back, are float_charconv.hpp's. {fmt}: float_fmt.hpp.
#pragma once

#include <istream>
#include <ostream>
#include <version>

#if defined(__cpp_lib_format)
#include <format>
#endif

#include "mantissa/float.hpp"

namespace mantissa {

template <Format F> std::ostream& operator<<(std::ostream& out, Float<F> x) {
    return out << static_cast<double>(x);
}

template <Format F> std::istream& operator>>(std::istream& in, Float<F>& x) {
    double value = 0;
    if (in >> value) x = Float<F>(value);
    return in;
}

} // namespace mantissa

#if defined(__cpp_lib_format)
template <mantissa::Format F, class Char>
struct std::formatter<mantissa::Float<F>, Char> : std::formatter<double, Char> {
    template <class Context> auto format(mantissa::Float<F> x, Context& context) const {
        return std::formatter<double, Char>::format(static_cast<double>(x), context);
    }
};
#endif
