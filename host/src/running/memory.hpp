// How much memory this machine has. Internal to host/.
#pragma once

#include <cstddef>
#include <cstdint>

#include <unistd.h>

namespace mantissa::running {

/// Bytes; SIZE_MAX where the system does not say.
inline std::size_t physical_memory() {
    const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0) return SIZE_MAX;
    return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
}

} // namespace mantissa::running
