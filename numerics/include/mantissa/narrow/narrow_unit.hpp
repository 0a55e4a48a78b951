// Arrays in a narrow format: each element the exact result of the operation, rounded once.
//
// A magnitude x between two neighbours lo < hi of the format (the grid is 2^-M of x's power of two, or of the smallest
// normal number where the format has subnormals) with t = (x - lo) / (hi - lo) becomes
//
//     rz lo     rne the nearer, at t = 1/2 the even one     rna hi where t >= 1/2     odd the one whose last bit is set
//     up, down  hi or lo, by the sign                       sr hi where floor(2^32 t) > the element's random bits
//
// so that sr rounds up with a probability of floor(2^32 t) 2^-32, and never changes a value of the format. Even and odd
// are those of the bit pattern, which in a format without fraction bits ends in the exponent. Without subnormals a
// rounded magnitude below the smallest normal number becomes zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mantissa/narrow/narrow_format.hpp"
#include "mantissa/operation.hpp"

namespace mantissa::narrow {

/// Arithmetic in a narrow format, one operation after the other.
class NarrowUnit {
public:
    /// `seed` is that of stochastic rounding. Throws InvalidInput, one line, where values of the format are no doubles.
    explicit NarrowUnit(const NarrowFormat& format, std::uint64_t seed = 0);

    /// out[i] = a[i] rounded; element i has the random bits of number first + i. Any doubles. In place allowed.
    void round(std::span<const double> a, std::span<double> out, std::uint64_t first = 0) const;

    /// add, sub, mul, div, sqrt, fma, or convert, which is round(). Any doubles; those that are floats' values are
    /// faster in formats whose values are floats. Throws InvalidInput, one line, where the arrays' lengths differ.
    void apply(Operation op, std::span<const double> a, std::span<const double> b, std::span<const double> c,
               std::span<double> out, std::uint64_t first = 0) const;

private:
    NarrowFormat format_;
    std::uint64_t seed_;
};

} // namespace mantissa::narrow
