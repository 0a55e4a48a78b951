#include "axis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "report/numbers.hpp"

namespace mantissa::report {

namespace {

std::string superscript(int value) {
    static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string out = value < 0 ? "⁻" : "";
    for (const char c : std::to_string(std::abs(value))) out += kDigits[c - '0'];
    return out;
}

/// Trailing zeros after the point go.
std::string short_text(double value) {
    return fmt::format("{:.6g}", value);
}

std::string tick_label(double value, TickText text) {
    switch (text) {
    case TickText::power: {
        const int exponent = static_cast<int>(std::lround(std::log10(value)));
        if (std::abs(value / std::pow(10.0, exponent) - 1) < 1e-9) return "10" + superscript(exponent);
        return short_text(value);
    }
    case TickText::time:
        if (value == 0) return "0";
        if (value < 0.9999e-6) return short_text(value * 1e9) + " ns";
        if (value < 0.9999e-3) return short_text(value * 1e6) + " µs";
        if (value < 0.9999) return short_text(value * 1e3) + " ms";
        return short_text(value) + " s";
    case TickText::rate:
        if (value == 0) return "0";
        if (value < 0.9999e9) return short_text(value * 1e-6) + " MB/s";
        if (value < 0.9999e12) return short_text(value * 1e-9) + " GB/s";
        return short_text(value * 1e-12) + " TB/s";
    case TickText::percent:
        return short_text(100 * value) + " %";
    case TickText::plain:
        break;
    }
    const bool whole = value == std::floor(value) && value >= 0 && value < 1e7;
    return whole ? grouped(static_cast<std::uint64_t>(value)) : short_text(value);
}

} // namespace

bool fit_axis(Axis& axis, const Table& table, const std::vector<double>& with) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    const auto take = [&](double v) {
        if (!std::isfinite(v) || (axis.log && v <= 0)) return;
        low = std::min(low, v);
        high = std::max(high, v);
    };
    const auto column =
        std::find_if(table.columns.begin(), table.columns.end(), [&](const Column& c) { return c.key == axis.field; });
    if (column == table.columns.end()) return false;
    const auto c = static_cast<std::size_t>(column - table.columns.begin());
    std::set<double> at;
    for (const TableRow& row : table.rows)
        if (row.cells[c].value.is_number()) {
            const double value = row.cells[c].value.get<double>();
            take(value);
            if (axis.tested && std::isfinite(value) && !(axis.log && value <= 0)) at.insert(value);
        }
    axis.at.assign(at.begin(), at.end());
    for (const double v : with) take(v);
    if (!(low <= high)) return false;
    if (axis.log) {
        const double air = std::max(std::pow(high / low, 0.05), 1.15);
        axis.low = low / air;
        axis.high = high * air;
    } else {
        const double span = high > low ? high - low : std::max(std::abs(high), 1.0);
        axis.low = low >= 0 && low - 0.05 * span < 0.3 * span ? 0 : low - 0.05 * span;
        axis.high = high + 0.05 * span;
    }
    return true;
}

namespace {

/// Ticks at the tested values. A label takes some 8 of the 500 points of the shortest axis for each of its characters.
std::vector<Tick> tested_ticks(const Axis& axis) {
    std::vector<Tick> ticks;
    double free_from = -1;
    for (const double value : axis.at) {
        std::string label = tick_label(value, axis.text);
        const double half = 0.008 * static_cast<double>(label.size() + 1);
        const double place = place_on(axis, value);
        if (place - half < free_from) continue;
        free_from = place + half;
        ticks.push_back({value, std::move(label)});
    }
    return ticks;
}

} // namespace

std::vector<Tick> ticks_of(const Axis& axis) {
    if (axis.at.size() > 1) return tested_ticks(axis);
    std::vector<Tick> ticks;
    const double decades = axis.log ? std::log10(axis.high / axis.low) : 0;
    if (decades > 0.25) { // within less, equal steps read better
        const int every = std::max(1, static_cast<int>(std::ceil(decades / 8)));
        const std::vector<double> steps =
            decades > 3     ? std::vector<double>{1}
            : decades > 1.2 ? std::vector<double>{1, 2, 5}
            : decades > 0.6 ? std::vector<double>{1, 1.5, 2, 3, 4, 5, 7}
                            : std::vector<double>{1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9};
        const int first = static_cast<int>(std::floor(std::log10(axis.low)));
        const int last = static_cast<int>(std::ceil(std::log10(axis.high)));
        for (int e = first; e <= last; ++e)
            for (const double step : steps) {
                // Decimal texts, so that a tick's value is what its label says.
                const double value = std::stod(fmt::format("{}e{}", step, e));
                if (e % every == 0 && value >= axis.low && value <= axis.high)
                    ticks.push_back({value, tick_label(value, axis.text)});
            }
        return ticks;
    }
    const double rough = (axis.high - axis.low) / 6;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double s : {5.0, 2.0, 1.0})
        if (s * power >= rough) step = s * power;
    for (double k = std::ceil(axis.low / step); k * step <= axis.high * (1 + 1e-12); ++k)
        ticks.push_back({k * step, tick_label(k * step, axis.text)});
    return ticks;
}

double place_on(const Axis& axis, double value) {
    return axis.log ? std::log(value / axis.low) / std::log(axis.high / axis.low)
                    : (value - axis.low) / (axis.high - axis.low);
}

} // namespace mantissa::report
