// DatapathSpec names a pipelined-CG datapath completely: which format every value has, in which order sums are
// formed, how dot products accumulate. All engines given the same spec (and the same system) return the same bits.
//
// Text form: a base format that sets every field, then what differs.
//
//     s17e8
//     s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]
//     s23e8:rne,order=tree,dot=s52e11:rne/8,lanes=2
//     fx18.16,u=fx32.30,coef=fx18.17
//     s23e8,p=mxint8:ceil,coef=mxfp8_e4m3,order=flux
//
//   u= r= p= q=   vector formats                        default: the base; u beside fixed ones has 5 fraction bits
//                                                       more, in words of 31 bits or 9 more; 18 more with a point
//                                                       that moves
//   coef=         coefficients of the matrix            default: the base
//   operand=      alpha and beta in vector updates      default: the base; s16e11 with a fixed one
//   row=          products and sums of a row            default: the base; exact in fixed formats
//   order=        chain | tree | flux | second-difference   default: chain
//   point=        still | moving                        default: still; moving: r, p and q share a binary point that
//                                                       moves from pass to pass (block floating point)
//   product=      FORMAT | exact, dot-product terms     default: the base; exact with dot=fixed and dot=exact
//   dot=          FORMAT[/DEPTH] | fixed[MSB:LSB] | exact   default: s52e11/16 with the base's policy; exact with a
//                                                       fixed base
//   scalar=       FORMAT of the scalar unit             default: s52e11 with the base's policy
//   lanes=        vector elements per clock             default: 1
//   sum=          ordered | free                        default: ordered; free: native double or float, whose sums are
//                                                       in whatever order is fast (native.hpp); with nothing else
//
// r, p, q and coef are floating or fixed together: a row is summed in one kind of arithmetic. Beside fixed ones u may
// be floating. alpha and beta are floating always: fixed vectors meet their significand in a multiplier and their
// exponent as a shift that is the same for a whole pass. point=moving takes fixed r, p and q with as many fraction bits
// each and exact dot products.
//
// p and coef of a floating datapath may be blocks of MX words (mantissa/narrow/block_format.hpp) in place of a format,
// the other's being either. p is then formed in r's format, and rounded into blocks then.
#pragma once

#include <string>
#include <string_view>

#include "mantissa/format.hpp"
#include "mantissa/narrow/block_format.hpp"

