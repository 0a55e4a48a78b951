// What a pass of pipelined CG costs in bits: a measure of arithmetic that tells a short datapath from a long one.
#pragma once

#include <cstdint>

#include "mantissa/spec.hpp"
#include "mantissa/system.hpp"

namespace mantissa {

/// Sums over the operations named at bit_operations().
struct BitOperations {
    std::uint64_t multiplied = 0; ///< of the products of both operands' widths
    std::uint64_t added = 0;      ///< of the widths of sums and differences
    BitOperations& operator+=(const BitOperations& other) {
        multiplied += other.multiplied;
        added += other.added;
        return *this;
    }
    friend BitOperations operator*(std::uint64_t times, const BitOperations& one) {
        return {times * one.multiplied, times * one.added};
    }
    friend bool operator==(const BitOperations&, const BitOperations&) = default;
};

/// The bits that one pass (engine.hpp, pipelined recurrence) multiplies and adds on `system` as an engine loads it
/// (fitted()). Counted for each element of the vectors, Dirichlet nodes included:
///
///   u, r, p        each one product, operand x vector, and one sum of the vector's width
///   row            chain, tree: a product, coefficient x p, for each of nine bands or each stored entry, and sums, one
///                  fewer
///                  flux: four products, coefficient x difference; 4 differences and 7 sums; with row sums c one
///                  product, c x p, and one sum more
///                  second_difference: three products (beta p, gamma a, alpha a) and 8 sums and differences; with c as
///                  above
///   dot products   three products, r x r, p x q and q x q, and three sums of the accumulator's width
///
/// Width of a floating-point number: its significand, the leading one included (fraction bits + 1). Aligning,
/// normalising and exponents are not counted, which flatters floating point. Width of a fixed-point number: its word.
/// Of a number in a block of MX words: that of its element, 8 bits of mxint8; p's sum has the width of the format that
/// it is formed in. Floating row sums and differences have the row format's width; exact ones of fixed words that of a
/// product and ceil(log2) of the number of terms; differences of words one bit more than the word. Exact dot products:
/// both words and ceil(log2) of the vector's length.
///
/// A constant stencil's coefficients are constants of a core: one counts with the bits of its significand in the
/// coefficient format between the first one and the last; a power of two, and zero, with no product. Exact sums are
/// then as much narrower as a word is that holds all of these constants. Roundings and the scalar unit, once a pass,
/// are not counted.
[[nodiscard]] BitOperations bit_operations(const DatapathSpec& spec, const System& system);

} // namespace mantissa
