// Cholesky factors inside a matrix's envelope, as proof that its smallest eigenvalue is not too small. Internal to
// host/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "balanced.hpp"
#include "doubled.hpp"

namespace mantissa::errors {

/// Which columns the rows of L hold: row i from first[i] to i. The order is that of reverse Cuthill and McKee.
struct Envelope {
    std::vector<std::uint32_t> order; ///< row k of L is row order[k] of the system
    std::vector<std::uint32_t> first;
    std::vector<std::uint64_t> begin; ///< of row i's entries; one more at the end
    std::uint64_t longest = 0;        ///< entries of a row of L
    std::uint64_t widest = 0;         ///< entries of a row of L + L^T
    double work = 0;                  ///< products

    [[nodiscard]] std::uint64_t entries() const { return begin.back(); }
};
Envelope envelope_of(const CompressedRows& a);

/// L L^T = A - shift as far as T rounds it.
template <class T> class EnvelopeFactor {
public:
    EnvelopeFactor(const Balanced& s, const Envelope& e) : s_(s), e_(e), entry_(e.entries()) {}

    /// False where a pivot is not above zero.
    bool factor(double shift);
    /// out = (L L^T)^-1 r, rounded as it comes.
    void solve(std::span<const double> r, std::span<double> out) const;

    /// With the factor complete the smallest eigenvalue of the balanced matrix, its slack included, is at least
    /// shift - hidden().
    [[nodiscard]] double hidden() const;

private:
    const Balanced& s_;
    const Envelope& e_;
    std::vector<T> entry_;
};

extern template class EnvelopeFactor<double>;
extern template class EnvelopeFactor<Pair>;

} // namespace mantissa::errors
