// Charts as Vega specifications over the page's tables. Internal to host/.
//
// A chart's data are the rows of a table (table_json): {"name": "table", "table": ID}; report.js puts the rows there.
// Colours are CSS variables of report.css, so that light, dark and paper need no second rendering; series differ by
// shape and dashes too. Hollow symbols are modelled figures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "axis.hpp"
#include "report/page/table.hpp"

namespace mantissa::report {

struct Figure {
    std::string subject; ///< what it is of, where another part of the page may ask for it
    std::string id, title;
    std::string text;  ///< what to see in it, plain
    std::string label; ///< for those who do not see it: what is drawn
    Json vega;
    std::vector<Json> narrower{}; ///< the same for places without room for it, the wider first; may be none
    Table table;
    bool half = false;   ///< two stand side by side where there is room
    bool folded = false; ///< behind a line to click
};

struct Series {
    std::string name;    ///< the value of the series field
    int style = 0;       ///< 0..7: colour, shape and dashes
    std::string label{}; ///< at its line's end; empty: the name
    [[nodiscard]] const std::string& shown() const { return label.empty() ? name : label; }
};

/// Lines (or points) of one table, each labelled at its end.
struct LineChart {
    Axis x, y;
    std::string series;       ///< the field that names the series
    std::vector<Series> list; ///< those drawn; rows of others are left out
    bool points = true;
    bool end_together = false; ///< all lines end at one height: labels in the order of the ends, told by
                               ///< their symbols, not by leaders; rules labelled in the plot
    std::string bound;         ///< a second figure of each row, drawn as a thin line beside its series; empty: none
    /// Horizontal rules with their labels.
    std::vector<std::pair<double, std::string>> rules;
    int width = 900, height = 400;
};
Json vega_of(const LineChart& chart, const Table& table);

/// Points with a legend above; those whose `letter` field holds a text carry it, and are joined when `front` is set.
struct PointChart {
    Axis x, y;
    std::string series;
    std::vector<Series> list;
    std::string letter;
    bool front = false;
    int width = 900, height = 440;
};
Json vega_of(const PointChart& chart, const Table& table);

/// One row for each of the table's, its name on the left, a dot at its value, and the value's text at the dot.
struct DotChart {
    std::string name, text; ///< fields
    Axis x;
    std::string series;
    std::vector<Series> list;
    int width = 900;
};
Json vega_of(const DotChart& chart, const Table& table);

/// A bar for each row of the table, of equal length, parted by the shares of the row's figures in the columns `list`.
/// Above it `name` and, on the right, `number`; below these `text`.
struct ShareChart {
    std::string name, number, text; ///< fields
    std::string title;              ///< of the axis of shares
    std::vector<Series> list;       ///< fields, from the left
    int width = 900;
};
Json vega_of(const ShareChart& chart, const Table& table);

} // namespace mantissa::report
