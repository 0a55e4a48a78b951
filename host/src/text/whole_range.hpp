// The one check of whole numbers against their bounds. Internal to host/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mantissa::text {

/// Whole numbers from `low` to `high`, both among them.
struct WholeRange {
    std::uint64_t low = 0, high = UINT64_MAX;

    [[nodiscard]] bool holds(std::uint64_t value) const { return value >= low && value <= high; }
    /// The value when it is there and in the range; a negative one is in none.
    [[nodiscard]] std::optional<std::uint64_t> checked(std::optional<std::int64_t> value) const;
    /// The whole of `text` as a number of the range.
    [[nodiscard]] std::optional<std::uint64_t> read(std::string_view text) const;
    /// For messages: "a whole number from 1 to 99", "a whole number from 1 on".
    [[nodiscard]] std::string name() const;
    /// Throws InvalidInput, "WHAT VALUE: give a whole number from 1 to 99", for one outside.
    void require(std::string_view what, std::int64_t value) const;
};

} // namespace mantissa::text
