#include "rows.hpp"

#include <utility>

namespace mantissa::detail {

RealRows transposed(const RealRows& a, int threads) {
    // Rows in pieces: each counts its entries of a column, and so knows where its own go. They come in the rows' order.
    constexpr std::size_t kPieces = 16;
    const auto first = [&](std::size_t piece) { return std::size_t{a.rows} * piece / kPieces; };
    std::vector<std::vector<std::uint32_t>> at(kPieces);
    for_each_piece(kPieces, threads, [&](std::size_t piece) {
        at[piece].assign(a.columns, 0);
        for (std::uint32_t k = a.begin[first(piece)]; k < a.begin[first(piece + 1)]; ++k) ++at[piece][a.column[k]];
    });
    RealRows t;
    t.rows = a.columns;
    t.columns = a.rows;
    t.begin.assign(std::size_t{a.columns} + 1, 0);
    std::uint32_t all = 0;
    for (std::size_t c = 0; c < a.columns; ++c) {
        for (std::vector<std::uint32_t>& piece : at) all += std::exchange(piece[c], all);
        t.begin[c + 1] = all;
    }
    t.column.resize(a.column.size());
    t.value.resize(a.value.size());
    for_each_piece(kPieces, threads, [&](std::size_t piece) {
        for (std::size_t row = first(piece); row < first(piece + 1); ++row)
            for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
                const std::uint32_t to = at[piece][a.column[k]]++;
                t.column[to] = static_cast<std::uint32_t>(row);
                t.value[to] = a.value[k];
            }
    });
    return t;
}

} // namespace mantissa::detail
