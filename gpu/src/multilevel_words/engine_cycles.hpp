// The engine gpu's solves by multilevel cycles: Engine::cycles() over WordCycle.
#pragma once

#include <memory>
#include <string>

#include "mantissa/engine.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"
#include "mantissa/multilevel/cycle_spec.hpp"

namespace mantissa::gpu {

std::string cycles_refusal(const System& system, const CycleSpec& spec, const CycleLoop& loop);
std::unique_ptr<CycleSolver> make_cycles(const System& system, const CycleSpec& spec, const CycleLoop& loop);

} // namespace mantissa::gpu
