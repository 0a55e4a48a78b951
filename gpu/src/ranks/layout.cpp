#include "layout.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "mantissa/errors.hpp"
#include "rank_rows.hpp"

namespace mantissa::gpu {

namespace {

constexpr std::size_t kSlice = 32, kWindow = 4096; ///< rows

/// A grid's rows, entries in the order of its bands.
template <class Coefficient>
LocalRows grid_rows(std::size_t row_length, const Partition& partition, std::uint32_t number, Coefficient&& a) {
    const Part& part = partition.parts()[number];
    std::vector<std::uint32_t> place(partition.rows(), kNoRow);
    std::uint32_t next = 0;
    for (const std::uint32_t row : part.row) place[row] = next++;
    for (const Exchange& list : part.receive)
        for (const std::uint32_t row : list.row) place[row] = next++;
    LocalRows local;
    local.ghosts = next - static_cast<std::uint32_t>(part.row.size());
    local.row_begin.push_back(0);
    for (const std::uint32_t row : part.row) {
        for (int band = 0; band < kBands; ++band) {
            const double value = a(static_cast<std::size_t>(band), row);
            if (value == 0) continue; // (what it multiplies may lie outside)
            local.column.push_back(place[static_cast<std::size_t>(row + band_offset(band, row_length))]);
            local.value.push_back(value);
        }
        local.row_begin.push_back(local.column.size());
    }
    return local;
}

LocalRows rows_of(const System& system, const Partition& partition, std::uint32_t part) {
    return std::visit(
        Overloaded{[&](const CompressedRows& m) { return local_rows(m, partition, part); },
                   [&](const Stencil& m) {
                       return grid_rows(m.row_length(), partition, part, [&](std::size_t band, std::uint32_t row) {
                           return m.on_edge(row) ? 0.0 : m.coefficients()[band];
                       });
                   },
                   [&](const Bands& m) {
                       return grid_rows(m.row_length(), partition, part,
                                        [&](std::size_t band, std::uint32_t row) { return m.band(band)[row]; });
                   },
                   [](const SymmetricBands&) -> LocalRows {
                       throw InvalidInput("CG over ranks on GPUs: symmetric bands are converted before");
                   }},
        system.matrix());
}

SlicedRows sliced(const LocalRows& local, std::vector<std::uint32_t> rows) {
    const auto length = [&](std::uint32_t row) {
        return static_cast<std::uint32_t>(local.row_begin[row + 1] - local.row_begin[row]);
    };
    for (std::size_t at = 0; at < rows.size(); at += kWindow)
        std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(at),
                         rows.begin() + static_cast<std::ptrdiff_t>(std::min(at + kWindow, rows.size())),
                         [&](std::uint32_t i, std::uint32_t j) { return length(i) > length(j); });
    SlicedRows s;
    std::uint64_t end = 0;
    for (std::size_t at = 0; at < rows.size(); at += kSlice) {
        s.begin.push_back(end);
        const std::size_t here = std::min(kSlice, rows.size() - at);
        std::uint32_t longest = 0;
        for (std::size_t k = 0; k < kSlice; ++k) {
            s.row.push_back(k < here ? rows[at + k] : kNoRow);
            s.length.push_back(k < here ? length(rows[at + k]) : 0);
            longest = std::max(longest, s.length.back());
        }
        s.column.resize(end + longest * kSlice, 0);
        s.value.resize(end + longest * kSlice, 0.0);
        for (std::size_t k = 0; k < here; ++k)
            for (std::uint32_t j = 0; j < s.length[at + k]; ++j) {
                s.column[end + j * kSlice + k] = local.column[local.row_begin[rows[at + k]] + j];
                s.value[end + j * kSlice + k] = local.value[local.row_begin[rows[at + k]] + j];
            }
        end += longest * kSlice;
    }
    return s;
}

/// 1 over the diagonal; 1 for an empty row, which is a Dirichlet node.
std::vector<double> inverse_diagonal(const LocalRows& local, const Part& part) {
    std::vector<double> inverse;
    for (std::size_t i = 0; i < part.row.size(); ++i) {
        double diagonal = 0;
        const std::uint64_t begin = local.row_begin[i], end = local.row_begin[i + 1];
        for (std::uint64_t k = begin; k < end; ++k)
            if (local.column[k] == i) {
                diagonal = local.value[k];
                break;
            }
        if (begin == end) diagonal = 1;
        if (!(diagonal > 0))
            throw InvalidInput("diagonal entry " + std::to_string(part.row[i] + 1) + " is " + std::to_string(diagonal) +
                               ": Jacobi wants entries above zero");
        inverse.push_back(1 / diagonal);
    }
    return inverse;
}

} // namespace

RankLayout rank_layout(const System& system, const Partition& partition, std::uint32_t number, bool jacobi) {
    const Part& part = partition.parts()[number];
    const LocalRows local = rows_of(system, partition, number);
    const auto own = [&](const std::vector<std::uint32_t>& rows) {
        std::vector<std::uint32_t> places;
        places.reserve(rows.size());
        for (const std::uint32_t row : rows)
            places.push_back(
                static_cast<std::uint32_t>(std::lower_bound(part.row.begin(), part.row.end(), row) - part.row.begin()));
        return places;
    };
    RankLayout layout;
    layout.owned = static_cast<std::uint32_t>(part.row.size());
    layout.ghosts = local.ghosts;
    layout.inner = sliced(local, own(part.interior));
    layout.boundary = sliced(local, own(part.boundary));
    for (const Exchange& list : part.send) {
        const std::vector<std::uint32_t> rows = own(list.row);
        layout.send.insert(layout.send.end(), rows.begin(), rows.end());
    }
    if (jacobi) layout.inverse = inverse_diagonal(local, part);
    return layout;
}

} // namespace mantissa::gpu
