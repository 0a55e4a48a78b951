// The subcommand `mantissa upset`.
#pragma once

#include "command/command.hpp"

namespace mantissa::cli {

extern const Command kUpset;

} // namespace mantissa::cli
