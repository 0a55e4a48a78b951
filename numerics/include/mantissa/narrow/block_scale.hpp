// The scale of one block of MX words, for whoever keeps scales and elements apart; block_format.hpp has the rules.
#pragma once

#include "mantissa/narrow/block_format.hpp"

namespace mantissa::narrow {

/// The scale of a block of f whose largest magnitude is `most`, at least 0: a power of two from 2^-127 to 2^127, or NaN
/// where the whole block is. Throws InvalidInput, one line, where f is none.
double block_scale(const BlockFormat& f, double most);

} // namespace mantissa::narrow
