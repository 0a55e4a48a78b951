// Float<F> in {fmt}, printed as the double of the same value. The one header here that needs {fmt}: for programs that
// use it themselves.
#pragma once

#include <fmt/format.h>

#include "mantissa/float.hpp"

template <mantissa::Format F> struct fmt::formatter<mantissa::Float<F>> : fmt::formatter<double> {
    template <class Context> auto format(mantissa::Float<F> x, Context& context) const {
        return fmt::formatter<double>::format(static_cast<double>(x), context);
    }
};
