// Parts of a vector whose readers are given one by one. Internal to numerics/.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mantissa/partition/partition.hpp"

namespace mantissa::detail {

/// `owner[i]` is the part that owns element i; `reads[p]`, for each part, the elements that part p reads, its own among
/// them or not, in any order and any number of times. Of Part, what concerns a matrix's rows stays empty.
std::vector<Part> parts_that_read(std::span<const std::uint32_t> owner,
                                  std::span<const std::vector<std::uint32_t>> reads);

} // namespace mantissa::detail
