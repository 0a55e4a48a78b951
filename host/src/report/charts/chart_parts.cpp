#include "chart_parts.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace mantissa::report::vega {

namespace {

constexpr int kStyles = 8;
constexpr double kCharacter = 7.0; // width of a character at 12 px in a wide face

Json config() {
    const Json ink = "var(--ink)", soft = "var(--ink-soft)", line = "var(--line)";
    const Json font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif";
    return {{"axis",
             {{"labelFont", font},
              {"titleFont", font},
              {"labelFontSize", 12},
              {"titleFontSize", 12},
              {"labelColor", soft},
              {"titleColor", ink},
              {"domainColor", line},
              {"tickColor", line},
              {"gridColor", line},
              {"gridOpacity", 0.7},
              {"titleFontWeight", 600},
              {"titlePadding", 10},
              {"labelFlush", false},
              {"labelOverlap", true},
              {"tickSize", 4}}},
            {"legend",
             {{"labelFont", font},
              {"titleFont", font},
              {"labelFontSize", 12},
              {"labelColor", ink},
              {"symbolSize", 70},
              {"columnPadding", 18}}},
            {"text", {{"font", font}, {"fontSize", 12}}},
            {"view", {{"stroke", nullptr}}}};
}

} // namespace

double text_width(const std::string& text) {
    return kCharacter *
           static_cast<double>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

Json colour(int style) {
    return fmt::format("var(--s{})", style % kStyles + 1);
}

Json shape(int style) {
    static constexpr const char* kShapes[kStyles] = {"circle",        "square", "diamond",        "triangle-up",
                                                     "triangle-down", "cross",  "triangle-right", "triangle-left"};
    return kShapes[style % kStyles];
}

Json dash(int style) {
    static const Json kDashes[kStyles] = {
        Json::array(),       Json::array({7, 3}), Json::array({2, 2}),  Json::array({8, 3, 2, 3}),
        Json::array({4, 2}), Json::array({1, 3}), Json::array({12, 3}), Json::array({5, 2, 1, 2})};
    return kDashes[style % kStyles];
}

Json position_scale(const char* name, const Axis& axis, Json range) {
    return {{"name", name},
            {"type", axis.log ? "log" : "linear"},
            {"domain", {axis.low, axis.high}},
            {"range", std::move(range)},
            {"nice", false},
            {"zero", false}};
}

Json axis_json(const char* scale, const char* orient, const Axis& axis, const std::vector<Tick>& ticks, bool grid) {
    Json values = Json::array();
    for (const Tick& t : ticks) values.push_back(t.value);
    return {{"scale", scale},
            {"orient", orient},
            {"title", axis.title},
            {"values", values},
            {"grid", grid},
            {"aria", false},
            {"encode",
             {{"labels", {{"update", {{"text", {{"scale", std::string(scale) + "_text"}, {"field", "value"}}}}}}}}}};
}

Json tick_scale(const char* scale, const std::vector<Tick>& ticks) {
    Json domain = Json::array(), range = Json::array();
    for (const Tick& t : ticks) {
        domain.push_back(t.value);
        range.push_back(t.label);
    }
    return {{"name", std::string(scale) + "_text"}, {"type", "ordinal"}, {"domain", domain}, {"range", range}};
}

void add_series_scales(Json& scales, const std::vector<Series>& list) {
    Json names = Json::array(), colours = Json::array(), shapes = Json::array(), dashes = Json::array();
    for (const Series& s : list) {
        names.push_back(s.name);
        colours.push_back(colour(s.style));
        shapes.push_back(shape(s.style));
        dashes.push_back(dash(s.style));
    }
    scales.push_back({{"name", "colour"}, {"type", "ordinal"}, {"domain", names}, {"range", colours}});
    scales.push_back({{"name", "shape"}, {"type", "ordinal"}, {"domain", names}, {"range", shapes}});
    scales.push_back({{"name", "dash"}, {"type", "ordinal"}, {"domain", names}, {"range", dashes}});
}

Json data_of(const Table& table, const Axis& x, const Axis& y, const std::string& series,
             const std::vector<Series>& list) {
    Json names = Json::array();
    for (const Series& s : list) names.push_back(s.name);
    const auto there = [](const Axis& a) {
        return fmt::format("isNumber(datum.{}){}", a.field, a.log ? fmt::format(" && datum.{} > 0", a.field) : "");
    };
    return {{"name", "table"},
            {"table", table.id},
            {"transform",
             {{{"type", "filter"}, {"expr", there(x) + " && " + there(y)}},
              {{"type", "filter"}, {"expr", fmt::format("indexof({}, datum.{}) >= 0", names.dump(), series)}}}}};
}

Json field(const char* scale, const std::string& name) {
    return {{"scale", scale}, {"field", name}};
}

Json symbols(const std::string& x, const std::string& y, const std::string& series, double size) {
    const std::string modelled =
        fmt::format("indexof(datum.modelled_, '{}') >= 0 || indexof(datum.modelled_, '{}') >= 0", x, y);
    return {{"type", "symbol"},
            {"from", {{"data", "table"}}},
            {"aria", false},
            {"encode",
             {{"enter",
               {{"x", field("x", x)},
                {"y", field("y", y)},
                {"size", {{"value", size}}},
                {"shape", field("shape", series)},
                {"stroke", field("colour", series)},
                {"strokeWidth", {{"value", 1.5}}},
                {"fill", {{{"test", modelled}, {"value", "var(--paper)"}}, field("colour", series)}},
                {"tooltip", {{"signal", "datum"}}}}},
              {"update", {{"size", {{"value", size}}}}},
              {"hover", {{"size", {{"value", 2.2 * size}}}}}}}};
}

LegendRows legend_rows_of(const std::vector<Series>& list, double width) {
    constexpr double kSymbolAndGap = 40;
    double widest = 1;
    for (const Series& s : list) widest = std::max(widest, text_width(s.name) + kSymbolAndGap);
    LegendRows set;
    set.columns =
        std::clamp<std::size_t>(static_cast<std::size_t>(width / widest), 1, std::max<std::size_t>(1, list.size()));
    set.rows = (std::max<std::size_t>(1, list.size()) + set.columns - 1) / set.columns;
    return set;
}

Json legend(const LegendRows& rows) {
    return Json::array({{{"fill", "colour"},
                         {"shape", "shape"},
                         {"orient", "none"},
                         {"legendX", 0},
                         {"legendY", -30 - kLegendRow * (static_cast<int>(rows.rows) - 1)},
                         {"direction", "horizontal"},
                         {"columns", rows.columns},
                         {"aria", false}}});
}

std::vector<Tick> ticks_with_room(const Axis& axis, double length) {
    constexpr double kGap = 8;
    std::vector<Tick> kept;
    double free_from = -length;
    for (Tick& tick : ticks_of(axis)) {
        const double at = place_on(axis, tick.value) * length, half = text_width(tick.label) / 2;
        if (at - half < free_from) continue;
        free_from = at + half + kGap;
        kept.push_back(std::move(tick));
    }
    return kept;
}

std::size_t column_of(const Table& table, const std::string& id) {
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        if (table.columns[c].key == id) return c;
    throw std::logic_error("table " + table.id + " has no column " + id);
}

Json frame(const std::string& label, double left, double right, double top, double bottom, double width,
           double height) {
    return {{"description", label},
            {"width", width},
            {"height", height},
            {"padding", {{"left", left}, {"right", right}, {"top", top}, {"bottom", bottom}}},
            {"autosize", {{"type", "none"}}},
            {"config", config()}};
}

double left_margin(const std::vector<Tick>& ticks) {
    double widest = 0;
    for (const Tick& t : ticks) widest = std::max(widest, text_width(t.label));
    return widest + 38;
}

} // namespace mantissa::report::vega
