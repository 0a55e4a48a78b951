// A whole comparison: gather, join, store. Internal to host/.
#pragma once

#include "gather.hpp"

namespace mantissa::detail {

/// Gathers what the store lacks, joins, and stores the document under the comparison's name. Returns the document.
Json run_comparison(const Comparison& comparison, const GatherOptions& options);

} // namespace mantissa::detail
