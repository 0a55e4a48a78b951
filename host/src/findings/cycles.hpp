// What a comparison's cores of multilevel cycles say. Internal to host/.
#pragma once

#include <string>
#include <vector>

#include "comparison/document.hpp"

namespace mantissa::findings {

/// The fastest cycle core of each device on the largest grid, beside the fastest design of CG there and the fastest
/// cycles on a GPU. Empty where the comparison has no cycle core.
std::vector<std::string> cycle_sentences(const comparison::ComparisonDocument& document);

} // namespace mantissa::findings
