// Solve options from text, the same on the command line and in sweep files. Internal to host/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mantissa/host/solve.hpp"

namespace mantissa::sweeps {

// Each throws InvalidInput with one line.
Recurrence parse_recurrence(std::string_view text);
/// "s36e11,s23e8"
std::vector<Format> parse_middle(std::string_view text);
/// "inner=10" or "digits=2"
void set_stop(SolveOptions& options, std::string_view text);

} // namespace mantissa::sweeps
