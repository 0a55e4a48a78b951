// Solving a problem: refinement schemes and direct solvers behind one call.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/bit_operations.hpp"
#include "mantissa/chebyshev.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/host/error_bounds.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/recurrence_choice.hpp"
#include "mantissa/multilevel/cycle_spec.hpp"
#include "mantissa/native.hpp"
#include "mantissa/outer/cycle_vectors.hpp"
#include "mantissa/partition/cuts.hpp"
#include "mantissa/partition/space.hpp"
#include "mantissa/resident_end.hpp"

namespace mantissa {

enum class Scheme : std::uint8_t {
    cg,                ///< CG, Eq. 2, in the spec's formats on the whole problem
    pipelined,         ///< pipelined CG, Eq. 4 and 5, likewise
    defect_correction, ///< iterative refinement, section 2.2 and 3.2
    residual_guided,   ///< section 3.3
    inexact_pcg,       ///< flexible preconditioned CG in double; steps of CG in the spec's formats precondition it
                       ///< (Golub and Ye 1999; Cevahir, Nukada, Matsuoka 2009)
    jacobi_pcg, ///< Jacobi-PCG made for speed: the textbook's in double on this processor (sparse/jacobi_pcg.hpp),
                ///< or an engine's native solver (native.hpp)
    recurrence, ///< SolveOptions::recurrence, in the spec's formats on the whole problem
};
/// Its name: the one of options::schemes(), which has for each the axes that it stands for; "recurrence" where a name
/// of there stands for a recurrence as well.
std::string to_string(Scheme scheme);
Scheme parse_scheme(std::string_view text);
/// Has the scheme an outer loop in double precision around inner solves, which `inner` or `digits` end?
bool refines(Scheme scheme);

namespace recurrence {
struct Definition;
}
struct SolveOptions;
/// Its scheme's name in options::schemes(): "direct", "bicgstab".
std::string scheme_name(const SolveOptions& options);
/// Sets the scheme, and the recurrence where the name stands for one. Throws InvalidInput, one line.
void set_scheme(SolveOptions& options, std::string_view name);
/// What the scheme iterates: `recurrence`, or where that is none the scheme's own. Throws InvalidInput where neither
/// is.
RecurrenceChoice iterated(const SolveOptions& options);
/// As engines' sessions have it; nothing where they have none.
std::optional<Recurrence> session_recurrence(const RecurrenceChoice& choice);
/// What these options iterate by interpreting its definition (mantissa/recurrence/interpreter.hpp); null where an
/// engine runs one of its own.
const recurrence::Definition* recurrence_of(const SolveOptions& options);

enum class Status : std::uint8_t {
    /// Decided by SolveResult::true_residual, whatever a scheme believes; with SolveOptions::energy by
    /// SolveResult::energy.
    converged, ///< the true residual is below the tolerance (or 0.1 % above, when the inner test held); with `energy`
               ///< the estimate's upper end is at most that
    diverged,  ///< the defect grew beyond 10^4 times the initial one, or is not finite
    stagnated, ///< the best defect no longer falls; or the recurrence's residual (a direct solver's), or the scaled
               ///< problem's, reached the tolerance and the true one did not
    breakdown, ///< the recurrence cannot go on (p.q <= 0, overflow, a window overflow, an engine's fault)
    iteration_limit,
};
std::string to_string(Status status);

/// A direct solver stops when its recurrence's residual reaches the tolerance, as the paper's does; rounding keeps the
/// true one from following all the way. Within this factor its count of iterations still stands for the solver.
inline constexpr double kDirectSlack = 10;

/// Does such a solve give a count of iterations to compare with? One that converged does, and a direct one whose
/// recurrence got there with the true residual within kDirectSlack of the tolerance: so the counts of FCCM'06 are made.
bool gives_count(Scheme scheme, Status status, double true_residual, double tolerance);

/// Digits that one inner solve, or one middle loop of a cascade, may be asked to gain. Fewer are no goal, more are
/// beyond what a double-precision defect can tell.
inline constexpr double kFewestDigits = 0.1, kMostDigits = 15;

/// Inner iterations in all that a solve may take where SolveOptions::max_iterations is 0: 150 per square root of the
/// number of unknowns (per grid row, on a square grid) and 10000. Enough for every converging cell of the paper (54001
/// iterations at 513 nodes a side).
std::uint64_t default_iteration_limit(std::size_t size);

/// Bits of headroom that may be asked for; below zero the defect enters with a norm above 1.
inline constexpr int kLeastHeadroom = -20, kMostHeadroom = 40;

/// Words of a resident solve's iterate where `outer` gives none: up to 512 times a right-hand side of norm 1.
inline constexpr Format kResidentIterate = Format::fixed(64, 54);

/// Bits of headroom that such a solve gives up after its first step, where no headroom is asked for.
inline constexpr int kResidentRelax = 2;

/// A datapath for a part of a solve.
struct ScheduleStage {
    double below = 1; ///< used from the first outer step on at which the relative defect is below this
    DatapathSpec spec;
    friend bool operator==(const ScheduleStage&, const ScheduleStage&) = default;
};

/// The scheme, datapath and limits of a solve.
struct SolveOptions {
    Scheme scheme = Scheme::residual_guided;
    DatapathSpec spec{Format{17, 8}};
    /// Datapaths that take over as the defect falls; residual_guided only. The first is `spec`, below 1: what the solve
    /// begins with; the numbers fall. A stage that has been left never comes back. Empty: `spec` alone.
    std::vector<ScheduleStage> schedule;
    /// Cascaded refinement (section 2.2): formats of the middle loops, outermost first; the inner solver runs in
    /// `spec`. Empty: double outside, `spec` inside. For defect_correction only.
    std::vector<Format> middle;
    /// The outermost loop in integers: u and b in words of this fixed format, the defect an exact sum. None: in double.
    /// For defect_correction (without middle loops) and residual_guided.
    std::optional<Format> outer;
    /// The whole solve by the engine's resident solver (mantissa/resident.hpp), with V in words of `outer`
    /// (kResidentIterate where none is given) and 0 bits of headroom where none are. For residual_guided, with `inner`,
    /// on constant stencils.
    bool resident = false;
    std::uint64_t inner = 10; ///< inner iterations per outer step; ignored when digits is set
    double digits = 0;        ///< not 0: each inner solve reduces its defect by this many digits instead,
                              ///< from kFewestDigits to kMostDigits
    double middle_digits = 2; ///< digits gained by each middle loop of a cascade
    /// What the scheme iterates, on the whole problem or inside its outer loop; those that it has are in
    /// options::schemes(). GMRES inside defect_correction is GMRES-IR (Carson and Higham, SIAM J. Sci. Comput. 40(2),
    /// 2018). None: the scheme's own.
    std::optional<RecurrenceChoice> recurrence;
    /// Of the Chebyshev recurrence: where the eigenvalues of the matrix that the scheme works on lie (with jacobi the
    /// scaled one). None: estimated by Lanczos steps on this processor.
    std::optional<SpectrumBounds> bounds;
    /// Fixed vectors: the defect enters with a norm in (1/2, 1] 2^-headroom, always. None: so at first; then with the
    /// power of two that would have left the last step's longest words one idle bit. Either way one bit more after
    /// every overflow of a word.
    std::optional<int> headroom;
    /// Sparse rows: entries off the diagonal rounded to this shorter floating format before the inner solver takes
    /// them; the diagonal, in the spec's coefficient format, takes up what they lost, so that rows keep their sums
    /// (those of the matrix as given, also with jacobi). For schemes that refine, on floating datapaths, without a
    /// schedule.
    std::optional<Format> couplings;
    /// A multilevel cycle (mantissa/multilevel/cycle.hpp). With the recurrences flexible, bicgstab and gmres on the
    /// whole problem it is a step M of the recurrence, which runs in `spec`. Else it stands in the inner solver's
    /// place, on this processor or by the engine, on the problem that the scheme works on: `spec`, `inner`, `digits`
    /// and what belongs to them mean nothing then. So it is alone with defect_correction, and CG's preconditioner with
    /// inexact_pcg; inner_iterations counts cycles.
    std::optional<CycleSpec> preconditioner;
    /// Of inexact_pcg: a new direction becomes conjugate to so many of those before it, 1 to kMostDirections: FCG(m) of
    /// Notay, "Flexible conjugate gradients", SIAM J. Sci. Comput. 22(4), 2000. Corrections that words round want more
    /// than one; each further one costs two vectors and a sum. None: directions_of() says.
    std::optional<int> directions;
    double tolerance = 1e-10; ///< on the defect norm relative to the initial one
    /// In the tolerance's place: on ||x - x*||_A / ||x*||_A. A scheme stops once the drops of its steps say so
    /// (mantissa/recurrence/energy.hpp), and EnergyEstimate::upper of the iterate as it is decides, formed anew: where
    /// it is above, the solve goes on while that gains anything. Under refinement the drops of all inner solves, each
    /// in the problem's units, are one sequence: what is known of x_l is the root of what all corrections since took
    /// off its square, against the same of all corrections from zero on. For schemes whose alpha and beta this process
    /// sees.
    std::optional<double> energy;
    bool bound = false;               ///< form SolveResult::bound
    std::uint64_t max_iterations = 0; ///< inner iterations in all; 0: default_iteration_limit()
    bool jacobi = false;              ///< symmetric scaling by the diagonal
    std::optional<NativePlan> plan;   ///< of a native solve; see host/native.hpp
    /// Not 0: jacobi_pcg and inexact_pcg on this processor give up where another way of this cost, in their own
    /// iterations, is the better bet (mantissa/pace.hpp); SolveResult::gave_up. See host/fastest.hpp.
    std::uint64_t give_up = 0;
    int threads = 1;
    bool keep_solution = false; ///< return u
    bool history = false;       ///< return the start and one point per outer step; a direct solver's start and end
};

/// SolveOptions::directions, or where that is none kMostDirections around cycles that round r to 12 bits or
/// fewer, and else 1.
/// Fewer than `unknowns`: what is conjugate to as many is zero but for rounding.
int directions_of(const SolveOptions& options, std::size_t unknowns);

/// A point of a solve's history, after one outer step.
struct HistoryPoint {
    std::uint64_t inner_iterations = 0, outer_iterations = 0;
    double relative_defect = 0; ///< ||b - A u|| / ||b - A u0|| in double precision; with jacobi, of the scaled problem;
                                ///< of inexact_pcg the recurrence's, the last one formed anew
};

/// What a resident solve leaves beside what every solve does.
struct ResidentOutcome {
    ResidentEnd end = ResidentEnd::passes;
    std::uint64_t formed_again = 0; ///< reads of D for another scale alone
    int headroom = 0;               ///< at the end
    int e = 0;                      ///< the last defect has the norm sqrt(rr) 2^e, where the first has 1/2 to 1
    double rr = 0;
    std::uint64_t false_ends = 0; ///< times that the core declared convergence and the host's residual said no
    std::uint64_t reloads = 0;    ///< times that the host formed the defect again, and the core went on from it
    friend bool operator==(const ResidentOutcome&, const ResidentOutcome&) = default;
};

/// What the Chebyshev recurrence was given.
struct ChebyshevBounds {
    SpectrumBounds bounds;           ///< of the matrix that the scheme works on
    std::uint64_t lanczos_steps = 0; ///< that estimated them; 0: they were given
    friend bool operator==(const ChebyshevBounds&, const ChebyshevBounds&) = default;
};

/// What a native solve leaves beside what every solve does.
struct NativeOutcome {
    NativePlan plan = NativePlan::automatic; ///< that ran
    std::string why;                         ///< one line
    double seconds = 0;                      ///< of the device, transfers not included
    friend bool operator==(const NativeOutcome&, const NativeOutcome&) = default;
};

/// The levels of a multilevel cycle, and how long it took to make them.
struct CycleLevels {
    std::string text;   ///< as "5 levels of rows, 150102 to 28 unknowns"
    double seconds = 0; ///< of this processor's clock; part of the solve's
};

/// How a solve ended and what it took; the answer is `u`, where it was asked for.
struct SolveResult {
    Status status = Status::iteration_limit;
    std::string detail;                 ///< one line, why, when not converged or with a reservation
    std::uint64_t inner_iterations = 0; ///< CG steps, summed over all inner solves
    std::uint64_t outer_iterations = 0; ///< double-precision defects formed after inner solves; 0 for direct solvers
    double true_residual = 0;    ///< relative_residual() of u on the problem as given; infinite where u is not finite
    std::optional<double> error; ///< sqrt(sum (u - exact)^2 / N) where the solution is known
    std::optional<EnergyEstimate> energy; ///< of u on the problem as given; with SolveOptions::energy
    std::optional<ErrorBound> bound;      ///< of u on the problem as given; with SolveOptions::bound
    std::uint64_t sigma_guards = 0;
    std::uint64_t overflows = 0;  ///< outer steps lost to a word that overflowed (fixed vectors)
    double equation_scale = 1;    ///< the engine's matrix is this times the problem's (fitted()); of a
                                  ///< schedule's, the last one
    BitOperations bit_operations; ///< of all passes; none where they are not pipelined CG's in `spec` alone
                                  ///< (plain CG, middle loops, the schemes that only processors have)
    /// Over parts: numbers in double precision that the outer loop held for a part at a time, of the part that needed
    /// most; 0 where every process held whole vectors.
    std::size_t held = 0;
    std::optional<ResidentOutcome> resident;
    std::optional<NativeOutcome> native;
    std::optional<double> gave_up; ///< SolveOptions::give_up: the iterations that were still to go, as far as one sees
    std::optional<ChebyshevBounds> chebyshev;
    std::uint64_t false_ends = 0;      ///< a cycle core's convergences that b - A u did not bear out
    std::optional<CycleLevels> levels; ///< with SolveOptions::preconditioner; not kept in stores
    WordUse words;                     ///< bits that the longest words of fixed vectors took
    std::optional<std::uint64_t> cycles;
    double seconds = 0;
    std::optional<double> device_seconds; ///< of cycles that an engine ran itself, transfers not included
    std::vector<HistoryPoint> history;
    std::vector<double> u; ///< where `held` is not 0, on the process with the first part alone
};

/// Called for each step of the history and at times between, how often is for the solver to choose; false stops the
/// solve (Status::iteration_limit), and what it throws comes out of the solve. A defect of 0 is not known.
using Progress = std::function<bool(const HistoryPoint&)>;

/// The words of the outer loop that a solve on the engine `engine` takes: SolveOptions::outer, or where that is not
/// given what the engine's own loop has; nothing for double precision.
std::optional<Format> outer_words(const Problem& problem, std::string_view engine, const SolveOptions& options);

/// Solves a problem from u = 0, or from its guess. Whether it converged is judged by the true residual of the problem
/// as given, formed anew from u; with jacobi the solve goes on until that one has reached the tolerance, and stops once
/// it has. So does a native one (host/native.hpp), whose own residual may be wrong.
///
/// Throws InvalidInput, one line, when the engine refuses the spec, when the options contradict each other, when a
/// recurrence that only the emulated engine's arithmetic has (recurrence_of(), GMRES) is asked for on another engine,
/// and when the problem cannot be scaled (jacobi_scaled()) or its right-hand side is not finite.
SolveResult solve(const Problem& problem, const Engine& engine, const SolveOptions& options,
                  const Progress& progress = {});

/// The same for each of the problem's right-hand sides, `b` and then `more`, a result each. The scheme jacobi-pcg takes
/// them together, in double on this processor and in native double on a device, where a pass over the matrix then
/// serves several: each result's seconds are those of all. Others take one after the other. The guess is that of all.
std::vector<SolveResult> solve_all(const Problem& problem, const Engine& engine, const SolveOptions& options,
                                   const Progress& progress = {});

/// The scheme jacobi_pcg for several right-hand sides at once, which share each pass over the matrix and have the same
/// bits as alone; solve() with that scheme is this with one. The history is the recursion's residual after each
/// iteration. Of the options tolerance, max_iterations, threads, keep_solution and history count; `spec` must be
/// double. Each result's seconds are those of all. Throws InvalidInput: other options, a system on a grid, a diagonal
/// entry not above zero.
std::vector<SolveResult> solve_jacobi_pcg(const System& system, const std::vector<std::vector<double>>& b,
                                          const SolveOptions& options, const Progress& progress = {});
/// The schemes direct and jacobi_pcg in double over the parts of `space` (mantissa/partition/parted_cg.hpp): the same
/// bits for any number of parts, in the last place others than solve()'s, whose sums have an order. Sparse rows are cut
/// by `method`, grids in strips. Collective over processes: each holds the rows of its parts, and u is given to the one
/// with the first part alone. Of the options scheme, tolerance, max_iterations, history
/// and keep_solution count; `spec` must be double. Throws InvalidInput: another scheme or other options, more parts
/// than rows, a diagonal entry not above zero.
SolveResult solve_over_parts(const Problem& problem, const std::shared_ptr<Space>& space, CutMethod method,
                             const ExchangeOptions& exchange, const SolveOptions& options,
                             const Progress& progress = {});
/// What solves a map's system in place of this processor: the matrix, the points, b, the iterate, and how far.
using MapSolver = std::function<PcgReport(const CompressedRows&, std::span<const std::array<double, 3>>,
                                          const std::vector<double>&, std::vector<double>&, const PcgOptions&)>;
/// CG with the multilevel preconditioner (mantissa/sparse/multilevel.hpp) in double on this processor, or by
/// `elsewhere`, for the system of a map: `points` are where the vertices of its pairs of unknowns are. Of the options
/// it takes tolerance, max_iterations, threads, history and keep_solution. Throws InvalidInput where the matrix is none
/// of complex blocks.
SolveResult solve_multilevel(const System& system, std::span<const std::array<double, 3>> points,
                             const std::vector<double>& b, const SolveOptions& options, const Progress& progress = {},
                             const MapSolver& elsewhere = {});

} // namespace mantissa
