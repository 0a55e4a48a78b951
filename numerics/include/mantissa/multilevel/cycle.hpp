// A multilevel cycle in short words: from a defect d, a correction c with A c roughly d. An outer loop in double (or in
// 64-bit integers) judges, so the words may be short. cycle_spec.hpp names the bits; here is what is computed, to the
// bit. (Prior art and figures: docs/multilevel.md.)
//
// Words. A word is an integer; a vector's words have one binary point: word 2^-point. Sums of products of words are
// exact, so their order, threads, lanes and devices are free.
//     half(x, s)   x / 2^s rounded to the nearest integer, halves up: floor(x / 2^s + 1/2); x 2^-s where s <= 0
//     cut(x, n)    x held within -(2^(n-1) - 1) .. 2^(n-1) - 1, the words of n bits
//     len(v)       the bit length of the largest magnitude of v's words: 0 where all are zero
//
// A level has a matrix A of words a_ij 2^-ac, interpolation P from the next level of words p_ij 2^-pc, R = P^T of the
// same words, weights m_k 2^-s_k of its smoothing steps, and, of CycleSpec, W, F, E and the guard bits G.
//
//     phi = F - W - ceil(log2(sum over k of the weights))        the point of f, beside that of r
//     H   = W + G + 6                                            bits of r inside a level
//     N   = min(26, max(16, S - 2 - l)), S the bits of a sum: on rows the spec's, on a constant stencil 32;
//           2^l is the least power of two not below the largest row sum of |a_ij|
//
// Into the finest level.  r = cut(half(d 2^(W-1-x), 0), W), x the least integer with all |d| < 2^x. (d is zero: c = 0.)
//
// Down, from r of W bits (point 0 of this level):
//     for each step k of `before`:   g = cut(half(m_k r, s_k + q - phi), F)    q: the point of r, 0 at first, then G
//                                    f = cut(f + g, F)                         (at first f = g)
//                                    r = cut(r - A g, exact, then rounded once to point G by half(), H)
//     t = R r                                                                  exact, of point G + pc
//     next level's r = cut(half(t, y - (W' - 1)), W'),  y = len(t), W' its W   (t is zero: so is the next level's e)
//
// The coarsest level has the inverse of its A in words z_ij 2^-zc of 17 bits: e = sum z_ij r_j, exact, its point zc.
//
// Going up a level, words of e are made E bits long (E of the level that they come from):
//     v = cut(half(e, n), E),  n = max(0, len(e) - (E - 1))                    the point falls by n
//
// Up, on each level but the coarsest, from v of the next one; in units of this level's r the point of v is
// j = (its point there) + G + pc + W' - 1 - y:
//     x = P v                                       exact, of point j + pc
//     b = max(F - 1 - phi, len(v) + l' - j - pc) + 1,   2^l' the least power of two not below the largest row sum of
//                                                   |p_ij|: |f + x| < 2^b
//     i = min(phi, N - 1 - b)                       the point of e
//     e = half(f, phi - i) + half(x, j + pc - i)
//     for each step k of `after`:    r' = cut(r - A e, exact, then rounded once to point G, H)  r as it entered
//                                    e = cut(e + half(m_k r', s_k + G - i), N + 1)
//
// Out of the finest level: c = e 2^-(i + W-1-x), exact in double, e not shortened; and what the system's scaling wants.
//
// Each of `before` and `after` has the weights of its own number of steps, `after` in reverse order, so that with as
// many steps the cycle is symmetric but for rounding. phi is formed with those of `before`. Kind b has no `after`.
//
// Systems.
//     constant stencil   A is the stencil as integers (fitted.hpp), the same on every level: taken where P^T A P, with
//                        P bilinear interpolation of words 4, 2, 1 and pc = 2, is the stencil again (bilinear elements)
//                        and the grid has 2^n + 1 nodes a side; edge nodes are zero. The coarsest level has one
//                        unknown. Weights: Chebyshev's, for eigenvalues from half of the largest to the largest. The
//                        integers are a multiple of the matrix: c is multiplied by it, in double.
//     sparse rows        of a Hierarchy (multilevel/hierarchy.hpp); ac = c - 1, the diagonal a word of 2^ac and what
//     the
//                        roundings of its row took from the near-kernel's product; p has bits of its own, pc is by the
//                        largest p_ij of the level.
//                        d is multiplied by the scale, in double, and c likewise. Weights: for eigenvalues from
//                        min(largest / 4, 1/3) to `largest` of the level.
// A weight 1 / (middle + half cos((2k + 1) pi / (2 steps))), k from 0, is rounded to nine significant bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "mantissa/multilevel/cycle_spec.hpp"
#include "mantissa/multilevel/hierarchy.hpp"
#include "mantissa/system.hpp"

namespace mantissa {

/// A cycle on a system, ready to run. Not for two callers at once.
class Cycle {
public:
    Cycle() = default;
    Cycle(const Cycle&) = delete;
    Cycle& operator=(const Cycle&) = delete;
    virtual ~Cycle() = default;
    /// c = the cycle's correction of d, both with an element for each row. d must be finite. The result depends on
    /// neither threads nor instruction set.
    virtual void correct(std::span<const double> d, std::span<double> c) = 0;
    /// In words, as "9 levels, the coarsest of 1 unknown".
    [[nodiscard]] virtual std::string description() const = 0;
    /// Of all corrections so far, for machines that count them.
    [[nodiscard]] virtual std::optional<std::uint64_t> clocks() const { return std::nullopt; }
};

/// The cycle `spec` on `system`, with the hierarchy that suits it. Throws InvalidInput, one line, where none does.
std::unique_ptr<Cycle> make_cycle(const System& system, const CycleSpec& spec, int threads);

/// The definition above, executed as it is written: slow, and what the others are held against.
std::unique_ptr<Cycle> make_reference_cycle(const System& system, const CycleSpec& spec);

} // namespace mantissa
