// The resident solver: residual-guided pipelined CG to many digits, outer steps and all, by a core that holds its
// vectors and needs nobody: the host brings b and takes u. Integers throughout; every engine that has one equals the
// emulated engine's in every bit: words, scalars, counts, history.
//
// What it holds. S and a: the matrix that the engine has loaded is 2^-a S with integers S (constant stencil, a common
// power of two taken out; a = RowShift + QF - PF of the RTL's parameters). u, r, p and q of the core, in words with UF,
// RF (three times) fraction bits. D: the defect, words of 64 bits, FD = kDefectFraction of them fraction. V: the
// iterate, words of 64 bits with FV fraction bits. e: the exponent of r's scale. h: the headroom. All shifts round half
// up; left shifts are exact. E(x): 2^E <= x < 2^(E+1).
//
//   LOAD     D = b', of norm at most 1;  V = 0;  e = h;  beta = gamma = 0.  Then FORM, ACCEPT.
//   FORM     r = rnd(D 2^-e) into r's words (D's words shifted right by FD + e - RF);  q = r
//            rr = sum r r, rp = sum r p, exact, each rounded once into the scalar format
//   ACCEPT   in this order, with k = floor(E(rr) / 2) + 1:
//              a word of V or D overflowed      -> the solve ends outer_overflow (after a DEFECT)
//              a word of r did not fit          -> an overflow: h += 1; e += 1, FORM, ACCEPT
//              D zero                           -> the solve ends exact: b' = 2^-a S V. Where a DEFECT had shifts above
//              0, fault:
//                                                  V was rounded, and nobody knows
//              rr zero, D not                   -> e -= 4, FORM, ACCEPT
//              k + h neither 0 nor -1           -> e += k + h, FORM, ACCEPT
//            kMostForms FORMs without acceptance (the first one, of LOAD, DEFECT or an overflow, included): fault.
//            Accepted: |r| is in [2^(k-1), 2^k). One entry of the history. Then, in this order:
//              rr < T(e)                        -> the solve ends converged
//              kMostTroubles runs in a row have ended indefinite, not_finite or exact -> it ends as the last of them,
//              after
//                                                  exact fault: r's few bits reduce nothing
//              passes >= the most passes        -> it ends passes
//            else beta and gamma (below), INNER. T(e) = t 2^(2 (x - e)) in the scalar format: the square of the defect
//            wanted, with a word t of the scalar format and an integer x.
//   INNER    min(inner, what the most passes leave) passes of engine.hpp, from set_scalars(gamma, beta). The first one
//            differs: u' = +0; q is r; r' = r - rnd_r(gamma r) goes into p' and is not stored: r stays; rho = rr, of
//            ACCEPT. What overflows there, r' included, counts as in any pass. From the second pass on the run ends
//            after a pass with rho < T(e).
//   DEFECT   after a run that ended otherwise than by window_overflow; alpha as it stands, rounded to the operand
//            format (+0 after indefinite, not_finite and exact):
//              c  = u + rnd_u(alpha p), or the largest or the smallest word of u where that does not fit
//              V += rnd(c 2^e)        (c's words shifted right by UF - FV - e)
//              D -= rnd(2^-a S c 2^e) (exact row sums of c's words, 0 on edge nodes, by a + UF - FD - e)
//            The new exponent e' = e + k' + h, k' from rho of the last pass as k from rr; e - 4 where rho is zero or
//            not finite. In the first DEFECT of a solve, before that, h -= relax: a first right-hand side fills its
//            words, later ones leave room. Where a word of c did not fit: an overflow, h += 1, after it. Then FORM
//            with e', ACCEPT.
//   overflow after a run that ended window_overflow: h += 1, e += 1, FORM, ACCEPT; D and V are as they were.
//   Every overflow, of a run, of c, of r, counts; beyond kMostOverflows of them the solve ends window_overflow at once.
//
//   beta  = (rr / rho) 2^(e' - e)      of the accepted rr, rp and e', and of rho and e of the run's last pass:
//   gamma = (rp / rho) 2^(e' - e)      quotients rounded into the scalar format, then times the power of two, rounded.
//   Both are 0 at first, after a run that did not end passes or rho_reached, where a word of c did not fit,
//   and where one of them is not finite. (beta = |d'|^2 / |d|^2 in p's scale, and the direction p - (rp / rr) r that is
//   kept is orthogonal to r: p' = r + beta (p - (rp / rr) r) = (r - gamma r) + beta p.)
//
// V and D fit each other whatever c was: D = b' - 2^-a S V exactly while both shifts are 0 or below. So the solution of
// A u = b is u = fit 2^e0 V where fit A = 2^-a S (fitted.hpp) and b' = 2^-e0 b.
//
// WordUse is that of all passes: in a first pass u' counts as 0 and r' as it was formed. c, V, D and FORM's r do not
// count. Refused: resident_refusal().
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa/fixed_words.hpp"
#include "mantissa/nine_point.hpp"
#include "mantissa/resident_end.hpp"

