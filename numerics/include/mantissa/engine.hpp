// The seam of Mantissa. Below it, engines: each loads a system in reduced precision and runs pipelined-CG iterations
// on it. Above it everything is written once: refinement, stopping, problems, sweeps, reports.
//
// One pass (FCCM'06, Eq. 4 and 5) for every element i in order, then the scalars:
//
//     u' = u + (alpha p)            each bracket and each sum rounded to u's format
//     r' = r - (alpha q)            ... to r's format
//     p' = r' + (beta p)            ... to p's format
//     q' = row sum of A p'          products and sums rounded to the row format, the result to q's
//     rho = r'.r'   pq = p'.q'   qq = q'.q'        terms rounded or exact, accumulated as the spec says
//     alpha = rho / pq              in the scalar format, from here on
//     sigma = alpha ((alpha qq) - pq), +0 in its place when its sign bit is set (the guard; counted)
//     beta  = sigma / rho
//
// alpha and beta are rounded to the operand format as they enter the vector updates. A pass lags its result: u' is
// the iterate before the step along p', so after a run the solution of the inner system is u + alpha p.
//
// The row sum of element i, by RowOrder; rnd is the row format's rounding, of each product, difference and sum; i + n
// is the element one grid row to the north; coefficients (w, c, alpha, beta and gamma among them) are rounded to the
// coefficient format as they are loaded:
//
//     chain, tree         products a_k p_k in the matrix's order, added one after the other or in adjacent pairs; those
//                         of SymmetricBands as bands() has them
//     flux                f_d(i) = w_d(i) (p_i - p_(i+d)) for d = E (+1), NW (+n-1), N (+n), NE (+n+1), w_d = 0 - a_d;
//                         p after the vector is +0, and so is each f_d(i) with i in front of it
//                         up(i)   = (f_NW(i) + f_N(i)) + f_NE(i)
//                         down(i) = (f_NE(i-n-1) + f_N(i-n)) + f_NW(i-n+1)
//                         q_i = (f_E(i) - f_E(i-1)) + (up(i) - down(i)), and + (c_i p_i) at last where the matrix has
//                         row sums (SymmetricBands; a stencil whose one c, before it is rounded, is not zero)
//     second_difference   a_i = (p_E - p_i) - (p_i - p_W);  s_i = (beta p_i) + (gamma a_i)
//                         q_i = ((s_N - s_i) - (s_i - s_S)) + (alpha a_i), and + (c p_i) at last where c, before it
//                         is rounded, is not zero; with SecondDifferences {alpha, beta, gamma, c} of the stencil
//
// Nine bands are converted to SymmetricBands for fluxes. row_forms.hpp has what the two are formed from, and where they
// mean nothing.
//
// Blocks of MX words (mantissa/narrow/block_format.hpp). Where p has them, p' = blocks(r' + (beta p)), with bracket and
// sum rounded to r's format first; blocks begin at element 0, and u', q', pq and the next pass see what the words stand
// for. write() of such a p begins with a block and ends with one or the vector, else it throws InvalidInput. Where the
// coefficients have them, blocks go along what is stored: each band; each weight and the row sums of SymmetricBands
// (and of Bands' fluxes); the entries of sparse rows, row by row, so that a block may hold parts of several rows. Of a
// constant stencil, one after the other: the nine coefficients; the weights E, NW, N, NE and c; or alpha, beta, gamma
// and c.
//
// Fixed-point words (r, p and q of a fixed format). With rnd_x the rounding onto the grid of x's format:
//
//     u' = u + rnd_u(alpha p)       where u is floating: as above, of p's exact value
//     r' = r - rnd_r(alpha q)
//     p' = rnd_p(r') + rnd_p(beta p)
//     q' = rnd_q(row sum)           the sum of all products exact: every RowOrder gives the same word
//     rho, pq, qq                   every bit of every product, added exactly (or truncated to dot's window), then
//                                   rounded once into the scalar format
//
// alpha and beta are, for a whole pass, a significand and an exponent: a multiplier, a shift, half a unit added, and an
// adder do it. A word that overflows keeps its low W bits and its run ends with window_overflow, as does the first run
// after a write() of a value that does not fit (it is stored as the nearest word). In fixed formats a coefficient off
// the diagonal is rounded; the diagonal of a grid's matrix (Stencil, Bands, SymmetricBands) is the rounded row sum
// minus the rounded coefficients off it, so that rounding keeps row sums; row sums within 2^-50 of the sum of a row's
// magnitudes count as zero. Sparse rows round every coefficient by itself. A word of the diagonal may take one bit more
// than the coefficient format's others; those of a constant stencil, which no memory holds, take up to 53.
//
// A binary point that moves (point=moving). The words of r, p and q then stand for word 2^-f, with one f for the three.
// It is F of their formats as a session is loaded, and again once r, p and q are all clear (clear() of each, nothing
// written to them and no pass run in between); where it is not, write() into one of the three throws InvalidInput. In
// front of each pass f becomes f + d, with integers alone (moving_point.hpp):
//
//     len(x)   the bit length of the OR, over all words of a vector, of w where w >= 0 and of -1 - w else:
//              every |w| <= 2^len(x); 0 where all are 0 or -1
//     a, b     2^(a-1) <= |alpha| < 2^a of alpha, rounded to the operand format, and of beta likewise
//     W        bits of the shorter of r's and p's formats, less the guard g; 8 at least
//     terms    len(r); a + len(q) unless alpha is zero; b + len(p) unless beta is zero.  t is the largest
//     S        the sum of 2^max(0, x - t + W - 4) over the terms x
//     d        min(2, 2 W - 5 - t - the bit length of S), then as near to it as leaves f + d within F - 256 .. F + 256
//
//     u' = u + rnd_u(alpha p)       p of the old point
//     r' = rnd_r(r - alpha q)       onto 2^-(f + d): the words are 2^d r - 2^d alpha q, rounded once
//     p' = rnd_p(r' + beta p)       onto 2^-(f + d), likewise
//     q' = rnd_q(row sum)           onto 2^-(f + d)
//
// d leaves r' and p' room (but where f + d would be below F - 256); q' may overflow, which ends the run as above. Each
// pass in which a word of r, p or q overflowed adds one to g, which is 0 as a session is loaded. read() gives values at
// the point that stands; the point of u stays. Pipelined runs alone move a point.
//
// A pass that cannot go on ends the run with alpha = sigma = beta = +0, so that u + alpha p is still the best
// iterate. The tests, in this order:
//     a dot product outside its window, a word that overflowed -> window_overflow (rho, pq and qq are then +0)
//     rho, pq or qq not finite                     -> not_finite
//     rho zero                                     -> exact (nothing left to reduce)
//     pq not above zero                            -> indefinite
//     alpha, sigma or beta not finite              -> not_finite
//
// The plain recurrence (Eq. 2) runs, per pass, p' = r + beta p; q' = A p'; alpha = (r.r) / (p'.q'); u' = u + alpha p';
// r' = r - alpha q'; rho = r'.r'; beta = rho / (r.r), with the same formats. Its u' already holds the step.
//
// The Chebyshev recurrence runs the pass above, floating or in words, with alpha and beta that are known in advance: a
// pair for each pass (RunRequest::pairs), each number rounded from double into the operand format and into no other.
// There are no dot products and no scalar unit: rho, pq, qq and sigma are +0, and alpha and beta those of the last
// pass. A run ends after its passes, or after one in which a word overflowed, with window_overflow; nothing else is
// looked at. chebyshev.hpp has the pairs. The binary point of words stands still.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "mantissa/outer/outer_vectors.hpp"
#include "mantissa/run_end.hpp"
#include "mantissa/spec.hpp"
#include "mantissa/system.hpp"

