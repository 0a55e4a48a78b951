#include "chart_parts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace mantissa::report {

using namespace vega;

namespace {

constexpr double kLabelGap = 15; // between the middles of two labels, px

/// A label at the right of the plot: what it names ends at (x, y) in pixels, and it stands at `at`.
struct EndLabel {
    std::string text;
    double x = 0, y = 0, at = 0;
    int style = -1; ///< -1: a rule
};

/// Moves labels apart, keeping their order and staying near.
void spread(std::vector<EndLabel>& labels, double height, bool end_together) {
    std::stable_sort(labels.begin(), labels.end(), [&](const EndLabel& a, const EndLabel& b) {
        // Of lines that end at one height the one that ends first is labelled lowest: leaders do not cross then.
        const auto key = [&](const EndLabel& l) { return std::pair(end_together ? 0 : std::floor(l.y / 4), -l.x); };
        return key(a) < key(b);
    });
    for (EndLabel& l : labels) l.at = l.y;
    for (int round = 0; round < 200; ++round) {
        bool moved = false;
        for (std::size_t i = 0; i + 1 < labels.size(); ++i) {
            const double lack = kLabelGap - (labels[i + 1].at - labels[i].at);
            if (lack <= 1e-6) continue;
            labels[i].at -= lack / 2;
            labels[i + 1].at += lack / 2;
            moved = true;
        }
        if (!labels.empty()) {
            labels.front().at = std::max(labels.front().at, 4.0);
            labels.back().at = std::min(labels.back().at, height - 2);
        }
        if (!moved) break;
    }
}

std::vector<EndLabel> end_labels(const LineChart& chart, const Table& table, double width, double height) {
    const std::size_t cx = column_of(table, chart.x.field), cy = column_of(table, chart.y.field),
                      cs = column_of(table, chart.series);
    std::vector<EndLabel> labels;
    for (const Series& s : chart.list) {
        const TableRow* last = nullptr;
        for (const TableRow& row : table.rows) {
            const Json &x = row.cells[cx].value, &y = row.cells[cy].value;
            if (row.cells[cs].value != s.name || !x.is_number() || !y.is_number()) continue;
            if (chart.y.log && y.get<double>() <= 0) continue;
            if (last == nullptr || x.get<double>() >= last->cells[cx].value.get<double>()) last = &row;
        }
        if (last == nullptr) continue;
        labels.push_back({s.shown(), width * place_on(chart.x, last->cells[cx].value.get<double>()),
                          height * (1 - place_on(chart.y, last->cells[cy].value.get<double>())), 0, s.style});
    }
    if (!chart.end_together)
        for (const auto& [value, text] : chart.rules)
            labels.push_back({text, width, height * (1 - place_on(chart.y, value)), 0, -1});
    spread(labels, height, chart.end_together);
    return labels;
}

/// The symbol of a label's series at a place.
Json key_symbol(const EndLabel& label, double x, double y) {
    return {{"type", "symbol"},
            {"aria", false},
            {"interactive", false},
            {"encode",
             {{"enter",
               {{"x", {{"value", x}}},
                {"y", {{"value", y}}},
                {"size", {{"value", 42}}},
                {"shape", {{"value", shape(label.style)}}},
                {"fill", {{"value", colour(label.style)}}}}}}}};
}

/// Keys and texts of the labels, with leaders from where the lines end.
void add_labels(Json& marks, const std::vector<EndLabel>& labels, double width, bool leaders) {
    for (const EndLabel& l : labels) {
        const Json ink = l.style < 0 ? Json("var(--ink-soft)") : colour(l.style);
        Json leader = {{"x", {{"value", l.x + (l.style < 0 ? 0 : 5)}}},
                       {"y", {{"value", l.y}}},
                       {"x2", {{"value", width + 9}}},
                       {"y2", {{"value", l.at}}},
                       {"stroke", {{"value", ink}}},
                       {"strokeWidth", {{"value", 1}}},
                       {"strokeOpacity", {{"value", 0.45}}}};
        if (leaders)
            marks.push_back(
                {{"type", "rule"}, {"aria", false}, {"interactive", false}, {"encode", {{"enter", leader}}}});
        if (l.style >= 0) marks.push_back(key_symbol(l, width + 15, l.at));
        marks.push_back({{"type", "text"},
                         {"aria", false},
                         {"interactive", false},
                         {"encode",
                          {{"enter",
                            {{"x", {{"value", width + (l.style < 0 ? 12 : 23)}}},
                             {"y", {{"value", l.at}}},
                             {"baseline", {{"value", "middle"}}},
                             {"text", {{"value", l.text}}},
                             {"fontStyle", {{"value", l.style < 0 ? "italic" : "normal"}}},
                             {"fill", {{"value", l.style < 0 ? "var(--ink-soft)" : "var(--ink)"}}}}}}}});
    }
}

/// The rows whose letters stand clear of those already placed; the table and the pointer tell the others.
Json clear_letters(const PointChart& chart, const Table& table, double width, double height) {
    const std::size_t cx = column_of(table, chart.x.field), cy = column_of(table, chart.y.field),
                      cl = column_of(table, chart.letter);
    std::vector<std::pair<double, double>> placed;
    Json rows = Json::array();
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        const auto& cells = table.rows[r].cells;
        if (!cells[cl].value.is_string() || !cells[cx].value.is_number() || !cells[cy].value.is_number()) continue;
        const std::pair at{width * place_on(chart.x, cells[cx].value.get<double>()),
                           height * (1 - place_on(chart.y, cells[cy].value.get<double>()))};
        if (std::any_of(placed.begin(), placed.end(), [&](const auto& other) {
                return std::abs(at.first - other.first) < 17 && std::abs(at.second - other.second) < 14;
            }))
            continue;
        placed.push_back(at);
        rows.push_back(r);
    }
    return rows;
}

} // namespace

