// What a program prints: no terminal is commanded by a file's name, and no closed stream ends the program.
#pragma once

#include <string_view>

namespace mantissa::base {

/// From now on what is printed to stdout and stderr (C's streams) has its control characters escaped, but for ends of
/// lines, tabs and, on standard error, "go to the line's begin and clear it". A standard error that is closed or full
/// swallows what it is given: what the program found out still shows in its exit code. A standard output that cannot be
/// written shows in ferror(). For a program's main, once, before it prints.
void guard_standard_streams();

/// Writes to standard output as it is, after what was printed: for files, which may hold any bytes. False, and errno,
/// when it cannot be written.
bool write_bytes_out(std::string_view bytes);

} // namespace mantissa::base
