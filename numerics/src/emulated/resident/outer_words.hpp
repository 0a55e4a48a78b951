// The outer step of the resident solver in words (resident.hpp): FORM and DEFECT over whole vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../../isa/fixed_pass.hpp"
#include "../fixed_scalar.hpp"
#include "mantissa/resident.hpp"
#include "mantissa/spec.hpp"

namespace mantissa::detail {

/// u and the words that the outer step reads and writes. u has one of its two.
struct InnerWords {
    std::span<const std::int32_t> short_u;
    std::span<const std::int64_t> long_u;
    std::span<const std::int32_t> p;
    std::span<std::int32_t> r, q;
};

/// What FORM leaves.
struct Formed {
    ExactSum rr, rp;
    bool over = false; ///< a word of r did not fit
    WordRange range;   ///< of r
};

/// What DEFECT leaves beside.
struct Stepped {
    bool over_c = false, over_v = false, over_d = false;
};

/// V and D with the two operations on them.
class OuterWords {
public:
    OuterWords(const System& system, const DatapathSpec& spec, const Format& iterate, int threads);

    /// D = b, V = 0.
    void load(std::span<const fixed::Word> b);
    /// r and q from D at the exponent e, with their sums.
    [[nodiscard]] Formed form(const InnerWords& words, int e) const;
    /// V and D take the correction u + alpha p of a run at the exponent e. `range_p` bounds the words of p.
    [[nodiscard]] Stepped step(const InnerWords& words, const FixedScalar& alpha, const WordRange& range_p, int e);

    /// Is nothing left of D?
    [[nodiscard]] bool defect_is_zero() const;
    /// Has a DEFECT since load() shifted words of V or D to the right, so that D need not be b' - 2^-a S V any more?
    [[nodiscard]] bool rounded() const { return rounded_; }

    [[nodiscard]] const std::vector<fixed::Word>& v() const { return v_; }
    [[nodiscard]] const std::vector<fixed::Word>& d() const { return d_; }

private:
    struct Correction;
    void correction_row(const InnerWords& words, const Correction& c, std::size_t row, std::int64_t* out,
                        bool& over) const;
    template <class Sum> void defect_row(const std::int64_t* const* c, std::size_t row, int shift, bool& over);
    void iterate_row(const std::int64_t* c, std::size_t row, int shift, bool& over);
    void form_part(const InnerWords& words, int shift, std::size_t begin, std::size_t end, Formed& formed) const;
    /// body(first row, last row, what it found) on `threads_` strips of grid rows.
    template <class Found, class Body, class Merge> void for_strips(Body&& body, Merge&& merge) const;

    DatapathSpec spec_;
    Format iterate_;
    ResidentStencil stencil_;
    int threads_;
    int sum_bits_; ///< of S c
    bool rounded_ = false;
    std::size_t columns_, rows_;
    std::vector<fixed::Word> v_, d_;
};

} // namespace mantissa::detail
