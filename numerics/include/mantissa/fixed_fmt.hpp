// Fixed<F> in {fmt}, printed as fixed_io.hpp prints it. For programs that use {fmt} themselves, as float_fmt.hpp.
#pragma once

#include <fmt/format.h>

#include "mantissa/fixed_io.hpp"

template <mantissa::Format F>
struct fmt::formatter<mantissa::Fixed<F>> : fmt::formatter<mantissa::detail::PrintedFixed<F>> {
    template <class Context> auto format(mantissa::Fixed<F> x, Context& context) const {
        return fmt::formatter<mantissa::detail::PrintedFixed<F>>::format(mantissa::detail::printed(x), context);
    }
};
