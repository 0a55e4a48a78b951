// Fits and plots of Table 5, and the reader of its file.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "mantissa/format.hpp"
#include "scratch.hpp"
#include "synthesis/table5.hpp"

namespace mantissa::synthesis {
namespace {

TEST(GrowthLaws, FitFindsTheLawThatMadeThePoints) {
    std::vector<double> x, y;
    for (const double m : {17.0, 20.0, 23.0, 28.0, 36.0, 44.0, 52.0}) {
        x.push_back(m);
        y.push_back(1000 - 3 * m + 2.5 * m * m);
    }
    const Fit fit = fit_polynomial(x, y, 2);
    EXPECT_NEAR(fit.coefficients[0], 1000, 1e-6);
    EXPECT_NEAR(fit.coefficients[1], -3, 1e-7);
    EXPECT_NEAR(fit.coefficients[2], 2.5, 1e-9);
    EXPECT_NEAR(fit.r2, 1, 1e-12);
    EXPECT_LT(fit_polynomial(x, y, 1).r2, 0.999) << "a line must not pass for a parabola";
}

TEST(GrowthLaws, PapersIoIsSeventeenWordsAndFive) {
    const auto rows = read_table5(MANTISSA_PAPER);
    ASSERT_EQ(rows.size(), 14u);
    for (const Table5Row& row : rows) EXPECT_EQ(row.io_bits, 17 * (row.fraction_bits + 12) + 5) << row.format;
}

TEST(GrowthLaws, PlotHasAPointForEveryRow) {
    auto rows = read_table5(MANTISSA_PAPER);
    const auto circles = [](const std::string& svg) {
        std::size_t n = 0;
        for (std::size_t at = 0; (at = svg.find("<circle", at)) != std::string::npos; ++at) ++n;
        return n;
    };
    EXPECT_EQ(circles(table5_svg(rows, "logic")), 14u);
    rows[0].ours = SynthesisFigures{};
    EXPECT_EQ(circles(table5_svg(rows, "logic")), 16u);
}

TEST(GrowthLaws, BrokenTableNamesFileAndLine) {
    const Scratch scratch;
    scratch.write("table5_area.csv", "multiplier,format,slices,mul18x18,iobs,mhz\nlogic,s17e11,4517,0,498\n");
    try {
        (void)read_table5(scratch.path(""));
        FAIL();
    } catch (const InvalidInput& fault) {
        EXPECT_NE(std::string(fault.what()).find("table5_area.csv:2"), std::string::npos) << fault.what();
    }
}

TEST(Slices, EstimateGivesFlipFlopsWithoutALutAPlace) {
    SynthesisFigures f;
    f.luts = 101;
    f.memory_luts = 10;
    f.flip_flops = 60;
    f.paired = 50;
    EXPECT_EQ(f.slices("xc2v"), 61u); // 121 places, two a slice
    EXPECT_EQ(f.slices("ecp5"), 61u);
}

// Each resource of a slice in turn is what there is most of.
TEST(Slices, BoundIsTheScarcestResource) {
    SynthesisFigures f;
    f.luts = 101;
    f.memory_luts = 10;
    f.flip_flops = 60;
    f.paired = 50;
    EXPECT_EQ(f.slices("xc7"), 28u);  // 111 LUTs, four a slice
    EXPECT_EQ(f.slices("xcup"), 14u); // eight a CLB
    f.flip_flops = 400;
    EXPECT_EQ(f.slices("xc7"), 58u);  // 350 flip-flops past LUTs, over what 111 LUTs leave: 461 / 8
    EXPECT_EQ(f.slices("xcup"), 25u); // 400 / 16
    f.paired = 110;
    f.flip_flops = 220;
    EXPECT_EQ(f.slices("xc7"), 28u); // one after each LUT and one past it take no place
    f.carries = 70;
    EXPECT_EQ(f.slices("xc7"), 70u); // CARRY4, one a slice
    EXPECT_EQ(f.slices("xcup"), 35u);
    f.luts = 0;
    f.memory_luts = 161;
    EXPECT_EQ(f.slices("xc7"), 82u); // every other slice can be memory at most
    EXPECT_EQ(f.slices("xcup"), 42u);
    EXPECT_EQ(SynthesisFigures().slices("xcup"), 0u);
}

} // namespace
} // namespace mantissa::synthesis
