// The kernels compiled with the library.
#pragma once

#include <string>

#include "mantissa_hls/abi.hpp"

namespace mantissa::hls {

/// The kernel of a name, the fastest build that this processor runs; nullptr when it is not built in.
const mantissa_hls::Kernel* builtin_kernel(const std::string& name);

} // namespace mantissa::hls
