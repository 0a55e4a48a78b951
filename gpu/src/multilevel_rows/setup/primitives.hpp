// What several steps of the set-up use: sums of counts, stable orders, transposes.
#pragma once

#include "matrix.hpp"

namespace mantissa::gpu::multilevel_rows {

inline constexpr unsigned kThreadsOfSetup = 256;
/// Blocks for a thread each.
inline unsigned blocks_of(std::size_t threads) {
    return static_cast<unsigned>(std::max<std::size_t>(1, (threads + kThreadsOfSetup - 1) / kThreadsOfSetup));
}

/// to[i] = the counts before i, for i up to and with `size`, where to[size] is their sum, which comes back too. Counts
/// and sums may be in one place.
std::uint32_t sum_counts(const std::uint32_t* counts, std::uint32_t size, std::uint32_t* to, Arena& scratch);

/// Positions 0 .. size - 1 ordered by their keys, which are below `keys` or equal to it; those of one key ascend.
/// begin[k] is where key k begins, for k up to and with `keys`; each key below it must be there.
struct Ordered {
    std::uint32_t *key, *position, *begin;
};
Ordered order_by(const std::uint32_t* keys_of, std::uint32_t size, std::uint32_t keys, Arena& scratch);

/// Row of each entry.
std::uint32_t* rows_of_entries(const std::uint32_t* begin, std::uint32_t rows, std::uint32_t entries, Arena& scratch);

/// No column may be empty.
Matrix<double> transposed(const Matrix<double>& a, Arena& keep, Arena& scratch);

} // namespace mantissa::gpu::multilevel_rows
