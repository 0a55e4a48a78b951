// Who reads which bank of shared memory when: a bipartite edge colouring.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mantissa::gpu {

/// Assigns entries to turns so that no lane has two in a turn and, as far as can be, no bank has: the edges of a
/// bipartite graph of lanes and banks, coloured by turns with alternating paths (Koenig 1916). It succeeds for every
/// bank with no more entries than there are turns; what a bank has more goes to any turn in which its lane is free.
template <std::uint32_t kLanes> class BankSchedule {
public:
    static constexpr std::uint32_t kNone = ~0U;

    /// Forgets everything.
    void start(std::uint32_t turns) {
        turns_ = turns;
        of_lane_.assign(std::size_t{kLanes} * turns, kNone);
        of_bank_.assign(std::size_t{kLanes} * turns, kNone);
        entries_.clear();
        surplus_.clear();
    }
    /// An entry of this lane, which has had fewer than `turns`. Entries are numbered as they come.
    void add(std::uint32_t lane, std::uint32_t bank) {
        const auto entry = static_cast<std::uint32_t>(entries_.size());
        entries_.push_back({lane, bank});
        const std::uint32_t there = free(of_bank_, bank);
        if (there == kNone) return surplus_.push_back(entry);
        const std::uint32_t here = free(of_lane_, lane);
        if (of_bank_[at(bank, here)] != kNone) exchange(bank, here, there);
        of_lane_[at(lane, here)] = of_bank_[at(bank, here)] = entry;
    }
    /// After the last add().
    void finish() {
        for (const std::uint32_t entry : surplus_) {
            const std::uint32_t lane = entries_[entry].lane;
            of_lane_[at(lane, free(of_lane_, lane))] = entry;
        }
    }
    /// The entry that a lane has in a turn, or kNone.
    [[nodiscard]] std::uint32_t entry(std::uint32_t lane, std::uint32_t turn) const { return of_lane_[at(lane, turn)]; }

private:
    struct Entry {
        std::uint32_t lane, bank;
    };
    [[nodiscard]] std::size_t at(std::uint32_t node, std::uint32_t turn) const {
        return std::size_t{node} * turns_ + turn;
    }
    [[nodiscard]] std::uint32_t free(const std::vector<std::uint32_t>& of, std::uint32_t node) const {
        const auto first = of.begin() + static_cast<std::ptrdiff_t>(at(node, 0)), end = first + turns_;
        const auto found = std::find(first, end, kNone);
        return found == end ? kNone : static_cast<std::uint32_t>(found - first);
    }
    /// Along the path from a bank by turns a, b, a, ... their entries change turns; then the bank is free in turn a.
    /// (The path comes to lanes in turn a, so it never ends at the one that waits for that turn.)
    void exchange(std::uint32_t bank, std::uint32_t a, std::uint32_t b) {
        path_.clear();
        for (std::uint32_t entry = of_bank_[at(bank, a)]; entry != kNone;) {
            path_.push_back(entry);
            const bool in_a = path_.size() % 2 == 1;
            entry = in_a ? of_lane_[at(entries_[entry].lane, b)] : of_bank_[at(entries_[entry].bank, a)];
        }
        for (std::size_t k = 0; k < path_.size(); ++k) {
            const Entry& entry = entries_[path_[k]];
            of_lane_[at(entry.lane, k % 2 == 0 ? a : b)] = of_bank_[at(entry.bank, k % 2 == 0 ? a : b)] = kNone;
        }
        for (std::size_t k = 0; k < path_.size(); ++k) {
            const Entry& entry = entries_[path_[k]];
            of_lane_[at(entry.lane, k % 2 == 0 ? b : a)] = of_bank_[at(entry.bank, k % 2 == 0 ? b : a)] = path_[k];
        }
    }

    std::uint32_t turns_ = 0;
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> of_lane_, of_bank_, surplus_, path_;
};

} // namespace mantissa::gpu
