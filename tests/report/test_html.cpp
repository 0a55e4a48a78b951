#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/numbers.hpp"
#include "report/page/html.hpp"
#include "report/page/table.hpp"

namespace {

using namespace mantissa::report;

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

TEST(ReportTable, CellsKeepTheFullValueAndItsAddress) {
    Origins origins;
    const int origin = origins.add("a solve", {"1", "abc", "m", "2026-01-01", "mantissa sweep"});
    Table t;
    t.id = "t";
    t.caption = "A <table>";
    t.columns = {text_column("name", "Name"), number_column("x", "X", "ms"), hidden_column("h")};
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
