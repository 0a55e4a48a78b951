#include "mantissa/accumulate.hpp"

#include "mantissa/window_units.hpp"

namespace mantissa {

std::int64_t FixedAccumulator::product_units(const FixedWindow& window, double a, double b, bool& fits) {
    return mantissa::product_units(window, a, b, fits);
}

} // namespace mantissa