Json vega_of(const LineChart& chart, const Table& table) {
    const auto x_ticks = ticks_of(chart.x), y_ticks = ticks_of(chart.y);
    double label_width = 0;
    for (const Series& s : chart.list) label_width = std::max(label_width, 11 + text_width(s.shown()));
    for (const auto& [unused, text] : chart.rules) label_width = std::max(label_width, text_width(text));
    const double left = left_margin(y_ticks), right = label_width + 20, top = 10, bottom = 46;
    const double width = chart.width - left - right, height = chart.height - top - bottom;

    Json vega = frame(chart.y.title + " against " + chart.x.title, left, right, top, bottom, width, height);
    vega["data"] = Json::array({data_of(table, chart.x, chart.y, chart.series, chart.list)});
    vega["data"][0]["transform"].push_back({{"type", "collect"}, {"sort", {{"field", chart.x.field}}}});
    Json scales = Json::array({position_scale("x", chart.x, "width"), position_scale("y", chart.y, "height"),
                               tick_scale("x", x_ticks), tick_scale("y", y_ticks)});
    add_series_scales(scales, chart.list);
    vega["scales"] = scales;
    vega["axes"] = {axis_json("y", "left", chart.y, y_ticks, true), axis_json("x", "bottom", chart.x, x_ticks, false)};
    Json marks = Json::array();
    for (const auto& [value, unused] : chart.rules)
        marks.push_back({{"type", "rule"},
                         {"aria", false},
                         {"encode",
                          {{"enter",
                            {{"x", {{"value", 0}}},
                             {"x2", {{"field", {{"group", "width"}}}}},
                             {"y", {{"scale", "y"}, {"value", value}}},
                             {"stroke", {{"value", "var(--ink-soft)"}}},
                             {"strokeDash", {{"value", {3, 3}}}}}}}}});
    const Json line = {{"type", "line"},
                       {"aria", false},
                       {"interactive", false},
                       {"from", {{"data", "one"}}},
                       {"encode",
                        {{"enter",
                          {{"x", field("x", chart.x.field)},
                           {"y", field("y", chart.y.field)},
                           {"stroke", field("colour", chart.series)},
                           {"strokeDash", field("dash", chart.series)},
                           {"strokeJoin", {{"value", "round"}}},
                           {"strokeWidth", {{"value", 1.8}}}}}}}};
    marks.push_back({{"type", "group"},
                     {"aria", false},
                     {"from", {{"facet", {{"name", "one"}, {"data", "table"}, {"groupby", chart.series}}}}},
                     {"marks", Json::array({line})}});
    if (!chart.bound.empty()) {
        Json thin = line;
        thin["encode"]["enter"]["y"] = field("y", chart.bound);
        thin["encode"]["enter"]["strokeWidth"] = {{"value", 1}};
        thin["encode"]["enter"]["strokeDash"] = {{"value", {1, 2}}};
        thin["encode"]["enter"]["defined"] = {{"signal", fmt::format("isNumber(datum.{})", chart.bound)}};
        marks.push_back({{"type", "group"},
                         {"aria", false},
                         {"from", {{"facet", {{"name", "one"}, {"data", "table"}, {"groupby", chart.series}}}}},
                         {"marks", Json::array({thin})}});
    }
    if (chart.points) marks.push_back(symbols(chart.x.field, chart.y.field, chart.series, 46));
    const std::vector<EndLabel> labels = end_labels(chart, table, width, height);
    if (!chart.points)
        for (const EndLabel& l : labels) marks.push_back(key_symbol(l, l.x, l.y));
    add_labels(marks, labels, width, !chart.end_together);
    if (chart.end_together)
        for (const auto& [value, text] : chart.rules)
            marks.push_back({{"type", "text"},
                             {"aria", false},
                             {"interactive", false},
                             {"encode",
                              {{"enter",
                                {{"x", {{"value", 8}}},
                                 {"y", {{"scale", "y"}, {"value", value}}},
                                 {"dy", {{"value", -7}}},
                                 {"text", {{"value", text}}},
                                 {"fontStyle", {{"value", "italic"}}},
                                 {"fill", {{"value", "var(--ink-soft)"}}}}}}}});
    vega["marks"] = marks;
    return vega;
}

