// `mantissa solve --dense ... --lu tensor:WORDS`: factors by the GPU's tensor cores, refined to double accuracy there.
#pragma once

#include <string_view>

#include "command/dense/solve_dense.hpp"

namespace mantissa::cli {

/// Whether the text after --lu names the tensor cores and not an arithmetic of the engines.
bool names_tensor_cores(std::string_view spec);

/// Solves, prints, and returns the exit code. Throws InvalidInput, one line, for other words and where no device is.
int tensor_solve_command(const DenseFlags& flags);

} // namespace mantissa::cli
