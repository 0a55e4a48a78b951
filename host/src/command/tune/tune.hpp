// The subcommand `mantissa tune`.
#pragma once

#include "command/command.hpp"

namespace mantissa::cli {

extern const Command kTune;

} // namespace mantissa::cli
