#include "rows.hpp"

#include <utility>

namespace mantissa::detail {

RealRows transposed(const RealRows& a) {
    RealRows t;
    t.rows = a.columns;
    t.columns = a.rows;
    t.begin.assign(std::size_t{a.columns} + 1, 0);
    for (const std::uint32_t c : a.column) ++t.begin[std::size_t{c} + 1];
    for (std::size_t c = 0; c < a.columns; ++c) t.begin[c + 1] += t.begin[c];
    t.column.resize(a.column.size());
    t.value.resize(a.value.size());
    std::vector<std::uint32_t> at(t.begin.begin(), t.begin.end() - 1);
    for (std::uint32_t row = 0; row < a.rows; ++row)
        for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
            const std::uint32_t to = at[a.column[k]]++;
            t.column[to] = row;
            t.value[to] = a.value[k];
        }
    return t;
}

ComplexBlocks projected(const ComplexBlocks& a, const RealRows& prolongation, const RealRows& restriction,
                        int threads) {
    const auto scratch = [&] { return RowSum<Complex>(prolongation.columns); };
    const JoinedRows<Complex> ap = rows_by_parts<Complex>(
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
    JoinedRows<Complex> next = rows_by_parts<Complex>(
        restriction.rows, threads, scratch,
        [&](std::size_t first, std::size_t end, RowsPart<Complex>& part, RowSum<Complex>& sum) {
            for (std::size_t row = first; row < end; ++row) {
                for (std::uint32_t k = restriction.begin[row]; k < restriction.begin[row + 1]; ++k) {
                    const std::uint32_t j = restriction.column[k];
                    for (std::uint32_t m = ap.begin[j]; m < ap.begin[j + 1]; ++m)
                        sum.add(ap.column[m], restriction.value[k] * ap.value[m]);
                }
                sum.hand_over(part);
            }
        });
    ComplexBlocks b;
    b.rows = 2 * restriction.rows;
    b.row_begin = std::move(next.begin);
    b.column = std::move(next.column);
    b.value.resize(2 * next.value.size());
    for (std::size_t k = 0; k < next.value.size(); ++k) {
        b.value[2 * k] = next.value[k].real();
        b.value[2 * k + 1] = next.value[k].imag();
    }
    return b;
}

} // namespace mantissa::detail
