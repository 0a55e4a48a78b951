// The vectors of a loop in double precision around an inner solver or a multilevel cycle, wherever they are kept: the
// loop sees sums and norms alone.
#pragma once

#include <span>
#include <string>

#include "mantissa/outer/spread_iterate.hpp"

namespace mantissa {

/// u, b and d = b - A u; z, a correction of d; and for CG around what corrects a direction p and q = -A p, by which d
/// goes on as the recurrence's residual. Where a new direction becomes conjugate to two, those before p and q are kept
/// too. Sums have the order of outer_order.hpp, wherever the elements are.
class CgVectors {
public:
    CgVectors() = default;
    CgVectors(const CgVectors&) = delete;
    CgVectors& operator=(const CgVectors&) = delete;
    virtual ~CgVectors() = default;

    /// d = b - A u
    virtual void defect() = 0;
    /// ||d||
    [[nodiscard]] virtual double norm() = 0;
    /// z.d, z.q, and z times the q before
    [[nodiscard]] virtual double correction_by_defect() = 0;
    [[nodiscard]] virtual double correction_by_product() = 0;
    [[nodiscard]] virtual double correction_by_older() = 0;
    /// p = z + beta p; at first p is zero.
    virtual void direct(double beta) = 0;
    /// p = z + beta p + older (the p before), and p and q are those before then. Memory for them is had at first use.
    virtual void direct(double beta, double older) = 0;
    /// q = -A p. Returns p.q.
    [[nodiscard]] virtual double multiply() = 0;
    /// u += alpha p, d += alpha q
    virtual void step(double alpha) = 0;
};

/// The same with a cycle that corrects. The operations are collective over the processes of a solve.
class CycleVectors : public CgVectors {
public:
    /// Of the system's size.
    virtual void load(std::span<const double> u, std::span<const double> b, std::span<const double> d) = 0;
    virtual void read(std::span<double> u, std::span<double> d) const = 0;

    /// z = the cycle's correction of d, which must be finite. False where an element of z is not.
    [[nodiscard]] virtual bool correct() = 0;
    /// u += z
    virtual void add_correction() = 0;
    /// Remembers u; and brings back what was remembered last.
    virtual void keep() = 0;
    virtual void give_back() = 0;

    [[nodiscard]] virtual SpreadIterate& spread() = 0;
    /// The cycle's levels, in words.
    [[nodiscard]] virtual std::string levels() const = 0;
};

} // namespace mantissa
