// What of a cycle's spec a constant stencil takes: its coefficients are integers, its interpolation is 4, 2 and 1, and
// its sums are exact (multilevel/grid_words.hpp).
#pragma once

#include <string>

#include "mantissa/multilevel/cycle_spec.hpp"

namespace mantissa {

/// Why it takes no such spec: c, p or s, which cycles on rows have, stand beside their defaults and would do nothing.
/// One line; empty where it takes the spec.
std::string refusal_on_stencils(const CycleSpec& spec);

} // namespace mantissa
