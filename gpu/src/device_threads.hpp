#pragma once

#include <cstdint>

#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

/// Threads that the current device has at work at once: 2048 a multiprocessor (compute capability 9.x). Throws as
/// require_device().
inline std::uint64_t device_threads() {
    return std::uint64_t{2048} * static_cast<std::uint64_t>(require_device().multiprocessors);
}

} // namespace mantissa::gpu
