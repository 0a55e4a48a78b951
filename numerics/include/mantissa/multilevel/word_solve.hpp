// A whole solve A u = b by cycles on the grid of a constant stencil, in integers alone: what an engine does that keeps
// the vectors. Engines emulated, hls, systemc and rtl have the same bits; multilevel/cycle.hpp defines the cycle and
// half(), cut(), len().
//
// S are the stencil's integers (grid_words.hpp), factor A = S. b' are the words of factor b 2^F, rounded half up, of
// u's format fx64.F; edge nodes have none (zero). Words of U and D have 64 bits and the point F.
//
//   LOAD     U = 0;  D = b';  k = 0
//   VERDICT  x = len(D);  s = sum half(D, x - 15)^2, exact: squares of words of 15 bits and a sign
//            in this order:
//              a word of U, D or c was at 2^62 or beyond     -> the solve ends overflow
//              x = 0, or s <= floor(t 4^(T - x))             -> reached
//              k = the most cycles                           -> limit
//   CYCLE    r = cut(half(D, x - (W - 1)), W);  e, of point i, is the cycle's from r
//            c = half(e, i + W - 1 - x)
//            U += c;  D -= S c, exact;  k += 1;  VERDICT
//
// So D = b' - S U always, and b' is not kept. A solve hands out U: u = 2^-F U.
//
// Where the loop is somebody else's (CG around cycles), the same machine makes one correction of D and looks at
// nothing:
//   ALONE    LOAD;  x = len(D);  D = 0 -> reached;  else r, e and c as in CYCLE, U = c, D stays as it is;  a word of c
//   at
//            2^62 or beyond -> overflow, else limit
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/format.hpp"
#include "mantissa/multilevel/cycle.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"
#include "mantissa/multilevel/cycle_spec.hpp"
#include "mantissa/multilevel/grid_words.hpp"
#include "mantissa/system.hpp"

namespace mantissa::multilevel {

/// significand 2^-shift, of a smoothing step.
struct StepWeight {
    int significand = 0, shift = 0;
};
/// Words of a level, named as in multilevel/cycle.hpp.
struct GridLevelPlan {
    int w = 0, f = 0, e = 0, phi = 0, h = 0;
};
/// Every number that hardware needs of a cycle on a grid.
struct GridPlan {
    int centre = 0, east = 0, north = 0, corner = 0;
    int guard = 0;
    int most = 0; ///< N, of all levels
    std::vector<StepWeight> before, after;
    int inverse = 0, inverse_point = 0; ///< of the coarsest level
    std::vector<GridLevelPlan> level;   ///< 2^n + 1 nodes a side: n of them; the coarsest has one inner node
};
/// Throws InvalidInput where the spec is in double or the grid has less than two levels.
[[nodiscard]] GridPlan grid_plan(const GridWords& grid, const CycleSpec& spec);

/// Bits of the magnitudes whose squares VERDICT sums.
inline constexpr int kVerdictBits = 15;
/// Words of U, D and c stay below 2^kMostWordBits, those of b' below 2^kMostLoadBits.
inline constexpr int kMostWordBits = 62, kMostLoadBits = 60;
/// Grids that engines take: 2^n + 1 nodes a side.
inline constexpr std::size_t kLeastCycleLevel = 3, kMostCycleLevel = 14;

/// The s at which a solve ends: t 4^(T - x).
struct WordTolerance {
    std::uint64_t t = 0; ///< below 2^54
    int point = 0;       ///< T
    /// floor(t 4^(T - x)), or 2^62 where it is more.
    [[nodiscard]] std::uint64_t limit(int x) const;
};
/// Of a defect whose 2-norm is `norm` words.
[[nodiscard]] WordTolerance word_tolerance(double norm);

struct WordRequest {
    WordTolerance tolerance;
    std::uint64_t most_cycles = 100;
    bool alone = false; ///< ALONE: one cycle and no verdict; the others are not looked at
};
/// What VERDICT saw.
struct WordVerdict {
    int length = 0;        ///< x
    std::uint64_t sum = 0; ///< s; 0 after an overflow
    friend bool operator==(const WordVerdict&, const WordVerdict&) = default;
    /// The defect's 2-norm in words.
    [[nodiscard]] double norm() const;
};
struct WordOutcome {
    CycleSolveEnd end = CycleSolveEnd::limit;
    std::uint64_t cycles = 0;
    std::vector<WordVerdict> history;    ///< before each cycle and at the end; of one alone none
    std::optional<std::uint64_t> clocks; ///< for machines that have them
};

/// What solves in words. Not for two callers at once.
class WordSolver {
public:
    WordSolver() = default;
    WordSolver(const WordSolver&) = delete;
    WordSolver& operator=(const WordSolver&) = delete;
    virtual ~WordSolver() = default;
    /// `b` and `u`: (2^n + 1)^2 words by rows. The edge's of b are not looked at, those of u are 0.
    virtual WordOutcome solve(std::span<const std::int64_t> b, const WordRequest& request,
                              std::vector<std::int64_t>& u) = 0;
    /// Threads of this processor. The bits do not depend on them.
    virtual void use(int /*threads*/) {}
    /// As CycleSolver::trusted().
    [[nodiscard]] virtual bool trusted() const { return true; }
};

/// The processor's, made for speed; and the definition on the reference's cycle, slow.
std::unique_ptr<WordSolver> make_word_solver(const GridWords& grid, const CycleSpec& spec);
std::unique_ptr<WordSolver> make_reference_word_solver(const GridWords& grid, const CycleSpec& spec);

/// Why `engine`, with cycles in words, has none of `spec` for this system, in one line; empty where it has.
[[nodiscard]] std::string word_cycle_refusal(std::string_view engine, const System& system, const CycleSpec& spec);
/// The same of solves in words: one of the above, or a loop that is not in words of 64 bits.
[[nodiscard]] std::string word_cycles_refusal(std::string_view engine, const System& system, const CycleSpec& spec,
                                              const CycleLoop& loop);
/// The way from numbers in double to a solver's words and back. The loop's words have 64 bits.
std::unique_ptr<CycleSolver> make_cycle_solver(const GridWords& grid, const CycleLoop& loop,
                                               std::unique_ptr<WordSolver> words);
/// The cycle that a solver in words makes alone, for loops of the host: the bits of make_cycle(). A correction has no
/// number in it where a word of c did not fit, or where hardware ended with a fault again and again.
std::unique_ptr<Cycle> make_cycle_of_words(const GridWords& grid, const CycleSpec& spec,
                                           std::unique_ptr<WordSolver> words);

} // namespace mantissa::multilevel