namespace mantissa {

class Cycle;
class CycleSolver;
class CycleVectors;
struct CycleLoop;
class NativeSolver;
class ResidentSolver;
struct CycleSpec;
struct NativeChoice;

enum class Vec : std::uint8_t { u, r, p, q };

/// Which recurrence a run iterates.
enum class Recurrence : std::uint8_t {
    pipelined, ///< Eq. 4 and 5, the datapath that every engine has
    plain,     ///< Eq. 2 with the same formats and roundings; engines may lack it
    chebyshev, ///< the pipelined pass with alpha and beta given; engines may lack it
};

/// alpha and beta in front of a pass.
struct StepPair {
    double alpha = 0, beta = 0;
    friend bool operator==(const StepPair&, const StepPair&) = default;
};

/// What the scalar unit holds after a pass; values of the spec's scalar format.
struct Scalars {
    double rho = 0, pq = 0, qq = 0;
    double alpha = 0, sigma = 0, beta = 0;
};

/// How far a session shall iterate.
struct RunRequest {
    std::uint64_t passes = 1;        ///< at most this many
    double rho_stop = 0;             ///< stop after a pass with rho < rho_stop (rounded into the scalar format)
    std::uint64_t rho_stop_from = 1; ///< the first pass of this run whose rho is tested
    /// Of the Chebyshev recurrence: one for each of `passes`; the two fields above mean nothing there.
    std::span<const StepPair> pairs = {};
};

/// Bits that the longest word of a vector took (the shortest two's complement word that holds it); 0 where the vector
/// is floating. An overflow shows as the format's width plus one.
struct WordUse {
    int u = 0, r = 0, p = 0, q = 0;
    void merge(const WordUse& other) {
        u = std::max(u, other.u);
        r = std::max(r, other.r);
        p = std::max(p, other.p);
        q = std::max(q, other.q);
    }
    friend bool operator==(const WordUse&, const WordUse&) = default;
};

/// How a run ended and what it took.
struct RunReport {
    std::uint64_t passes = 0; ///< passes run, the last (incomplete) one included
    RunEnd end = RunEnd::passes;
    std::uint64_t sigma_guards = 0;      ///< how often sigma was below zero
    std::optional<std::uint64_t> cycles; ///< clock cycles, for engines that have them
    WordUse words;                       ///< the longest words of this run, of fixed formats
};

/// A system loaded into an engine, with its state u, r, p, q and scalars. All state starts at +0. A session owns what
/// it needs of the system: the one that it was loaded from need not outlive load().
/// Not for use from two threads at once.
class Session {
public:
    Session() = default;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    virtual ~Session() = default;

