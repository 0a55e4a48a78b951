// The report's figures of engines, synthesis, the paper and comparisons, read from stores.
#include <algorithm>
#include <initializer_list>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mantissa/host/store.hpp"
#include "report/page/page.hpp"
#include "scratch.hpp"
#include "sqlite.hpp"
#include "stored_points.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::report;
using namespace mantissa::report::test;

const Text* text_of(const Section& section) {
    for (const Block& b : section.blocks)
        if (const auto* text = std::get_if<Text>(&b)) return text;
    return nullptr;
}

TEST(Report, EnginesAreComparedWhereNothingElseDiffers) {
    const Scratch scratch;
    const auto section = [&] {
        Origins origins;
        return engines_section(read_stores({scratch.path("s")}, origins));
    };
    {
        Store store(scratch.path("s"));
        store.put(point("s17e8"), result(100), 4225, kProvenance);
        Point limited = point("s17e8"); // the same engine, another limit
        limited.options.max_iterations = 999;
        store.put(limited, result(100), 4225, kProvenance);
        Point other = point("s20e8"); // another engine, another datapath
        other.engine = "rtl";
        store.put(other, result(100), 4225, kProvenance);
        Point deep = point("s17e8"); // another engine, another limit
        deep.engine = "rtl";
        deep.options.max_iterations = 7;
        store.put(deep, result(100), 4225, kProvenance);
        Point direct = point("s23e8"); // a scheme that no engine carries out
        set_scheme(direct.options, "ghysels-vanroose");
        store.put(direct, result(100), 4225, kProvenance);
        direct.engine = "rtl";
        store.put(direct, result(100), 4225, kProvenance);
        Point native = point("double,sum=free"); // loops that sum in another order on each
        set_scheme(native.options, "direct");
        store.put(native, result(100), 4225, kProvenance);
        native.engine = "gpu";
        store.put(native, result(101), 4225, kProvenance);
    }
    EXPECT_EQ(text_of(section()), nullptr) << text_of(section())->plain;
    {
        Store store(scratch.path("s"));
        Point same = point("s17e8");
        same.engine = "rtl";
        store.put(same, result(100), 4225, kProvenance);
    }
    ASSERT_NE(text_of(section()), nullptr);
    EXPECT_EQ(text_of(section())->plain,
              "One solve ran on a second engine (rtl): it has the same iterations and the same "
              "defect, to the last bit, as the same solve on emulated.");
    {
        Store store(scratch.path("s"));
        Point same = point("s17e8");
        same.engine = "hls";
        SolveResult near = result(100);
        near.true_residual = std::nextafter(near.true_residual, 1);
        store.put(same, near, 4225, kProvenance);
    }
    EXPECT_TRUE(has(text_of(section())->plain, "1 of 2 solves on a second engine (hls, rtl) have"))
        << text_of(section())->plain;
}

TEST(Report, APartHasTheClockThatSynthesizeSays) {
    const Scratch scratch;
    { Store store(scratch.path("s")); }
    const std::string after = "'tool','now',100,0,50,10,0,1,0,60,9";
    execute(
        scratch.path("s"),
        "CREATE TABLE netlist (spec, target, multiplier, part, tool, sources, luts, memory_luts, flip_flops, paired, "
        "carries, multipliers, memory_bits, io_bits, depth, model_mhz, model_path, version, commit_id, machine, date, "
        "command); INSERT INTO netlist VALUES ('s17e8','xc2v','block','core'," +
            after + ",125.0,'a -> b','1','c','m','2026-01-01','x'),('s17e8','ecp5','block','core'," + after +
            ",120.0,'a -> b','1','c','m','2026-01-01','x'); CREATE TABLE placement (spec, target, multiplier, part, "
            "tool, sources, placer, seed, mhz, critical, version, commit_id, machine, date, command); INSERT INTO "
            "placement VALUES ('s17e8','ecp5','block','core','tool','now','p',1,140.0,'c -> d','1','c','m','d','x'),"
            "('s17e8','ecp5','block','core','tool','before','p',1,90.0,'c -> d','1','c','m','d','x')");
    Origins origins;
    const Section section = area_section(read_stores({scratch.path("s")}, origins), origins, MANTISSA_PAPER);
    const Table* t = nullptr;
    for (const Block& b : section.blocks)
        if (const auto* table = std::get_if<Table>(&b); table != nullptr && table->id == "synthesis") t = table;
    ASSERT_NE(t, nullptr);
    ASSERT_EQ(t->rows.size(), 2u);
    const auto clock = [&](std::size_t r) { return t->rows[r].cells[t->rows[r].cells.size() - 2]; };
    EXPECT_DOUBLE_EQ(clock(0).value.get<double>(), 125 / 1.5);
    EXPECT_TRUE(clock(0).modelled);
    EXPECT_EQ(clock(1).value.get<double>(), 140);
    EXPECT_FALSE(clock(1).modelled);
    EXPECT_TRUE(has(t->rows[0].cells.back().text, "model, an ECP5's delays times 1.5"));
    EXPECT_TRUE(has(t->rows[1].cells.back().text, "place and route, seed 1"));
}

