// mantissa bench cpu. Internal to host/.
#pragma once

#include "command/command.hpp"

namespace mantissa::cli {

/// The options of `mantissa bench cpu`.
Run setup_bench_cpu(CLI::App& app);

} // namespace mantissa::cli
