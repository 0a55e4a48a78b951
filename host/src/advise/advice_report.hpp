// Advice as a command gives it: with a progress line, as sentences or JSON. Internal to host/.
#pragma once

#include <optional>
#include <string>

#include "hardware.hpp"
#include "mantissa/host/advise.hpp"
#include "mantissa/host/advise_cycles.hpp"

namespace mantissa::advising {

/// Measures and derives, with a progress line.
Advice advise_with_progress(const Problem& problem, const AdviceOptions& options);
CycleAdvice advise_cycles_with_progress(const Problem& problem, const CycleSpec& asked, const AdviceOptions& options);

/// Prints the advice on cycles, as sentences or as a JSON object.
void print_cycle_advice(const Problem& problem, const CycleAdvice& advice, double tolerance, bool json);

/// Prints the advice, as sentences or as a JSON object, with the hardware where there is one.
void print_advice(const Problem& problem, const Advice& advice, const std::optional<Hardware>& hardware, bool json);

} // namespace mantissa::advising
