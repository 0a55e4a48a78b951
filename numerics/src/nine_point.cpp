#include "mantissa/nine_point.hpp"

#include <cmath>
#include <limits>
#include <string>
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
    const double value = b.band(band)[i];
    if (value != 0)
        throw InvalidInput(
            fmt::format("nine bands: element {} (grid row {}, column {}) couples {} out of the grid with "
                        "{}: couplings that leave the grid must be zero",
                        i, i / b.row_length(), i % b.row_length(), kNeighbours[band], value));
}

void check(const Bands& b) {
    const std::size_t n = b.row_length(), size = b.size();
    if (n < 3 || size == 0 || size % n != 0)
        throw InvalidInput(fmt::format("nine bands of {} elements in rows of {}: the size must be a multiple of a row "
                                       "length of at least 3",
                                       size, n));
    for (std::size_t k = 0; k < kBands; ++k)
        if (b.band(k).size() != size)
            throw InvalidInput(
                fmt::format("nine bands: band {} ({}) has {} elements, band 0 has {}: they must be equal", k,
                            kNeighbours[k], b.band(k).size(), size));
    for (std::size_t k = 0; k < kBands; ++k) {
        const std::vector<double>& band = b.band(k);
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

} // namespace

double row_sum(const std::array<double, kBands>& coefficients) {
    double sum = 0, magnitudes = 0;
    for (const double value : coefficients) {
        sum += value;
        magnitudes += std::abs(value);
    }
    return std::abs(sum) <= kZeroRowSum * magnitudes ? 0.0 : sum;
}

const char* neighbour_name(std::size_t band) {
    return kNeighbours[band];
}

Stencil::Stencil(std::size_t row_length, std::size_t rows, const std::array<double, kBands>& coefficients)
    : row_length_(row_length), rows_(rows), coefficients_(coefficients) {
    if (row_length < 3 || rows < 3)
        throw InvalidInput(fmt::format("stencil grid of {} x {} nodes: it needs at least 3 x 3", rows, row_length));
    constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(double);
    if (rows > kMost / row_length)
        throw InvalidInput(
            fmt::format("stencil grid of {} x {} nodes: more than this machine can address", rows, row_length));
    for (std::size_t b = 0; b < kBands; ++b)
        require_finite(coefficients[b], fmt::format("stencil: coefficient {} ({})", b, kNeighbours[b]));
}

Bands::Bands(std::size_t row_length, Array bands) : row_length_(row_length), bands_(std::move(bands)) {
    check(*this);
}

} // namespace mantissa
