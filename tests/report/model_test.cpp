#include <algorithm>
#include <initializer_list>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "expect_invalid.hpp"
#include "mantissa/host/mesh.hpp"
#include "mantissa/host/store.hpp"
#include "report/page/page.hpp"
#include "scratch.hpp"
#include "sqlite.hpp"
#include "stored_points.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::report;
using namespace mantissa::report::test;

TEST(Report, AnEmptyStoreIsAllGapsEachWithItsMend) {
    const Scratch scratch;
    { Store store(scratch.path("s.sqlite")); }
    const Report made = make_report({{scratch.path("s.sqlite")}, MANTISSA_PAPER, "A <title>", {}}, kProvenance);
    EXPECT_EQ(made.charts, 0u);
    EXPECT_TRUE(made.findings.empty());
    EXPECT_TRUE(has(made.html, "<title>A &lt;title&gt;</title>"));
    for (const char* mend :
         {"mantissa compare experiments/compare.toml --store STORE",
          "mantissa sweep experiments/quickstart.toml --store STORE", "apt install yosys", "apt install verilator",
          "mantissa bench gpu", "mantissa reproduce table4", "history = true"})
        EXPECT_TRUE(has(made.html, mend)) << mend;
    EXPECT_FALSE(has(made.html, "<figure"));
}

std::size_t times_in(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
    return n;
}

TEST(Report, DrawsTheMeshesOfItsSolves) {
    const Scratch scratch;
    const std::string ball = scratch.path("ball.obj"), cap = scratch.path("cap.obj");
    write_mesh(ball, make_sphere(3));
    write_mesh(cap, make_hemisphere(9));
    const auto put = [&](const std::string& file, const std::vector<std::string>& problems) {
        Store store(scratch.path(file));
        for (const std::string& problem : problems) {
            Point p = point("s14e8");
            p.problem = problem;
            store.put(p, result(50), 100, kProvenance);
        }
    };
    put("drawn.sqlite", {"dsi:" + ball + ",task=smooth,weight=1,coordinate=x", "lscm:" + cap});
    const std::string drawn = page_of({scratch.path("drawn.sqlite")});
    EXPECT_TRUE(has(drawn, "id=\"meshes\""));
    // The pattern twice and the surface, or the map, twice, for each of the two.
    EXPECT_EQ(times_in(drawn, "<img src=\"data:image/png;base64,"), 8U);
    EXPECT_EQ(times_in(drawn, "alt=\"\""), 0U);
    EXPECT_TRUE(has(drawn, "img-src data:"));
    put("gone.sqlite", {"lscm:" + scratch.path("gone.obj"), "lscm:" + ball});
    const std::string gone = page_of({scratch.path("gone.sqlite")});
    EXPECT_EQ(times_in(gone, "<img"), 0U);
    EXPECT_EQ(times_in(gone, "No pictures of lscm:"), 2U) << "a file that is not there, and one that is no disk";
    put("grid.sqlite", {"poisson2d:level=4"});
    EXPECT_FALSE(has(page_of({scratch.path("grid.sqlite")}), "id=\"meshes\""));
}

TEST(Report, TellsSolvesWithOtherCouplingsApart) {
    const Scratch scratch;
    {
        Store store(scratch.path("s.sqlite"));
        for (const char* couplings : {"s7e8", "s10e8"}) {
            Point p = point("s14e8");
            p.options.couplings = parse_format(couplings);
            store.put(p, result(50), 100, kProvenance);
        }
    }
    Origins origins;
    const Rows rows = read_stores({scratch.path("s.sqlite")}, origins);
    ASSERT_EQ(rows.points.size(), 2U);
    EXPECT_NE(rows.points[0].setting(), rows.points[1].setting());
}

TEST(Report, RefusesWhatIsNoResultsFile) {
    const Scratch scratch;
    Origins origins;
    expect_invalid([&] { read_stores({scratch.path("none")}, origins); }, "no such results file");
    scratch.write("text", std::string(5000, 'x'));
    expect_invalid([&] { read_stores({scratch.path("text")}, origins); }, "not a database");
    execute(scratch.path("other"), "CREATE TABLE t (a)");
    expect_invalid([&] { read_stores({scratch.path("other")}, origins); }, "another program");
    { Store store(scratch.path("s")); }
    execute(scratch.path("s"),
            "CREATE TABLE comparison (name TEXT, document TEXT, version TEXT, commit_id TEXT, machine "
            "TEXT, date TEXT, command TEXT); INSERT INTO comparison (name, document) VALUES ('x', '[1')");
    expect_invalid([&] { read_stores({scratch.path("s")}, origins); }, "no JSON object");
}

