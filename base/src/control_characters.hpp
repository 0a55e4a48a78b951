// What a terminal would obey, in a text that may come from anywhere. Internal to base/.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mantissa::base {

/// The whole text, with its lines and tabs; every other control character (those of eight bits and those that turn the
/// direction of writing too) as \u001B, which JSON reads as that character, and bytes that are no UTF-8 as \x9B.
std::string fit_for_terminal(std::string_view text);

/// How many bytes at the end of `text` begin a character of UTF-8 that does not end there.
std::size_t unfinished_character(std::string_view text);

} // namespace mantissa::base
