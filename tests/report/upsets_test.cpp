// Campaigns of upsets: how a store's are counted, the findings drawn from them, and their section of the page.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "expect_invalid.hpp"
#include "findings/upsets.hpp"
#include "scratch.hpp"
#include "stored_points.hpp"
#include "upset_rows.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::report;
using namespace mantissa::report::test;
using upset::Outcome;

constexpr int kHang = 1, kNotConverged = 2, kFalsely = 3, kDetected = 4, kCorrected = 5, kMasked = 6;

/// Two campaigns that differ in Checks: of eight upsets each.
void add_pair(const std::string& path) {
    add_campaign(path, {"without",
                        "resident",
                        "regs",
                        false,
                        8,
                        {{"i_outer.sum_q", kFalsely},
                         {"i_outer.g_lane__0.i_row.x_q", kFalsely},
                         {"i_outer.g_lane__1.i_row.x_q", kNotConverged},
                         {"i_scalar.i_rom.word_q", kDetected},
                         {"i_scalar.ram.mem", kHang},
                         {"top_q", kCorrected},
                         {"top_q", kMasked},
                         {"top_q", kMasked}}});
    add_campaign(path, {"with",
                        "resident",
                        "regs",
                        true,
                        8,
                        {{"i_outer.sum_q", kFalsely},
                         {"i_outer.g_lane__0.i_row.x_q", kDetected},
                         {"i_outer.g_lane__1.i_row.x_q", kDetected},
                         {"i_scalar.i_rom.word_q", kDetected},
                         {"i_scalar.ram.mem", kDetected},
                         {"top_q", kMasked},
                         {"top_q", kMasked},
                         {"top_q", kMasked}}});
}

TEST(Upsets, AreCountedByModuleAndKind) {
    const Scratch scratch;
    const std::string path = scratch.path("u");
    add_pair(path);
    Origins origins;
    const Rows rows = read_stores({path}, origins);
    ASSERT_EQ(rows.upsets.campaigns.size(), 2U);
    const findings::UpsetCampaign& c = rows.upsets.campaigns[0].campaign;
    EXPECT_EQ(c.upsets(), 8U);
    EXPECT_EQ(upset::count_of(c.outcomes, Outcome::falsely), 2U);
    EXPECT_EQ(upset::unmasked(c.outcomes), 6U);
    EXPECT_EQ(upset::uncovered(c.outcomes), 4U);
    EXPECT_EQ(c.converged, 7U);
    EXPECT_EQ(c.more_outer, 14) << "of those that converged";
    ASSERT_EQ(c.modules.size(), 5U);
    std::uint64_t bits = 0, upsets = 0;
    for (const findings::UpsetModule& m : c.modules) {
        bits += m.bits;
        upsets += upset::all_of(m.outcomes);
        EXPECT_EQ(m.memory, m.name == "i_scalar.ram") << m.name;
        if (m.name == "i_outer.i_row") {
            EXPECT_EQ(m.bits, 62U) << "generate blocks are no modules";
        }
    }
    EXPECT_EQ(bits, 6 * 31U);
    EXPECT_EQ(upsets, 8U);
    // Beside the same campaign with fewer upsets the longer one stays, in either order.
    const std::string fewer = scratch.path("fewer");
    add_campaign(fewer, {"with", "resident", "regs", true, 8, {{"top_q", kMasked}}});
    for (const auto& stores : {std::vector{path, fewer}, std::vector{fewer, path}}) {
        const Rows both = read_stores(stores, origins);
        ASSERT_EQ(both.upsets.campaigns.size(), 2U);
        for (const UpsetRow& row : both.upsets.campaigns) EXPECT_EQ(row.campaign.upsets(), 8U);
    }
}

TEST(Upsets, FindingsSetChecksBesideTheirAbsence) {
    const Scratch scratch;
    const std::string path = scratch.path("u");
    add_pair(path);
    const Report made = make_report({{path}, MANTISSA_PAPER, "T", {}}, kProvenance);
    ASSERT_EQ(made.findings.size(), 2U);
    EXPECT_TRUE(has(made.findings[0],
                    "25.0 % (2 of 8) ended in a false convergence without Checks, 12.5 % (1 of 8) with "
                    "Checks"))
        << made.findings[0];
    EXPECT_TRUE(has(made.findings[0], "16.7 % (1 of 6) without Checks, 80.0 % (4 of 5) with Checks"))
        << made.findings[0];
    EXPECT_TRUE(has(made.findings[1],
                    "caught 4 (1 hung, 1 not converged and 2 falsely converged); the most, 2, in registers of "
                    "i_outer.i_row"))
        << made.findings[1];
}

