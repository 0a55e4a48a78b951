// The stream of the sparse core against what its header says, entry by entry.
#include "mantissa/sparse_core/row_stream.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/format.hpp"

namespace mantissa::sparse_core {
namespace {

/// Rows of random lengths, of which some are empty and some full; one entry in twenty is the diagonal's.
CompressedRows random_rows(std::size_t n, std::uint64_t seed, bool dense_column = false) {
    std::mt19937_64 random(seed);
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::size_t i = 0; i < n; ++i) {
        std::set<std::uint32_t> row;
        const std::uint64_t kind = random() % 10;
        const std::size_t length = kind == 0 ? 0 : kind == 1 ? n : random() % 9;
        for (std::size_t k = 0; k < length; ++k) row.insert(static_cast<std::uint32_t>(kind == 1 ? k : random() % n));
        if (dense_column && kind != 0) row.insert(0);
        if (random() % 4 != 0 && kind != 0) row.insert(static_cast<std::uint32_t>(i));
        for (const std::uint32_t c : row) {
            column.push_back(c);
            value.push_back(static_cast<double>(random() % 1000) - 500);
        }
        begin.push_back(column.size());
    }
    return {begin, column, value};
}

std::size_t row_of(const CompressedRows& a, std::uint64_t entry) {
    const auto& begin = a.row_begin();
    return static_cast<std::size_t>(std::upper_bound(begin.begin(), begin.end(), entry) - begin.begin()) - 1;
}

std::uint64_t length_with_diagonal(const CompressedRows& a, std::size_t row) {
    bool diagonal = false;
    for (std::uint64_t e = a.row_begin()[row]; e < a.row_begin()[row + 1]; ++e) diagonal |= a.column()[e] == row;
    return a.row_begin()[row + 1] - a.row_begin()[row] + (diagonal ? 0 : 1);
}

/// The port of a lane, counted in another way than the library counts it.
std::size_t port_by_bits(std::size_t lane) {
    std::size_t port = 0;
    for (std::size_t bit = 0; bit < 8; ++bit) port += lane >> bit & 1;
    return port % 2;
}

/// The fewest beats of a slice: of its longest lane, and of its most loaded port with the diagonals.
std::uint64_t least_beats(const CompressedRows& a, const RowStream& stream, const std::vector<std::size_t>& rows) {
    std::uint64_t most = 0;
    std::map<std::pair<std::uint32_t, std::size_t>, std::uint64_t> of_port;
    for (std::size_t l = 0; l < rows.size(); ++l) {
        const std::size_t row = rows[l];
        std::uint64_t off = 0;
        for (std::uint64_t e = a.row_begin()[row]; e < a.row_begin()[row + 1]; ++e)
            if (a.column()[e] != row) {
                ++off;
                ++of_port[{stream.position()[a.column()[e]] % static_cast<unsigned>(stream.lanes()), port_by_bits(l)}];
            }
        most = std::max(most, off);
    }
    for (const auto& [port, reads] : of_port) most = std::max(most, reads);
    return most + 1;
}

void check(const CompressedRows& a, const StreamOptions& options) {
    const RowStream stream(a, options);
    const auto lanes = static_cast<std::size_t>(options.lanes);
    const std::size_t n = a.rows(), window = options.sort_window == 0 ? n : options.sort_window;
    ASSERT_EQ(stream.slices(), (n + lanes - 1) / lanes);
    std::vector<std::size_t> row_at(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        ASSERT_LT(stream.position()[i], n);
        ASSERT_EQ(row_at[stream.position()[i]], n);
        row_at[stream.position()[i]] = i;
    }
    for (std::size_t k = 0; k < n; ++k) {
        EXPECT_EQ(row_at[k] / window, k / window);
        if (k % window == 0) continue;
        const std::uint64_t before = length_with_diagonal(a, row_at[k - 1]), here = length_with_diagonal(a, row_at[k]);
        EXPECT_TRUE(before > here || (before == here && row_at[k - 1] < row_at[k])) << "position " << k;
    }
    std::vector<int> seen(a.nonzeros());
    std::uint64_t padded = 0, beats = 0, bits = 0;
    for (std::size_t s = 0; s < stream.slices(); ++s) {
        const std::uint64_t begin = stream.beat_begin()[s], end = stream.beat_begin()[s + 1];
        std::vector<std::size_t> rows;
        std::uint64_t longest = 1;
        for (std::size_t l = 0; l < lanes && s * lanes + l < n; ++l) {
            rows.push_back(row_at[s * lanes + l]);
            longest = std::max(longest, length_with_diagonal(a, rows.back()));
        }
        EXPECT_EQ(end - begin, std::max(longest, least_beats(a, stream, rows))) << "slice " << s;
        padded += longest * lanes;
        beats += end - begin;
        for (std::uint64_t b = begin; b < end; ++b) {
            std::vector<int> reads(2 * lanes); // of a bank's two ports
            for (std::size_t l = 0; l < lanes; ++l) {
                const std::uint64_t entry = stream.entry()[b * lanes + l];
                const std::uint32_t column = stream.column()[b * lanes + l];
                ASSERT_LT(column, stream.slices() * lanes);
                ++reads[2 * (column % lanes) + port_by_bits(l)];
                if (b + 1 == end) {
                    EXPECT_EQ(column, s * lanes + l);
                }
                const std::uint64_t field =
                    stream.column_field(b, static_cast<int>(l), s, stream.column_bits() - stream.bank_bits());
                ASSERT_EQ(field >> stream.column_bits(), 0U);
                EXPECT_EQ(field % lanes, column % lanes);
                std::int64_t address = static_cast<std::int64_t>(field / lanes);
                if (stream.delta()) {
                    const int out = 64 - (stream.column_bits() - stream.bank_bits());
                    address = (static_cast<std::int64_t>(static_cast<std::uint64_t>(address) << out) >> out) +
                              static_cast<std::int64_t>(s);
                }
                EXPECT_EQ(address, static_cast<std::int64_t>(column / lanes));
                bits += static_cast<std::uint64_t>(18 + stream.column_bits());
                if (entry == RowStream::kPadding) continue;
                ASSERT_LT(l, rows.size());
                EXPECT_EQ(row_of(a, entry), rows[l]);
                EXPECT_EQ(stream.position()[a.column()[entry]], column);
                EXPECT_EQ(a.column()[entry] == rows[l], b + 1 == end);
                ++seen[entry];
            }
            EXPECT_LE(*std::max_element(reads.begin(), reads.end()), 1) << "beat " << b;
        }
    }
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
    EXPECT_EQ(stream.figures().nonzeros, a.nonzeros());
    EXPECT_EQ(stream.figures().padded, padded);
    EXPECT_EQ(stream.figures().beats, beats);
    EXPECT_EQ(stream.figures().conflict_beats, beats - padded / lanes);
    EXPECT_GE(stream.figures().queued_beats, padded / lanes - stream.slices());
    EXPECT_EQ(stream.bits(18), bits + beats);
}

TEST(RowStream, OrdersRandomRows) {
    for (const int lanes : {1, 2, 4, 8, 16, 64})
        for (const std::size_t n : {1U, 3U, 16U, 65U, 200U}) {
            SCOPED_TRACE(testing::Message() << lanes << " lanes, " << n << " rows");
            check(random_rows(n, n + static_cast<unsigned>(lanes)), {.lanes = lanes});
            check(random_rows(n, n, true), {.lanes = lanes, .sort_window = static_cast<std::size_t>(lanes)});
        }
}

TEST(RowStream, CodesColumnsOfABandAsDifferences) {
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    const std::uint32_t n = 1000;
    for (std::uint32_t i = 0; i < n; ++i) {
        for (std::uint32_t c = i < 3 ? 0 : i - 3; c < std::min(n, i + 4); ++c) column.push_back(c);
        begin.push_back(column.size());
    }
    const CompressedRows band(begin, column, std::vector<double>(column.size(), 1.0));
    const StreamOptions near{.lanes = 4, .sort_window = 16};
    check(band, near);
    const RowStream stream(band, near);
    EXPECT_TRUE(stream.delta());
    EXPECT_EQ(stream.address_bits(), 8);
    EXPECT_LE(stream.delta_bits(), 4);
    EXPECT_FALSE(RowStream(band, {.lanes = 4, .sort_window = 16, .delta = false}).delta());
    EXPECT_EQ(stream.figures().conflict_beats, 0U);
    EXPECT_LT(stream.figures().fill(), 1.03);
}

TEST(RowStream, SaysWhatConflictsCost) {
    // Sixteen rows of two entries, one of which is in column 0: a beat of diagonals, and eight of sixteen reads of each
    // port of one bank.
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    for (std::uint32_t i = 0; i < 17; ++i) {
        if (i > 0) column.push_back(0);
        column.push_back(i);
        begin.push_back(column.size());
    }
    const RowStream stream(CompressedRows(begin, column, std::vector<double>(column.size(), 1.0)), {.lanes = 16});
    EXPECT_EQ(stream.beat_begin()[1], 9U);
    EXPECT_EQ(stream.figures().conflict_beats, 7U);
    EXPECT_EQ(stream.figures().queued_beats, 8U + 1U + 1U);
}

TEST(RowStream, RefusesLanesAndWindows) {
    const CompressedRows a({0, 1}, {0}, {1.0});
    EXPECT_THROW(RowStream(a, {.lanes = 3}), InvalidInput);
    EXPECT_THROW(RowStream(a, {.lanes = 0}), InvalidInput);
    EXPECT_THROW(RowStream(a, {.lanes = 128}), InvalidInput);
    EXPECT_THROW(RowStream(a, {.lanes = 4, .sort_window = 6}), InvalidInput);
}

} // namespace
} // namespace mantissa::sparse_core
