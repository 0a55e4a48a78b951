#include "whole_range.hpp"

#include <fmt/format.h>

#include "key_values.hpp"
#include "mantissa/errors.hpp"

namespace mantissa::text {

std::optional<std::uint64_t> WholeRange::checked(std::optional<std::int64_t> value) const {
    if (!value || *value < 0 || !holds(static_cast<std::uint64_t>(*value))) return std::nullopt;
    return static_cast<std::uint64_t>(*value);
}

std::optional<std::uint64_t> WholeRange::read(std::string_view text) const {
    std::uint64_t value = 0;
    if (!read_number(text, value) || !holds(value)) return std::nullopt;
    return value;
}

std::string WholeRange::name() const {
    return high == UINT64_MAX ? fmt::format("a whole number from {} on", low)
                              : fmt::format("a whole number from {} to {}", low, high);
}

void WholeRange::require(std::string_view what, std::int64_t value) const {
    if (!checked(value)) throw InvalidInput(fmt::format("{} {}: give {}", what, value, name()));
}

} // namespace mantissa::text
