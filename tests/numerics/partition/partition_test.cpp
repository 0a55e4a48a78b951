// Partitions against brute force: who owns, what crosses, in which order; products over parts equal the whole's bits.
#include "mantissa/partition/partition.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "mantissa/errors.hpp"
#include "mantissa/nine_point.hpp"
#include "mantissa/partition/cuts.hpp"
#include "mantissa/sparse/formats.hpp"
#include "mantissa/sparse/reference.hpp"

namespace mantissa {
namespace {

/// A pattern with rows of very different lengths, not symmetric, some rows empty.
CompressedRows random_pattern(std::uint32_t rows, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::uint64_t> begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t i = 0; i < rows; ++i) {
        std::set<std::uint32_t> columns;
        for (auto k = static_cast<std::uint32_t>(random() % 7 == 0 ? rows / 2 : random() % 5); k > 0; --k)
            columns.insert(static_cast<std::uint32_t>(random() % rows));
        for (const std::uint32_t j : columns) {
            column.push_back(j);
            value.push_back(1.0 / (1 + static_cast<double>(random() % 1000)));
        }
        begin.push_back(column.size());
    }
    return {begin, column, value};
}

/// The nine-point pattern of a grid, entry by entry.
CompressedRows grid_pattern(std::uint32_t width, std::uint32_t height) {
    std::vector<std::uint64_t> begin = {0};
    std::vector<std::uint32_t> column;
    const auto w = static_cast<int>(width), h = static_cast<int>(height);
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            for (int v = y - 1; v <= y + 1; ++v)
                for (int u = x - 1; u <= x + 1; ++u)
                    if (u >= 0 && v >= 0 && u < w && v < h) column.push_back(static_cast<std::uint32_t>(v * w + u));
            begin.push_back(column.size());
        }
    std::vector<double> value(column.size(), 1.0);
    return {begin, column, value};
}

/// Every statement that partition.hpp makes, asked entry by entry.
void expect_by_brute_force(const CompressedRows& a, const Partition& partition) {
    const std::size_t parts = partition.parts().size();
    std::size_t rows = 0;
    for (std::uint32_t p = 0; p < parts; ++p) {
        const Part& part = partition.parts()[p];
        rows += part.row.size();
        EXPECT_TRUE(std::is_sorted(part.row.begin(), part.row.end()));
        std::uint64_t nonzeros = 0;
        std::vector<std::uint32_t> interior, boundary;
        std::set<std::pair<std::uint32_t, std::uint32_t>> needed; // owner, row
        for (const std::uint32_t row : part.row) {
            EXPECT_EQ(partition.owner(row), p);
            bool inside = true;
            for (std::uint64_t k = a.row_begin()[row]; k < a.row_begin()[row + 1]; ++k, ++nonzeros)
                if (const std::uint32_t j = a.column()[k]; partition.owner(j) != p) {
                    inside = false;
                    needed.insert({partition.owner(j), j});
                }
            (inside ? interior : boundary).push_back(row);
        }
        EXPECT_EQ(part.nonzeros, nonzeros);
        EXPECT_EQ(part.interior, interior);
        EXPECT_EQ(part.boundary, boundary);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> listed;
        for (const Exchange& list : part.receive) {
            EXPECT_FALSE(list.row.empty());
            for (const std::uint32_t row : list.row) listed.emplace_back(list.peer, row);
        }
        EXPECT_TRUE(std::equal(listed.begin(), listed.end(), needed.begin(), needed.end()));
        EXPECT_EQ(part.received, needed.size());
        std::set<std::uint32_t> read_elsewhere;
        for (std::uint32_t other = 0; other < parts; ++other) {
            const auto& theirs = partition.parts()[other].receive;
            const auto from_here =
                std::find_if(theirs.begin(), theirs.end(), [p](const Exchange& e) { return e.peer == p; });
            const auto to_there = std::find_if(part.send.begin(), part.send.end(),
                                               [other](const Exchange& e) { return e.peer == other; });
            ASSERT_EQ(from_here == theirs.end(), to_there == part.send.end());
            if (to_there == part.send.end()) continue;
            EXPECT_EQ(to_there->row, from_here->row);
            read_elsewhere.insert(to_there->row.begin(), to_there->row.end());
        }
        EXPECT_EQ(part.sent, read_elsewhere.size());
        EXPECT_TRUE(std::is_sorted(part.send.begin(), part.send.end(),
                                   [](const Exchange& x, const Exchange& y) { return x.peer < y.peer; }));
    }
    EXPECT_EQ(rows, a.rows());
    EXPECT_EQ(partition.nonzeros(), a.nonzeros());
}

