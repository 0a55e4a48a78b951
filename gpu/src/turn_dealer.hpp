// Who reads which bank of shared memory when: a bipartite edge colouring.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mantissa::gpu {

/// Deals entries to turns so that no seat has two in a turn and, as far as can be, no class has: the edges of a
/// bipartite graph of seats and classes, coloured by turns with alternating paths (Koenig 1916). It succeeds for every
/// class with no more entries than there are turns; what a class has more goes to any turn in which its seat is free.
template <std::uint32_t kSeats> class TurnDealer {
public:
    static constexpr std::uint32_t kNone = ~0U;

    /// Forgets everything.
    void start(std::uint32_t turns) {
        turns_ = turns;
        of_seat_.assign(std::size_t{kSeats} * turns, kNone);
        of_class_.assign(std::size_t{kSeats} * turns, kNone);
        entries_.clear();
        surplus_.clear();
    }
    /// An entry of this seat, which has had fewer than `turns`. Entries are numbered as they come.
    void add(std::uint32_t seat, std::uint32_t its_class) {
        const auto entry = static_cast<std::uint32_t>(entries_.size());
        entries_.push_back({seat, its_class});
        const std::uint32_t there = free(of_class_, its_class);
        if (there == kNone) return surplus_.push_back(entry);
        const std::uint32_t here = free(of_seat_, seat);
        if (of_class_[at(its_class, here)] != kNone) exchange(its_class, here, there);
        of_seat_[at(seat, here)] = of_class_[at(its_class, here)] = entry;
    }
    /// Behind the last add().
    void finish() {
        for (const std::uint32_t entry : surplus_) {
            const std::uint32_t seat = entries_[entry].seat;
            of_seat_[at(seat, free(of_seat_, seat))] = entry;
        }
    }
    /// The entry that a seat has in a turn, or kNone.
    [[nodiscard]] std::uint32_t entry(std::uint32_t seat, std::uint32_t turn) const { return of_seat_[at(seat, turn)]; }

private:
    struct Entry {
        std::uint32_t seat, its_class;
    };
    [[nodiscard]] std::size_t at(std::uint32_t node, std::uint32_t turn) const {
        return std::size_t{node} * turns_ + turn;
    }
    [[nodiscard]] std::uint32_t free(const std::vector<std::uint32_t>& of, std::uint32_t node) const {
        const auto first = of.begin() + static_cast<std::ptrdiff_t>(at(node, 0)), end = first + turns_;
        const auto found = std::find(first, end, kNone);
        return found == end ? kNone : static_cast<std::uint32_t>(found - first);
    }
    /// Along the path from a class by turns a, b, a, ... their entries change turns; then the class is free in turn a.
    /// (The path comes to seats in turn a, so it never ends at the one that waits for that turn.)
    void exchange(std::uint32_t its_class, std::uint32_t a, std::uint32_t b) {
        path_.clear();
        for (std::uint32_t entry = of_class_[at(its_class, a)]; entry != kNone;) {
            path_.push_back(entry);
            const bool in_a = path_.size() % 2 == 1;
            entry = in_a ? of_seat_[at(entries_[entry].seat, b)] : of_class_[at(entries_[entry].its_class, a)];
        }
        for (std::size_t k = 0; k < path_.size(); ++k) {
            const auto [seat, c] = entries_[path_[k]];
            of_seat_[at(seat, k % 2 == 0 ? a : b)] = of_class_[at(c, k % 2 == 0 ? a : b)] = kNone;
        }
        for (std::size_t k = 0; k < path_.size(); ++k) {
            const auto [seat, c] = entries_[path_[k]];
            of_seat_[at(seat, k % 2 == 0 ? b : a)] = of_class_[at(c, k % 2 == 0 ? b : a)] = path_[k];
        }
    }

    std::uint32_t turns_ = 0;
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> of_seat_, of_class_, surplus_, path_;
};

} // namespace mantissa::gpu
