// Where a result comes from.
#pragma once

#include <string>

namespace mantissa {

/// Where a stored result comes from.
struct Provenance {
    std::string version; ///< of the program
    std::string commit;  ///< the sources' commit, "-dirty" after it with local changes; "unknown" outside a repository
    std::string machine; ///< host name, processor and its number of threads
    std::string date;    ///< UTC, 2006-04-24T09:00:00Z
    std::string command; ///< as typed
};

/// This program, this machine, now.
Provenance current_provenance(const std::string& command);

} // namespace mantissa
