// Inner solvers of iterative refinement: given a normalised defect r, an approximate solution of A c = r.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "context.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/outer/cycle_vectors.hpp"
#include "mantissa/outer_order.hpp"
#include "mantissa/recurrence/preconditioner.hpp"
#include "outer/best_iterate.hpp"
#include "outer/outer_arithmetic.hpp"

namespace mantissa::solving {

/// Elements that move between an outer loop and an inner solver at a time; bounds the memory that crossing takes.
inline constexpr std::size_t kTransfer = outer_order::kPart;

/// Runs passes, some at a time between looks at progress and cancellation: as many as take a twentieth of a second or
/// so. Always as many where clocks are counted, for each start takes one, and the count is not to hang on this machine.
class Batch {
public:
    /// `one_by_one`: the scalars of every pass are looked at.
    RunReport run(Session& session, RunRequest request, bool one_by_one = false) {
        request.passes = std::min(request.passes, one_by_one ? 1 : passes_);
        const auto begin = std::chrono::steady_clock::now();
        const RunReport report = session.run(request);
        if (!one_by_one && !report.cycles && report.passes == passes_ &&
            std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(20))
            passes_ *= 2;
        return report;
    }

private:
    std::uint64_t passes_ = 64;
};

/// sum a_i b_i in fixed blocks, added in order; the blocks arrive one after the other.
class BlockDot {
public:
    void add(std::span<const double> a, std::span<const double> b) {
        sum_ += outer_order::part_sum(a.size(), [&](std::size_t i) { return a[i] * b[i]; });
    }
    [[nodiscard]] double total() const { return sum_; }

private:
    double sum_ = 0;
};

struct InnerGoal {
    std::uint64_t steps = 0; ///< at most this many CG steps; 0: until `reduction` (or the solve's limit)
    double reduction = 0;    ///< stop once the inner defect has fallen by this factor (10^-digits); 0: never
    double global = 0;       ///< stop once the inner defect norm is below this (the global test)
    double square = 1;       ///< of the right-hand side's norm
    double energy_unit = 0;  ///< what an energy has to be multiplied by for the outer loop's units, where its drops are
                             ///< to be handed to the context; 0: they are not
};

struct InnerOutcome {
    bool reached_global = false;
    bool reached_energy = false; ///< the context's drops said so
    bool useful = false;         ///< at least one step was made and the correction is finite
    bool overflow = false;       ///< a word overflowed, and the correction means nothing
    WordUse words;               ///< the longest words
    std::string trouble;         ///< why the inner solver ended early, when it did
};

class InnerSolver {
public:
    InnerSolver() = default;
    InnerSolver(const InnerSolver&) = delete;
    InnerSolver& operator=(const InnerSolver&) = delete;
    virtual ~InnerSolver() = default;
    /// Writes elements first .. first + values.size() - 1 of a right-hand side into `values`.
    using Fill = std::function<void(std::size_t first, std::span<double> values)>;
    /// Solves A c = r approximately from c = 0, with `r` to fetch the right-hand side, a part at a time.
    virtual InnerOutcome solve(const Fill& r, const InnerGoal& goal, SolveContext& context) = 0;
    /// Does it take a defect of any norm, and scale it itself?
    [[nodiscard]] virtual bool scales_itself() const { return false; }
    /// Elements of the correction.
    virtual void read(std::size_t first, std::span<double> values) = 0;
};

/// The scalar of a recurrence that its alpha divides by, p.A p in exact arithmetic; empty where it has none.
std::string_view divisor(const recurrence::Definition& definition);

/// What the options ask for: a cycle, or CG on the engine.
std::unique_ptr<InnerSolver> make_inner_solver(const Problem& problem, const Engine& engine,
                                               const SolveContext& context);
/// z = the cycle's correction, counted and shown. False when the solve has its status.
bool correct_by_cycle(CycleVectors& vectors, SolveContext& context);
/// Where the engine keeps the vectors of a loop around the options' cycle: solve(vectors), and the verdict where they
/// are, or else they come back to u and d, which are empty meanwhile. False, and nothing is done, where the vectors are
/// the host's: without a cycle, with an outer loop in words or doubled defects, and for a problem whose scaling a
/// verdict has to undo.
bool solve_in_cycle_vectors(const Problem& problem, const Engine& engine, std::vector<double>& u,
                            std::vector<double>& d, SolveContext& context,
                            const std::function<void(CycleVectors&)>& solve);
/// The options' multilevel cycle as a recurrence's preconditioner; of a matrix that is not symmetric, a cycle on its
/// symmetric part. None where there is no such option. Throws InvalidInput, one line, where no hierarchy can be.
recurrence::Preconditioner make_preconditioner(const Problem& problem, const SolveOptions& options);
/// A recurrence on an engine, restarted with p = r. `system` is `fit` times the one that corrections are for; `bounds`
/// are those of `system`, for the Chebyshev recurrence.
std::unique_ptr<InnerSolver> make_engine_solver(const Engine& engine, const System& system, double fit,
                                                const DatapathSpec& spec, const SessionOptions& options,
                                                const SpectrumBounds& bounds = {});

/// Steps of GMRES(restart) on this processor, from r each time. `system` and `fit` as above.
std::unique_ptr<InnerSolver> make_inner_gmres(const System& system, double fit, const DatapathSpec& spec,
                                              std::uint64_t restart, int threads);

/// A recurrence by its definition, in the spec's formats on this processor, begun anew for every right-hand side.
std::unique_ptr<InnerSolver> make_recurrence_solver(const System& system, double fit, const SolveOptions& options,
                                                    const recurrence::Definition& definition);

/// Iterative refinement in the arithmetic `outer` over `inner` (section 2.2): the double loop of a solve, and as an
/// inner solver itself the middle loop of a cascade. d holds the defect of u, `norm` its norm, on entry; on exit d is
/// the last defect. Returns that one's norm. It ends below goal.target; the outermost loop also where the problem as
/// given has reached its tolerance, on divergence, stagnation, trouble inside and at the limit of iterations, and then
/// leaves the status in the context; a middle loop also where a step gains less than a factor of two.
struct RefineGoal {
    double target = 0;     ///< absolute defect norm
    bool outermost = true; ///< record history, count outer iterations, decide the solve's status
};
std::unique_ptr<OuterArithmetic> make_outer(const Problem& problem, std::span<double> u, const SolveContext& context);
/// `best`, where there is one, is offered every iterate.
double refine(OuterArithmetic& outer, InnerSolver& inner, std::span<const double> b, std::span<double> u,
              std::span<double> d, double norm, const RefineGoal& goal, SolveContext& context,
              BestIterate* best = nullptr);

/// A middle loop as an inner solver.
std::unique_ptr<InnerSolver> make_middle_solver(const System& system, const Format& format,
                                                std::unique_ptr<InnerSolver> inner, int threads);

} // namespace mantissa::solving
