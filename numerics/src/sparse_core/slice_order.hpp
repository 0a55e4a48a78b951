// In which beat of a slice each of its entries comes, so that no beat reads a port of a bank more than once.
#pragma once

#include <cstdint>
#include <vector>

namespace mantissa::sparse_core {

/// An entry of a slice: which lane takes it, and which bank its column is in.
struct SliceEntry {
    std::uint32_t lane, bank;
};

/// Gives entries beats such that a lane takes one entry a beat and a port is read at most once in one: a lane
/// reads at the port that port_of() says. Keeps its tables from slice to slice.
class SliceOrder {
public:
    explicit SliceOrder(std::uint32_t lanes);
    /// Returns the number of beats, the least that there can be; beat()[k] is that of entry k then.
    std::uint32_t order(const std::vector<SliceEntry>& entries);
    [[nodiscard]] const std::vector<std::uint32_t>& beat() const { return beat_; }

private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    [[nodiscard]] std::uint32_t& at(std::uint32_t node, std::uint32_t beat) {
        return table_[std::size_t{node} * beats_ + beat];
    }
    std::uint32_t free_beat(std::uint32_t node);
    void place(const std::vector<SliceEntry>& entries, std::uint32_t k, std::uint32_t beat);
    void swap_chain(const std::vector<SliceEntry>& entries, std::uint32_t port, std::uint32_t from, std::uint32_t to);

    std::uint32_t lanes_, beats_ = 0;
    std::vector<std::uint32_t> beat_, port_; // of an entry; the nodes of ports follow those of the lanes
    std::vector<std::uint32_t> table_;       // [node][beat]: the entry there
    std::vector<std::uint32_t> first_free_;  // no beat of a node below this is free
    std::vector<std::uint32_t> degree_;
    std::vector<std::uint32_t> chain_;
};

} // namespace mantissa::sparse_core
