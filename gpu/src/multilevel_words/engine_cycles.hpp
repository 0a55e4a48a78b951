// The engine gpu's solves by multilevel cycles: Engine::cycles() over WordCycle and over rows.
#pragma once

#include <memory>
#include <string>

#include "mantissa/engine.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"
#include "mantissa/multilevel/cycle_spec.hpp"

namespace mantissa::gpu {

class Peers;

/// On one device, or on `parts` of several (`peers`).
std::string cycles_refusal(const System& system, const CycleSpec& spec, const CycleLoop& loop, int parts = 1);
std::unique_ptr<CycleSolver> make_cycles(const System& system, const CycleSpec& spec, const CycleLoop& loop,
                                         const std::shared_ptr<Peers>& peers = nullptr);

} // namespace mantissa::gpu