TEST(Report, ThePapersCellsBesideOurs) {
    const Scratch scratch;
    {
        Store store(scratch.path("s"));
        Point p = point("s23e8", 8);
        p.options.max_iterations = 77777; // not part of what makes a cell
        store.put(p, result(579), 66049, kProvenance);
        Point other = point("s20e8", 8);
        other.options.jacobi = true;
        store.put(other, result(1), 66049, kProvenance);
    }
    Origins origins;
    const Section section = paper_section(read_stores({scratch.path("s")}, origins), origins, MANTISSA_PAPER);
    const auto& table = std::get<Table>(section.blocks.front());
    EXPECT_EQ(table.id, "paper-4");
    ASSERT_EQ(table.rows.size(), 1u);
    EXPECT_EQ(table.rows[0].cells[2].text, "579:57");
    EXPECT_EQ(table.rows[0].cells[3].text, "525:53");
    EXPECT_EQ(table.rows[0].cells[4].text, "1.10");
}

TEST(Report, DocumentsMayLackAnyField) {
    const Scratch scratch;
    { Store store(scratch.path("s")); }
    add_document(scratch.path("s"), "comparison", "bare", Json::object());
    add_document(scratch.path("s"), "comparison", "odd",
                 {{"rows", {{{"problem", 3}, {"seconds", "fast"}, {"origins", "o1"}}, 5, nullptr}},
                  {"designs", "none"},
                  {"best", {{{"stages", 4}}}},
                  {"peers", {Json::object()}},
                  {"origins", {{"o1", 3}}},
                  {"section55", {{"ours", 1}}},
                  {"stages", {{{"choices", {1}}}}},
                  {"findings", {1, 2}},
                  {"devices", {Json::object()}},
                  {"gaps", {Json::object()}}});
    add_document(scratch.path("s"), "measurement", "gpu",
                 {{"device", 1}, {"poisson", {{{"passes", {{{"us_per_pass", 1}}}}}}}});
    EXPECT_FALSE(page_of({scratch.path("s")}).empty());
}

TEST(Report, ModelledFiguresOfAComparisonAreMarked) {
    const Scratch scratch;
    { Store store(scratch.path("s")); }
    const Json row = {{"problem", "p"},
                      {"device", "d"},
                      {"spec", "s17e8"},
                      {"seconds", 0.5},
                      {"slices", 5000},
                      {"area_share", 0.25},
                      {"blocks", 15},
                      {"bound", "io"},
                      {"pareto", true},
                      {"modelled", {"slices"}},
                      {"seconds_kind", "modelled"}};
    add_document(scratch.path("s"), "comparison", "c", {{"rows", {row}}});
    Origins origins;
    const Section section = designs_section(read_stores({scratch.path("s")}, origins), origins);
    const auto figure = std::find_if(section.blocks.begin(), section.blocks.end(),
                                     [](const Block& b) { return std::holds_alternative<Figure>(b); });
    ASSERT_NE(figure, section.blocks.end());
    const Table& t = std::get<Figure>(*figure).table;
    ASSERT_EQ(t.rows.size(), 1u);
    for (std::size_t c = 0; c < t.columns.size(); ++c) {
        const std::string& id = t.columns[c].key;
        EXPECT_EQ(t.rows[0].cells[c].modelled, id == "slices" || id == "seconds") << id;
        if (id == "seconds") {
            EXPECT_EQ(t.rows[0].cells[c].source, "s0/comparison/1/rows/0/seconds");
        }
        if (id == "bound") {
            EXPECT_EQ(t.rows[0].cells[c].text, "pins");
        }
        if (id == "letter") {
            EXPECT_EQ(t.rows[0].cells[c].text, "A");
        }
        if (id == "energy") {
            EXPECT_TRUE(t.columns[c].hidden);
        }
    }
}