    /// Rounds `values` into the vector's format and stores them from element `first`. Throws InvalidInput where the
    /// vector's point has moved away from its format's.
    virtual void write(Vec v, std::size_t first, std::span<const double> values) = 0;
    /// Reads elements from `first` on, exactly.
    virtual void read(Vec v, std::size_t first, std::span<double> values) const = 0;
    /// Sets a whole vector to +0.
    virtual void clear(Vec v) = 0;
    /// alpha and beta for the next pass, rounded into the scalar format.
    virtual void set_scalars(double alpha, double beta) = 0;
    [[nodiscard]] virtual Scalars scalars() const = 0;
    /// Runs passes until one ends the run. n runs of one pass equal one run of n passes, bit for bit. Throws
    /// InvalidInput where pairs are missing or leave the operand format.
    virtual RunReport run(const RunRequest& request) = 0;
    /// Where the outer loop's vectors live: `host`, or what the session keeps beside its own vectors in its place.
    /// Their matrix is `given`, of which it keeps what it needs (the session's own may be a multiple of it).
    [[nodiscard]] virtual std::unique_ptr<OuterVectors> outer(const System& /*given*/,
                                                              std::unique_ptr<OuterVectors> host) {
        return host;
    }
    /// Text of the last RunEnd::fault.
    [[nodiscard]] virtual std::string fault() const { return {}; }
    /// Clocks since the session began, for engines that count them one by one.
    [[nodiscard]] virtual std::optional<std::uint64_t> clock() const { return std::nullopt; }
};

/// How an engine opens a session.
struct SessionOptions {
    int threads = 1; ///< results do not depend on it
    Recurrence recurrence = Recurrence::pipelined;
};

/// An engine. Stateless; sessions do the work.
class Engine {
public:
    Engine() = default;
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    virtual ~Engine() = default;

