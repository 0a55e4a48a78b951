// Values of solve options as text, the same wherever they are written. Internal to host/src/options/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mantissa/host/solve.hpp"

namespace mantissa::options {

// Each throws InvalidInput with one line.
/// "0.01,4.2"
SpectrumBounds parse_bounds(std::string_view text);
/// The text that parse_bounds() reads back.
std::string bounds_text(const SpectrumBounds& bounds);
/// "s36e11,s23e8"
std::vector<Format> parse_middle(std::string_view text);
/// "1:s52e11;2e-3:s23e8,row=s29e8": the relative defect below which each datapath is used, and the datapath.
std::vector<ScheduleStage> parse_schedule(std::string_view text);
/// The text that parse_schedule() reads back.
std::string schedule_text(const std::vector<ScheduleStage>& schedule);
/// The text that parse_middle() reads back.
std::string middle_text(const std::vector<Format>& formats);

/// What stands in front of a recurrence: "none", "jacobi" (scaling by the diagonal) or "multilevel[:CYCLE]", as
/// multilevel:v11,w=10 (mantissa/multilevel/cycle_spec.hpp). Sets `jacobi` and `preconditioner`. Throws InvalidInput,
/// one line.
void set_preconditioner(SolveOptions& options, std::string_view text);
/// Does a preconditioner's text leave the cycle to the program? kUsualCycle then, or what the recurrence wants.
bool names_no_cycle(std::string_view text);
inline constexpr std::string_view kUsualCycle = "v11,w=10", kUsualCycleOfBicgstab = "v11,w=double";
/// "none", "jacobi", "multilevel:v11,w=10".
std::string preconditioner_text(const SolveOptions& options);

/// What ends a solve: "energy=1e-6", or "residual=1e-10", which is the tolerance. Throws InvalidInput, one line.
void set_stop(SolveOptions& options, std::string_view text);
/// "energy=1e-06", or "residual=1e-10".
std::string stop_text(const SolveOptions& options);

} // namespace mantissa::options