/// Cycle cores have a table for each problem; a GPU's row has times alone, and an older program's row one core.
TEST(Report, CycleCoresStandBesideAGpusCycles) {
    const Scratch scratch;
    { Store store(scratch.path("s")); }
    const Json core = {{"problem", "p"},   {"device", "d"},         {"cycle", "b2,w=10"}, {"lanes", 64},
                       {"cores", 3},       {"cycles", 21},          {"clock_hz", 300e6},  {"clocks_per_cycle", 16000},
                       {"seconds", 0.002}, {"seconds_core", 0.001}, {"memory_share", 0.5}};
    Json older = core, gpu = {{"problem", "p"}, {"device", "a GPU"}, {"cycle", "v22,w=10"}, {"seconds", 0.003}};
    older.erase("cores");
    add_document(scratch.path("s"), "comparison", "c", {{"cycle_cores", {core, older, gpu, {{"problem", "q"}}}}});
    Origins origins;
    const Section section = designs_section(read_stores({scratch.path("s")}, origins), origins);
    ASSERT_EQ(section.blocks.size(), 2u);
    const Table& t = std::get<Table>(section.blocks[0]);
    ASSERT_EQ(t.rows.size(), 3u);
    const auto text = [&](std::size_t row, const std::string& key) {
        for (std::size_t c = 0; c < t.columns.size(); ++c)
            if (t.columns[c].key == key) return t.rows[row].cells[c].text;
        return "no column " + key;
    };
    EXPECT_EQ(text(0, "cores"), "3");
    EXPECT_EQ(text(1, "cores"), "1");
    EXPECT_EQ(text(0, "memory"), "50.0");
    EXPECT_EQ(text(0, "core"), "1.00 ms");
    EXPECT_EQ(text(2, "lanes"), text(2, "cores"));
    EXPECT_NE(text(2, "lanes"), "64");
    EXPECT_EQ(text(2, "seconds"), "3.00 ms");
}

TEST(Report, ConvergenceKeepsEndsOfLongHistories) {
    const Scratch scratch;
    {
        Store store(scratch.path("s"));
        SolveResult r = result(5000);
        for (std::uint64_t k = 0; k <= 500; ++k) r.history.push_back({10 * k, k, 1.0 / static_cast<double>(k + 1)});
        store.put(point("s17e8"), r, 4225, kProvenance);
        store.put(point("double"), result(400, true), 4225, kProvenance);
    }
    Origins origins;
    const Section section = convergence_section(read_stores({scratch.path("s")}, origins));
    const Table& t = std::get<Figure>(section.blocks[0]).table;
    EXPECT_EQ(t.rows.front().cells[0].text, "double");
    EXPECT_LT(t.rows.size(), 130u);
    EXPECT_EQ(t.rows.back().cells[0].text, "double") << "s17e8 takes more than six times as long";
}

TEST(Report, PolicyForbidsTheNetworkAndForeignScripts) {
    const Scratch scratch;
    { Store store(scratch.path("s")); }
    const std::string html = page_of({scratch.path("s")});
    EXPECT_TRUE(has(html, "Content-Security-Policy\" content=\"default-src 'none';"));
    EXPECT_FALSE(has(html, "unsafe"));
    EXPECT_FALSE(has(html, "<link"));
    EXPECT_FALSE(has(html, " src="));
    EXPECT_FALSE(has(html, " style=\""));
}

} // namespace
