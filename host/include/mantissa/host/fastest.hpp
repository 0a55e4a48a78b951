// The fastest solve to double accuracy where nobody asked for a way.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mantissa/host/solve.hpp"

namespace mantissa {

/// What is said meanwhile, a line at a time: "multilevel cycles take over ...".
using Say = std::function<void(const std::string&)>;

/// May solve_fastest() take these options, which take_native_default() or a front door chose? Those of the schemes
/// jacobi_pcg, and recurrence where take_native_recurrence() put bicgstab.
[[nodiscard]] bool has_other_ways(const SolveOptions& options);

/// The multilevel cycle that solve_fastest() begins with on this engine; none where it begins with what is asked for.
[[nodiscard]] std::optional<SolveOptions> first_cycles(const Problem& problem, const Engine& engine,
                                                       const SolveOptions& options);

/// Solves for each right-hand side by what `options` say, and by another way where that is the better bet:
///
/// - on an engine that has whole solves by cycles itself (a GPU): those first. Of a constant stencil in words, since
/// its
///   hierarchy costs nothing; of others CG preconditioned by cycles, since the levels are made there in less time than
///   the layout that CG's fast kernels want. CG preconditioned by the diagonal where there is no hierarchy, or where it
///   does not pay.
/// - on this processor CG preconditioned by the diagonal, and where that is slow (mantissa/pace.hpp), CG preconditioned
///   by cycles, from the iterate that is there; back to the diagonal where there is no hierarchy or it does not pay.
/// - of a matrix that is not symmetric bicgstab, and gmres(30) where that ends short of the tolerance.
///
/// Where several right-hand sides are given, one way serves all. Decisions are made by iterations, not by a clock.
/// `options` gets those of the last way, and a result counts the iterations and seconds of all. Throws what solve_all()
/// does.
std::vector<SolveResult> solve_fastest(const Problem& problem, const Engine& engine, SolveOptions& options,
                                       const Progress& progress, const Say& say);

} // namespace mantissa
