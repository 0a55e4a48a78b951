// Sums in floating point over numbers that parts hold, in the order of the whole: numbers go to pieces of consecutive
// rows, one piece to a part, and each part adds up the blocks of its piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mantissa/partition/partition.hpp"
#include "mantissa/partition/space.hpp"

namespace mantissa::detail {

/// Of one part. All operations are collective over parts and give every part the same.
class OrderedSums {
public:
    /// `partition` must live as long.
    OrderedSums(std::shared_ptr<Space> space, const Partition& partition, std::uint32_t part);

    /// Writes numbers of owned rows, from the first-th of Part::row on.
    using Fill = std::function<void(std::size_t first, std::span<double> values)>;
    /// Brings one number of each row to its piece.
    void stage(const Fill& fill);

    /// sum(numbers) of each block of so many of what was staged, added in order. `block` divides outer_order::kPart.
    double add_blocks(std::size_t block, const std::function<double(std::span<const double>)>& sum) const;
    /// All that was staged, added one after the other.
    [[nodiscard]] double add_in_order() const;
    /// The largest magnitude of what was staged.
    [[nodiscard]] double largest() const;

    /// Every part's number, in the parts' order.
    [[nodiscard]] std::vector<double> all(double mine) const;
    /// Numbers that this part has held here at a time, at most.
    [[nodiscard]] std::size_t held() const { return held_; }

private:
    /// The rows of `part` that lie in the piece of `piece`, as places in Part::row.
    struct Range {
        std::size_t begin, end;
    };
    [[nodiscard]] Range rows_in(std::uint32_t part, std::uint32_t piece) const;

    std::shared_ptr<Space> space_;
    const Partition& partition_;
    std::uint32_t part_;
    std::size_t chunk_;         ///< rows of a piece
    std::vector<double> piece_; ///< rows part chunk to (part + 1) chunk - 1
    std::size_t held_ = 0;
};

} // namespace mantissa::detail
