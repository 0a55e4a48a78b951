#include "local_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "mantissa/errors.hpp"

namespace mantissa::detail {

namespace {

/// The part's rows and ghosts, ascending.
std::vector<std::uint32_t> all_elements(const Part& part) {
    std::vector<std::uint32_t> all = part.row;
    for (const Exchange& list : part.receive) all.insert(all.end(), list.row.begin(), list.row.end());
    std::sort(all.begin(), all.end());
    return all;
}

/// Where each of them is in the part; anything for the other rows of the whole.
std::vector<std::uint32_t> places_in(const std::vector<std::uint32_t>& all, std::size_t rows) {
    std::vector<std::uint32_t> place(rows, 0);
    for (std::uint32_t k = 0; k < all.size(); ++k) place[all[k]] = k;
    return place;
}

System of_rows(const CompressedRows& a, const Partition& partition, std::uint32_t part,
               const std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& place) {
    std::vector<std::uint64_t> begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (const std::uint32_t row : all) {
        if (partition.owner(row) == part)
            for (std::uint64_t k = a.row_begin()[row]; k < a.row_begin()[row + 1]; ++k) {
                column.push_back(place[a.column()[k]]);
                value.push_back(a.value()[k]);
            }
        begin.push_back(column.size());
    }
    return CompressedRows(std::move(begin), std::move(column), std::move(value));
}

/// The strip with its ghost rows: edges of the smaller grid, whose rows give zero.
System of_stencil(const Stencil& m, const std::vector<std::uint32_t>& all) {
    return Stencil(m.row_length(), all.size() / m.row_length(), m.coefficients());
}

System of_bands(const Bands& m, const Partition& partition, std::uint32_t part, const std::vector<std::uint32_t>& all) {
    Bands::Array bands;
    for (std::size_t b = 0; b < kBands; ++b)
        for (const std::uint32_t row : all) bands[b].push_back(partition.owner(row) == part ? m.band(b)[row] : 0.0);
    return Bands(m.row_length(), std::move(bands));
}

/// Couplings are stored with the row in front: those of ghosts to owned rows stay, so that owned rows are whole.
System of_symmetric(const SymmetricBands& m, const Partition& partition, std::uint32_t part,
                    const std::vector<std::uint32_t>& all) {
    SymmetricBands::Array weights;
    for (std::size_t d = 0; d < kWeights; ++d)
        for (const std::uint32_t row : all) {
            const auto to =
                static_cast<std::uint64_t>(row) + static_cast<std::uint64_t>(weight_offset(d, m.row_length()));
            const bool used = partition.owner(row) == part || (to < m.size() && partition.owner(to) == part);
            weights[d].push_back(used ? m.weight(d)[row] : 0.0);
        }
    std::vector<double> sums;
    if (!m.row_sums().empty())
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (partition.owner(all[k]) == part) {
                sums.push_back(m.row_sums()[all[k]]);
                continue;
            }
            // Some number, so that this part's rows have row sums where the whole's do: a sum with +0 is not no sum.
            double magnitudes = 0;
            for (std::size_t d = 0; d < kWeights; ++d) magnitudes += std::abs(weights[d][k]);
            sums.push_back(std::max(0x1p-30, 0x1p-40 * magnitudes));
        }
    return SymmetricBands(m.row_length(), std::move(weights), std::move(sums));
}

} // namespace

std::vector<std::vector<std::uint32_t>> places_of(const std::vector<Exchange>& lists,
                                                  std::span<const std::uint32_t> place) {
    std::vector<std::vector<std::uint32_t>> result;
    for (const Exchange& list : lists) {
        std::vector<std::uint32_t>& at = result.emplace_back();
        for (const std::uint32_t row : list.row) at.push_back(place[row]);
    }
    return result;
}

LocalSystem local_system(const System& whole, const Partition& partition, std::uint32_t part) {
    const Part& own = partition.parts()[part];
    const std::vector<std::uint32_t> all = all_elements(own), place = places_in(all, partition.rows());
    System system =
        std::visit(Overloaded{[&](const CompressedRows& m) { return of_rows(m, partition, part, all, place); },
                              [&](const Stencil& m) { return of_stencil(m, all); },
                              [&](const Bands& m) { return of_bands(m, partition, part, all); },
                              [&](const SymmetricBands& m) { return of_symmetric(m, partition, part, all); }},
                   whole.matrix());
    LocalSystem local{std::move(system), {}, {}, {places_of(own.send, place), places_of(own.receive, place)}};
    for (std::uint32_t k = 0; k < all.size(); ++k)
        (partition.owner(all[k]) == part ? local.owned : local.ghost).push_back(k);
    return local;
}

} // namespace mantissa::detail
