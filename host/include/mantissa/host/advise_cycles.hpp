// Which multilevel cycle a matrix asks for: its levels, and the shortest words that keep the iterations of the same
// cycle in double precision. Trial solves judge. docs/advise.md has the rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mantissa/host/advise.hpp"
#include "mantissa/multilevel/cycle_spec.hpp"

namespace mantissa {

/// Words are taken where a solve with them takes at most so many times the iterations of the cycle in double precision
/// (one iteration more at least).
inline constexpr double kMostTimesOfCycles = 1.25;

/// A solve that was tried.
struct CycleTrial {
    CycleSpec spec;
    bool converged = false;
    std::uint64_t iterations = 0; ///< cycles
    double work = 0;              ///< of all iterations, in products with the matrix
    double seconds = 0;           ///< processor time, set-up and verdict included
    std::string ended;            ///< how, where it has not converged
};

/// The levels, as they are in double precision.
struct LevelsMeasured {
    std::string why_not;               ///< not empty: no hierarchy is worth its work
    bool of_grid = false;              ///< every second node of a grid; else by smoothed aggregation
    std::vector<std::size_t> unknowns; ///< of each, the finest first
    std::string in_words; ///< what a constant stencil has in their place where a cycle is in words; else empty
    double entries = 0;   ///< of all levels' matrices, over those of the first
    double transfers = 0; ///< entries of all interpolations, likewise
    /// What couples unknowns by a positive number, of all magnitudes off the diagonal of the matrix scaled to a unit
    /// diagonal: smooth errors are then not those that aggregates of ones show (plates, shells).
    double positive = 0;
    /// Of a grid: how many times as strong the couplings along one direction of a row are as along the other, the
    /// geometric mean; 1 for rows of other kinds.
    double anisotropy = 1;
    /// Products with the matrix that an iteration takes: its smoothing steps and interpolations, and one around them.
    [[nodiscard]] double work(const CycleSpec& spec) const {
        return 1 + entries * (spec.before + spec.after) + 2 * transfers;
    }
};

struct CycleAdvice {
    std::size_t size = 0;
    LevelsMeasured levels;
    bool jacobi_reached = false; ///< CG in double precision on the matrix scaled to a unit diagonal
    bool indefinite = false;     ///< ... found p.Ap below zero
    std::uint64_t jacobi_iterations = 0;
    double jacobi_seconds = 0;           ///< processor time of its iterations
    std::vector<CycleTrial> in_double;   ///< shapes that were tried in double precision
    std::optional<CycleTrial> reference; ///< the one that converged with the least work
    std::optional<CycleTrial> advised;   ///< the shortest words
    bool within = false;                 ///< ... take at most kMostTimesOfCycles of the reference's iterations
    bool time_up = false;                ///< before every word could be tried
    int trials = 0;                      ///< in words
    double seconds = 0;                  ///< processor time of all of it
    std::string why_not;                 ///< without `advised`: why, a plain sentence's second half
    [[nodiscard]] bool found() const { return advised.has_value(); }
    /// Does the advised cycle take less work than CG alone?
    [[nodiscard]] bool pays() const {
        return found() && (!jacobi_reached || advised->work < static_cast<double>(jacobi_iterations));
    }
};

/// The shape of `asked`, steps before and after; of CycleSpec's usual text, "v11,w=10", v22 is tried too. Within the
/// time of AdviceOptions, of which `inner` and `refusal` mean nothing here. Throws InvalidInput where the matrix is not
/// symmetric, and when an option is out of range.
CycleAdvice advise_cycles(const Problem& problem, const CycleSpec& asked, const AdviceOptions& options,
                          const AdviceProgress& progress = {});

/// The solve with a cycle.
SolveOptions cycle_solve_options(const CycleSpec& spec, const AdviceOptions& options);

/// The advice in plain sentences, a line each.
std::string cycle_advice_text(const Problem& problem, const CycleAdvice& advice, double tolerance);

/// The `mantissa solve` with a cycle, as one would type it; and with Jacobi CG alone.
std::string cycle_command(const Problem& problem, const CycleSpec& spec, double tolerance);
std::string jacobi_command(const Problem& problem, double tolerance);

} // namespace mantissa
