// How a matrix is laid out for resident solves (gpu/src/sparse/sparse_resident_layout.hpp), which needs no device.
#include "sparse/sparse_resident_layout.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace mantissa::gpu {
namespace {

/// Five points on a grid of side x side; with `one_way`, the last of every seventh row's neighbours is not read back:
/// explicit entries on one side alone.
CompressedRows grid(std::uint32_t side, bool one_way) {
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    const std::uint32_t rows = side * side;
    for (std::uint32_t i = 0; i < rows; ++i) {
        std::vector<std::uint32_t> reads{i};
        if (i >= side) reads.push_back(i - side);
        if (i + side < rows) reads.push_back(i + side);
        if (i % side != 0) reads.push_back(i - 1);
        if (i % side + 1 < side) reads.push_back(i + 1);
        const std::uint32_t far = (i + rows / 2 + 5) % rows;
        if (one_way && i % 97 == 0 && std::ranges::find(reads, far) == reads.end()) reads.push_back(far);
        std::ranges::sort(reads);
        for (const std::uint32_t c : reads) {
            column.push_back(c);
            value.push_back(c == i ? 5 : -1 - 1e-3 * static_cast<double>(i % 7 + c % 5));
        }
        begin.push_back(column.size());
    }
    return {std::move(begin), std::move(column), std::move(value)};
}

/// Every row once, and A x formed from places is A x.
template <int N> void check_product(const CompressedRows& a, const ResidentLayout<N, double>& l) {
    using Slice = ResidentSlice<N, double>;
    std::vector<std::uint32_t> sorted = l.row;
    std::ranges::sort(sorted);
    for (std::uint32_t i = 0; i < a.rows(); ++i) ASSERT_EQ(sorted[i], i);
    const auto x = [](std::uint32_t row) { return 1.0 + row % 1000; };
    for (std::size_t b = 0; b + 1 < l.part.size(); ++b) {
        const std::uint32_t first = l.part[b], rows = l.part[b + 1] - first;
        std::vector<double> at; // x of the block's places
        for (std::uint32_t k = 0; k < rows; ++k) at.push_back(x(l.row[first + k]));
        for (std::uint32_t g = l.ghosts[b]; g < l.ghosts[b + 1]; ++g) at.push_back(x(l.row[l.ghost[g]]));
        for (std::uint32_t k = 0; k < rows; ++k) {
            const std::uint32_t slice = l.slices[b] + k / Slice::kRows, own = k % Slice::kRows, i = l.row[first + k];
            double sum = 0, want = 0;
            for (std::uint32_t e = l.begin[slice]; e < l.begin[slice + 1]; e += Slice::kStep)
                for (std::uint32_t slot = 0; slot < Slice::kSlots; ++slot) {
                    const std::uint32_t entry = e + own * Slice::kSlots + slot;
                    sum += l.value[entry] * at.at(l.column[entry]);
                }
            for (std::uint64_t e = a.row_begin()[i]; e < a.row_begin()[i + 1]; ++e)
                want += a.value()[e] * x(a.column()[e]);
            ASSERT_NEAR(sum, want, 1e-9) << "row " << i; // six terms below 6000, a few roundings of 1e-12
        }
    }
}

/// Rows of a block's early rounds read no ghosts and are none.
template <int N> std::uint32_t check_early(const ResidentLayout<N, double>& l) {
    std::vector<bool> ghost(l.row.size(), false);
    for (const std::uint32_t g : l.ghost) ghost[g] = true;
    std::uint32_t all = 0;
    for (std::size_t b = 0; b + 1 < l.part.size(); ++b) {
        const std::uint32_t first = l.part[b], rows = l.part[b + 1] - first, early = l.early[b] * kResidentRows<N>;
        EXPECT_LE(early, rows);
        all += early;
        for (std::uint32_t k = 0; k < early; ++k) EXPECT_FALSE(ghost[first + k]) << "block " << b << " row " << k;
        const std::uint32_t slices = early / ResidentSlice<N, double>::kRows; // whole ones
        for (std::uint32_t e = l.begin[l.slices[b]]; e < l.begin[l.slices[b] + slices]; ++e)
            EXPECT_LT(l.column[e], rows) << "block " << b << " entry " << e;
    }
    return all;
}

TEST(ResidentLayout, ProductsAreTheMatrixs) {
    for (const bool one_way : {false, true}) {
        const CompressedRows a = grid(60, one_way);
        const auto one = ResidentLayoutMaker<1, double>(a, 7).make();
        const auto three = ResidentLayoutMaker<3, double>(a, 7).make();
        ASSERT_TRUE(one && three);
        check_product<1>(a, *one);
        check_product<3>(a, *three);
        EXPECT_TRUE(std::ranges::all_of(one->early, [](std::uint32_t e) { return e == 0; }));
    }
}

// What a block keeps to itself, nobody else may want: also where a row reads another that does not read it.
TEST(ResidentLayout, EarlyRowsAreNobodysGhosts) {
    for (const bool one_way : {false, true}) {
        const auto l = ResidentLayoutMaker<3, double>(grid(60, one_way), 7).make();
        ASSERT_TRUE(l);
        EXPECT_GT(check_early<3>(*l), 0U);
    }
}

} // namespace
} // namespace mantissa::gpu
