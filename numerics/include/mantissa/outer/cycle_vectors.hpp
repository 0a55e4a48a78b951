// The vectors of a loop in double precision around an inner solver or a multilevel cycle, wherever they are kept: the
// loop sees sums and norms alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "mantissa/outer/spread_iterate.hpp"

namespace mantissa {

/// Directions that CG keeps at most, so that a new one becomes conjugate to them.
inline constexpr int kMostDirections = 3;

/// Calls `work` with so many directions as a number that is known when it is compiled.
template <class Work> void with_directions(std::size_t count, const Work& work) {
    static_assert(kMostDirections == 3);
    if (count == 1) work(std::integral_constant<int, 1>{});
    else if (count == 2) work(std::integral_constant<int, 2>{});
    else work(std::integral_constant<int, 3>{});
}

/// A direction of CG, and q = -A p.
struct CgDirection {
    std::vector<double> p, q;
};

/// The new direction of CgVectors::direct(), over the elements that `each` calls its work with: a number for z, and the
/// place in p. The newest comes first in `kept` then.
template <class Each>
void direct_anew(std::span<const double> beta, const double* z, std::vector<CgDirection>& kept, const Each& each) {
    with_directions(beta.size(), [&]<int D>(std::integral_constant<int, D>) {
        std::array<const double*, D> p;
        for (std::size_t k = 0; k < D; ++k) p[k] = kept[k].p.data();
        double* const next = kept[D - 1].p.data();
        each([=](std::size_t i, std::size_t at) {
            double sum = z[i];
            for (std::size_t k = 0; k < D; ++k) sum += beta[k] * p[k][at];
            next[at] = sum;
        });
    });
    std::rotate(kept.begin(), kept.end() - 1, kept.end());
}

/// u, b and d = b - A u; z, a correction of d; and for CG around what corrects a direction p and q = -A p, by which d
/// goes on as the recurrence's residual. Where a new direction becomes conjugate to several, those before p and q are
/// kept too. Sums have the order of outer_order.hpp, wherever the elements are.
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
    /// z.d, and z.q with the q of `before` directions before the last one
    [[nodiscard]] virtual double correction_by_defect() = 0;
    [[nodiscard]] virtual double correction_by_product(std::size_t before) = 0;
    /// p = z + beta[0] p + beta[1] (the p before) + ..., which takes the place of the oldest of so many; at first all
    /// are zero. From 1 to kMostDirections, always as many; memory for them is had at first use.
    virtual void direct(std::span<const double> beta) = 0;
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
