// Streams of sparse parts, read back as a warp reads them.
#include <cstring>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "mantissa/partition/cuts.hpp"
#include "mantissa/sparse/compressed_rows.hpp"
#include "parted/sparse/layout.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::gpu;

/// Rows of every length from 1 to 700, symmetric in pattern.
CompressedRows uneven(std::uint32_t n) {
    std::vector<std::set<std::uint32_t>> columns(n);
    for (std::uint32_t i = 0; i < n; ++i) {
        columns[i].insert(i);
        for (std::uint32_t k = 1; k <= i * 7 % 90 && k * 5 < i; ++k) {
            columns[i].insert(i - k * 5);
            columns[i - k * 5].insert(i);
        }
    }
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t i = 0; i < n; ++i) {
        for (const std::uint32_t j : columns[i]) {
            column.push_back(j);
            value.push_back(1 + i * 0.5 + j * 1e-3);
        }
        begin.push_back(column.size());
    }
    return {begin, column, value};
}

struct Reader {
    const SparseLayout& layout;
    std::uint32_t warps;
    /// Calls entry(row, column, value) for what is not padding, in a row's order by lanes, and end(row) for every row.
    template <class Entry, class End> void read(std::uint32_t warp, int kind, Entry&& entry, End&& end) const {
        const bool narrow = layout.narrow[kind];
        const std::uint32_t bytes = chunk_bytes(narrow, 8), index = narrow ? 2 : 4;
        const std::byte* at = layout.stream.data();
        std::uint64_t apart = bytes;
        if (kind == 0) {
            at += std::size_t{warp} * bytes;
            apart *= warps;
        } else at += layout.warp_offset[warp];
        std::vector<std::tuple<std::uint32_t, std::uint32_t, double>> open;
        for (std::uint32_t s = 0; s < layout.warp_steps[2 * warp + kind]; ++s) {
            const std::byte* const chunk = at + s / kChunkSteps * apart;
            std::uint32_t base = 0, word = 0;
            std::memcpy(&base, chunk, 4);
            std::memcpy(&word, chunk + 16 + s % kChunkSteps * 4, 4);
            for (std::uint32_t lane = 0; lane < 32; ++lane) {
                std::uint32_t c = 0;
                double v = 0;
                std::memcpy(&c, chunk + column_place(s % kChunkSteps, lane, narrow), index);
                std::memcpy(&v, chunk + value_place(s % kChunkSteps, lane, narrow, 8), 8);
                ASSERT_LT(base + c, layout.ghost_base + layout.ghosts + 1);
                if (v != 0) open.emplace_back(lane, base + c, v);
            }
            if (word == kNoEnd) continue;
            const std::uint32_t row = word & 0xFFFFFF, rows = (word >> 24 & 31) + 1, log_lanes = word >> 29;
            for (const auto& [lane, column, value] : open) {
                ASSERT_LT(lane >> log_lanes, rows);
                entry(row + (lane >> log_lanes), column, value);
            }
            for (std::uint32_t i = 0; i < rows; ++i) end(row + i);
            open.clear();
        }
        EXPECT_TRUE(open.empty());
    }
};