/// y = A x formed part by part, ghosts copied along the lists, has the whole product's bits.
void expect_same_product(const CompressedRows& a, const Partition& partition) {
    std::mt19937 random(7);
    std::vector<double> x(a.rows()), whole(a.rows()), together(a.rows());
    for (double& v : x) v = static_cast<double>(random()) / 3;
    reference_product<double>(a, x, whole);
    for (std::uint32_t p = 0; p < partition.parts().size(); ++p) {
        const Part& part = partition.parts()[p];
        const LocalRows local = local_rows(a, partition, p);
        ASSERT_EQ(local.ghosts, part.received);
        ASSERT_EQ(local.row_begin.size(), part.row.size() + 1);
        std::vector<double> mine;
        for (const std::uint32_t row : part.row) mine.push_back(x[row]);
        for (const Exchange& list : part.receive)
            for (const std::uint32_t row : list.row) mine.push_back(x[row]);
        for (std::size_t i = 0; i < part.row.size(); ++i) {
            double sum = 0;
            for (std::uint64_t k = local.row_begin[i]; k < local.row_begin[i + 1]; ++k)
                sum += local.value[k] * mine[local.column[k]];
            together[part.row[i]] = sum;
        }
    }
    EXPECT_EQ(together, whole);
}

TEST(Partition, ListsAndProductsOnRandomPatterns) {
    std::mt19937 random(1);
    for (unsigned seed = 0; seed < 60; ++seed) {
        const auto rows = static_cast<std::uint32_t>(1 + random() % 60);
        const CompressedRows a = random_pattern(rows, seed);
        const auto parts = static_cast<std::uint32_t>(1 + random() % 7);
        std::vector<std::uint32_t> owner(rows);
        for (auto& o : owner) o = static_cast<std::uint32_t>(random() % parts); // empty parts, too
        const Partition partition(a, owner, parts);
        expect_by_brute_force(a, partition);
        expect_same_product(a, partition);
    }
}

TEST(Partition, EveryWayToCut) {
    for (unsigned seed = 0; seed < 8; ++seed) {
        const CompressedRows a = random_pattern(97, seed);
        for (const std::uint32_t parts : {1U, 2U, 3U, 5U, 8U}) {
            for (const std::uint32_t weight : {0U, 3U}) {
                const std::vector<std::uint64_t> cut = contiguous_cuts(a, parts, weight);
                const std::uint64_t whole = a.nonzeros() + a.rows() * weight;
                for (std::uint32_t k = 0; k <= parts; ++k) {
                    std::uint64_t least = 0; // its definition, searched
                    while ((a.row_begin()[least] + least * weight) * parts < k * whole) ++least;
                    EXPECT_EQ(cut[k], k < parts ? least : a.rows());
                }
                EXPECT_EQ(cut.back(), a.rows());
                const Partition contiguous = cut_contiguous(a, parts, weight);
                expect_by_brute_force(a, contiguous);
                expect_same_product(a, contiguous);
                expect_by_brute_force(a, cut_after_cuthill_mckee(a, parts, weight));
            }
        }
    }
}

/// Rows that hold more than a part's share, at the beginning, in the middle and at the end, and as many parts as rows.
TEST(Partition, EveryWayLeavesEachPartARow) {
    constexpr std::uint32_t kRows = 24;
    for (const std::uint32_t full : {0U, 11U, kRows - 1}) {
        std::vector<std::uint64_t> begin = {0};
        std::vector<std::uint32_t> column;
        for (std::uint32_t i = 0; i < kRows; ++i) {
            for (std::uint32_t j = 0; j < kRows; ++j)
                if (i == j || i == full || j == full) column.push_back(j);
            begin.push_back(column.size());
        }
        const CompressedRows a(begin, column, std::vector<double>(column.size(), 1.0));
        for (const CutMethod method : {CutMethod::contiguous, CutMethod::cuthill_mckee}) {
            for (std::uint32_t parts = 1; parts <= kRows; ++parts) {
                const Partition partition = cut(a, parts, method);
                ASSERT_EQ(partition.parts().size(), parts);
                for (std::uint32_t k = 0; k < parts; ++k)
                    EXPECT_FALSE(partition.parts()[k].row.empty())
                        << to_string(method) << ", part " << k << " of " << parts << ", full row " << full;
                expect_by_brute_force(a, partition);
            }
        }
    }
}