Json vega_of(const PointChart& chart, const Table& table) {
    const auto y_ticks = ticks_of(chart.y);
    const double left = left_margin(y_ticks), right = 24, bottom = 46, width = chart.width - left - right;
    const auto x_ticks = ticks_with_room(chart.x, width);
    const LegendRows legend_rows = legend_rows_of(chart.list, width + right);
    const double one = 34, top = one + kLegendRow * static_cast<double>(legend_rows.rows - 1);
    const double height = chart.height - one - bottom; // further rows of the legend make the chart higher
    Json vega = frame(chart.y.title + " against " + chart.x.title, left, right, top, bottom, width, height);
    vega["data"] = Json::array({data_of(table, chart.x, chart.y, chart.series, chart.list)});
    vega["data"].push_back({{"name", "lettered"},
                            {"source", "table"},
                            {"transform",
                             {{{"type", "filter"}, {"expr", fmt::format("isString(datum.{})", chart.letter)}},
                              {{"type", "collect"}, {"sort", {{"field", chart.x.field}}}}}}});
    vega["data"].push_back(
        {{"name", "clear"},
         {"source", "lettered"},
         {"transform", Json::array({{{"type", "filter"},
                                     {"expr", fmt::format("indexof({}, datum.row_) >= 0",
                                                          clear_letters(chart, table, width, height).dump())}}})}});
    Json scales = Json::array({position_scale("x", chart.x, "width"), position_scale("y", chart.y, "height"),
                               tick_scale("x", x_ticks), tick_scale("y", y_ticks)});
    add_series_scales(scales, chart.list);
    vega["scales"] = scales;
    vega["axes"] = {axis_json("y", "left", chart.y, y_ticks, true), axis_json("x", "bottom", chart.x, x_ticks, true)};
    vega["legends"] = legend(legend_rows);
    Json marks = Json::array();
    if (chart.front)
        marks.push_back({{"type", "line"},
                         {"aria", false},
                         {"interactive", false},
                         {"from", {{"data", "lettered"}}},
                         {"encode",
                          {{"enter",
                            {{"x", field("x", chart.x.field)},
                             {"y", field("y", chart.y.field)},
                             {"interpolate", {{"value", "step-after"}}},
                             {"stroke", {{"value", "var(--ink-soft)"}}},
                             {"strokeDash", {{"value", {4, 3}}}}}}}}});
    marks.push_back(symbols(chart.x.field, chart.y.field, chart.series, 80));
    marks.push_back({{"type", "text"},
                     {"aria", false},
                     {"interactive", false},
                     {"from", {{"data", "clear"}}},
                     {"encode",
                      {{"enter",
                        {{"x", field("x", chart.x.field)},
                         {"y", field("y", chart.y.field)},
                         {"dx", {{"value", -9}}},
                         {"dy", {{"value", 9}}},
                         {"align", {{"value", "right"}}},
                         {"baseline", {{"value", "middle"}}},
                         {"fontWeight", {{"value", 700}}},
                         {"text", {{"field", chart.letter}}},
                         {"fill", {{"value", "var(--ink)"}}}}}}}});
    vega["marks"] = marks;
    return vega;
}

