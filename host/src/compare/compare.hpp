// A whole comparison: gather, join, store. Internal to host/.
#pragma once

#include "compare/gather/gather.hpp"

namespace mantissa::compare {

/// Gathers what the store lacks, joins, and stores the document under the comparison's name. With
/// options.stored_only it only joins. Returns the document.
comparison::ComparisonDocument run_comparison(const Comparison& comparison, const GatherOptions& options);

} // namespace mantissa::compare