namespace mantissa {

/// How a row of A p is formed; engine.hpp defines each to its last rounding. With fixed vectors all forms that a matrix
/// has give the same bits.
enum class RowOrder : std::uint8_t {
    chain,             ///< products, ((p0 + p1) + p2) + ... in band order, south-west to north-east
    tree,              ///< products, adjacent pairs, repeatedly; an odd last term moves up unchanged
    flux,              ///< differences to four neighbours, each formed once and used by two rows; grids
    second_difference, ///< second differences along one axis and then the other; constant stencils
};
/// "chain", "tree", "flux", "second-difference".
std::string to_string(RowOrder order);
/// Does this form add products (rather than differences)?
[[nodiscard]] constexpr bool adds_products(RowOrder order) {
    return order == RowOrder::chain || order == RowOrder::tree;
}

/// Where the binary point of fixed r, p and q is.
enum class BinaryPoint : std::uint8_t {
    still,  ///< where the format has it
    moving, ///< common to the three, and moved in front of each pass so that words are long; engine.hpp
};

/// Are a datapath's sums in the order that it names?
enum class SumOrder : std::uint8_t {
    ordered,
    free, ///< native double or float of whoever runs it: the one kind of datapath whose bits are not promised
};

/// A fixed-point accumulator: a two's complement number whose top (sign) bit is worth -2^msb and whose lowest bit is
/// worth 2^lsb. Terms are truncated toward zero to the 2^lsb grid, then added exactly, so the order does not matter.
struct FixedWindow {
    int msb = 13;
    int lsb = -50;
    static constexpr int kMaxWidth = 64, kMinLsb = -1074, kMaxMsb = 1023;
    [[nodiscard]] constexpr int width() const { return msb - lsb + 1; }
    friend constexpr bool operator==(const FixedWindow&, const FixedWindow&) = default;
};

/// How a dot product is formed.
struct DotSpec {
    bool fixed = false;         ///< fixed-point window, or floating-point lanes
    bool exact = false;         ///< neither: every bit of every product in 128-bit sums; fixed vectors only
    FixedWindow window;         ///< when fixed
    Format accumulator;         ///< floating lanes: their format
    int depth = 16;             ///< floating lanes: interleaved partial sums per lane, a power of two in 1..64
    bool exact_product = false; ///< terms are exact products (else rounded to `product`); into floating lanes only
                                ///< where every product is a value of the accumulator's format
    Format product;             ///< when not exact_product
    static constexpr int kMaxDepth = 64;
    /// Fields that the chosen form does not use are not compared.
    friend constexpr bool operator==(const DotSpec& a, const DotSpec& b) {
        if (a.exact || b.exact) return a.exact == b.exact;
        const bool same_terms = a.exact_product == b.exact_product && (a.exact_product || a.product == b.product);
        if (a.fixed || b.fixed) return a.fixed == b.fixed && a.window == b.window && same_terms;
        return a.accumulator == b.accumulator && a.depth == b.depth && same_terms;
    }
};

/// Every format and every order of summation of a datapath: with the same one, all engines return the same bits.
struct DatapathSpec {
    Format u, r, p, q;
    Format coefficient; ///< the matrix
    Format operand;     ///< alpha and beta as they enter the vector updates; floating
    Format row;         ///< each product and each sum of a row; the row's result is then rounded to q. Unused (and the
                        ///< base) with fixed vectors, whose row sums are exact
    RowOrder order = RowOrder::chain;
    BinaryPoint point = BinaryPoint::still;
    SumOrder sum = SumOrder::ordered;
    DotSpec dot;
    Format scalar; ///< alpha, sigma and beta are formed in it, from dot products rounded into it
    int lanes = 1; ///< a power of two in 1..64
    /// p and the matrix as blocks of MX words; then p is r's format, in which it is formed, and so is coefficient,
    /// which is unused.
    narrow::BlockFormat p_blocks, coefficient_blocks;
    static constexpr int kMaxLanes = 64;

    /// Every field from one format: accumulators and scalars are s52e11 with the format's rounding and subnormals. From
    /// a fixed one `fx<W>.<F>`: u = `fx<max(31, W + 9)>.<F + 5>` (53 bits at most, then with fewer fraction bits),
    /// exact dot products, kFixedOperand for alpha and beta, s52e11 scalars.
    explicit DatapathSpec(const Format& f = formats::kDouble);

    /// 17 significant bits: what an 18 x 18-bit signed multiplier takes of an unsigned number.
    static constexpr Format kFixedOperand{16, 11};

    /// Are r, p, q and the coefficients fixed-point words?
    [[nodiscard]] bool fixed_vectors() const { return r.is_fixed(); }

    /// Does their binary point move from pass to pass?
    [[nodiscard]] bool moves() const { return point == BinaryPoint::moving; }

    /// Is it native arithmetic, whose sums have no order?
    [[nodiscard]] bool sums_free() const { return sum == SumOrder::free; }

    /// Is anything in blocks of MX words?
    [[nodiscard]] bool has_blocks() const { return p_blocks.given() || coefficient_blocks.given(); }

    /// Partial sums of a floating dot product: element i belongs to partial sum i mod partials(). They are closed by
    /// halving: s[j] += s[j + n/2] for j < n/2, n = partials(), partials()/2, ..., 2.
    [[nodiscard]] int partials() const { return dot.depth * lanes; }

    /// Throws InvalidInput, one line, on a combination that no engine can mean.
    void validate() const;

    /// Fields that fixed vectors do not use are not compared.
    friend bool operator==(const DatapathSpec&, const DatapathSpec&);
};

/// Parses and validates the text form. Throws InvalidInput with one line.
DatapathSpec parse_spec(std::string_view text);

/// Empty where nothing of `spec` is in blocks of MX words; else the line by which refuses `who`, who has none, as in
/// "engine rtl".
std::string blocks_refusal(const DatapathSpec& spec, std::string_view who);

/// The text form over r's format as the base; parse_spec reads it back as an equal spec, and equal specs have equal
/// texts. It is the key under which results are stored.
std::string to_string(const DatapathSpec& spec);

} // namespace mantissa
