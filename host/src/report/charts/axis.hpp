// Ranges, ticks and their labels, worked out here so that labels of lines can be placed without overlap. Internal to
// host/.
#pragma once

#include <string>
#include <vector>

#include "report/page/table.hpp"

namespace mantissa::report {

enum class TickText {
    plain,   ///< 12 345, 0.25
    power,   ///< 10^-4 with a superscript
    time,    ///< 10 ms
    rate,    ///< 100 GB/s
    percent, ///< 25 % for 0.25
};

struct Axis {
    std::string field, title;
    bool log = false;
    TickText text = TickText::plain;
    double low = 0, high = 1;    ///< set by fit_axis
    bool tested = false;         ///< ticks at the table's values: widths or sizes, of which some were tested
    std::vector<double> at = {}; ///< set by fit_axis where `tested`: the values, ascending
};

/// The range of the table's values of `axis.field` with some air; a logarithmic axis leaves out what is not positive.
/// `with` are values that must lie inside too. False when there is nothing to show.
bool fit_axis(Axis& axis, const Table& table, const std::vector<double>& with = {});

struct Tick {
    double value = 0;
    std::string label;
};
/// Some four to ten of them; at the tested values, those whose labels have room.
std::vector<Tick> ticks_of(const Axis& axis);

/// Where `value` lies along the axis, 0 at the low end, 1 at the high one.
double place_on(const Axis& axis, double value);

} // namespace mantissa::report