/// METIS leaves parts empty where rows are as heavy as parts, and writes to standard output.
TEST(Partition, BisectionRefusesRowsAsHeavyAsParts) {
    if (!has_metis()) GTEST_SKIP() << "built without METIS (libmetis-dev)";
    testing::internal::CaptureStdout();
    std::uint32_t cuts = 0, refused = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
        const CompressedRows a = random_pattern(40, seed);
        for (std::uint32_t parts = 1; parts <= a.rows(); ++parts) {
            try {
                const Partition partition = cut_by_bisection(a, parts);
                for (const Part& part : partition.parts()) EXPECT_FALSE(part.row.empty()) << parts << ", " << seed;
                ++cuts;
            } catch (const InvalidInput& fault) {
                EXPECT_NE(std::string(fault.what()).find("the longest row is more than half"), std::string::npos);
                ++refused;
            }
        }
    }
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_GT(cuts, 40u);
    EXPECT_GT(refused, 40u);
}

TEST(Partition, BisectionCutsFewerEdgesThanRowsDo) {
    if (!has_metis()) GTEST_SKIP() << "built without METIS (libmetis-dev)";
    // A grid of 64 x 16 numbered along its long side: rows cut 2 x 64 points, a bisection may cut 2 x 16.
    const CompressedRows a = grid_pattern(64, 16);
    for (const std::uint32_t parts : {1U, 2U, 3U, 5U, 8U}) {
        const Partition partition = cut_by_bisection(a, parts);
        expect_by_brute_force(a, partition);
        expect_same_product(a, partition);
        EXPECT_EQ(partition, cut_by_bisection(a, parts)); // twice the same
        EXPECT_LT(volume(partition).nonzero_imbalance, 0.1);
    }
    EXPECT_LT(volume(cut_by_bisection(a, 2)).total_received, volume(cut_contiguous(a, 2)).total_received);
}

TEST(Partition, GridsAsTheirMatrices) {
    for (const auto& [width, height] : {std::pair{1U, 1U}, {1U, 9U}, {9U, 1U}, {5U, 7U}, {16U, 11U}}) {
        const CompressedRows a = grid_pattern(width, height);
        for (std::uint32_t across = 1; across <= std::min(width, 4U); ++across)
            for (std::uint32_t down = 1; down <= std::min(height, 4U); ++down) {
                const Partition tiles = cut_tiles(width, height, across, down);
                EXPECT_EQ(tiles, Partition(a, tiles.owners(), across * down));
                expect_by_brute_force(a, tiles);
                std::size_t most = 0, least = a.rows();
                for (const Part& part : tiles.parts()) {
                    most = std::max(most, part.row.size());
                    least = std::min(least, part.row.size());
                }
                EXPECT_LE(most, (width / across + 1) * (height / down + 1));
                EXPECT_GE(least, (width / across) * (height / down));
            }
        if (height < 3) continue;
        EXPECT_EQ(cut_strips(width, height, 3), cut_tiles(width, height, 1, 3));
    }
    // A strip sends its first and its last grid row, and the ends one of them.
    const PartitionVolume v = volume(cut_strips(100, 60, 4));
    EXPECT_EQ(v.most_sent, 200U);
    EXPECT_EQ(v.most_received, 200U);
    EXPECT_EQ(v.total_received, 600U);
    EXPECT_EQ(v.boundary_rows, 600U);
    EXPECT_EQ(v.most_peers, 2U);
    EXPECT_EQ(v.row_imbalance, 0);
}

TEST(Partition, RefusesWhatMakesNoPartition) {
    const CompressedRows a = grid_pattern(3, 3);
    const std::vector<std::uint32_t> ones(9, 1);
    EXPECT_THROW(Partition(a, ones, 0), InvalidInput);
    EXPECT_THROW(Partition(a, ones, 1), InvalidInput);
    EXPECT_THROW(Partition(a, std::vector<std::uint32_t>(8, 0), 1), InvalidInput);
    EXPECT_THROW(Partition(0, 3, {}, 1), InvalidInput);
    EXPECT_THROW(cut_contiguous(a, 0), InvalidInput);
    EXPECT_THROW(cut_contiguous(a, 10), InvalidInput);
    EXPECT_THROW(cut_after_cuthill_mckee(a, 10), InvalidInput);
    EXPECT_THROW(cut_by_bisection(a, 10), InvalidInput);
    EXPECT_THROW(cut_strips(3, 3, 4), InvalidInput);
    EXPECT_THROW(cut_tiles(3, 3, 0, 1), InvalidInput);
    EXPECT_THROW(parse_cut_method("rows"), InvalidInput);
    EXPECT_EQ(parse_cut_method("rcm"), CutMethod::cuthill_mckee);
    const Partition whole = cut_contiguous(a, 1);
    EXPECT_THROW(local_rows(a, whole, 1), InvalidInput);
    EXPECT_THROW(local_rows(grid_pattern(3, 4), whole, 0), InvalidInput);
}

} // namespace
} // namespace mantissa
