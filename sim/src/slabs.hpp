// A vector cut into slabs, one for each of several integer cores (rtl/fixed/fx_slab.sv).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mantissa::sim {

/// What a core reads of a vector: its own elements, and its neighbours' at either end.
struct Slab {
    std::size_t first = 0;                     ///< the first element that is read
    std::size_t length = 0;                    ///< elements that are read: the register LENGTH
    std::size_t halo_first = 0, halo_last = 0; ///< of them at either end those of neighbours
    std::size_t column = 0;                    ///< of the first one in its grid row
};

/// Of `size` elements in rows of `row_length` a slab for each of `cores`, such that all take about as long. Slabs begin
/// with whole beats of `lanes` elements, and with `whole_rows` (a constant stencil on one lane) with whole rows. Empty
/// where there are too few rows.
std::vector<Slab> slabs(std::size_t size, std::size_t row_length, int lanes, int cores, bool whole_rows);

/// Empty where slabs() finds some for the core that `lanes` and `constant` (its stencil) say; else one line.
std::string slabs_refusal(std::size_t size, std::size_t row_length, int lanes, int cores, bool constant);

} // namespace mantissa::sim
