// The pieces that the charts' Vega specifications are made of. Internal to host/.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "chart.hpp"

namespace mantissa::report::vega {

/// In px at the charts' size, on the wide side.
double text_width(const std::string& text);

// Of one of eight styles.
Json colour(int style);
Json shape(int style);
Json dash(int style);

Json position_scale(const char* name, const Axis& axis, Json range);
/// The labels of an axis' ticks, as a scale named `scale`_text.
Json tick_scale(const char* scale, const std::vector<Tick>& ticks);
/// The axis of `scale`, which takes its labels from `scale`_text.
Json axis_json(const char* scale, const char* orient, const Axis& axis, const std::vector<Tick>& ticks, bool grid);
/// Scales "colour", "shape" and "dash" over the names of the series.
void add_series_scales(Json& scales, const std::vector<Series>& list);
/// How the names of the series are set out above a plot.
struct LegendRows {
    std::size_t columns = 1, rows = 1;
};
inline constexpr int kLegendRow = 18; ///< px
/// As many columns as `width` px have room for.
LegendRows legend_rows_of(const std::vector<Series>& list, double width);
/// A legend of "colour" and "shape" above the plot.
Json legend(const LegendRows& rows);
/// Those of an axis of `length` px whose labels do not run into each other.
std::vector<Tick> ticks_with_room(const Axis& axis, double length);

/// The data set "table": the rows that have both figures and belong to one of the series.
Json data_of(const Table& table, const Axis& x, const Axis& y, const std::string& series,
             const std::vector<Series>& list);
Json field(const char* scale, const std::string& name);
/// A symbol for each row, hollow where a figure it stands for is modelled; its tooltip is the row.
Json symbols(const std::string& x, const std::string& y, const std::string& series, double size);

/// What every chart has: the margins in px around a plot of `width` by `height`.
Json frame(const std::string& label, double left, double right, double top, double bottom, double width, double height);
/// Room for the labels and the title of a vertical axis.
double left_margin(const std::vector<Tick>& ticks);
/// The index of a column. Throws std::logic_error when there is none.
std::size_t column_of(const Table& table, const std::string& id);

} // namespace mantissa::report::vega
