// Sums of doubles and of their products without any rounding: whole numbers times a power of two.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <span>

#include "mantissa/system.hpp"

namespace mantissa {

/// m 2^e with a whole number m of any length. Doubles that are added must be finite; a NaN or an infinity among them is
/// a caller's mistake (InvalidInput).
class Dyadic {
public:
    Dyadic();
    explicit Dyadic(double x);
    Dyadic(const Dyadic& other);
    Dyadic(Dyadic&& other) noexcept;
    Dyadic& operator=(const Dyadic& other);
    Dyadic& operator=(Dyadic&& other) noexcept;
    ~Dyadic();

    Dyadic& add(double x);
    /// Adds a x.
    Dyadic& add_product(double a, double x);
    /// Adds a^2.
    Dyadic& add_square(const Dyadic& a);
    Dyadic& add(const Dyadic& a);

    /// -1, 0 or 1.
    [[nodiscard]] int sign() const;
    [[nodiscard]] Dyadic times(const Dyadic& a) const;
    [[nodiscard]] std::strong_ordering compare(const Dyadic& a) const;
    /// The nearest double (ties to even), infinity beyond the largest.
    [[nodiscard]] double rounded() const;
    /// sqrt(|this| / |below|) with a relative error of at most 2^-50, where that is a normal number; `below` is not
    /// zero. Neither has to be in a double's range.
    [[nodiscard]] double root_of_quotient(const Dyadic& below) const;

private:
    struct Number;
    std::unique_ptr<Number> n_;
};

/// Row i of b - A u, without rounding. (Symmetric bands are what they were given as: couplings and row sums.)
/// u and b finite.
[[nodiscard]] Dyadic exact_defect_row(const System& system, std::size_t i, std::span<const double> u, double b);

/// How ||d|| compares to bound ||b||, of exact sums of squares dd and bb. bound >= 0, finite.
[[nodiscard]] std::strong_ordering compare_norms(const Dyadic& dd, const Dyadic& bb, double bound);

} // namespace mantissa
