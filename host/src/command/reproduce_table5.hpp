// mantissa reproduce table5. Internal to the program.
#pragma once

#include <string>

namespace mantissa::cli {

struct Table5Flags {
    std::string data, store, plot;
    int jobs = 1;
    bool json = false, stored = false; ///< stored: run nothing
};

/// Synthesises what the store lacks and prints the table. Throws InvalidInput after the table when rows failed.
int reproduce_table5(const Table5Flags& flags, const std::string& typed);

} // namespace mantissa::cli
