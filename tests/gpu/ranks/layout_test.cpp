// A part's rows in slices, against the rows of the system: what is there, where, in which order.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/errors.hpp"
#include "mantissa/partition/cuts.hpp"
#include "mantissa/partition/parted_engine.hpp"
#include "ranks/layout.hpp"
#include "ranks/rank_rows.hpp"
#include "test_systems.hpp"

namespace {

using namespace mantissa;
using gpu::kNoRow;
using gpu::RankLayout;
using gpu::SlicedRows;
using Entries = std::vector<std::pair<std::uint32_t, double>>;

/// The entries of a row of the whole, in their order; zeros of grids left out.
Entries entries_of(const System& system, std::uint32_t row) {
    Entries entries;
    if (const auto* m = std::get_if<CompressedRows>(&system.matrix())) {
        for (std::uint64_t k = m->row_begin()[row]; k < m->row_begin()[row + 1]; ++k)
            entries.emplace_back(m->column()[k], m->value()[k]);
        return entries;
    }
    for (int band = 0; band < kBands; ++band) {
        const auto* const stencil = std::get_if<Stencil>(&system.matrix());
        const double value = stencil == nullptr      ? std::get<Bands>(system.matrix()).band(band)[row]
                             : stencil->on_edge(row) ? 0.0
                                                     : stencil->coefficients()[static_cast<std::size_t>(band)];
        if (value != 0)
            entries.emplace_back(static_cast<std::uint32_t>(row + band_offset(band, system.row_length())), value);
    }
    return entries;
}

void expect_rows(const System& system, const Partition& partition, std::uint32_t number) {
    const Part& part = partition.parts()[number];
    const RankLayout layout = gpu::rank_layout(system, partition, number, false);
    ASSERT_EQ(layout.owned, part.row.size());
    EXPECT_TRUE(layout.inverse.empty());
    std::vector<std::uint32_t> whole = part.row; // of a column in the part's numbers
    for (const Exchange& list : part.receive) whole.insert(whole.end(), list.row.begin(), list.row.end());
    ASSERT_EQ(whole.size(), layout.owned + layout.ghosts);
    std::set<std::uint32_t> found;
    for (const auto& [rows, wanted] : {std::pair{&layout.inner, &part.interior}, {&layout.boundary, &part.boundary}}) {
        ASSERT_EQ(rows->row.size() % 32, 0U);
        ASSERT_EQ(rows->row.size(), rows->length.size());
        ASSERT_EQ(rows->begin.size(), rows->row.size() / 32);
        std::vector<std::uint32_t> there;
        for (std::size_t place = 0; place < rows->row.size(); ++place) {
            if (rows->row[place] == kNoRow) {
                EXPECT_EQ(rows->length[place], 0U);
                continue;
            }
            const std::uint32_t row = part.row.at(rows->row[place]);
            there.push_back(row);
            Entries entries;
            for (std::uint32_t k = 0; k < rows->length[place]; ++k) {
                const std::size_t at = rows->begin[place / 32] + 32 * k + place % 32;
                entries.emplace_back(whole.at(rows->column.at(at)), rows->value.at(at));
            }
            EXPECT_EQ(entries, entries_of(system, row)) << row;
        }
        std::sort(there.begin(), there.end());
        EXPECT_EQ(there, *wanted); // each once
        found.insert(there.begin(), there.end());
    }
    EXPECT_EQ(found.size(), part.row.size());
    std::vector<std::uint32_t> sent;
    for (const Exchange& list : part.send) sent.insert(sent.end(), list.row.begin(), list.row.end());
    ASSERT_EQ(layout.send.size(), sent.size());
    for (std::size_t k = 0; k < sent.size(); ++k) EXPECT_EQ(part.row[layout.send[k]], sent[k]);
}

TEST(RankLayout, HasEveryRowOnceWithItsEntriesInOrder) {
    for (const System& system : {mantissa::testing::sparse_system(611, 5), mantissa::testing::scattered_system(403, 7)})
        for (const CutMethod method : {CutMethod::contiguous, CutMethod::cuthill_mckee})
            for (const std::uint32_t parts : {1, 2, 3, 7}) {
                const Partition partition = cut(std::get<CompressedRows>(system.matrix()), parts, method);
                for (std::uint32_t part = 0; part < parts; ++part) expect_rows(system, partition, part);
            }
    const System grid = Stencil(17, 17, {-1, -2, -1, -2, 12, -2, -1, -2, -1});
    for (const std::uint32_t parts : {1, 2, 5}) {
        const Partition partition = parts_of(grid, parts);
        for (std::uint32_t part = 0; part < parts; ++part) expect_rows(grid, partition, part);
    }
}

TEST(RankLayout, JacobiWantsADiagonalAboveZero) {
    const CompressedRows good({0, 2, 4, 4}, {0, 1, 0, 1}, {4, 1, 1, 0.5});
    const std::vector<std::uint32_t> owner = {0, 0, 0};
    EXPECT_EQ(gpu::rank_layout(good, Partition(good, owner, 1), 0, true).inverse, (std::vector<double>{0.25, 2, 1}));
    for (const double bad : {0.0, -1.0}) {
        const CompressedRows a({0, 2, 4, 4}, {0, 1, 0, 1}, {4, 1, 1, bad});
        EXPECT_THROW(gpu::rank_layout(a, Partition(a, owner, 1), 0, true), InvalidInput) << bad;
    }
}

} // namespace
