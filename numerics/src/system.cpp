#include "mantissa/system.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "mantissa/format.hpp"

namespace mantissa {

namespace {

constexpr std::array<const char*, kBands> kNeighbours = {"south-west", "south", "south-east", "west", "centre", "east",
                                                         "north-west", "north", "north-east"};

void require_finite(double value, const std::string& what) {
    if (!std::isfinite(value)) throw InvalidInput(fmt::format("{} is {}: give finite numbers", what, value));
}

void require_no_coupling(const Bands& b, std::size_t band, std::size_t i) {
    const double value = b.band[band][i];
    if (value != 0)
        throw InvalidInput(
            fmt::format("nine bands: element {} (grid row {}, column {}) couples {} out of the grid with "
                        "{}: couplings that leave the grid must be zero",
                        i, i / b.row_length, i % b.row_length, kNeighbours[band], value));
}

void check_bands(const Bands& b, std::size_t size) {
    if (b.row_length < 3 || size == 0 || size % b.row_length != 0)
        throw InvalidInput(fmt::format("nine bands of {} elements in rows of {}: the size must be a multiple of a row "
                                       "length of at least 3",
                                       size, b.row_length));
    for (std::size_t k = 0; k < kBands; ++k)
        if (b.band[k].size() != size)
            throw InvalidInput(
                fmt::format("nine bands: band {} ({}) has {} elements, band 0 has {}: they must be equal", k,
                            kNeighbours[k], b.band[k].size(), size));
    const std::size_t n = b.row_length;
    for (std::size_t k = 0; k < kBands; ++k) {
        const std::vector<double>& band = b.band[k];
        for (std::size_t i = 0; i < size; ++i)
            if (!std::isfinite(band[i])) require_finite(band[i], fmt::format("nine bands: band {} element {}", k, i));
        if (k / 3 == 0)
            for (std::size_t i = 0; i < n; ++i) require_no_coupling(b, k, i);
        if (k / 3 == 2)
            for (std::size_t i = size - n; i < size; ++i) require_no_coupling(b, k, i);
        if (k % 3 == 0)
            for (std::size_t i = 0; i < size; i += n) require_no_coupling(b, k, i);
        if (k % 3 == 2)
            for (std::size_t i = n - 1; i < size; i += n) require_no_coupling(b, k, i);
    }
}

/// Columns of one row: within the matrix, ascending, none twice; finite values.
void check_row(const SparseRows& r, std::size_t row, std::size_t size) {
    for (std::uint64_t k = r.row_begin[row]; k < r.row_begin[row + 1]; ++k) {
        if (r.column[k] >= size)
            throw InvalidInput(fmt::format("sparse rows: row {} has column {}, the matrix has {}: columns count from 0 "
                                           "to {}",
                                           row, r.column[k], size, size - 1));
        if (k > r.row_begin[row] && r.column[k] <= r.column[k - 1])
            throw InvalidInput(fmt::format("sparse rows: row {} has column {} behind column {}: give each column once, "
                                           "in ascending order",
                                           row, r.column[k], r.column[k - 1]));
        if (!std::isfinite(r.value[k]))
            require_finite(r.value[k], fmt::format("sparse rows: row {} column {}", row, r.column[k]));
    }
}

void check_rows(const SparseRows& r) {
    constexpr std::size_t kMost = std::size_t{1} << 32;
    if (r.row_begin.size() < 2)
        throw InvalidInput("sparse rows: no row: row_begin needs an entry for each row and the end");
    const std::size_t size = r.row_begin.size() - 1;
    if (size > kMost) throw InvalidInput(fmt::format("sparse rows: {} rows: columns of 32 bits reach {}", size, kMost));
    if (r.column.size() != r.value.size())
        throw InvalidInput(fmt::format("sparse rows: {} columns and {} values: they must be equally many",
                                       r.column.size(), r.value.size()));
    if (r.row_begin.front() != 0)
        throw InvalidInput(fmt::format("sparse rows: row_begin starts at {}: it must start at 0", r.row_begin.front()));
    if (r.row_begin.back() != r.value.size())
        throw InvalidInput(fmt::format("sparse rows: row_begin ends at {}: it must end at the number of entries, {}",
                                       r.row_begin.back(), r.value.size()));
    for (std::size_t row = 0; row < size; ++row) {
        if (r.row_begin[row + 1] < r.row_begin[row] || r.row_begin[row + 1] > r.value.size())
            throw InvalidInput(
                fmt::format("sparse rows: row {} begins at entry {} and ends at {} of {}: row_begin must "
                            "ascend to the number of entries",
                            row, r.row_begin[row], r.row_begin[row + 1], r.value.size()));
        check_row(r, row, size);
    }
}

} // namespace

System System::from_stencil(const Stencil& s) {
    if (s.row_length < 3 || s.rows < 3)
        throw InvalidInput(fmt::format("stencil grid of {} x {} nodes: it needs at least 3 x 3", s.rows, s.row_length));
    constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(double);
    if (s.rows > kMost / s.row_length)
        throw InvalidInput(
            fmt::format("stencil grid of {} x {} nodes: more than this machine can address", s.rows, s.row_length));
    for (std::size_t b = 0; b < kBands; ++b)
        require_finite(s.coefficients[b], fmt::format("stencil: coefficient {} ({})", b, kNeighbours[b]));
    System system;
    system.kind = Kind::stencil;
    system.size = s.rows * s.row_length;
    system.stencil = s;
    return system;
}

System System::from_bands(Bands b) {
    System system;
    system.kind = Kind::bands;
    system.size = b.band[0].size();
    check_bands(b, system.size);
    system.bands = std::move(b);
    return system;
}

System System::from_rows(SparseRows r) {
    check_rows(r);
    System system;
    system.kind = Kind::sparse;
    system.size = r.row_begin.size() - 1;
    system.sparse = std::move(r);
    return system;
}

std::string to_string(System::Kind kind) {
    switch (kind) {
    case System::Kind::stencil:
        return "stencil";
    case System::Kind::bands:
        return "bands";
    default:
        return "sparse";
    }
}

} // namespace mantissa
