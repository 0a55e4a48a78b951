// Large copies to the device by way of pinned memory.
#pragma once

#include <cstddef>
#include <span>

namespace mantissa::gpu::multilevel_rows {

/// from comes to `to`, which is on the device. So many threads fill pinned memory while what they have filled is on its
/// way: some twice as fast as a plain copy of memory that is not pinned. One call at a time.
void copy_staged(std::span<const std::byte> from, std::byte* to, int threads);

} // namespace mantissa::gpu::multilevel_rows
