#include <algorithm>

#include "chart_parts.hpp"

namespace mantissa::report {

using namespace vega;

namespace {

constexpr double kRow = 68, kBar = 20, kBarAt = 38; // px: a row, its bar, and where in the row that begins

/// A field's text in each row, from `x` px on or up to there.
struct Words {
    std::string field;
    double x = 0, y = 0; ///< px, from the row's beginning
    const char* align = "left";
    double room = 0; ///< px; what is longer is cut
    const char* ink = "var(--ink)";
    int weight = 400;
};

Json mark_of(const Words& w) {
    return {{"type", "text"},
            {"aria", false},
            {"interactive", false},
            {"from", {{"data", "table"}}},
            {"encode",
             {{"enter",
               {{"x", {{"value", w.x}}},
                {"y", {{"field", "row_"}, {"mult", kRow}, {"offset", w.y}}},
                {"text", {{"field", w.field}}},
                {"align", {{"value", w.align}}},
                {"limit", {{"value", w.room}}},
                {"fontWeight", {{"value", w.weight}}},
                {"fill", {{"value", w.ink}}}}}}}};
}

} // namespace

Json vega_of(const ShareChart& chart, const Table& table) {
    Axis shares{"", chart.title};
    shares.text = TickText::percent;
    const double left = 14, right = 28, bottom = 46, width = chart.width - left - right;
    const LegendRows rows = legend_rows_of(chart.list, width);
    const double top = 34 + kLegendRow * static_cast<double>(rows.rows - 1);
    const double height = kRow * static_cast<double>(table.rows.size());
    const std::vector<Tick> ticks = ticks_with_room(shares, width);
    Json vega = frame(chart.title, left, right, top, bottom, width, height);
    Json fields = Json::array();
    for (const Series& s : chart.list) fields.push_back(s.name);
    const Json fold = {{"type", "fold"}, {"fields", fields}, {"as", {"part_", "number_"}}};
    const Json stack = {{"type", "stack"},
                        {"groupby", {"row_"}},
                        {"field", "number_"},
                        {"offset", "normalize"},
                        {"as", {"from_", "to_"}}};
    vega["data"] = Json::array({{{"name", "table"}, {"table", table.id}},
                                {{"name", "parts"},
                                 {"source", "table"},
                                 {"transform", {fold, {{"type", "filter"}, {"expr", "datum.number_ > 0"}}, stack}}}});
    Json scales = Json::array({position_scale("x", shares, "width"), tick_scale("x", ticks)});
    add_series_scales(scales, chart.list);
    for (Json& scale : scales) // parts are told by their place and colour
        if (scale["name"] == "shape") scale["range"] = Json(std::vector<std::string>(chart.list.size(), "square"));
    vega["scales"] = scales;
    vega["axes"] = Json::array({axis_json("x", "bottom", shares, ticks, false)});
    vega["legends"] = legend(rows);
    const Json bar = {{"type", "rect"},
                      {"aria", false},
                      {"from", {{"data", "parts"}}},
                      {"encode",
                       {{"enter",
                         {{"x", field("x", "from_")},
                          {"x2", field("x", "to_")},
                          {"y", {{"field", "row_"}, {"mult", kRow}, {"offset", kBarAt}}},
                          {"height", {{"value", kBar}}},
                          {"fill", field("colour", "part_")},
                          {"tooltip", {{"signal", "datum"}}}}}}}};
    double numbers = 0;
    for (const TableRow& row : table.rows)
        numbers = std::max(numbers, text_width(row.cells[column_of(table, chart.number)].text) + 12);
    vega["marks"] = Json::array({bar, mark_of({chart.name, 0, 14, "left", width - numbers, "var(--ink)", 600}),
                                 mark_of({chart.number, width, 14, "right", numbers, "var(--ink-soft)"}),
                                 mark_of({chart.text, 0, 31, "left", width, "var(--ink-soft)"})});
    return vega;
}

} // namespace mantissa::report
