#include "slabs.hpp"

#include <fmt/format.h>

namespace mantissa::sim {

namespace {

std::size_t rounded_up(std::size_t n, std::size_t unit) {
    return (n + unit - 1) / unit * unit;
}

} // namespace

std::vector<Slab> slabs(std::size_t size, std::size_t row_length, int lanes, int cores, bool whole_rows) {
    const auto count = static_cast<std::size_t>(cores);
    const std::size_t unit = whole_rows ? row_length : static_cast<std::size_t>(lanes);
    // A row of nine reaches one row and one element far; where slabs are whole rows, their first and last element are
    // the grid's edge, whose rows are not formed.
    const std::size_t halo = whole_rows ? row_length : rounded_up(row_length + 1, unit);
    // What a core has to do: its own, its halos, and after the vector's end as much as a halo to form the last row.
    const std::size_t all = size + (2 * count - 1) * halo;
    std::vector<std::size_t> begin(count + 1, 0);
    begin[count] = size;
    for (std::size_t k = 1; k < count; ++k) {
        const std::size_t at = all * k / count, halos = (2 * k - 1) * halo;
        if (at < halos) return {};
        begin[k] = (at - halos + unit / 2) / unit * unit;
    }
    if (count > 1 && (begin[1] < halo || begin[count - 1] + halo > size)) return {};
    std::vector<Slab> list(count);
    for (std::size_t k = 0; k < count; ++k) {
        if (begin[k] >= begin[k + 1]) return {};
        Slab& slab = list[k];
        slab.halo_first = k == 0 ? 0 : halo;
        slab.halo_last = k + 1 == count ? 0 : halo;
        slab.first = begin[k] - slab.halo_first;
        slab.length = begin[k + 1] + slab.halo_last - slab.first;
        slab.column = slab.first % row_length;
        if (slab.first + slab.length > size) return {};
    }
    return list;
}

std::string slabs_refusal(std::size_t size, std::size_t row_length, int lanes, int cores, bool constant) {
    if (cores < 1) return fmt::format("{} cores; give 1 or more", cores);
    const auto fit = [&](int n) { return !slabs(size, row_length, lanes, n, constant && lanes == 1).empty(); };
    if (fit(cores)) return {};
    int most = cores - 1;
    while (most > 1 && !fit(most)) --most;
    return fmt::format("a vector of {} rows of {} elements is too short for {} cores with a slab of it each; use {} or "
                       "fewer",
                       size / row_length, row_length, cores, most);
}

} // namespace mantissa::sim