TEST(Report, ReadsWithoutWriting) {
    const Scratch scratch;
    { Store(scratch.path("s")).put(point("s17e8"), result(100), 4225, kProvenance); }
    const std::string before = scratch.read("s");
    EXPECT_EQ(scratch.files(), 1u);
    page_of({scratch.path("s")});
    EXPECT_EQ(scratch.read("s"), before);
    EXPECT_EQ(scratch.files(), 1u) << "no log files are left behind";
}

TEST(Report, OfThePointsInTwoStoresTheLatestCounts) {
    const Scratch scratch;
    Provenance later = kProvenance;
    later.date = "2026-05-01T00:00:00Z";
    { Store(scratch.path("a")).put(point("s17e8"), result(100), 4225, later); }
    { Store(scratch.path("b")).put(point("s17e8"), result(200), 4225, kProvenance); }
    Origins origins;
    const Rows rows = read_stores({scratch.path("b"), scratch.path("a")}, origins);
    ASSERT_EQ(rows.points.size(), 1u);
    EXPECT_EQ(rows.points[0].inner_iterations, 100u);
    EXPECT_EQ(rows.points[0].at.column("seconds"), "s1/points/1/seconds");
}

TEST(Report, IterationsBySeries) {
    const Scratch scratch;
    {
        Store store(scratch.path("s"));
        for (const char* spec : {"s10e8", "s10e8,u=s23e8", "s10e8,row=s16e8", "s10e8,u=s23e8,row=s16e8", "s23e8",
                                 "s23e8,row=s29e8", "double", "s10e8,order=tree"})
            store.put(point(spec), result(100), 4225, kProvenance);
    }
    Origins origins;
    const Section section = iterations_section(read_stores({scratch.path("s")}, origins));
    ASSERT_EQ(section.blocks.size(), 1u);
    const auto& figure = std::get<Figure>(section.blocks[0]);
    ASSERT_TRUE(figure.vega.is_object());
    // Four series at M = 10 and, as s23e8 has both a narrow and a wide u, four at M = 23; and double.
    EXPECT_EQ(figure.table.rows.size(), 9u);
    EXPECT_TRUE(std::none_of(figure.table.rows.begin(), figure.table.rows.end(),
                             [](const TableRow& r) { return has(r.cells[2].text, "tree"); }));
    EXPECT_EQ(figure.table.rows.back().cells[2].text, "double");
}

TEST(Report, WordsAndRowsOfDifferencesAreSeriesOfTheirOwn) {
    const Scratch scratch;
    {
        Store store(scratch.path("s"));
        for (const char* spec :
             {"s17e8", "s17e8,order=flux", "s17e8,u=s23e8,order=second-difference", "fx18.16", "fx22.20", "double"})
            store.put(point(spec), result(100), 4225, kProvenance);
        // Another outer loop or headroom is another setting, and a schedule another thing than its first datapath.
        Point other = point("fx18.16");
        other.options.outer = parse_format("fx64.62");
        store.put(other, result(999), 4225, kProvenance);
        Point staged = point("s17e8");
        staged.options.schedule = {{1, parse_spec("s17e8")}, {1e-3, parse_spec("s10e8")}};
        store.put(staged, result(998), 4225, kProvenance);
    }
    Origins origins;
    const Rows rows = read_stores({scratch.path("s")}, origins);
    const Section section = iterations_section(rows);
    ASSERT_EQ(section.blocks.size(), 1u);
    const auto& figure = std::get<Figure>(section.blocks[0]);
    std::multiset<std::string> series;
    for (const TableRow& r : figure.table.rows) {
        series.insert(r.cells[0].text);
        EXPECT_FALSE(has(r.cells[3].text, "99")) << r.cells[2].text;
    }
    EXPECT_EQ(series,
              (std::multiset<std::string>{"fixed-point words", "fixed-point words", "fluxes, u as vectors", "reference",
                                          "second differences, u wide", "stepwise rows, u as vectors"}));
    EXPECT_TRUE(has(figure.text, "Fixed-point words stand at their bits below the point"));
    EXPECT_TRUE(std::any_of(rows.points.begin(), rows.points.end(),
                            [](const PointRow& p) { return p.spec == "1:s17e8;0.001:s10e8"; }));
    EXPECT_TRUE(std::any_of(rows.points.begin(), rows.points.end(), [](const PointRow& p) {
        return p.options.outer == parse_format("fx64.62") && !p.options.headroom;
    }));
}

