// Reverse Cuthill-McKee reordering of a symmetric pattern.
#pragma once

#include <cstdint>
#include <vector>

#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa {

/// order[k] is the row that comes k-th. Each connected component starts from a pseudo-peripheral row (George and Liu
/// 1979); ties go to the lower row number, so the order is a function of the pattern alone. The ordering is that of
/// Boost.Graph. Throws InvalidInput on a matrix of more than 2^31 - 1 rows.
std::vector<std::uint32_t> reverse_cuthill_mckee(const CompressedRows& a);
/// P A P^T: row k of the result is row order[k] of a; columns ascend.
CompressedRows permuted(const CompressedRows& a, const std::vector<std::uint32_t>& order);
/// The largest |row - column|, and the mean over the nonzeros.
struct Bandwidth {
    std::uint32_t largest = 0;
    double mean = 0;
};
Bandwidth bandwidth(const CompressedRows& a);

} // namespace mantissa
