// What the texts of DatapathSpec and LuSpec have in common. Internal to numerics/.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace mantissa::spec_text {

/// The whole of `s` as a number.
inline std::optional<int> to_int(std::string_view s) {
    int v = 0;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
    if (error != std::errc{} || end != s.data() + s.size() || s.empty()) return std::nullopt;
    return v;
}

/// Splits at commas outside brackets.
inline std::vector<std::string_view> split_fields(std::string_view text) {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == ',' && depth == 0)) {
            parts.push_back(text.substr(begin, i - begin));
            begin = i + 1;
        } else if (text[i] == '[') {
            ++depth;
        } else if (text[i] == ']') {
            --depth;
        }
    }
    return parts;
}

} // namespace mantissa::spec_text
