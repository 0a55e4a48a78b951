// The fastest solve to double accuracy where nobody asked for a way.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mantissa/host/solve.hpp"

namespace mantissa {

/// What is said meanwhile, a line at a time: "multilevel cycles take over ...".
using Say = std::function<void(const std::string&)>;

/// May solve_fastest() take these options, which take_native_default() or a front door chose? Those of the schemes
/// jacobi_pcg, and recurrence where take_native_recurrence() put bicgstab.
[[nodiscard]] bool has_other_ways(const SolveOptions& options);

/// Does solve_fastest() begin with multilevel cycles in words: a constant stencil of at least 60,000 unknowns, from
/// zero, on an engine that has such solves?
[[nodiscard]] bool begins_with_cycles(const Problem& problem, const Engine& engine);

/// Solves for each right-hand side by what `options` say, and by another way where that is the better bet:
///
/// - a constant stencil on an engine that has whole solves by cycles in words: those at once, since their hierarchy
///   costs nothing;
/// - CG preconditioned by the diagonal that is slow (mantissa/pace.hpp): CG preconditioned by multilevel cycles, from
/// the
///   iterate that is there; back to the diagonal where there is no hierarchy or it does not pay;
/// - bicgstab that ends short of the tolerance: gmres(30).
///
/// Where several right-hand sides are given, one way serves all. Decisions are made by iterations, not by a clock.
/// `options` gets those of the last way, and a result counts the iterations and seconds of all. Throws what solve_all()
/// does.
std::vector<SolveResult> solve_fastest(const Problem& problem, const Engine& engine, SolveOptions& options,
                                       const Progress& progress, const Say& say);

} // namespace mantissa
