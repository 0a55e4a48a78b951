#include "mantissa/symmetric_bands.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "mantissa/format.hpp"

namespace mantissa {

namespace {

std::string place(std::size_t i, std::size_t row_length) {
    return fmt::format("element {} (grid row {}, column {})", i, i / row_length, i % row_length);
}

[[noreturn]] void fail(const std::string& what) {
    throw InvalidInput("symmetric bands" + what);
}

void check_weight(std::size_t d, const std::vector<double>& weight, std::size_t n) {
    const char* const neighbour = neighbour_name(weight_band(d));
    const std::size_t size = weight.size();
    const auto inside = [&](std::size_t i) {
        const std::size_t column = i % n;
        if (d != 0 && i >= size - n) return false; // to the row above
        if (d == 0 || d == 3) return column != n - 1;
        return d != 1 || column != 0;
    };
    for (std::size_t i = 0; i < size; ++i) {
        if (!std::isfinite(weight[i]))
            fail(fmt::format(": the {} weight of {} is {}: give finite numbers", neighbour, place(i, n), weight[i]));
        if (weight[i] != 0 && !inside(i))
            fail(fmt::format(
                ": {} couples {} out of the grid with weight {}: couplings that leave the grid must be zero",
                place(i, n), neighbour, weight[i]));
    }
}

} // namespace

SymmetricBands::SymmetricBands(std::size_t row_length, Array weights, std::vector<double> row_sums)
    : row_length_(row_length), weights_(std::move(weights)), row_sums_(std::move(row_sums)) {
    const std::size_t size = weights_[0].size();
    if (row_length < 3 || size == 0 || size % row_length != 0)
        fail(fmt::format(" of {} elements in rows of {}: the size must be a multiple of a row length of at least 3",
                         size, row_length));
    for (std::size_t d = 0; d < kWeights; ++d) {
        if (weights_[d].size() != size)
            fail(fmt::format(": {} {} weights and {} east ones: they must be equally many", weights_[d].size(),
                             neighbour_name(weight_band(d)), size));
        check_weight(d, weights_[d], row_length);
        for (double& w : weights_[d]) w += 0.0; // no negative zeros
    }
    if (!row_sums_.empty() && row_sums_.size() != size)
        fail(fmt::format(": {} row sums and {} elements: give one for each element, or none", row_sums_.size(), size));
    bool any = false;
    for (std::size_t i = 0; i < size; ++i) {
        const double entry = diagonal(i);
        if (!std::isfinite(entry))
            fail(fmt::format(
                ": the diagonal entry of {}, its weights and its row sum added, is {}: give numbers whose sum "
                "is finite",
                place(i, row_length), entry));
        if (row_sums_.empty()) continue;
        double magnitudes = 0;
        for (std::size_t b = 0; b < kBands; ++b) magnitudes += std::abs(coefficient(b, i));
        if (std::abs(row_sums_[i]) <= kZeroRowSum * magnitudes) row_sums_[i] = 0;
        any |= row_sums_[i] != 0;
    }
    if (!any) row_sums_.clear();
}

SymmetricBands SymmetricBands::with_diagonal(std::size_t row_length, Array weights,
                                             const std::vector<double>& diagonal) {
    // Checked first: what follows reads neighbours.
    const SymmetricBands couplings(row_length, std::move(weights));
    if (diagonal.size() != couplings.size())
        fail(fmt::format(": {} diagonal entries and {} elements: they must be equally many", diagonal.size(),
                         couplings.size()));
    std::vector<double> sums(diagonal.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
        std::array<double, kBands> row{};
        for (std::size_t b = 0; b < kBands; ++b) row[b] = b == 4 ? diagonal[i] : couplings.coefficient(b, i);
        sums[i] = row_sum(row);
    }
    return {row_length, couplings.weights_, std::move(sums)};
}

SymmetricBands SymmetricBands::from(const Bands& bands) {
    if (const std::string fault = asymmetry(bands); !fault.empty()) throw InvalidInput(fault);
    Array weights;
    for (std::size_t d = 0; d < kWeights; ++d) {
        const std::vector<double>& band = bands.band(weight_band(d));
        weights[d].resize(bands.size());
        std::ranges::transform(band, weights[d].begin(), [](double a) { return 0.0 - a; });
    }
    return with_diagonal(bands.row_length(), std::move(weights), bands.band(4));
}

double SymmetricBands::coefficient(std::size_t band, std::size_t i) const {
    if (band == 4) return diagonal(i);
    if (band > 4) return 0.0 - weights_[band - 5][i];
    const std::ptrdiff_t offset = weight_offset(mirrored_band(band) - 5, row_length_);
    const std::size_t back = static_cast<std::size_t>(offset);
    return i < back ? 0.0 : 0.0 - weights_[mirrored_band(band) - 5][i - back];
}

double SymmetricBands::diagonal(std::size_t i) const {
    double sum = 0;
    for (std::size_t b = 0; b < kBands; ++b)
        if (b != 4) sum -= coefficient(b, i);
    return row_sums_.empty() ? sum : sum + row_sums_[i];
}

Bands SymmetricBands::bands() const {
    Bands::Array nine;
    for (std::size_t b = 0; b < kBands; ++b) {
        nine[b].resize(size());
        for (std::size_t i = 0; i < size(); ++i) nine[b][i] = coefficient(b, i);
    }
    return {row_length_, std::move(nine)};
}

std::string asymmetry(const Bands& bands) {
    const std::size_t n = bands.row_length();
    for (std::size_t i = 0; i < bands.size(); ++i)
        for (std::size_t d = 0; d < kWeights; ++d) {
            const std::size_t band = weight_band(d), j = i + static_cast<std::size_t>(weight_offset(d, n));
            if (j >= bands.size()) continue;
            const double there = bands.band(band)[i], back = bands.band(mirrored_band(band))[j];
            if (there != back)
                return fmt::format(
                    "nine bands: {} couples {} with {} and {} couples back with {}: fluxes need a symmetric "
                    "matrix; make the two equal, or add products (order=chain or tree)",
                    place(i, n), neighbour_name(band), there, place(j, n), back);
        }
    return {};
}

} // namespace mantissa
