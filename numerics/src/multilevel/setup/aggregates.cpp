#include "aggregates.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include "../blocked_sums.hpp"

namespace mantissa::detail {

namespace {

/// visit(neighbour, entry) of each entry that joins `node` strongly with another one, until it returns false.
template <class Visit>
bool around(const RealRows& a, const Unknowns& unknowns, const Couplings& couplings, std::size_t node,
            const Visit& visit) {
    for (std::uint32_t k = a.begin[unknowns.first(node)]; k < a.begin[unknowns.first(node + 1)]; ++k) {
        if (!couplings.strong[k]) continue;
        const std::uint32_t other = unknowns.node(a.column[k]);
        if (other != node && !visit(other, k)) return false;
    }
    return true;
}

} // namespace

Aggregates make_aggregates(const RealRows& a, const Unknowns& unknowns, const Couplings& couplings, int threads) {
    const std::size_t nodes = unknowns.nodes();
    Aggregates g;
    g.of.assign(nodes, kNoAggregate);
    const auto gather = [&](std::size_t node) {
        g.of[node] = g.count;
        around(a, unknowns, couplings, node, [&](std::uint32_t other, std::uint32_t) {
            if (g.of[other] == kNoAggregate) g.of[other] = g.count;
            return true;
        });
        ++g.count;
    };
    for (std::size_t node = 0; node < nodes; ++node) {
        if (g.of[node] != kNoAggregate || couplings.alone[node]) continue;
        bool any = false;
        const bool free = around(a, unknowns, couplings, node, [&](std::uint32_t other, std::uint32_t) {
            any = true;
            return g.of[other] == kNoAggregate;
        });
        if (any && free) gather(node);
    }
    std::vector<std::uint32_t> of = g.of;
    for_each_row(nodes, threads, [&](std::size_t node) {
        if (g.of[node] != kNoAggregate || couplings.alone[node]) return;
        double strongest = 0;
        around(a, unknowns, couplings, node, [&](std::uint32_t other, std::uint32_t k) {
            if (g.of[other] != kNoAggregate && std::abs(a.value[k]) > strongest) {
                strongest = std::abs(a.value[k]);
                of[node] = g.of[other];
            }
            return true;
        });
    });
    g.of = std::move(of);
    for (std::size_t node = 0; node < nodes; ++node)
        if (g.of[node] == kNoAggregate && !couplings.alone[node]) gather(node);
    return g;
}

} // namespace mantissa::detail
