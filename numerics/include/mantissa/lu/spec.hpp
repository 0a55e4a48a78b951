// LuSpec names the arithmetic of a dense LU factorisation completely: which format every value has, how the sums of
// a factor's element are formed, how a pivot is chosen and how a column is divided by it. Every engine that is given
// the same spec and the same matrix returns the same bits.
//
// Text form: `lu:` and a base format that sets every field, then what differs.
//
//     lu:s23e8
//     lu:s10e5,acc=s23e8,order=blocked:32
//     lu:s10e5:rne,acc=fixed[15:-34],order=crout,pivot=partial
//
//   a=        the matrix as it enters                      default: the base
//   l= u=     the factors' elements                        default: the base
//   acc=      FORMAT | fixed[MSB:LSB], the sums            default: the base
//   product=  FORMAT | exact, each l_im u_mj               default: acc's format; exact with a fixed window
//   order=    right | crout | blocked:NB                   default: right
//   pivot=    none | partial | full | threshold:TAU | tournament[:COLUMNS[:ROWS]]
//                                                         default: partial; tournament:32:128
//   div=      exact | reciprocal                           default: exact
//   scale=    one | top, where a solve brings the matrix   default: one
//   sum=      ordered | free                               default: ordered
//
// lu:double,sum=free and lu:float,sum=free, with pivot=partial or none, are the arithmetic of a device's own kernels or
// its vendor's: sums in whatever order is fastest, the only place where no bits are promised. So is `tensor:WORDS`, the
// tensor cores' updates in half, half-pair, bfloat or bfloat-pair with refinement in double on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "mantissa/format.hpp"
#include "mantissa/spec.hpp"

namespace mantissa {

enum class LuOrder : std::uint8_t {
    right,   ///< one rank-1 update of the trailing matrix for each column
    crout,   ///< each element when its turn comes, all its products then
    blocked, ///< panels of `block` columns; the products of a panel are summed, and the sum is subtracted
};
enum class LuPivot : std::uint8_t { none, partial, full, threshold, tournament };
/// Where solve_dense() brings the largest elements of a matrix by a power of two before it enters. factor() takes the
/// matrix as it comes, on every engine alike.
enum class LuScale : std::uint8_t {
    one, ///< to 1
    top, ///< to 2^top_exponent(): what falls below the least number then was smaller by as much
};
enum class LuDivision : std::uint8_t {
    exact,      ///< l = w / pivot, rounded once
    reciprocal, ///< l = w * (1 / pivot), the reciprocal rounded into l's format, then the product
};
/// Arithmetic of a device's own.
enum class LuNative : std::uint8_t { none, sums_free, half, half_pair, bfloat, bfloat_pair };

/// The definition. w_ij is the sum of element (i, j), a value of `acc` (or an integer in units of 2^lsb):
///     w_ij = a_ij rounded into `a`, then into acc                        (a window: truncated toward zero to its grid)
///     w_ij <- w_ij - l_im u_mj  for m = 0, 1, ... min(i, j) - 1          (product rounded, then the difference)
///     u_kj = w_kj rounded into `u`,  j >= k
///     l_ik = (w_ik rounded into `u`) / u_kk, rounded into `l`,  i > k
/// With order=blocked and a floating acc, an element right of and below a panel's own square takes the panel's products
/// as one sum: s = the first product, s <- s + the next ones in ascending m (product=exact: one rounding for product
/// and sum), then w <- w - s. The panel's own columns and rows are formed as above. With a fixed window sums are exact,
/// and so the factor does not depend on the order. `right` and `crout` always give the same bits: the sequence of
/// roundings of each element is the same.
///
/// Pivots are compared by |w| before it is rounded; of equal ones the lowest row counts, and with pivot=full the lowest
/// column first, then the lowest row. pivot=threshold:TAU keeps the diagonal where |w_kk| >= TAU max |w_ik|.
///
/// pivot=tournament:C:R (CALU: Grigori, Demmel and Xiang, SIAM J. Matrix Anal. Appl. 32(4), 2011) chooses the pivots of
/// C columns at once, before the first of them: at k = 0, C, 2 C, ..., with the columns k .. min(k + C, n) - 1.
///     Rows k .. n - 1, as they lie, are cut into leaves of R rows, the last one shorter. A leaf plays an *election*: a
///     copy of its w in those columns is eliminated with partial pivoting by the rules above (ties: the row that lies
///     first), its first min(C, rows) rows then are its candidates, in that order. Where a pivot's rounding into `u` is
///     zero, nothing is taken off in that column, and the election goes on with the next one.
///     Level by level, list 2 i and list 2 i + 1 are put one after the other and play an election on the w of those
///     rows from before any election; a last list without a neighbour goes up as it is. The one list left names the
///     pivots: for t = 0, 1, ... row k + t changes places with the row that is candidate t.
/// Then the columns are eliminated without further exchanges. Multipliers can exceed 1. A window that an election
/// leaves, or a value in one that is not finite, ends the factorisation as in column k. With R >= n it is
/// pivot=partial.
struct LuSpec {
    Format a, l, u;
    bool fixed = false; ///< sums in a window, else in `accumulator`
    Format accumulator; ///< when not fixed
    FixedWindow window; ///< when fixed
    bool exact_product = false;
    Format product; ///< when not exact
    LuOrder order = LuOrder::right;
    int block = 32; ///< columns of a panel, with order=blocked
    LuPivot pivot = LuPivot::partial;
    double tau = 0.1;                                   ///< with pivot=threshold, 0 < tau <= 1
    int tournament_columns = 32, tournament_rows = 128; ///< C and R, with pivot=tournament; C <= R
    LuDivision division = LuDivision::exact;
    LuScale scale = LuScale::one;
    LuNative native = LuNative::none; ///< else: no bits are promised, and what is defined above does not hold
    static constexpr int kMaxBlock = 4096;
    static constexpr int kMaxLeaf = 1 << 20; ///< rows of a tournament's leaf

    /// Every field from one floating format.
    explicit LuSpec(const Format& f = formats::kDouble);

    /// tensor:WORDS?
    [[nodiscard]] bool tensor() const { return native != LuNative::none && native != LuNative::sums_free; }

    /// Throws InvalidInput, one line, on a combination that no engine can mean.
    void validate() const;
    /// The same, and throws where no bits are promised: for what has to return them.
    void validate_bits() const;

    /// Fields that the others leave without a meaning are not compared.
    friend bool operator==(const LuSpec&, const LuSpec&);
};

/// Parses and validates the text form. Throws InvalidInput with one line.
LuSpec parse_lu_spec(std::string_view text);

/// With scale=top: the largest power of two that `a`, `u`, the sums and products hold, less (2/3) log2 n and two bits
/// of room for growth; at most 64, and at least 0.
int top_exponent(const LuSpec& spec, std::size_t n);

/// The text form over u's format as the base; equal specs have equal texts, and parse_lu_spec reads them back.
std::string to_string(const LuSpec& spec);

} // namespace mantissa