/// What the report says of a store with these solves: datapath and inner iterations, 0 where it diverged.
Summary summary_of_solves(std::initializer_list<std::pair<const char*, std::uint64_t>> solves) {
    const Scratch scratch;
    {
        Store store(scratch.path("s"));
        for (const auto& [spec, iterations] : solves) {
            SolveResult r = result(std::max<std::uint64_t>(iterations, 1));
            if (iterations == 0) r.status = Status::diverged;
            store.put(point(spec), r, 4225, kProvenance);
        }
    }
    Origins origins;
    return summary_of(read_stores({scratch.path("s")}, origins));
}

TEST(Report, FindingsOfTheSolvesAlone) {
    const Summary summary = summary_of_solves(
        {{"double", 100}, {"s10e8", 900}, {"s10e8,row=s16e8", 300}, {"s10e8,u=s23e8,row=s16e8", 150}, {"s4e8", 0}});
    ASSERT_EQ(summary.findings.size(), 3u);
    EXPECT_TRUE(has(summary.findings[0], "s10e8,u=s23e8,row=s16e8 solves")) << summary.findings[0];
    EXPECT_TRUE(has(summary.findings[0], "150 inner iterations, 1.50 times double's 100")) << summary.findings[0];
    EXPECT_TRUE(has(summary.findings[1], "from 900 to 300")) << summary.findings[1];
    EXPECT_TRUE(has(summary.findings[2], "from 300 to 150")) << summary.findings[2];
}

TEST(Report, FindingsAreOfAllSolvesAndOfNoneAloneTheBest) {
    const Summary summary = summary_of_solves(
        {{"double", 100},
         {"s17e8", 190},
         // Shorter vectors, that no chart draws: the sentence on the shortest must not pass over them.
         {"s8e8,order=tree,u=s23e8", 150},
         {"s17e8,row=s23e8", 190},
         {"s12e8", 900}});
    ASSERT_EQ(summary.findings.size(), 2u);
    EXPECT_TRUE(has(summary.findings[0], "s8e8,u=s23e8,order=tree solves") ||
                has(summary.findings[0], "s8e8,order=tree,u=s23e8 solves"))
        << summary.findings[0];
    EXPECT_TRUE(has(summary.findings[0], "of 4 reduced datapaths 3 stay within")) << summary.findings[0];
    EXPECT_TRUE(has(summary.findings[1], "saves nothing at 17-bit vectors: from 190 to 190")) << summary.findings[1];
    EXPECT_TRUE(has(summary.findings_from, "5 solves of poisson2d:level=6")) << summary.findings_from;
}

TEST(Report, ThoseThatTieAreNamed) {
    const Summary summary =
        summary_of_solves({{"double", 40}, {"s17e8", 71}, {"fx18.16", 71}, {"s17e8,row=s20e8", 75}});
    ASSERT_FALSE(summary.findings.empty());
    EXPECT_TRUE(
        has(summary.findings[0], "s17e8 and fx18.16 solve poisson2d:level=6 to a relative defect of 1e-10 in 71"))
        << summary.findings[0];
    EXPECT_TRUE(has(summary.findings[0], "of the 3 with the shortest vectors none needs fewer")) << summary.findings[0];
}

/// Rows that differ in anything say in what, in the table of every solve and wherever a section names a solver.
TEST(Report, SaysWhatWasSolved) {
    const Scratch scratch;
    {
        Store store(scratch.path("s"));
        const auto put = [&](auto&& change) {
            Point p = point("s17e8");
            p.options.scheme = Scheme::defect_correction;
            change(p.options);
            store.put(p, result(100), 4225, kProvenance);
        };
        put([](SolveOptions&) {});
        put([](SolveOptions& o) { o.recurrence = RecurrenceChoice{RecurrenceChoice::gmres, 5}; });
        put([](SolveOptions& o) { o.recurrence = RecurrenceChoice::bicgstab; });
        put([](SolveOptions& o) { o.jacobi = true; });
        put([](SolveOptions& o) { o.middle = {parse_format("s36e11")}; });
        put([](SolveOptions& o) { o.outer = parse_format("fx64.62"); });
        put([](SolveOptions& o) { o.couplings = parse_format("s7e8"); });
        put([](SolveOptions& o) { o.tolerance = 1e-6; });
        put([](SolveOptions& o) { o.max_iterations = 50; });
        put([](SolveOptions& o) { set_scheme(o, "bicgstab"); });
        put([](SolveOptions& o) {
            set_scheme(o, "direct");
            o.energy = 1e-4;
        });
    }
    Origins origins;
    const Section section = points_section(read_stores({scratch.path("s")}, origins));
    std::set<std::string> said;
    for (const TableRow& row : std::get<Table>(section.blocks.at(0)).rows) {
        said.insert(row.cells[3].text + "; " + row.cells[4].text);
        EXPECT_EQ(row.cells[2].text, "emulated"); // as the store and JSON have it
    }
    const std::string refined = "defect-correction, inner=10", usual = "; residual=1e-10";
    EXPECT_EQ(said, (std::set<std::string>{refined + usual, "defect-correction, recurrence=gmres(5), inner=10" + usual,
                                           "defect-correction, recurrence=bicgstab, inner=10" + usual,
                                           refined + ", jacobi" + usual, refined + ", middle=s36e11" + usual,
                                           refined + ", outer=fx64.62" + usual, refined + ", couplings=s7e8" + usual,
                                           refined + "; residual=1e-06", refined + usual + ", max_iterations=50",
                                           "bicgstab" + usual, "direct; energy=0.0001"}));
}

