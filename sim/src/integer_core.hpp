// The parameters of fx_core, the integer core: what core_parameters.hpp hands on for fixed-point vectors.
#pragma once

#include "mantissa/sim/core_parameters.hpp"

namespace mantissa::sim {

/// As core_refusal(), of a spec with fixed vectors; the second of what it asks of the matrix alone.
std::string integer_core_refusal(const DatapathSpec& spec);
std::string integer_core_refusal(const DatapathSpec& spec, const System& system);

CoreParameters integer_core_parameters(const DatapathSpec& spec);

/// LenW for a vector: 20, or the next of 24, 28, 32. Sums of dot products are as much longer than their terms, and
/// simulate fast in 64 bits.
int length_bits(std::size_t size);

} // namespace mantissa::sim
