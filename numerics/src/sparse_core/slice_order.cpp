#include "slice_order.hpp"

#include <algorithm>

#include "mantissa/sparse_core/row_stream.hpp"

namespace mantissa::sparse_core {

SliceOrder::SliceOrder(std::uint32_t lanes) : lanes_(lanes), first_free_(3 * lanes), degree_(3 * lanes) {}

std::uint32_t SliceOrder::free_beat(std::uint32_t node) {
    std::uint32_t beat = first_free_[node];
    while (at(node, beat) != kNone) ++beat;
    return first_free_[node] = beat;
}

void SliceOrder::place(const std::vector<SliceEntry>& entries, std::uint32_t k, std::uint32_t beat) {
    at(entries[k].lane, beat) = k;
    at(port_[k], beat) = k;
    beat_[k] = beat;
}

/// Entries on the path from `port` that are in turn in the beats `from` and `to` change places. The path never comes to
/// a lane in which `from` is free: it would have to come by an entry of `from`.
void SliceOrder::swap_chain(const std::vector<SliceEntry>& entries, std::uint32_t port, std::uint32_t from,
                            std::uint32_t to) {
    chain_.clear();
    std::uint32_t node = port, beat = from;
    for (std::uint32_t k = at(node, beat); k != kNone; k = at(node, beat)) {
        chain_.push_back(k);
        node = node < lanes_ ? port_[k] : entries[k].lane;
        beat = beat == from ? to : from;
    }
    for (const std::uint32_t k : chain_)
        for (const std::uint32_t n : {entries[k].lane, port_[k]}) {
            at(n, beat_[k]) = kNone;
            first_free_[n] = std::min(first_free_[n], std::min(from, to));
        }
    for (const std::uint32_t k : chain_) place(entries, k, beat_[k] == from ? to : from);
}

std::uint32_t SliceOrder::order(const std::vector<SliceEntry>& entries) {
    std::fill(degree_.begin(), degree_.end(), 0);
    port_.resize(entries.size());
    for (std::uint32_t k = 0; k < entries.size(); ++k) {
        port_[k] = lanes_ + 2 * entries[k].bank + port_of(entries[k].lane);
        ++degree_[entries[k].lane];
        ++degree_[port_[k]];
    }
    beats_ = *std::max_element(degree_.begin(), degree_.end());
    beat_.assign(entries.size(), 0);
    table_.assign(std::size_t{3} * lanes_ * beats_, kNone);
    std::fill(first_free_.begin(), first_free_.end(), 0);
    for (std::uint32_t k = 0; k < entries.size(); ++k) {
        const SliceEntry& e = entries[k];
        const std::uint32_t of_lane = free_beat(e.lane), of_port = free_beat(port_[k]);
        if (of_lane != of_port && at(port_[k], of_lane) != kNone) {
            if (at(e.lane, of_port) == kNone) {
                place(entries, k, of_port);
                continue;
            }
            swap_chain(entries, port_[k], of_lane, of_port);
        }
        place(entries, k, of_lane);
    }
    return beats_;
}

} // namespace mantissa::sparse_core
