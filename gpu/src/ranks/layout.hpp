// One part's rows as the device has them, and what it sends: made on the host, without a device.
#pragma once

#include <cstdint>
#include <vector>

#include "mantissa/partition/partition.hpp"
#include "mantissa/system.hpp"

namespace mantissa::gpu {

/// Rows in slices of 32 (RankRows in rank_rows.hpp). Rows of a window are sorted by their length, so that little is
/// padded; a row's entries keep their order.
struct SlicedRows {
    std::vector<std::uint64_t> begin;  ///< of each slice
    std::vector<std::uint32_t> length; ///< of each place; 0 in empty ones
    std::vector<std::uint32_t> row;    ///< owned row of each place; kNoRow in empty ones
    std::vector<std::uint32_t> column; ///< owned rows, then ghosts in the order of Part::receive
    std::vector<double> value;
};

struct RankLayout {
    std::uint32_t owned = 0, ghosts = 0;
    SlicedRows inner, boundary;      ///< rows without ghosts, and with
    std::vector<std::uint32_t> send; ///< owned rows whose elements go, one list after the other
    std::vector<double> inverse;     ///< of the diagonal; empty without Jacobi
};

/// Of sparse rows, a stencil or nine bands (a grid's zero coefficients are left out). Throws InvalidInput where
/// `jacobi` meets a diagonal entry that is not above zero beside entries in its row.
RankLayout rank_layout(const System& system, const Partition& partition, std::uint32_t part, bool jacobi);

} // namespace mantissa::gpu
