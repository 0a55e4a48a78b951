// What an iteration of a recurrence costs, derived from its definition.
#pragma once

#include <string>

#include "mantissa/recurrence/definition.hpp"

namespace mantissa::recurrence {

/// Per unknown and iteration, and per iteration. A sweep goes over memory once: it ends where a sum is waited for, and
/// where a product begins whose rows need neighbours of what the sweep made. In it every vector that is needed is read
/// once, unless it was made in it, and every vector that is changed is written once. An update waits for the sweep that
/// needs its result, or runs with the next one that has what it needs, as kernels do that keep their passes few.
struct Ledger {
    int reads = 0, writes = 0; ///< vector elements; the matrix and its gathered vector come with the products
    int products = 0;          ///< A x
    int preconditioned = 0;    ///< M x
    int sums = 0;              ///< dot products
    int waits = 0;             ///< times that all parts wait for sums
    int overlapped = 0;        ///< products that run while sums are on their way
    int sweeps = 0;
    int vectors = 0; ///< that are kept
    friend bool operator==(const Ledger&, const Ledger&) = default;
};
[[nodiscard]] Ledger ledger(const Definition& definition);

/// A step as its text has it: "p = r + beta p".
[[nodiscard]] std::string to_string(const Definition& definition, const Step& step);

} // namespace mantissa::recurrence
