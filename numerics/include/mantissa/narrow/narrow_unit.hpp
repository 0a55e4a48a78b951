// Arrays in a narrow format: each element the exact result of the operation, rounded once.
//
// A magnitude x between two neighbours lo < hi of the format (the grid is 2^-M of x's power of two, or of the smallest
// normal number where the format has subnormals) with t = (x - lo) / (hi - lo) becomes
//
//     rz lo     rne the nearer, at t = 1/2 the even one     rna hi where t >= 1/2     odd the one whose last bit is set
//     up, down  hi or lo, by the sign                       sr hi where floor(2^32 t) > the element's random bits
//
// so that sr rounds up with a probability of floor(2^32 t) 2^-32, and never changes a value of the format. Without
// subnormals a rounded magnitude below the smallest normal number becomes zero.
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
    /// `seed` is that of stochastic rounding.
    explicit NarrowUnit(const NarrowFormat& format, std::uint64_t seed = 0) : format_(format), seed_(seed) {}

    /// out[i] = a[i] rounded; element i has the random bits of number first + i. Any doubles. In place allowed.
    void round(std::span<const double> a, std::span<double> out, std::uint64_t first = 0) const;

    /// add, sub, mul, div, sqrt, fma, or convert, which is round(). Operands of the others must be values of float, as
    /// all values of narrow formats are; then no intermediate result leaves a double's range. Throws InvalidInput, one
    /// line, where one is not, or the arrays' lengths differ.
    void apply(Operation op, std::span<const double> a, std::span<const double> b, std::span<const double> c,
               std::span<double> out, std::uint64_t first = 0) const;

private:
    NarrowFormat format_;
    std::uint64_t seed_;
};

} // namespace mantissa::narrow
