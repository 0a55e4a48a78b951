// The solution schemes after solve(). Each works on the (already scaled) problem, updates u and d in place, counts in
// the context and leaves the status there.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "context.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/host/problem.hpp"

namespace mantissa::solving {

void solve_defect_correction(const Problem& problem, const Engine& engine, std::vector<double>& u,
                             std::vector<double>& d, SolveContext& context);
/// Where the session keeps the vectors shared out, u and d are given up meanwhile, and for good where the context has a
/// verdict for such an iterate.
void solve_residual_guided(const Problem& problem, const Engine& engine, std::vector<double>& u, std::vector<double>& d,
                           SolveContext& context);
/// Flexible preconditioned CG in double, preconditioned by steps of CG on an engine.
void solve_inexact_pcg(const Problem& problem, const Engine& engine, std::vector<double>& u, std::vector<double>& d,
                       SolveContext& context);
/// Residual guided on a core that runs its outer steps too; adds to u what solves A x = d.
void solve_resident(const Problem& problem, const Engine& engine, std::vector<double>& u, std::vector<double>& d,
                    SolveContext& context);
/// In native arithmetic by the engine's own solver; adds to u what solves A x = d. d stays.
void solve_native(const Problem& problem, const Engine& engine, std::vector<double>& u, const std::vector<double>& d,
                  SolveContext& context);
/// Throws InvalidInput, one line, where such a solve cannot be.
void check_native(const Problem& problem, const Engine& engine, const SolveOptions& options);
/// What an engine has around its cycles: CG or nothing, u in words where the cycles' grid has words, or as asked for.
CycleLoop loop_around_cycles(const Problem& problem, const SolveOptions& options);
/// Multilevel cycles, the loop around them included, by the engine itself; adds to u what solves A x = d.
void solve_cycles(const Problem& problem, const Engine& engine, std::vector<double>& u, const std::vector<double>& d,
                  SolveContext& context);
/// CG or pipelined CG on the whole problem in one run.
void solve_direct(const Problem& problem, const Engine& engine, std::span<double> u, std::span<double> d,
                  SolveContext& context);
/// A recurrence that its definition is read for (recurrence_of()), in the spec's formats on this processor; the best
/// iterate that it passes.
void solve_recurrence(const Problem& problem, std::span<double> u, std::span<double> d, SolveContext& context);

/// GMRES(m) on the whole problem, in the spec's formats on this processor.
void solve_gmres(const Problem& problem, std::span<double> u, std::span<double> d, SolveContext& context);
/// The end of every direct solve, by the true defect of u, which is left in d: `said_reached` and `trouble` are what
/// the recurrence believes.
void judge_direct(const Problem& problem, std::span<const double> u, std::span<double> d, bool said_reached,
                  const std::string& trouble, SolveContext& context);

} // namespace mantissa::solving
