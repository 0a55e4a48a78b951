// What one GPU holds of a system: which elements, which of them go to other parts, which rows wait for theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mantissa/partition/cuts.hpp"
#include "mantissa/system.hpp"

namespace mantissa::gpu {

/// Local elements are 0 .. elements - 1. Own ones are own_begin .. own_end - 1, the others ghosts. A grid's part is a
/// strip of whole grid rows with two rows of ghosts on either side, so that every row's reach lies inside; elements
/// keep the grid's order. Sparse rows have their ghosts last, and the rows that wait for ghosts, or whose elements go
/// elsewhere, after the others.
struct PartMap {
    std::size_t elements = 0, own_begin = 0, own_end = 0;
    std::size_t inner_begin = 0, inner_end = 0; ///< rows that need no ghost and whose elements go nowhere
    std::vector<int> send_to, receive_from;     ///< other parts, ascending
    // A grid: local element i is element first + i of the whole.
    bool strip = false;
    std::ptrdiff_t first = 0;
    int below = -1, above = -1; ///< parts, -1 where there are none
    // Sparse rows.
    std::vector<std::uint32_t> row;        ///< own rows, by local element
    std::vector<std::uint64_t> row_begin;  ///< of own rows
    std::vector<std::uint32_t> column;     ///< local
    std::vector<std::uint64_t> entry;      ///< which entry of the whole matrix each is
    std::vector<std::uint32_t> goes_first; ///< for element inner_end + k: goes_slot[goes_first[k] ..]
    std::vector<std::uint32_t> goes_slot;  ///< the element's number over there
    std::vector<std::uint8_t> goes_to;     ///< the part

    [[nodiscard]] std::size_t owned() const { return own_end - own_begin; }
};

/// Strips of whole grid rows whose heights differ by at most one. Each has two rows at least (least_rows()).
std::vector<PartMap> strip_maps(const System& grid, int parts);
std::vector<PartMap> sparse_maps(const CompressedRows& rows, int parts, CutMethod method);

} // namespace mantissa::gpu