TEST(Upsets, AStoreOfUpsetsAloneIsAPageOfItsOwn) {
    const Scratch scratch;
    const std::string path = scratch.path("u");
    add_pair(path);
    add_campaign(path,
                 {"floating", "floating", "all", false, 2, {{"i_x.y_q", kMasked}, {"i_x.y_q", kMasked}}, "s23e8"});
    add_campaign(path, {"sparse", "sparse", "all", false, 1, {{"i_x.y_q", kCorrected}}});
    const Report made = make_report({{path}, MANTISSA_PAPER, "T", {}}, kProvenance);
    EXPECT_EQ(made.charts, 1U);
    for (const char* part : {"<section id=\"upsets\"", "id=\"figure-upsets\"", "id=\"table-upset-modules\"",
                             "resident core with Checks, bits of registers", "floating core, all bits",
                             "sparse core, all bits", "s0/upset_campaign/1/register_bits"})
        EXPECT_TRUE(has(made.html, part)) << part;
    EXPECT_FALSE(has(made.html, "<section id=\"designs\""));
    EXPECT_FALSE(has(made.html, "--checks 1")) << "one core has its campaign with Checks, the others have no checks";
    execute(path, "UPDATE upset SET outcome = 9 WHERE number = 3 AND campaign = 'with'");
    expect_invalid([&] { (void)page_of({path}); }, "column outcome of row 12 of table upset is no outcome of an upset");
}

TEST(Upsets, BesideSolvesTheyAreOneSectionMore) {
    const Scratch scratch;
    const std::string path = scratch.path("u");
    {
        Store store(path);
        store.put(point("s17e8"), result(120), 3969, kProvenance);
        store.put(point("double"), result(100), 3969, kProvenance);
    }
    const std::size_t before = make_report({{path}, MANTISSA_PAPER, "T", {}}, kProvenance).findings.size();
    ASSERT_GT(before, 0U);
    add_pair(path);
    const Report made = make_report({{path}, MANTISSA_PAPER, "T", {}}, kProvenance);
    EXPECT_EQ(made.findings.size(), before + 2);
    EXPECT_TRUE(has(made.html, "and 2 campaigns of upsets"));
    EXPECT_LT(made.html.find("<section id=\"upsets\""), made.html.find("<section id=\"points\""));
    EXPECT_TRUE(has(made.html, "<section id=\"designs\""));
}

TEST(Upsets, SayWhatToDoNext) {
    const Scratch scratch;
    const std::string path = scratch.path("u");
    add_campaign(path, {"a", "integer", "all", false, 100, {{"i_x.y_q", kMasked}, {"i_x.y_q", kCorrected}}});
    const std::string page = page_of({path});
    EXPECT_TRUE(has(page, "2 of 100 upsets are stored (integer core, all bits, fx18.16)"));
    EXPECT_TRUE(has(page, "<code>mantissa upset --flips 100</code>"));
    EXPECT_TRUE(has(page, "<code>mantissa upset --flips 100 --checks 1</code>"));
    EXPECT_TRUE(has(page, "Each of 2 upsets in 1 campaign was masked"));
}

TEST(Upsets, ACampaignThatHasOnlyBegunIsNoFault) {
    const Scratch scratch;
    const std::string path = scratch.path("u");
    add_campaign(path, {"a", "integer", "all", true, 100, {}});
    const Report made = make_report({{path}, MANTISSA_PAPER, "T", {}}, kProvenance);
    EXPECT_EQ(made.charts, 0U);
    EXPECT_TRUE(made.findings.empty());
    EXPECT_TRUE(has(made.html, "0 of 100 upsets are stored"));
    EXPECT_TRUE(has(made.html, "campaigns that have only begun"));
    // And upsets of before there were descriptions.
    execute(path, "INSERT INTO upset VALUES ('old',0,'x_q',0,0,1,6,0,0,1,0)");
    EXPECT_TRUE(has(page_of({path}), "1 upset here without what they are of"));
}

} // namespace
