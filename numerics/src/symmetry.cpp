#include "mantissa/symmetry.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mantissa {

namespace {

using Place = std::optional<std::pair<std::size_t, std::size_t>>;

Place stencil_asymmetry(const Stencil& stencil) {
    const auto& c = stencil.coefficients();
    const std::size_t n = stencil.row_length();
    // The first node inside whose neighbour is inside as well; without one nothing couples.
    for (std::size_t b = kBands / 2 + 1; b < kBands; ++b) {
        if (c[b] == c[kBands - 1 - b]) continue;
        const std::ptrdiff_t offset = band_offset(static_cast<int>(b), n);
        for (std::size_t i = n + 1; i + n < stencil.size(); ++i) {
            const auto j = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) + offset);
            if (j < stencil.size() && !stencil.on_edge(i) && !stencil.on_edge(j)) return std::pair{i, j};
        }
    }
    return std::nullopt;
}

Place band_asymmetry(const Bands& bands) {
    const std::size_t size = bands.size();
    for (std::size_t b = kBands / 2 + 1; b < kBands; ++b) {
        const auto offset = static_cast<std::size_t>(band_offset(static_cast<int>(b), bands.row_length()));
        for (std::size_t i = 0; i + offset < size; ++i)
            if (bands.band(b)[i] != bands.band(kBands - 1 - b)[i + offset]) return std::pair{i, i + offset};
    }
    return std::nullopt;
}

/// The first stored entry of a row from `at` on that is not zero.
std::uint64_t next_entry(const CompressedRows& rows, std::size_t row, std::uint64_t at) {
    while (at != rows.row_begin()[row + 1] && rows.value()[at] == 0) ++at;
    return at;
}

} // namespace

std::optional<std::pair<std::size_t, std::size_t>> asymmetry(const CompressedRows& rows) {
    // Rows are visited in order, so the partners that row j must hold come up in ascending column order: one cursor
    // per row finds them.
    const auto& begin = rows.row_begin();
    std::vector<std::uint64_t> cursor(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < rows.rows(); ++i)
        for (std::uint64_t k = begin[i]; k < begin[i + 1]; ++k) {
            if (rows.value()[k] == 0) continue;
            const std::size_t j = rows.column()[k];
            const std::uint64_t partner = cursor[j] = next_entry(rows, j, cursor[j]);
            if (partner == begin[j + 1] || rows.column()[partner] > i) return std::pair{i, j};
            if (rows.column()[partner] < i) return std::pair{j, std::size_t{rows.column()[partner]}};
            if (rows.value()[k] != rows.value()[partner]) return std::pair{i, j};
            ++cursor[j];
        }
    return std::nullopt;
}

std::optional<std::pair<std::size_t, std::size_t>> asymmetry(const System& system) {
    return std::visit(Overloaded{[](const Stencil& m) { return stencil_asymmetry(m); },
                                 [](const Bands& m) { return band_asymmetry(m); },
                                 [](const CompressedRows& m) { return asymmetry(m); },
                                 [](const SymmetricBands&) { return Place(); }},
                      system.matrix());
}

} // namespace mantissa
