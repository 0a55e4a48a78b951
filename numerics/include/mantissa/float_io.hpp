// Text for Float<F>: streams and {fmt}. Printed and read as the double of the same value, so every specification that
// a double takes works. Reading rounds into F once from that double.
#pragma once

#include <istream>
#include <ostream>

#include <fmt/format.h>

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

template <mantissa::Format F> struct fmt::formatter<mantissa::Float<F>> : fmt::formatter<double> {
    template <class Context> auto format(mantissa::Float<F> x, Context& context) const {
        return fmt::formatter<double>::format(static_cast<double>(x), context);
    }
};
