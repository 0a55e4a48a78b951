// What an outer loop does to single elements where its vectors meet those of a session. Every processor that holds some
// of them has it from here, so that all have the same bits.
#pragma once

#include <span>

#include "mantissa/spec.hpp"

namespace mantissa::outer {

class Elements {
public:
    /// `spec` is the session's.
    explicit Elements(const DatapathSpec& spec) : u_(spec.u), fixed_(spec.fixed_vectors()) {}
    /// r = d / scale. As many elements of both; r may be d.
    void direction(double scale, std::span<const double> d, std::span<double> r) const;
    /// c, the session's u, becomes what is to be added to the outer one: c + alpha p, of a fixed u with alpha p on its
    /// grid, as the next pass would have it. As many elements of both.
    void step(double alpha, std::span<const double> p, std::span<double> c) const;

private:
    Format u_;
    bool fixed_;
};

} // namespace mantissa::outer
