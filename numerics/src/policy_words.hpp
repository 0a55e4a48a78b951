// The policy words after a format's name. Internal to numerics/.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "mantissa/format.hpp"

namespace mantissa::policy_words {

using Words = std::span<const std::string_view>;
inline constexpr std::array<std::string_view, 9> kRoundings = {"rz",   "rne", "rna",     "odd",  "up",
                                                               "down", "sr",  "nearest", "floor"};
inline constexpr std::array<std::string_view, 2> kSubnormals = {"flush", "subnormals"};
inline constexpr std::array<std::string_view, 5> kOverflows = {"inf", "sat", "satfinite", "nan", "wrap"};

/// Throws InvalidInput where a user's text says one thing twice: the last word would win in silence. (What another
/// name of a format stands for has words of its own, which the user's replace.)
inline void refuse_twice(std::string_view text) {
    std::array<std::string_view, 3> said;
    const std::array<Words, 3> kinds = {Words(kRoundings), Words(kSubnormals), Words(kOverflows)};
    std::string_view rest = text.substr(std::min(text.find(':'), text.size()));
    while (!rest.empty()) {
        rest.remove_prefix(1);
        const std::string_view word = rest.substr(0, rest.find(':'));
        rest.remove_prefix(word.size());
        for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
            if (std::ranges::find(kinds[kind], word) == kinds[kind].end()) continue;
            if (!said[kind].empty())
                throw InvalidInput(fmt::format("format '{}': {} and {} are two words for one thing; leave one out",
                                               text.substr(0, 60), said[kind], word));
            said[kind] = word;
        }
    }
}

} // namespace mantissa::policy_words
