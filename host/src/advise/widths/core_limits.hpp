// What the cores in hardware take (docs/integration.md). Internal to host/.
#pragma once

#include <string>

#include "mantissa/spec.hpp"
#include "mantissa/system.hpp"

namespace mantissa::advising {

/// The longest words of r, p, q and coefficients in hardware, and the shortest.
inline constexpr int kCoreWord = 32, kLeastCoreWord = 3;

/// Empty where a core takes words of these lengths and so many rows; else why not, in half a sentence.
std::string core_refusal(const DatapathSpec& spec, const System& system);

} // namespace mantissa::advising
