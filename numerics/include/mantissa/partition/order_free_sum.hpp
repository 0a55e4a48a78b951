// Sums of products in double precision that do not depend on their order, nor on how terms are shared out (Demmel and
// Nguyen, "Parallel reproducible summation", IEEE Trans. Comput. 64(7), 2015).
//
// Each product is rounded to double. Of the rounded terms, three bins of 40 bits are kept on grids 2^(40 k) that are
// the same for all: the highest is the lowest one whose digits, and those below, hold the largest term. What a term has
// below the third bin, at most 2^-80 of the largest term, is dropped. What is kept is added in integers, exactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mantissa {

/// A sum of doubles that is the same in any order of its terms.
class OrderFreeSum {
public:
    /// Adds a[i] * b[i], each rounded to double; as many elements of both.
    void add_products(std::span<const double> a, std::span<const double> b);
    /// Adds what another sum holds.
    void merge(const OrderFreeSum& other);
    /// The sum, rounded; NaN where a term was not finite or 2^959 or more.
    [[nodiscard]] double total() const;

private:
    static constexpr int kBits = 40, kBins = 3, kNone = -1000, kHighest = 23, kLowest = -25;
    __extension__ using Wide = __int128;

    void raise(int top);
    void add_terms(const double* term, std::size_t count);

    std::array<Wide, kBins> count_{}; ///< of 2^(kBits (top_ - k))
    int top_ = kNone;                 ///< no term yet, or zeros alone
    bool lost_ = false;
};

} // namespace mantissa