TEST(Report, OnePairHasNoMost) {
    const Scratch scratch;
    {
        Store store(scratch.path("s"));
        store.put(point("s10e8"), result(900), 4225, kProvenance);
        store.put(point("s10e8,row=s16e8"), result(300), 4225, kProvenance);
    }
    Origins origins;
    const std::vector<std::string> one = summary_of(read_stores({scratch.path("s")}, origins)).findings;
    ASSERT_EQ(one.size(), 1u);
    EXPECT_FALSE(has(one[0], "most")) << one[0];
    {
        Store store(scratch.path("s"));
        store.put(point("s12e8"), result(400), 4225, kProvenance);
        store.put(point("s12e8,row=s18e8"), result(300), 4225, kProvenance);
        store.put(point("s12e8,row=s18e8,dot=fixed[13:-50]"), result(1), 4225, kProvenance); // differs elsewhere too
    }
    const std::vector<std::string> two = summary_of(read_stores({scratch.path("s")}, origins)).findings;
    ASSERT_EQ(two.size(), 1u);
    EXPECT_TRUE(has(two[0], "pays most at 10-bit vectors, of 2 pairs")) << two[0];
}

TEST(Report, AComparisonsSentencesAreFormedFromThePagesFigures) {
    const Scratch scratch;
    {
        Store store(scratch.path("s"));
        store.put(point("s17e8,row=s23e8"), result(245), 4225, kProvenance);
        store.put(point("double"), result(100), 4225, kProvenance);
        Point early = point("s16e8,row=s23e8"); // it was to reach something else
        early.options.energy = 1e-3;
        store.put(early, result(20), 4225, kProvenance);
    }
    const auto design = [](const char* spec, int iterations) {
        return Json{{"spec", spec},
                    {"problem", "poisson2d:level=6"},
                    {"unknowns", 4225},
                    {"status", "converged"},
                    {"inner_iterations", iterations}};
    };
    add_document(scratch.path("s"), "comparison", "c",
                 {{"scheme", "residual-guided"},
                  {"inner", 10},
                  {"tolerance", 1e-10},
                  {"designs", {design("s23e8", 287), design("s17e8", 374)}},
                  {"findings", {"s23e8 needs the fewest, 287"}}});
    Origins origins;
    const Summary summary = summary_of(read_stores({scratch.path("s")}, origins));
    ASSERT_EQ(summary.findings.size(), 1u);
    EXPECT_TRUE(has(summary.findings[0], "of the 3 datapaths below 30 fraction bits that these results hold"))
        << summary.findings[0];
    EXPECT_TRUE(has(summary.findings[0], "s17e8,row=s23e8 needs the fewest, 245")) << summary.findings[0];
    EXPECT_FALSE(has(page_of({scratch.path("s")}), "needs the fewest, 287"));
}

TEST(Report, WhereNothingConvergedItSaysSo) {
    const Scratch scratch;
    {
        Store store(scratch.path("s"));
        SolveResult failed = result(1);
        failed.status = Status::stagnated;
        store.put(point("s4e8"), failed, 4225, kProvenance);
        failed.status = Status::iteration_limit;
        store.put(point("s5e8"), failed, 4225, kProvenance);
        store.put(point("s6e8"), failed, 4225, kProvenance);
    }
    const std::string none = page_of({scratch.path("s")});
    EXPECT_TRUE(has(none, "These results hold 3 solves, and none converged (iteration limit: 2 and stagnated: 1)"));
    EXPECT_TRUE(has(none, "No solve in a reduced format converged"));
    EXPECT_FALSE(has(none, "hold no solves"));
    { Store(scratch.path("s")).put(point("s17e8"), result(100), 4225, kProvenance); }
    EXPECT_TRUE(has(page_of({scratch.path("s")}), "4 solves, of which 1 converged, but no two to compare"));
}

} // namespace
