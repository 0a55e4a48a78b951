// mantissa solve --advise: widths for a matrix.
#pragma once

#include <string>

#include "mantissa/host/advise.hpp"

namespace mantissa::cli {

/// Measures and derives, with a progress line.
Advice advise_with_progress(const Problem& problem, const AdviceOptions& options);

/// Prints the advice, as sentences or as a JSON object.
void print_advice(const Problem& problem, const Advice& advice, bool json);

} // namespace mantissa::cli
