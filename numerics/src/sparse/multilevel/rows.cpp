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

ComplexBlocks projected(const ComplexBlocks& a, const RealRows& prolongation, const RealRows& restriction,
                        int threads) {
    const auto scratch = [&] { return RowSum<Complex>(prolongation.columns); };
    const std::vector<RowsPart<Complex>> ap = parts_of_rows<Complex>(
        a.block_rows(), threads, scratch,
        [&](std::size_t first, std::size_t end, RowsPart<Complex>& part, RowSum<Complex>& sum) {
            for (std::size_t row = first; row < end; ++row) {
                for (std::uint32_t k = a.row_begin[row]; k < a.row_begin[row + 1]; ++k) {
                    const Complex v(a.value[2 * std::size_t{k}], a.value[2 * std::size_t{k} + 1]);
                    const std::uint32_t j = a.column[k];
                    for (std::uint32_t m = prolongation.begin[j]; m < prolongation.begin[j + 1]; ++m)
                        sum.add(prolongation.column[m], v * prolongation.value[m]);
                }
                sum.hand_over(part);
            }
        });
    const std::vector<RowsPart<Complex>> parts = parts_of_rows<Complex>(
        restriction.rows, threads, scratch,
        [&](std::size_t first, std::size_t end, RowsPart<Complex>& part, RowSum<Complex>& sum) {
            for (std::size_t row = first; row < end; ++row) {
                for (std::uint32_t k = restriction.begin[row]; k < restriction.begin[row + 1]; ++k) {
                    const std::uint32_t j = restriction.column[k];
                    const RowsPart<Complex>& of = ap[j / kRowsOfPart];
                    const std::size_t i = j % kRowsOfPart;
                    for (std::uint32_t m = i == 0 ? 0 : of.end[i - 1]; m < of.end[i]; ++m)
                        sum.add(of.column[m], restriction.value[k] * of.value[m]);
                }
                sum.hand_over(part);
            }
        });
    JoinedRows<Complex> next = joined(parts, restriction.rows, threads);
    ComplexBlocks b;
    b.rows = 2 * restriction.rows;
    b.row_begin = std::move(next.begin);
    b.column = std::move(next.column);
    b.value.resize(2 * next.value.size());
    for_each_row(next.value.size(), threads, [&](std::size_t k) {
        b.value[2 * k] = next.value[k].real();
        b.value[2 * k + 1] = next.value[k].imag();
    });
    return b;
}

} // namespace mantissa::detail
