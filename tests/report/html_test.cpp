#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/numbers.hpp"
#include "report/page/table.hpp"
#include "text/tables/html.hpp"
#include "text/tables/table.hpp"

namespace {

using namespace mantissa::report;
using mantissa::text::escape, mantissa::text::escape_breaking, mantissa::text::escape_json;

TEST(ReportHtml, EscapesWhatHtmlReads) {
    EXPECT_EQ(escape("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
    EXPECT_EQ(escape("dot=fixed[13:-50]"), "dot=fixed[13:-50]");
    EXPECT_EQ(escape(std::string("x\0y\x1b", 4)), "x\xEF\xBF\xBDy\xEF\xBF\xBD");
    EXPECT_EQ(escape("µ–\n"), "µ–\n");
}

TEST(ReportHtml, LinesBreakAfterCommas) {
    EXPECT_EQ(escape_breaking("s14e8,u=s<8"), "<span class=\"k\">s14e8,</span><wbr><span class=\"k\">u=s&lt;8</span>");
    EXPECT_EQ(escape_breaking("two words,"), "two words,");
    EXPECT_EQ(escape_breaking(""), "");
}

TEST(ReportHtml, JsonCannotEndItsElement) {
    const nlohmann::json text = "</script><!-- & \xE2\x80\xA8 \xE2\x80\xA9";
    const std::string out = escape_json(text.dump());
    EXPECT_EQ(out.find_first_of("<>&"), std::string::npos);
    EXPECT_EQ(out.find("\xE2\x80"), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(out), text);
}

TEST(ReportNumbers, AsAReaderSeesThem) {
    EXPECT_EQ(grouped(1234), "1234");
    EXPECT_EQ(grouped(12345), "12\u202F345");
    EXPECT_EQ(grouped(1234567), "1\u202F234\u202F567");
    EXPECT_EQ(significant(0.000123456), "1.23e-04");
    EXPECT_EQ(significant(123.456), "123");
    EXPECT_EQ(significant(1.23456, 4), "1.235");
    EXPECT_EQ(significant(0), "0");
    EXPECT_EQ(significant(std::nan("")), "-");
    EXPECT_EQ(duration(3.14159e-5), "31.4 µs");
    EXPECT_EQ(duration(0.0632716), "63.3 ms");
    EXPECT_EQ(duration(2), "2.00 s");
    EXPECT_EQ(duration(5e-9), "5.00 ns");
}

TEST(TextTable, OneLineDeclaresHeadingUnitKeyWidthFormAndScale) {
    const auto list = columns("{Problem of A:<20}  {Time [ms]=seconds:>9.2f ~*1e3}{=spec}{bound by}");
    ASSERT_EQ(list.size(), 4u);
    EXPECT_EQ(list[0].width, -20);
    EXPECT_EQ(list[0].key, "problem_of_a");
    EXPECT_EQ(list[1].title + "|" + list[1].unit + "|" + list[1].key + "|" + list[1].form, "Time|ms|seconds|{:.2f} ~");
    EXPECT_EQ(list[1].before, "  ");
    EXPECT_EQ(list[1].width, 9);
    EXPECT_EQ(list[1].scale, 1e3);
    EXPECT_TRUE(list[2].hidden);
    EXPECT_EQ(list[3].key, "bound_by");
    EXPECT_FALSE(list[3].hidden);
}

TEST(TextTable, RowsAreTextMarkdownAndHtml) {
    using mantissa::text::Markup;
    constexpr std::string_view kLine = "  {name:<6}{n:>4}{ms [s]=seconds:>10.1f*1e3}  {of}";
    const mantissa::text::Table in_text(kLine);
    EXPECT_EQ(in_text.head(), "  name     n     ms, s  of\n");
    EXPECT_EQ(in_text.row({"a|b", 7u, 0.25, ""}), "  a|b      7     250.0  \n");
    EXPECT_EQ(in_text.row({"c", std::optional<int>(), mantissa::text::modelled(1)}), "  c        -   1000.0*\n");
    const mantissa::text::Table markdown(kLine, Markup::markdown);
    EXPECT_EQ(markdown.head(), "| name | n | ms, s | of |\n|---|---:|---:|---|\n");
    EXPECT_EQ(markdown.row({mantissa::text::code("a|b"), 7, 0.25, "x|y"}), "| `a\\|b` | 7 | 250.0 | x\\|y |\n");
    const mantissa::text::Table html(kLine, Markup::html);
    EXPECT_EQ(html.row({"a<b", -7, std::optional<double>()}, " id=\"i\""),
              "<tr id=\"i\"><th scope=\"row\">a&lt;b</th><td class=\"n\">-7</td><td class=\"n\"><span class=\"none\">"
              "\u2013</span></td></tr>\n");
}

TEST(TextTable, RowsOfJsonAreReadByKeyAndMarkedWhereModelled) {
    const mantissa::text::Table table("{name:<4}{n:>3}{Time [ms]=seconds:>7.1f*1e3}");
    const auto list = Json::parse(R"([{"name": "a", "n": 2, "seconds": 0.5, "modelled": ["seconds"]}, {"n": null}])");
    EXPECT_EQ(table.rows(list), "a     2 500.0*\n-     -      -\n");
}

TEST(ReportTable, CellsKeepTheFullValueAndItsAddress) {
    Origins origins;
    const int origin = origins.add("a solve", {"1", "abc", "m", "2026-01-01", "mantissa sweep"});
    Table t;
    t.id = "t";
    t.caption = "A <table>";
    t.columns = columns("{Name=name}{X [ms]=x:>}{=h}");
    t.rows.push_back({{words("a&b"), modelled(real(1.0 / 3, "s0/points/7/seconds")), count(5)}, {origin}});
    t.rows.push_back({{words("c"), none(), none()}, {origin}});
    const std::string html = table_html(t, origins);
    EXPECT_NE(html.find("A &lt;table&gt;"), std::string::npos);
    EXPECT_NE(html.find("data-v=\"0.3333333333333333\" data-src=\"s0/points/7/seconds\">0.333<abbr class=\"mark\""),
              std::string::npos)
        << html;
    EXPECT_NE(html.find("<a href=\"#origin-1\">1</a>"), std::string::npos);
    EXPECT_EQ(html.find(">5<"), std::string::npos) << "a hidden column";
    ASSERT_EQ(origins.cited().size(), 1u);
    EXPECT_EQ(origins.cited().front().rows, 2u);
    const Json json = table_json(t);
    EXPECT_EQ(json["rows"][0]["x"].get<double>(), 1.0 / 3);
    EXPECT_EQ(json["rows"][0]["h"], 5);
    EXPECT_EQ(json["rows"][0]["modelled_"], Json::array({"x"}));
    EXPECT_TRUE(json["rows"][1]["x"].is_null());
    EXPECT_EQ(json["rows"][1]["row_"], 1);
}

TEST(ReportOrigins, SameCommandOnOtherDatesIsOne) {
    Origins origins;
    const int a = origins.add("w", {"1", "abc", "m", "2026-01-02", "c"});
    EXPECT_EQ(origins.add("w", {"1", "abc", "m", "2026-01-01", "c"}), a);
    EXPECT_EQ(origins.add("w", {"1", "abc", "m", "2026-01-03", "c"}), a);
    EXPECT_NE(origins.add("w", {"1", "def", "m", "2026-01-03", "c"}), a);
    EXPECT_NE(origins.add("w", {"1", "abc", "m", "2026-01-03", "c"}, "given"), a);
    EXPECT_EQ(origins.at(a).first, "2026-01-01");
    EXPECT_EQ(origins.at(a).last, "2026-01-03");
    EXPECT_TRUE(origins.cited().empty());
}

} // namespace
