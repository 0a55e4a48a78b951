#include "key_values.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "whole_range.hpp"

namespace mantissa::text {

KeyValues::KeyValues(std::string_view text, std::string_view options, std::string_view known)
    : text_(text), known_(known) {
    std::string_view rest = std::string_view(text_).substr(text.size() - options.size());
    if (rest.ends_with(',')) fail("a comma at its end; leave it out, or give KEY=VALUE after it");
    while (!rest.empty()) {
        const std::string_view part = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
        const auto equals = part.find('=');
        if (equals == std::string_view::npos)
            fail(fmt::format("{} is not KEY=VALUE; the keys are {}", base::quoted(part), known_));
        const std::string_view key = part.substr(0, equals);
        if (key.find_first_of(" \t") != std::string_view::npos)
            fail(fmt::format("the key {} has a blank; leave it out", base::quoted(key)));
        for (const auto& pair : pairs_)
            if (pair.first == key) fail(fmt::format("{}= is given twice", base::shortened(key)));
        std::string_view value = part.substr(equals + 1);
        // A path goes on after a comma where no KEY= does.
        while ((key == "file" || value.starts_with("file:")) && !rest.empty() &&
               rest.substr(0, rest.find(',')).find('=') == std::string_view::npos) {
            const std::size_t more = std::min(rest.find(','), rest.size());
            value = {value.data(), value.size() + 1 + more};
            rest.remove_prefix(std::min(rest.size(), more + 1));
        }
        pairs_.emplace_back(key, value);
    }
}

bool KeyValues::has(std::string_view key) const {
    return std::ranges::any_of(pairs_, [&](const auto& pair) { return pair.first == key; });
}

void KeyValues::only_with(std::string_view key, bool there, std::string_view of) const {
    if (!there && has(key)) fail(fmt::format("{}= is of {}: give that, or leave it out", key, of));
}

void KeyValues::none_beside(std::string_view other, std::initializer_list<std::string_view> keys) const {
    for (const std::string_view key : keys)
        if (has(key)) fail(fmt::format("{}= does not go beside {}: leave one out", key, other));
}

std::optional<std::string_view> KeyValues::take(std::string_view key) {
    const auto it = std::find_if(pairs_.begin(), pairs_.end(), [&](const auto& pair) { return pair.first == key; });
    if (it == pairs_.end()) return std::nullopt;
    const std::string_view value = it->second;
    pairs_.erase(it);
    return value;
}

std::uint64_t KeyValues::integer(std::string_view key, std::uint64_t low, std::uint64_t high,
                                 std::optional<std::uint64_t> fallback) {
    const WholeRange range{low, high};
    const auto value = take(key);
    if (!value) {
        if (!fallback)
            fail(fmt::format("{}= is missing: give a whole number in {}..{}{}", key, low, high,
                             pairs_.empty() ? "" : fmt::format(" (the keys are {})", known_)));
        return *fallback;
    }
    const auto number = range.read(*value);
    if (!number) fail(fmt::format("{}={} must be a whole number in {}..{}", key, base::shortened(*value), low, high));
    return *number;
}

double KeyValues::positive(std::string_view key, double fallback) {
    const auto value = take(key);
    if (!value) return fallback;
    double number = 0;
    if (!read_number(*value, number) || !std::isfinite(number) || number <= 0)
        fail(fmt::format("{}={} must be a finite number above zero", key, base::shortened(*value)));
    return number;
}

void KeyValues::finish() const {
    if (!pairs_.empty()) fail(fmt::format("no option {}; the keys are {}", base::quoted(pairs_.front().first), known_));
}

void KeyValues::fail(const std::string& what) const {
    throw InvalidInput(fmt::format("problem {}: {}", base::quoted(text_, 200), what));
}

std::string shortest(double value) {
    return fmt::format("{}", value);
}

} // namespace mantissa::text
