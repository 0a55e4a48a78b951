#include <cmath>

#include <gtest/gtest.h>

#include "report/charts/chart.hpp"
#include "report/charts/spec_shape.hpp"

namespace {

using namespace mantissa::report;

Table sample(const std::vector<std::tuple<std::string, double, double>>& rows) {
    Table t;
    t.id = "t";
    t.columns = columns("{S=s}{X=x:>}{Y=y:>}");
    for (const auto& [s, x, y] : rows) t.rows.push_back({{words(s), real(x), real(y)}, {}});
    return t;
}

TEST(ReportAxis, TicksLieInsideAndSayTheirValue) {
    for (const auto& [low, high] : {std::pair{1e-10, 1.0}, {2.5, 2.9}, {30.0, 70.0}, {1e3, 7e7}, {0.9, 40.0}}) {
        Axis axis{"y", "", true};
        axis.low = low;
        axis.high = high;
        const auto ticks = ticks_of(axis);
        EXPECT_GE(ticks.size(), 2u) << low;
        EXPECT_LE(ticks.size(), 14u) << low;
        for (const Tick& t : ticks) {
            EXPECT_GE(t.value, low);
            EXPECT_LE(t.value, high * (1 + 1e-12));
            EXPECT_GE(place_on(axis, t.value), 0);
            EXPECT_LE(place_on(axis, t.value), 1 + 1e-9);
        }
    }
    Axis power{"y", "", true, TickText::power, 1e-11, 3};
    EXPECT_EQ(ticks_of(power).back().label, "10⁰");
    Axis time{"y", "", true, TickText::time, 9e-6, 2e-5};
    EXPECT_EQ(ticks_of(time).front().label, "9 µs");
    EXPECT_EQ(ticks_of(time).back().label, "20 µs");
    Axis linear{"y", "", false, TickText::plain, 0, 18000};
    EXPECT_EQ(ticks_of(linear).back().label, "15\u202F000");
}

TEST(ReportAxis, TestedValuesHaveTheTicksThatHaveRoom) {
    Axis few{"x", ""};
    few.tested = true;
    ASSERT_TRUE(fit_axis(few, sample({{"a", 17, 0}, {"a", 7, 0}, {"b", 7, 0}, {"a", 10, 0}, {"a", 23, 0}})));
    std::vector<std::string> labels;
    for (const Tick& t : ticks_of(few)) labels.push_back(t.label);
    EXPECT_EQ(labels, (std::vector<std::string>{"7", "10", "17", "23"}));
    std::vector<std::tuple<std::string, double, double>> rows;
    for (int k = 0; k < 200; ++k) rows.emplace_back("a", k, 0);
    Axis many{"x", ""};
    many.tested = true;
    ASSERT_TRUE(fit_axis(many, sample(rows)));
    const auto ticks = ticks_of(many);
    ASSERT_GT(ticks.size(), 5u);
    for (std::size_t k = 1; k < ticks.size(); ++k) // half of either label at 8 points of 500 for a character
        EXPECT_GE(place_on(many, ticks[k].value) - place_on(many, ticks[k - 1].value),
                  4.0 / 500 * static_cast<double>(ticks[k].label.size() + ticks[k - 1].label.size()));
}

TEST(ReportAxis, FitsTheColumnAndLeavesOutWhatALogarithmCannotShow) {
    const Table t = sample({{"a", 1, 0}, {"a", 2, 1e-8}, {"a", 3, 1}});
    Axis y{"y", "", true};
    ASSERT_TRUE(fit_axis(y, t));
    EXPECT_LT(y.low, 1e-8);
    EXPECT_GT(y.low, 1e-9);
    EXPECT_GT(y.high, 1);
    Axis none{"nothing", "", true};
    EXPECT_FALSE(fit_axis(none, t));
    const Table zeros = sample({{"a", 1, 0}});
    EXPECT_FALSE(fit_axis(y, zeros));
    Axis x{"x", "", false};
    ASSERT_TRUE(fit_axis(x, t));
    EXPECT_GT(x.low, 0);
    ASSERT_TRUE(fit_axis(x, sample({{"a", 1, 0}, {"a", 9, 0}})));
    EXPECT_EQ(x.low, 0) << "zero is near";
}

/// The y of every label of a line chart, in pixels.
std::vector<double> label_heights(const Json& vega) {
    std::vector<double> at;
    for (const Json& mark : vega["marks"])
        if (mark["type"] == "text") at.push_back(mark["encode"]["enter"]["y"]["value"].get<double>());
    return at;
}

TEST(ReportChart, LabelsOfLinesThatEndTogetherStandApart) {
    std::vector<std::tuple<std::string, double, double>> rows;
    LineChart chart;
    for (int k = 0; k < 8; ++k) {
        rows.emplace_back("series " + std::to_string(k), 1.0, 10.0 + k);
        rows.emplace_back("series " + std::to_string(k), 5.0, 2.0 + 1e-3 * k);
        chart.list.push_back({"series " + std::to_string(k), k});
    }
    const Table t = sample(rows);
    chart.x = {"x", "x"};
    chart.y = {"y", "y"};
    chart.series = "s";
    chart.rules.emplace_back(2.0, "a rule");
    ASSERT_TRUE(fit_axis(chart.x, t) && fit_axis(chart.y, t));
    const Json vega = vega_of(chart, t);
    std::vector<double> at = label_heights(vega);
    ASSERT_EQ(at.size(), 9u);
    std::sort(at.begin(), at.end());
    for (std::size_t i = 0; i + 1 < at.size(); ++i) EXPECT_GE(at[i + 1] - at[i], 13.0) << i;
    EXPECT_GE(at.front(), 0);
    EXPECT_LE(at.back(), vega["height"].get<double>() + 1);
}

TEST(ReportChart, DataAreTheTablesRows) {
    const Table t = sample({{"a", 1, 2}, {"b", 2, 3}});
    PointChart chart;
    chart.x = {"x", "x"};
    chart.y = {"y", "y"};
    chart.series = "s";
    chart.letter = "s";
    chart.list = {{"a", 0}, {"b", 1}};
    ASSERT_TRUE(fit_axis(chart.x, t) && fit_axis(chart.y, t));
    const Json vega = vega_of(chart, t);
    EXPECT_EQ(vega["data"][0]["table"], "t");
    EXPECT_FALSE(vega["data"][0].contains("values"));
    EXPECT_EQ(vega["legends"].size(), 1u);
    EXPECT_TRUE(vega["legends"].is_array());
}

TEST(ReportSpec, Shapes) {
    const auto mixed = shape_of("s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]");
    ASSERT_TRUE(mixed);
    EXPECT_EQ(mixed->vector_bits, 14);
    EXPECT_EQ(mixed->row_guard_bits, 6);
    EXPECT_TRUE(mixed->wide_u() && mixed->fixed_dot && mixed->plain && mixed->reduced());
    EXPECT_FALSE(mixed->uniform());
    EXPECT_TRUE(shape_of("s17e8")->uniform());
    EXPECT_TRUE(shape_of("double")->is_double);
    EXPECT_FALSE(shape_of("double")->reduced());
    EXPECT_FALSE(shape_of("s17e8,order=tree")->plain);
    EXPECT_FALSE(shape_of("s17e8,lanes=2")->plain);
    EXPECT_FALSE(shape_of("s17e8,p=s20e8"));
    // Fixed-point words and rows of differences are datapaths of their own kind, not uniform ones like the paper's.
    const auto words = shape_of("fx18.16");
    ASSERT_TRUE(words);
    EXPECT_EQ(words->vector_bits, 16);
    EXPECT_EQ(words->row_guard_bits, 0);
    EXPECT_TRUE(words->words() && words->plain && words->reduced());
    EXPECT_FALSE(words->uniform() || words->fixed_dot || words->is_reference());
    for (const char* spec : {"s17e8,order=flux", "s17e8,u=s23e8,order=second-difference"}) {
        ASSERT_TRUE(shape_of(spec)) << spec;
        EXPECT_TRUE(shape_of(spec)->reduced()) << spec;
        EXPECT_FALSE(shape_of(spec)->uniform() || shape_of(spec)->words()) << spec;
    }
    EXPECT_FALSE(shape_of("1:s52e11;0.002:s23e8")) << "a schedule is no one datapath";
    EXPECT_FALSE(shape_of("<b>"));
    EXPECT_EQ(spec_label("s52e11:rne:subnormals"), "double");
    EXPECT_EQ(spec_label("<b>"), "<b>");
}

} // namespace
