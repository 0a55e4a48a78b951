// Where the double-precision vectors of a refinement's outer loop live: on the host, on a device, on several of either,
// in several processes.
// The outer loop (host/src/solve/residual_guided.cpp) is written once over these operations, and each of them has the
// same bits wherever it is done: element by element rounded to nearest even with nothing fused, sums in the order of
// outer_order.hpp.
#pragma once

#include <optional>
#include <span>

#include "mantissa/outer/spread_iterate.hpp"

namespace mantissa {

/// The iterate u, the right-hand side b and the defect d = b - A u, beside the vectors u_k, r_k, p_k and q_k of one
/// session, which must live as long. All have the system's size. Not for use from two threads at once.
class OuterVectors {
public:
    OuterVectors() = default;
    OuterVectors(const OuterVectors&) = delete;
    OuterVectors& operator=(const OuterVectors&) = delete;
    virtual ~OuterVectors() = default;

    /// Takes u, b and d as they are on the host. Throws InvalidInput where a size is not the system's.
    virtual void load(std::span<const double> u, std::span<const double> b, std::span<const double> d) = 0;
    /// Gives u and d to the host.
    virtual void read(std::span<double> u, std::span<double> d) const = 0;

    /// The dot product (d / scale) . p_k, in parts of outer_order::kPart elements.
    virtual double dot(double scale) = 0;
    /// r_k = d / scale. With `share`, which a dot() of the same scale and the same d has come before,
    /// p_k = p_k - share (d / scale). Both are rounded into the session's formats. u_k and q_k become +0.
    virtual void restart(double scale, std::optional<double> share) = 0;
    /// u = u + scale (u_k + alpha p_k), with alpha p_k as the session's datapath has it. False where a sum in brackets
    /// is not finite; u is then as it was in front of the first such element at least.
    virtual bool correct(double scale, double alpha) = 0;
    /// d = b - A u, a row's products added in the matrix's order (mantissa/host/residual.hpp).
    virtual void defect() = 0;
    /// The norm of d as norm2() has it: in blocks of outer_order::kNormBlock.
    virtual double norm() = 0;
    /// Has a number of u left its format? (Only words can.)
    [[nodiscard]] virtual bool overflow() const { return false; }
    /// Where no place has whole vectors, their iterate, which lives as long as this: the operations above are then
    /// collective over processes, and read() brings everything to everyone. Null: read() is all that there is.
    [[nodiscard]] virtual SpreadIterate* spread() { return nullptr; }
};

} // namespace mantissa
