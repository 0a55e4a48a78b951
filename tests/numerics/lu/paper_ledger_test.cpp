#include "mantissa/lu/paper_ledger.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace mantissa {
namespace {

/// Tables 1 and 2 as they are printed, in words of four bytes.
TEST(LuPaperLedger, IsThePapers) {
    for (const std::uint64_t n : {1, 2, 3, 500, 2048, 4096}) {
        const PaperLedger lu = paper_lu_ledger(n), jordan = paper_gauss_jordan_ledger(n);
        EXPECT_EQ(count_of(lu, PaperPass::copy_row).bytes, 4 * n * (n + 1));
        EXPECT_EQ(count_of(lu, PaperPass::normalize).bytes, 6 * n * (n + 1));
        EXPECT_EQ(count_of(lu, PaperPass::copy_back).bytes, 4 * n * (n + 1));
        EXPECT_EQ(3 * count_of(lu, PaperPass::eliminate).bytes, 8 * (n - 1) * n * (2 * n - 1));
        EXPECT_EQ(2 * count_of(lu, PaperPass::normalize).divisions, n * (n + 1));
        EXPECT_EQ(6 * count_of(lu, PaperPass::eliminate).mads, (n - 1) * n * (2 * n - 1));
        EXPECT_EQ(count_of(jordan, PaperPass::normalize).bytes, 6 * n * (n + 1));
        EXPECT_EQ(count_of(jordan, PaperPass::copy_back).bytes, 4 * n * (n + 1));
        EXPECT_EQ(count_of(jordan, PaperPass::eliminate).bytes, 8 * n * n * (n + 1));
        EXPECT_EQ(2 * count_of(jordan, PaperPass::eliminate).mads, n * n * (n + 1));
        EXPECT_EQ(2 * count_of(jordan, PaperPass::eliminate).fragments,
                  n * n * (n + 1)); // (the factor n is left out there)
    }
    const double lu = static_cast<double>(paper_total(paper_lu_ledger(4096)).bytes);
    const double jordan = static_cast<double>(paper_total(paper_gauss_jordan_ledger(4096)).bytes);
    EXPECT_NEAR(jordan / lu, 1.5, 0.001); // "1.5 times fewer"
    EXPECT_NEAR(lu / (16.0 / 3 * std::pow(4096.0, 3)), 1, 0.001);
}

} // namespace
} // namespace mantissa
