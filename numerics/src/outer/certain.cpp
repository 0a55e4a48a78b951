#include "mantissa/outer/certain.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <variant>

#include "../isa/certain.hpp"
#include "terms.hpp"

namespace mantissa::certain {

namespace {

using detail::CertainStream;

/// Of a row of bands and its element of b: the same for all, so that parts have the bounds of the whole.
constexpr std::size_t kMostTerms = 4 * kWeights + 2;

/// Row i by its terms, wherever it lies: b first, as the kernels have it.
template <class Matrix> double one_row(const Matrix& m, std::size_t i, const double* u, const double* b, double* d) {
    DoubledSum row;
    row.add(b[i]);
    outer::for_terms(m, i, [&](double a, std::size_t j) { row.add_product(-a, u[j]); });
    d[i] = row.value();
    return row.size;
}

/// The rows of [begin, end) whose neighbours all exist by the kernel, the others by their terms.
template <class Matrix>
RowSizes grid_rows(const Matrix& m, std::span<const CertainStream> stream, std::size_t begin, std::size_t end,
                   const double* u, const double* b, double* d) {
    const std::size_t margin = m.row_length() + 1;
    const std::size_t low = std::clamp(margin, begin, end);
    const std::size_t high = std::clamp(m.size() > margin ? m.size() - margin : std::size_t{0}, low, end);
    double largest = 0;
    for (std::size_t i = begin; i < low; ++i) largest = std::max(largest, one_row(m, i, u, b, d));
    largest =
        std::max(largest, detail::best_certain_kernels().streams(stream.data(), stream.size(), low, high, u, b, d));
    for (std::size_t i = high; i < end; ++i) largest = std::max(largest, one_row(m, i, u, b, d));
    return {largest, kMostTerms};
}

RowSizes piece(const Stencil& m, std::size_t begin, std::size_t end, const double* u, const double* b, double* d) {
    const std::size_t n = m.row_length();
    std::array<CertainStream, kBands> stream{};
    for (std::size_t k = 0; k < kBands; ++k)
        stream[k] = {&m.coefficients()[k], 0, 0, band_offset(static_cast<int>(k), n), 1};
    double largest = 0;
    for (std::size_t i = begin; i < end;) { // (row by row: the kernel takes the nodes between two edges)
        const std::size_t row_end = std::min(end, (i / n + 1) * n), row = i / n;
        const bool edge_row = row == 0 || row + 1 == m.rows();
        const std::size_t low = edge_row ? row_end : std::max(i, row * n + 1);
        const std::size_t high = edge_row ? row_end : std::min(row_end, (row + 1) * n - 1);
        for (std::size_t k = i; k < low; ++k) largest = std::max(largest, std::abs(d[k] = b[k]));
        if (low < high)
            largest = std::max(
                largest, detail::best_certain_kernels().streams(stream.data(), stream.size(), low, high, u, b, d));
        for (std::size_t k = std::max(low, high); k < row_end; ++k) largest = std::max(largest, std::abs(d[k] = b[k]));
        i = row_end;
    }
    return {largest, kBands + 1};
}

RowSizes piece(const Bands& m, std::size_t begin, std::size_t end, const double* u, const double* b, double* d) {
    std::array<CertainStream, kBands> stream{};
    for (std::size_t k = 0; k < kBands; ++k)
        stream[k] = {m.band(k).data(), 1, 0, band_offset(static_cast<int>(k), m.row_length()), 1};
    return grid_rows(m, stream, begin, end, u, b, d);
}

/// In the order of outer::for_terms().
RowSizes piece(const SymmetricBands& m, std::size_t begin, std::size_t end, const double* u, const double* b,
               double* d) {
    std::array<CertainStream, 4 * kWeights + 1> stream{};
    std::size_t count = 0;
    for (std::size_t k = 0; k < kWeights; ++k) {
        const std::ptrdiff_t offset = weight_offset(k, m.row_length());
        const double* const w = m.weight(k).data();
        stream[count++] = {w, 1, 0, 0, 1};
        stream[count++] = {w, 1, 0, offset, -1};
        stream[count++] = {w, 1, -offset, -offset, -1};
        stream[count++] = {w, 1, -offset, 0, 1};
    }
    if (!m.row_sums().empty()) stream[count++] = {m.row_sums().data(), 1, 0, 0, 1};
    return grid_rows(m, std::span(stream).first(count), begin, end, u, b, d);
}

RowSizes piece(const CompressedRows& m, std::size_t begin, std::size_t end, const double* u, const double* b,
               double* d) {
    std::uint64_t longest = 0;
    for (std::size_t i = begin; i < end; ++i) longest = std::max(longest, m.row_begin()[i + 1] - m.row_begin()[i]);
    const double largest = detail::best_certain_kernels().rows(m.row_begin().data(), m.column().data(),
                                                               m.value().data(), begin, end, u, b, d);
    return {largest, static_cast<std::size_t>(longest) + 1};
}

} // namespace

RowSizes defect_piece(const System& system, std::size_t begin, std::size_t end, const double* u, const double* b,
                      double* d) {
    return std::visit([&](const auto& m) { return piece(m, begin, end, u, b, d); }, system.matrix());
}

} // namespace mantissa::certain