void hold_every_entry_once(std::span<const double> shares_of_a_part) {
    const CompressedRows a = uneven(900);
    for (const std::uint32_t parts : {1U, 2U, 3U, 8U}) {
        const Partition partition = cut_contiguous(a, parts);
        constexpr std::uint32_t kBlocks = 5, kWarps = 4;
        std::vector<double> shares;
        for (std::uint32_t p = 0; p < parts; ++p)
            shares.insert(shares.end(), shares_of_a_part.begin(), shares_of_a_part.end());
        const auto layouts = sparse_layouts(a, partition, {}, kBlocks, kWarps, false, shares);
        std::vector<std::vector<std::uint32_t>> global(parts); // of each place in p
        for (std::uint32_t p = 0; p < parts; ++p) {
            const SparseLayout& l = layouts[p];
            global[p].assign(l.ghost_base + l.ghosts, ~0U);
            std::copy(l.row.begin(), l.row.end(), global[p].begin());
        }
        for (const SparseLayout& l : layouts)
            for (const SparseSend& s : l.send) global[s.row_and_peer >> 24][s.place] = l.row[s.row_and_peer & 0xFFFFFF];
        std::map<std::pair<std::uint32_t, std::uint32_t>, double> got;
        for (std::uint32_t p = 0; p < parts; ++p) {
            std::set<std::uint32_t> ended;
            const Reader reader{layouts[p], kBlocks * kWarps};
            for (std::uint32_t w = 0; w < kBlocks * kWarps; ++w)
                for (const int kind : {0, 1})
                    reader.read(
                        w, kind,
                        [&](std::uint32_t row, std::uint32_t column, double value) {
                            if (kind == 0) {
                                EXPECT_LT(column, layouts[p].rows);
                            }
                            EXPECT_TRUE(got.emplace(std::pair{global[p][row], global[p][column]}, value).second);
                        },
                        [&](std::uint32_t row) {
                            EXPECT_TRUE(ended.insert(row).second);
                            // The block that updates a row is the one that multiplies it.
                            EXPECT_GE(row, layouts[p].block_row[w / kWarps]);
                            EXPECT_LT(row, layouts[p].block_row[w / kWarps + 1]);
                        });
            EXPECT_EQ(ended.size(), layouts[p].rows);
        }
        EXPECT_EQ(got.size(), a.nonzeros());
        for (std::size_t i = 0; i < a.rows(); ++i)
            for (auto k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k)
                EXPECT_EQ((got[{static_cast<std::uint32_t>(i), a.column()[k]}]), a.value()[k]);
    }
}

TEST(PartedLayout, HoldsEveryEntryOnceAndSendsWhatIsWaitedFor) {
    hold_every_entry_once({});
    hold_every_entry_once(std::vector{1.0, 4.0, 0.5, 1.0, 2.0});
}

TEST(PartedLayout, BlocksGetTheirSharesOfSteps) {
    const CompressedRows a = uneven(5000);
    const std::vector<double> shares{1, 4, 0.5, 1, 1.5};
    const SparseLayout l = sparse_layouts(a, cut_contiguous(a, 1), {}, 5, 4, false, shares)[0];
    for (std::size_t b = 0; b < shares.size(); ++b) {
        std::uint64_t steps = 0;
        for (std::size_t w = 8 * b; w < 8 * (b + 1); ++w) steps += l.warp_steps[w];
        // A block begins with the first slice after its share's begin: a slice more or less at either end, and a slice
        // has no more steps than the whole matrix's row_depth(), doubled where padding asks for it.
        EXPECT_NEAR(static_cast<double>(steps), shares[b] / 8 * static_cast<double>(l.steps),
                    4.0 * row_depth(a.nonzeros()));
    }
}

TEST(PartedLayout, SharesOfEqualTimeFollowWhereStepsAreSlow) {
    // The second block's steps take three times as long as the others'; the last has nothing to do.
    const std::vector<double> shares{1, 1, 1, 0}, took{1, 3, 1, 0};
    const std::vector<double> next = shares_of_equal_time(shares, took);
    // 1.25 each: all of the first block and a twelfth of the second; five twelfths; the same; the last twelfth and all
    // of the third. Sums of a few doubles of this size round by less than 1e-15.
    const std::vector<double> expected{1 + 1.0 / 12, 5.0 / 12, 5.0 / 12, 1 + 1.0 / 12};
    ASSERT_EQ(next.size(), expected.size());
    for (std::size_t b = 0; b < next.size(); ++b) EXPECT_NEAR(next[b], expected[b], 1e-14) << b;
}

TEST(PartedLayout, ThreadsOfARowFollowFromItsLengthAlone) {
    for (const std::uint32_t depth : {4U, 12U, 48U})
        for (std::uint64_t length = 0; length < 3000; ++length) {
            const std::uint32_t log = log_lanes_of(length, depth);
            EXPECT_LE(log, 5u);
            if (length <= 32U * depth) {
                EXPECT_LE(length, std::uint64_t{2 * depth} << log) << length;
            }
        }
    EXPECT_LE(row_depth(1), row_depth(1000000000));
}

} // namespace
