// Systems check what they are made of: the first fault and the mend, in one line.
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/format.hpp"
#include "mantissa/system.hpp"
#include "symmetric_systems.hpp"

namespace mantissa {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void expect_refused(const std::function<void()>& make, const std::string& line) {
    try {
        make();
        ADD_FAILURE() << "accepted; expected: " << line;
    } catch (const InvalidInput& fault) {
        EXPECT_EQ(std::string(fault.what()), line);
    }
}

/// What CompressedRows is made of, to be spoiled.
struct RowParts {
    std::vector<std::uint64_t> row_begin;
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    [[nodiscard]] CompressedRows make() const { return {row_begin, column, value}; }
};

/// 3 x 3, two entries in most rows.
RowParts good_rows() {
    return {{0, 2, 4, 5}, {0, 1, 0, 1, 2}, {2, -1, -1, 2, 3}};
}

TEST(SystemFromRows, TakesGoodOnes) {
    EXPECT_EQ(System(good_rows().make()).size(), 3U);
    EXPECT_EQ(System(CompressedRows({0, 0, 1}, {1}, {4})).size(), 2U); // an empty row
    EXPECT_EQ(System(CompressedRows({0, 1}, {0}, {1})).size(), 1U);
}

TEST(SystemFromRows, NamesTheFirstFault) {
    const auto refused = [](const std::function<void(RowParts&)>& spoil, const std::string& line) {
        RowParts r = good_rows();
        spoil(r);
        expect_refused([&] { static_cast<void>(r.make()); }, "sparse rows: " + line);
    };
    refused([](RowParts& r) { r.row_begin.clear(); }, "no row: row_begin needs an entry for each row and the end");
    refused([](RowParts& r) { r.row_begin = {0}; }, "no row: row_begin needs an entry for each row and the end");
    refused([](RowParts& r) { r.column.pop_back(); }, "4 columns and 5 values: they must be equally many");
    refused([](RowParts& r) { r.row_begin[0] = 1; }, "row_begin starts at 1: it must start at 0");
    refused([](RowParts& r) { r.row_begin[3] = 6; }, "row_begin ends at 6: it must end at the number of entries, 5");
    refused([](RowParts& r) { r.row_begin[2] = 1; },
            "row 1 begins at entry 2 and ends at 1 of 5: row_begin must ascend to the number of entries");
    refused([](RowParts& r) { r.row_begin[1] = std::uint64_t{1} << 60; },
            "row 0 begins at entry 0 and ends at 1152921504606846976 of 5: row_begin must ascend to the number of "
            "entries");
    refused([](RowParts& r) { r.column[1] = 3; }, "row 0 has column 3, the matrix has 3: columns count from 0 to 2");
    refused([](RowParts& r) { r.column[4] = 4000000000U; },
            "row 2 has column 4000000000, the matrix has 3: columns count from 0 to 2");
    refused([](RowParts& r) { r.column[3] = 0; },
            "row 1 has column 0 after column 0: give each column once, in ascending order");
    refused([](RowParts& r) { r.column[2] = 2; },
            "row 1 has column 1 after column 2: give each column once, in ascending order");
    refused([](RowParts& r) { r.value[3] = kNan; }, "row 1 column 1 is nan: give finite numbers");
}

struct BandParts {
    std::size_t row_length = 0;
    Bands::Array band;
    [[nodiscard]] Bands make() const { return {row_length, band}; }
};

/// 4 columns, 3 rows; every coupling inside the grid is 1.
BandParts good_bands() {
    BandParts b;
    b.row_length = 4;
    for (std::size_t k = 0; k < kBands; ++k) {
        b.band[k].assign(12, 0.0);
        for (std::size_t i = 0; i < 12; ++i) {
            const std::size_t row = i / 4 + k / 3, column = i % 4 + k % 3;
            if (row >= 1 && row <= 3 && column >= 1 && column <= 4) b.band[k][i] = 1;
        }
    }
    return b;
}

TEST(SystemFromBands, TakesWhatStaysInTheGridAndNothingElse) {
    EXPECT_EQ(System(good_bands().make()).size(), 12U);
    for (std::size_t k = 0; k < kBands; ++k)
        for (std::size_t i = 0; i < 12; ++i) {
            BandParts b = good_bands();
            if (b.band[k][i] != 0) continue;
            b.band[k][i] = -0.0;
            EXPECT_EQ(System(b.make()).size(), 12U);
            b.band[k][i] = 0.5;
            EXPECT_THROW(static_cast<void>(b.make()), InvalidInput) << k << ' ' << i;
        }
}

TEST(SystemFromBands, NamesTheFirstFault) {
    const auto refused = [](const std::function<void(BandParts&)>& spoil, const std::string& line) {
        BandParts b = good_bands();
        spoil(b);
        expect_refused([&] { static_cast<void>(b.make()); }, "nine bands" + line);
    };
    refused([](BandParts& b) { b.row_length = 5; },
            " of 12 elements in rows of 5: the size must be a multiple of a row length of at least 3");
    refused([](BandParts& b) { b.band = {}; },
            " of 0 elements in rows of 4: the size must be a multiple of a row length of at least 3");
    refused([](BandParts& b) { b.band[6].pop_back(); },
            ": band 6 (north-west) has 11 elements, band 0 has 12: they must be equal");
    refused(
        [](BandParts& b) { b.band[3][4] = 2; },
        ": element 4 (grid row 1, column 0) couples west out of the grid with 2: couplings that leave the grid must "
        "be zero");
    refused([](BandParts& b) { b.band[8][11] = -1; },
            ": element 11 (grid row 2, column 3) couples north-east out of the grid with -1: couplings that leave the "
            "grid must be zero");
    refused([](BandParts& b) { b.band[4][7] = -std::numeric_limits<double>::infinity(); },
            ": band 4 element 7 is -inf: give finite numbers");
}

TEST(SystemFromStencil, NamesTheFirstFault) {
    std::array<double, kBands> c{};
    EXPECT_EQ(System(Stencil(3, 3, c)).size(), 9U);
    c[5] = kNan;
    expect_refused([&] { Stencil(3, 3, c); }, "stencil: coefficient 5 (east) is nan: give finite numbers");
    expect_refused([] { Stencil(2, 9, {}); }, "stencil grid of 9 x 2 nodes: it needs at least 3 x 3");
    expect_refused([] { Stencil(std::size_t{1} << 33, std::size_t{1} << 33, {}); },
                   "stencil grid of 8589934592 x 8589934592 nodes: more than this machine can address");
}

// A copy with other values keeps the pattern and the promises.
TEST(CompressedRowsValues, ReplacedAsAWhole) {
    const CompressedRows a = good_rows().make();
    const CompressedRows b = a.with_values({5, 4, 3, 2, 1});
    EXPECT_EQ(b.row_begin(), a.row_begin());
    EXPECT_EQ(b.column(), a.column());
    EXPECT_EQ(b.value(), (std::vector<double>{5, 4, 3, 2, 1}));
    expect_refused(
        [&] {
            static_cast<void>(a.with_values({1, 2}));
        },
        "sparse rows: 5 columns and 2 values: they must be equally many");
    expect_refused(
        [&] {
            static_cast<void>(a.with_values({1, 2, 3, kNan, 5}));
        },
        "sparse rows: row 1 column 1 is nan: give finite numbers");
}

/// 4 columns, 3 rows; every weight inside the grid is 1.
struct SymmetricParts {
    std::size_t row_length = 4;
    SymmetricBands::Array weight;
    std::vector<double> row_sums;
    SymmetricParts() {
        for (std::size_t d = 0; d < kWeights; ++d) {
            weight[d] = good_bands().band[weight_band(d)];
        }
    }
    [[nodiscard]] SymmetricBands make() const { return {row_length, weight, row_sums}; }
};

TEST(SystemFromSymmetricBands, TakesWhatStaysInTheGridAndNothingElse) {
    EXPECT_EQ(System(SymmetricParts().make()).size(), 12U);
    for (std::size_t d = 0; d < kWeights; ++d)
        for (std::size_t i = 0; i < 12; ++i) {
            SymmetricParts m;
            if (m.weight[d][i] != 0) continue;
            m.weight[d][i] = -0.0;
            EXPECT_EQ(m.make(), SymmetricParts().make());
            EXPECT_FALSE(std::signbit(m.make().weight(d)[i]));
            m.weight[d][i] = 0.5;
            EXPECT_THROW(static_cast<void>(m.make()), InvalidInput) << d << ' ' << i;
        }
}

TEST(SystemFromSymmetricBands, NamesTheFirstFault) {
    const auto refused = [](const std::function<void(SymmetricParts&)>& spoil, const std::string& line) {
        SymmetricParts m;
        spoil(m);
        expect_refused([&] { static_cast<void>(m.make()); }, "symmetric bands" + line);
    };
    refused([](SymmetricParts& m) { m.row_length = 5; },
            " of 12 elements in rows of 5: the size must be a multiple of a row length of at least 3");
    refused([](SymmetricParts& m) { m.weight = {}; },
            " of 0 elements in rows of 4: the size must be a multiple of a row length of at least 3");
    refused([](SymmetricParts& m) { m.weight[2].pop_back(); },
            ": 11 north weights and 12 east ones: they must be equally many");
    refused(
        [](SymmetricParts& m) {
            m.row_sums = {1, 2};
        },
        ": 2 row sums and 12 elements: give one for each element, or none");
    refused([](SymmetricParts& m) { m.weight[1][4] = 2; },
            ": element 4 (grid row 1, column 0) couples north-west out of the grid with weight 2: couplings that leave "
            "the grid must be zero");
    refused([](SymmetricParts& m) { m.weight[0][6] = kNan; },
            ": the east weight of element 6 (grid row 1, column 2) is nan: give finite numbers");
    refused([](SymmetricParts& m) { m.row_sums.assign(12, std::numeric_limits<double>::infinity()); },
            ": the diagonal entry of element 0 (grid row 0, column 0), its weights and its row sum added, is inf: give "
            "numbers whose sum is finite");
    expect_refused([] { static_cast<void>(SymmetricBands::with_diagonal(4, SymmetricParts().weight, {1})); },
                   "symmetric bands: 1 diagonal entries and 12 elements: they must be equally many");
}

// Row sums that are rounding errors are none, and the first real one brings them all back.
TEST(SymmetricBandsRowSums, AreThereWhereOneIsNotZero) {
    SymmetricParts m;
    m.row_sums.assign(12, 0x1p-51);
    EXPECT_TRUE(m.make().row_sums().empty());
    m.row_sums[7] = 0x1p-40;
    const std::vector<double> sums = m.make().row_sums();
    ASSERT_EQ(sums.size(), 12U);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(sums[i], i == 7 ? 0x1p-40 : 0.0);
    EXPECT_EQ(m.make().diagonal(5), 8);
    EXPECT_EQ(m.make().diagonal(7), 5 + 0x1p-40);
}

TEST(SymmetricBandsFromBands, AndBackAgain) {
    const SymmetricBands m = testing::symmetric_bands(7, 5, 3, true);
    const Bands nine = m.bands();
    const SymmetricBands again = SymmetricBands::from(nine);
    EXPECT_EQ(again.weights(), m.weights());
    EXPECT_EQ(System(m).kind(), System::Kind::symmetric);
    EXPECT_EQ(to_string(System(m).kind()), "symmetric");
    EXPECT_EQ(System(m).row_length(), 7U);
    for (std::size_t i = 0; i < m.size(); ++i) {
        EXPECT_NEAR(again.row_sums()[i], m.row_sums()[i], 1e-15);
        for (std::size_t b = 0; b < kBands; ++b) {
            const auto j = static_cast<std::ptrdiff_t>(i) + band_offset(static_cast<int>(b), 7);
            EXPECT_EQ(m.coefficient(b, i), nine.band(b)[i]);
            if (j < 0 || j >= 35) continue;
            EXPECT_EQ(m.coefficient(b, i), m.coefficient(mirrored_band(b), static_cast<std::size_t>(j)));
        }
    }
    EXPECT_TRUE(SymmetricBands::from(testing::symmetric_bands(7, 5, 3, false).bands()).row_sums().empty());
}

// Every coupling, spoiled on either side, is found and named with both values.
TEST(SymmetricBandsFromBands, RefuseWhatIsNotSymmetric) {
    for (std::size_t k = 0; k < kBands; ++k)
        for (std::size_t i = 0; i < 12; ++i) {
            BandParts b = good_bands();
            if (k == 4 || b.band[k][i] == 0) continue;
            b.band[k][i] = 2;
            EXPECT_THROW(static_cast<void>(SymmetricBands::from(b.make())), InvalidInput) << k << ' ' << i;
        }
    BandParts b = good_bands();
    b.band[1][9] = 3;
    expect_refused(
        [&] { static_cast<void>(SymmetricBands::from(b.make())); },
        "nine bands: element 5 (grid row 1, column 1) couples north with 1 and element 9 (grid row 2, column 1) "
        "couples back with 3: fluxes need a symmetric matrix; make the two equal, or add products (order=chain "
        "or tree)");
}

// What System::kind() says is what the variant holds.
TEST(SystemOfAnyKind, KnowsItsKindAndSize) {
    const System stencil = Stencil(3, 5, {}), bands = good_bands().make(), rows = good_rows().make();
    EXPECT_EQ(to_string(stencil.kind()), "stencil");
    EXPECT_EQ(to_string(bands.kind()), "bands");
    EXPECT_EQ(to_string(rows.kind()), "sparse");
    EXPECT_EQ(stencil.size(), 15U);
    EXPECT_EQ(bands.size(), 12U);
    EXPECT_EQ(rows.size(), 3U);
    EXPECT_EQ(stencil.row_length(), 3U);
    EXPECT_EQ(bands.row_length(), 4U);
    EXPECT_EQ(rows.row_length(), 0U);
    std::size_t inside = 0;
    for (std::size_t i = 0; i < 15; ++i) inside += stencil.on_edge(i) ? 0 : 1;
    EXPECT_EQ(inside, 3U);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_FALSE(bands.on_edge(i));
}

} // namespace
} // namespace mantissa
