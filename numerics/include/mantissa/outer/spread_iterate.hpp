// The iterate of a solve that is shared out over parts, as a verdict needs it: no process has to hold all of it.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "mantissa/outer/certain.hpp"

namespace mantissa {

/// u of A u = b, each element in one place. The operations are collective over processes: all make the same calls and,
/// but for whole_at_first(), get the same answers.
class SpreadIterate {
public:
    SpreadIterate() = default;
    SpreadIterate(const SpreadIterate&) = delete;
    SpreadIterate& operator=(const SpreadIterate&) = delete;
    virtual ~SpreadIterate() = default;

    /// ||b - A u||, formed anew, with the bits that certain_defect() and norm2() have of the whole
    /// (mantissa/host/residual.hpp).
    virtual certain::Norm defect_norm() = 0;
    /// Are all elements of u finite?
    virtual bool finite() = 0;
    /// term(0, u_0) + term(1, u_1) + ..., added one after the other.
    virtual double sum_in_order(const std::function<double(std::size_t, double)>& term) = 0;
    /// The whole u on the process that has the first part; an empty vector on the others.
    [[nodiscard]] virtual std::vector<double> whole_at_first() const = 0;
    /// The whole u on every process.
    [[nodiscard]] virtual std::vector<double> whole() const = 0;
    /// Numbers in double precision that the outer loop has held so far for one part at a time, of the part that needs
    /// most: vectors, ghosts, and what is on its way.
    [[nodiscard]] virtual std::size_t held() const = 0;
};

} // namespace mantissa
