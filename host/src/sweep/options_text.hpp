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
/// "1:s52e11;2e-3:s23e8,row=s29e8": the relative defect below which each datapath is used, and the datapath.
std::vector<ScheduleStage> parse_schedule(std::string_view text);
/// The text that parse_schedule() reads back.
std::string schedule_text(const std::vector<ScheduleStage>& schedule);
/// "inner=10" or "digits=2"
void set_stop(SolveOptions& options, std::string_view text);

} // namespace mantissa::sweeps