namespace mantissa {

/// Fraction bits of D; 64-bit words, so three bits of room above 1.
inline constexpr int kDefectFraction = 60;
inline constexpr int kMostRelax = 7;
inline constexpr int kMostForms = 70, kMostOverflows = 40, kMostTroubles = 10;

/// The square of the defect at which a solve ends, relative to a right-hand side of norm 1: t 4^x.
struct ResidentTolerance {
    double t = 0; ///< a value of the scalar format, not below zero
    int x = 0;
    friend bool operator==(const ResidentTolerance&, const ResidentTolerance&) = default;
};

/// An accepted r: the defect's norm is sqrt(rr) 2^e.
struct ResidentPoint {
    std::uint64_t passes = 0, steps = 0; ///< so far
    int e = 0;
    double rr = 0;
    friend bool operator==(const ResidentPoint&, const ResidentPoint&) = default;
};

/// A solve that the core runs alone, outer steps too. docs/resident.md.
struct ResidentRequest {
    std::uint64_t inner = 10; ///< passes of a run, 1 or more
    int headroom = 0;         ///< h at first: the norm of r is about 2^-h
    int relax = 0;            ///< what h falls by in the first DEFECT, 0..kMostRelax
    std::uint64_t max_passes = 0;
    ResidentTolerance tolerance = {};
    /// Called after every acceptance; false ends the solve. Engines that cannot look at a running core ignore it.
    std::function<bool(const ResidentPoint&)> watch = {};
};

/// How a resident solve ended and what it took.
struct ResidentReport {
    ResidentEnd end = ResidentEnd::passes;
    std::uint64_t passes = 0;       ///< of all runs, first and incomplete ones included
    std::uint64_t steps = 0;        ///< runs
    std::uint64_t formed_again = 0; ///< FORMs that neither LOAD nor a DEFECT brought: a read of D each
    std::uint64_t overflows = 0;
    std::uint64_t sigma_guards = 0;
    int headroom = 0; ///< as it stands at the end
    int e = 0;        ///< of the last FORM
    double rr = 0;    ///< likewise; 0 where a word of r did not fit
    bool overflow_v = false, overflow_d = false;
    WordUse words;
    std::optional<std::uint64_t> cycles; ///< for engines that have clocks
    std::vector<ResidentPoint> history;  ///< one entry for every acceptance
};

/// A system loaded into an engine's resident solver. Not for use from two threads at once.
class ResidentSolver {
public:
    ResidentSolver() = default;
    ResidentSolver(const ResidentSolver&) = delete;
    ResidentSolver& operator=(const ResidentSolver&) = delete;
    virtual ~ResidentSolver() = default;

    /// LOAD and a whole solve. `b`: words of b' (resident_words()), of the system's size. Throws InvalidInput, one
    /// line, on another size, inner = 0 and a tolerance that is no value of the scalar format or below zero.
    virtual ResidentReport solve(std::span<const fixed::Word> b, const ResidentRequest& request) = 0;
    /// The words of V from element `first` on.
    virtual void read(std::size_t first, std::span<fixed::Word> v) const = 0;
    /// The words of D, for who wants to see them; nothing where the engine does not give them out.
    [[nodiscard]] virtual std::optional<std::vector<fixed::Word>> defect() const { return std::nullopt; }
    /// Text of the last ResidentEnd::fault that hardware reported.
    [[nodiscard]] virtual std::string fault() const { return {}; }
};

/// The stencil as integers: the loaded matrix is 2^-point times it.
struct ResidentStencil {
    std::array<std::int64_t, kBands> s{};
    int point = 0;
};
/// S and a of a constant stencil in a fixed coefficient format. Throws InvalidInput on another system.
[[nodiscard]] ResidentStencil resident_stencil(const System& system, const Format& coefficient);

/// Why there is no resident solver for this, on any engine, in one line; empty where there can be: a constant stencil
/// with integers below 2^30; r, p and q of one fixed format of at most 30 bits, u fixed with at most 53, a point that
/// does not move, exact dot products; scalars whose range holds every r.r; `iterate` (V) a fixed format of 64 bits,
/// rounding half up.
[[nodiscard]] std::string resident_refusal(const DatapathSpec& spec, const System& system, const Format& iterate);
/// What of that the datapath alone tells.
[[nodiscard]] std::string resident_words_refusal(const DatapathSpec& spec);

/// e0 with norm in (2^(e0-1), 2^e0]; of a positive, finite norm.
[[nodiscard]] int resident_exponent(double norm);
/// Words of b 2^-e0, rounded half up. Throws InvalidInput where an element is not finite or beyond the words.
[[nodiscard]] std::vector<fixed::Word> resident_words(std::span<const double> b, int e0);
/// (relative)^2 as a word of the scalar format in [1, 4) and an exponent; relative: the norm wanted of a defect that
/// began as b', above 0.
[[nodiscard]] ResidentTolerance resident_tolerance(const Format& scalar, double relative);

/// value 2^power in the format: what it does to exponents beyond its range it does here.
[[nodiscard]] double resident_scaled(const Format& scalar, double value, int power);
/// floor(E(square) / 2) + 1 of a positive, finite number: its root is in [2^(k-1), 2^k).
[[nodiscard]] int resident_magnitude(double square);

} // namespace mantissa
