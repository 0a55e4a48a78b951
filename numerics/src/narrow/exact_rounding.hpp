// What narrow_unit.hpp defines, in integers: exact results of operations on any doubles, and their one rounding. Slow,
// and for every format whose values are doubles.
#pragma once

#include <cstdint>

#include "mantissa/narrow/narrow_format.hpp"
#include "mantissa/operation.hpp"

namespace mantissa::narrow {

/// What becomes of results that are no finite number between the format's extremes.
struct Extremes {
    double over[2];     ///< beyond the largest number, above and below zero
    double infinite[2]; ///< infinite results
    double negative;    ///< without a sign: a finite result below zero
    double zero;        ///< a zero: NaN where the format has none

    explicit Extremes(const NarrowFormat& f);
};

/// The exact result of the operation on finite or infinite numbers or NaN, rounded once into f, whose values are
/// doubles; `convert` rounds a. `random`: what random_bits() gives.
double exact_round(const NarrowFormat& f, Operation op, double a, double b, double c, std::uint32_t random);

} // namespace mantissa::narrow
