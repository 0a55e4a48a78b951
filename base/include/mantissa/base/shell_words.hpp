// Words of a shell's command line, for commands that are printed to be run.
#pragma once

#include <string>
#include <string_view>

namespace mantissa::base {

/// `text` as one word, whatever it holds: between single quotes, or as "$(printf '...')" where it has control characters
/// or bytes that are no UTF-8 (as $'...', of bash, ksh and zsh, where it ends with a line's end). All commands that are
/// printed to be run are put together with it.
std::string shell_quoted(std::string_view text);

/// The same, without quotes where none are needed.
std::string shell_word(std::string_view text);

} // namespace mantissa::base
