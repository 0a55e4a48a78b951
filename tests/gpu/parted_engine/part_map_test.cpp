// What each part holds, against the whole matrix: runs anywhere.
#include "parted_engine/part_map.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "test_systems.hpp"

namespace mantissa::gpu {
namespace {

/// A part's local elements in the whole's numbers, ghosts too, from who sends what where.
std::vector<std::vector<std::uint32_t>> whole_numbers(const std::vector<PartMap>& maps) {
    constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::vector<std::uint32_t>> whole;
    for (const PartMap& m : maps) {
        whole.emplace_back(m.elements, kNobody);
        std::ranges::copy(m.row, whole.back().begin());
    }
    for (const PartMap& m : maps)
        for (std::size_t i = m.inner_end; i < m.own_end; ++i)
            for (std::uint32_t k = m.goes_first[i - m.inner_end]; k < m.goes_first[i - m.inner_end + 1]; ++k) {
                std::uint32_t& there = whole[m.goes_to[k]].at(m.goes_slot[k]);
                EXPECT_EQ(there, kNobody) << "one ghost from two senders";
                there = m.row[i];
            }
    for (const auto& part : whole) EXPECT_EQ(std::ranges::count(part, kNobody), 0) << "a ghost that nobody sends";
    return whole;
}

void expect_shared_out(const System& system, int parts, CutMethod method) {
    SCOPED_TRACE(std::to_string(parts) + " parts by " + to_string(method));
    const auto& a = std::get<CompressedRows>(system.matrix());
    const std::vector<PartMap> maps = sparse_maps(a, parts, method);
    ASSERT_EQ(maps.size(), static_cast<std::size_t>(parts));
    const auto whole = whole_numbers(maps);
    std::set<std::uint32_t> rows;
    for (std::size_t k = 0; k < maps.size(); ++k) {
        const PartMap& m = maps[k];
        EXPECT_EQ(m.own_begin, 0U);
        EXPECT_EQ(m.row.size(), m.own_end);
        for (std::size_t i = 0; i < m.own_end; ++i) {
            EXPECT_TRUE(rows.insert(m.row[i]).second) << "a row of two parts";
            // The row's entries in its own order.
            const std::uint64_t first = a.row_begin()[m.row[i]];
            ASSERT_EQ(m.row_begin[i + 1] - m.row_begin[i], a.row_begin()[m.row[i] + 1] - first);
            for (std::uint64_t e = m.row_begin[i]; e < m.row_begin[i + 1]; ++e) {
                EXPECT_EQ(m.entry[e], first + (e - m.row_begin[i]));
                EXPECT_EQ(whole[k][m.column[e]], a.column()[m.entry[e]]);
                if (i < m.inner_end) {
                    EXPECT_LT(m.column[e], m.own_end) << "an inner row with a ghost";
                }
            }
        }
    }
    EXPECT_EQ(rows.size(), system.size());
}

TEST(PartMap, SparseRows) {
    for (const int parts : {1, 2, 3, 8})
        for (const CutMethod method : {CutMethod::contiguous, CutMethod::cuthill_mckee, CutMethod::bisection}) {
            if (method == CutMethod::bisection && !has_metis()) continue;
            expect_shared_out(testing::sparse_system(611, 5), parts, method); // whose pattern is not symmetric
            expect_shared_out(testing::scattered_system(403, 7), parts, method);
        }
}

TEST(PartMap, Strips) {
    for (const std::size_t rows : {16U, 17U, 40U})
        for (const int parts : {1, 2, 3, 8}) {
            const System grid = testing::stencil_system(5, rows);
            const auto n = static_cast<std::ptrdiff_t>(grid.row_length());
            std::ptrdiff_t next = 0;
            for (const PartMap& m : strip_maps(grid, parts)) {
                const auto begin = static_cast<std::ptrdiff_t>(m.own_begin),
                           end = static_cast<std::ptrdiff_t>(m.own_end);
                EXPECT_EQ(m.first + begin, next) << "strips are neighbours";
                next = m.first + end;
                EXPECT_GE(end - begin, 2 * n);
                EXPECT_LE(m.own_begin, m.inner_begin);
                EXPECT_LE(m.inner_begin, m.inner_end);
                EXPECT_LE(m.inner_end, m.own_end);
                // Every row's reach lies inside, or outside the grid; that of inner rows among own elements.
                if (m.below >= 0) {
                    EXPECT_GE(begin - n - 1, 0);
                    EXPECT_GE(static_cast<std::ptrdiff_t>(m.inner_begin), begin + n + 1);
                }
                if (m.above >= 0) {
                    EXPECT_LE(end + n + 1, static_cast<std::ptrdiff_t>(m.elements));
                    EXPECT_TRUE(m.inner_end == m.inner_begin ||
                                static_cast<std::ptrdiff_t>(m.inner_end) <= end - n - 1);
                }
            }
            EXPECT_EQ(next, static_cast<std::ptrdiff_t>(grid.size()));
        }
}

} // namespace
} // namespace mantissa::gpu
