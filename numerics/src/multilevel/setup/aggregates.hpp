// Aggregates of nodes: what becomes one node of the next level. Internal to numerics/.
#pragma once

#include <cstdint>
#include <vector>

#include "strength.hpp"

namespace mantissa::detail {

inline constexpr std::uint32_t kNoAggregate = UINT32_MAX;

struct Aggregates {
    std::vector<std::uint32_t> of; ///< a node's; kNoAggregate where it is alone
    std::uint32_t count = 0;
};

/// Nodes in turn: a node and all that it is joined with strongly are an aggregate where none of them is in one yet;
/// whoever is left joins the aggregate of his strongest neighbour that is in one; and where there is no such
/// neighbour, he and what is left around him are one.
Aggregates make_aggregates(const RealRows& a, const Unknowns& unknowns, const Couplings& couplings, int threads);

} // namespace mantissa::detail
