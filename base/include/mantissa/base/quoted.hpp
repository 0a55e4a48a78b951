// A user's text inside a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mantissa::base {

/// `text` fit for a line of a message: control characters as \n, \t or \x1B, and of a text longer than `limit`
/// characters the beginning and how many were left out.
std::string shortened(std::string_view text, std::size_t limit = 80);

/// The same between single quotes.
std::string quoted(std::string_view text, std::size_t limit = 80);

} // namespace mantissa::base