    [[nodiscard]] virtual std::string name() const = 0;
    /// One line for `mantissa engines`.
    [[nodiscard]] virtual std::string description() const = 0;
    /// Empty when this engine runs `spec` on `system`; else one line that says why not.
    [[nodiscard]] virtual std::string refusal(const DatapathSpec& spec, const System& system,
                                              const SessionOptions& options) const = 0;
    /// Loads a system, which the session copies as far as it needs it: the caller may change or destroy it after this
    /// call. Throws InvalidInput with refusal()'s line when it must refuse.
    [[nodiscard]] virtual std::unique_ptr<Session> load(const System& system, const DatapathSpec& spec,
                                                        const SessionOptions& options) const = 0;

    /// Empty when this engine has a resident solver (resident.hpp) for `spec` on `system` with an iterate in words of
    /// the format `iterate`; else one line that says why not: by default, that it has none.
    [[nodiscard]] virtual std::string resident_refusal(const DatapathSpec& spec, const System& system,
                                                       const Format& iterate) const;
    /// That solver, which copies what it needs of the system. Throws InvalidInput with the line above when it must
    /// refuse.
    [[nodiscard]] virtual std::unique_ptr<ResidentSolver> resident(const System& system, const DatapathSpec& spec,
                                                                   const Format& iterate, int threads) const;

    /// Has this engine native solvers (native.hpp) at all?
    [[nodiscard]] virtual bool has_native() const { return false; }
    /// Empty when it has one for `spec`, whose sums are free in order, on `system`; else one line that says why not.
    [[nodiscard]] virtual std::string native_refusal(const DatapathSpec& spec, const System& system,
                                                     const NativeChoice& choice) const;
    /// That solver. Throws InvalidInput with the line above when it must refuse, and on a plan that cannot be.
    [[nodiscard]] virtual std::unique_ptr<NativeSolver> native(const System& system, const DatapathSpec& spec,
                                                               const NativeChoice& choice) const;
    /// Empty when this engine makes cycles of `spec` on `system` for a loop of the host's; else one line that says why
    /// not: by default what cycles_refusal() says of CG.
    [[nodiscard]] virtual std::string cycle_refusal(const System& system, const CycleSpec& spec) const;
    /// The cycle that a loop of the host's stands around (multilevel/cycle.hpp): the engine's where it refuses none,
    /// its levels shared out where the engine is; else this processor's. Throws InvalidInput where make_cycle() does.
    [[nodiscard]] virtual std::unique_ptr<Cycle> cycle(const System& system, const CycleSpec& spec, int threads) const;
    /// The vectors of such a loop together with that cycle, where the engine keeps them apart; null where they are the
    /// host's, as by default. Throws as cycle().
    [[nodiscard]] virtual std::unique_ptr<CycleVectors> cycle_vectors(const System& system, const CycleSpec& spec,
                                                                      int threads) const;
    /// Empty when this engine solves by multilevel cycles itself (multilevel/cycle_solver.hpp), with this loop around
    /// them; else one line that says why not.
    [[nodiscard]] virtual std::string cycles_refusal(const System& system, const CycleSpec& spec,
                                                     const CycleLoop& loop) const;
    /// That solver. Throws InvalidInput with the line above when it must refuse.
    [[nodiscard]] virtual std::unique_ptr<CycleSolver> cycles(const System& system, const CycleSpec& spec,
                                                              const CycleLoop& loop) const;
};

/// What each engine says of sessions for a spec whose sums are free in order; empty where they are not.
[[nodiscard]] std::string free_sums_refusal(const DatapathSpec& spec);

/// How the emulated engine computes. The bits do not depend on it.
enum class EmulatedPath : std::uint8_t {
    fastest, ///< fused loops where the spec allows them, else general
    general, ///< operation by operation, any formats
};

/// The vectorised C++ emulation on this processor: the executable specification.
std::unique_ptr<Engine> make_emulated_engine(EmulatedPath path = EmulatedPath::fastest);

} // namespace mantissa
