// The order in which the outer loop of refinement adds up norms and projections in double precision. Every place that
// forms them, on the host or on a device, takes it from here, so that all have the same bits.
#pragma once

#include <cstddef>

namespace mantissa::outer_order {

/// Sums of squares: blocks of so many elements, added in order, each of so many interleaved sums closed by halving.
inline constexpr std::size_t kNormBlock = 4096, kNormLanes = 16;

/// Projections r.p: parts of so many elements, likewise. (A part is also what crosses to an inner solver at a time.)
inline constexpr std::size_t kPart = std::size_t{1} << 16, kPartLanes = 8;

} // namespace mantissa::outer_order