Json vega_of(const DotChart& chart, const Table& table) {
    const std::size_t cn = column_of(table, chart.name), ct = column_of(table, chart.text);
    const auto x_ticks = ticks_of(chart.x);
    double name_width = 0, text_room = 0;
    Json names = Json::array();
    for (const TableRow& row : table.rows) {
        names.push_back(row.cells[cn].value);
        name_width = std::max(name_width, text_width(row.cells[cn].text));
        text_room = std::max(text_room, text_width(row.cells[ct].text));
    }
    const double left = std::min(name_width, 0.55 * chart.width) + 16, right = text_room + 16, top = 34, bottom = 46;
    const double step = 26, width = chart.width - left - right, height = step * static_cast<double>(names.size());
    Json vega = frame(chart.x.title, left, right, top, bottom, width, height);
    vega["data"] = Json::array({data_of(table, chart.x, chart.x, chart.series, chart.list)});
    Json scales = Json::array({position_scale("x", chart.x, "width"), tick_scale("x", x_ticks)});
    scales.push_back({{"name", "y"}, {"type", "point"}, {"domain", names}, {"range", "height"}, {"padding", 0.5}});
    add_series_scales(scales, chart.list);
    vega["scales"] = scales;
    Json name_axis = {{"scale", "y"},      {"orient", "left"},        {"aria", false},
                      {"domain", false},   {"ticks", false},          {"grid", false},
                      {"labelPadding", 8}, {"labelLimit", left - 16}, {"labelColor", "var(--ink)"}};
    vega["axes"] = {name_axis, axis_json("x", "bottom", chart.x, x_ticks, false)};
    vega["legends"] = legend({chart.list.size(), 1});
    const Json stem = {{"type", "rule"},
                       {"aria", false},
                       {"interactive", false},
                       {"from", {{"data", "table"}}},
                       {"encode",
                        {{"enter",
                          {{"x", {{"value", 0}}},
                           {"x2", field("x", chart.x.field)},
                           {"y", field("y", chart.name)},
                           {"stroke", {{"value", "var(--line)"}}}}}}}};
    Json marks = Json::array({stem, symbols(chart.x.field, chart.name, chart.series, 70)});
    marks.push_back({{"type", "text"},
                     {"aria", false},
                     {"interactive", false},
                     {"from", {{"data", "table"}}},
                     {"encode",
                      {{"enter",
                        {{"x", field("x", chart.x.field)},
                         {"y", field("y", chart.name)},
                         {"dx", {{"value", 9}}},
                         {"baseline", {{"value", "middle"}}},
                         {"text", {{"field", chart.text}}},
                         {"fill", {{"value", "var(--ink-soft)"}}}}}}}});
    vega["marks"] = marks;
    return vega;
}

} // namespace mantissa::report
