// Sweep files: TOML text to points.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include <toml++/toml.h>

#include "dense_grid.hpp"
#include "grid.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/host/sweep.hpp"
#include "options_text.hpp"
#include "text/toml_text.hpp"

namespace mantissa {

namespace {

using sweeps::Axes;
using sweeps::Settings;
using sweeps::Value;

constexpr std::string_view kSpecKeys[] = {"u",     "r",     "p",       "q",   "coef",   "operand", "row",
                                          "order", "point", "product", "dot", "scalar", "lanes"};
constexpr std::string_view kFormatKeys[] = {"u", "r", "p", "q", "coef", "operand", "row", "scalar", "product"};
constexpr std::string_view kOtherKeys[] = {
    "problem", "engine",        "scheme",    "inner",    "digits",   "stop",           "inner_recurrence",
    "middle",  "middle_digits", "tolerance", "jacobi",   "history",  "max_iterations", "spec",
    "format",  "vectors",       "outer",     "headroom", "schedule", "resident",       "couplings"};

template <std::size_t N> bool contains(const std::string_view (&list)[N], std::string_view key) {
    return std::find(std::begin(list), std::end(list), key) != std::end(list);
}
bool describes_spec(std::string_view key) {
    return key == "format" || key == "vectors" || contains(kSpecKeys, key);
}
bool is_stop(std::string_view key) {
    return key == "inner" || key == "digits" || key == "stop";
}
/// May both keys stand in one grid?
bool exclude_each_other(std::string_view a, std::string_view b) {
    if (a == b) return false;
    if (is_stop(a) && is_stop(b)) return true;
    const auto vector = [](std::string_view k) { return k == "r" || k == "p" || k == "q"; };
    const auto one_datapath = [](std::string_view k) { return k == "spec" || describes_spec(k); };
    return (a == "schedule" && one_datapath(b)) || (b == "schedule" && one_datapath(a)) ||
           (a == "spec" && describes_spec(b)) || (b == "spec" && describes_spec(a)) || (a == "vectors" && vector(b)) ||
           (b == "vectors" && vector(a));
}

/// [[1, "s52e11"], [2e-3, "s23e8"]] as the text that the command line takes; the numbers as they are in the file.
Value read_schedule(const text::TomlText& file, const toml::node& node, std::uint32_t key_line) {
    const std::uint32_t line = node.source().begin.line != 0 ? node.source().begin.line : key_line;
    const auto bad = [&] {
        file.fail(line, "schedule must list pairs of a defect and a datapath: [[1, \"s52e11\"], [2e-3, \"s23e8\"]]");
    };
    const toml::array* stages = node.as_array();
    if (stages == nullptr || stages->empty()) bad();
    std::string text;
    for (const toml::node& item : *stages) {
        const toml::array* pair = item.as_array();
        if (pair == nullptr || pair->size() != 2) bad();
        const auto below = pair->get(0)->value<double>();
        const auto spec = pair->get(1)->value_exact<std::string>();
        if (!below || !spec || spec->find(';') != std::string::npos) bad();
        text += fmt::format("{}{}:{}", text.empty() ? "" : ";", *below, *spec);
    }
    return {text, line};
}
/// One schedule, or a list of such.
std::vector<Value> read_schedules(const text::TomlText& file, const toml::node& node, std::uint32_t line) {
    const toml::array* list = node.as_array();
    const toml::array* first = list == nullptr || list->empty() ? nullptr : list->get(0)->as_array();
    if (first == nullptr || first->empty() || !first->get(0)->is_array()) return {read_schedule(file, node, line)};
    std::vector<Value> values;
    for (const toml::node& item : *list) values.push_back(read_schedule(file, item, line));
    return values;
}

sweeps::GridRules rules_of(const text::TomlText& file) {
    sweeps::GridRules rules;
    rules.keys.assign(std::begin(kOtherKeys), std::end(kOtherKeys));
    rules.keys.insert(rules.keys.end(), std::begin(kSpecKeys), std::end(kSpecKeys));
    rules.exclude_each_other = exclude_each_other;
    rules.special = [&file](std::string_view key, const toml::node& node,
                            std::uint32_t line) -> std::optional<std::vector<Value>> {
        if (key != "schedule") return std::nullopt;
        return read_schedules(file, node, line);
    };
    return rules;
}

class Reader : private sweeps::GridReader {
public:
    Reader(const text::TomlText& file, std::size_t max_points)
        : GridReader(file, rules_of(file), max_points), file_(file), max_points_(max_points), engines_(list_engines()) {
    }

    Sweep read() {
        const toml::table& root = file_.root();
        Sweep sweep;
        Axes defaults;
        for (const auto& [key, node] : root) {
            const std::uint32_t line = key.source().begin.line;
            if (key == "store") {
                const auto store = node.value_exact<std::string>();
                if (!store || store->empty()) fail(line, "store must be a file name in quotes");
                sweep.store = *store;
            } else if (key == "defaults") {
                if (!node.is_table()) fail(line, "defaults must be a table: write [defaults]");
                if (!root.contains("dense")) defaults = read_axes(*node.as_table());
            } else if (key == "grid" || key == "dense") {
                if (!node.is_array_of_tables()) fail(line, fmt::format("{0} must be tables: write [[{0}]]", key.str()));
            } else {
                fail(line, fmt::format("no key '{}' here; the top level holds store, [defaults] and [[grid]] or "
                                       "[[dense]]",
                                       text::printable(key.str())));
            }
        }
        const toml::array* grids = root["grid"].as_array();
        if (const toml::array* dense = root["dense"].as_array()) {
            if (grids != nullptr)
                fail(root.get("dense")->source().begin.line,
                     "a sweep has [[grid]] or [[dense]], not both: write two files, which may share a store");
            sweep.dense = sweeps::read_dense_grids(file_, *dense, root["defaults"].as_table(), max_points_);
            return sweep;
        }
        if (grids == nullptr) fail(1, "no [[grid]]: give at least one");
        for (const toml::node& grid : *grids) read_grid(*grid.as_table(), defaults, sweep.points);
        return sweep;
    }

private:
    void read_grid(const toml::table& grid, const Axes& defaults, std::vector<Point>& points) {
        each(grid, defaults, "problem", "a grid without problem: give problem = \"poisson2d:level=8\"",
             [&](const Settings& settings, std::uint32_t line) {
                 Point point = make_point(settings, line);
                 if (!seen_.insert(point_key(point)).second) return;
                 if (points.size() == max_points_)
                     fail(line, fmt::format("more than {} points: split the sweep", max_points_));
                 points.push_back(std::move(point));
             });
    }

    double digits_of(std::string_view key, const Value& value) const {
        const double any = number_of(key, value, -INFINITY, INFINITY);
        return at_line(value.line, [&] { return checked_digits(any, key); });
    }

    /// Problem texts recur in every point; each is checked once.
    const std::string& canonical_problem(const Value& value) {
        std::string text = text_of("problem", value);
        const auto known = problems_.find(text);
        if (known != problems_.end()) return known->second;
        std::string name = at_line(value.line, [&] { return outline_problem(text).name; });
        return problems_.emplace(std::move(text), std::move(name)).first->second;
    }

    void check_engine(const Value& value) const {
        const std::string name = text_of("engine", value);
        const auto entry =
            std::find_if(engines_.begin(), engines_.end(), [&](const auto& e) { return e.name == name; });
        if (entry == engines_.end() || !entry->missing.empty()) at_line(value.line, [&] { make_engine(name); });
    }

    /// "same", "+6" or a format, as text that parse_spec reads.
    std::string relative_format(std::string_view key, const Value& value, const Format& base) const {
        const std::string text = text_of(key, value);
        if (text == "same") return to_string(base);
        if (!text.starts_with('+')) return text;
        const int guard = text.size() == 2 && text[1] >= '0' && text[1] <= '9' ? text[1] - '0'
                          : text.size() == 3 && text[1] >= '1' && text[1] <= '9' && text[2] >= '0' && text[2] <= '9'
                              ? 10 * (text[1] - '0') + (text[2] - '0')
                              : -1;
        if (base.is_fixed() && guard >= 0) // longer words below the point
            return to_string(Format::fixed(base.word_bits + guard, base.fraction_bits + guard, base.rounding));
        if (guard < 0 || base.fraction_bits + guard > Format::kMaxFraction)
            fail(value.line,
                 fmt::format("{} = \"{}\": a format, same, or + and the guard bits, up to {} fraction bits in "
                             "all",
                             key, text::printable(text), Format::kMaxFraction));
        return to_string(base.with_fraction(base.fraction_bits + guard));
    }

    DatapathSpec make_spec(const Settings& settings, std::uint32_t line) const {
        if (const auto it = settings.find("spec"); it != settings.end())
            return at_line(it->second->line, [&] { return parse_spec(text_of("spec", *it->second)); });
        Format base{17, 8};
        if (const auto it = settings.find("format"); it != settings.end())
            base = at_line(it->second->line, [&] { return parse_format(text_of("format", *it->second)); });
        std::string text = to_string(base);
        for (const auto& [key, value] : settings) {
            if (key == "vectors") {
                const std::string format = relative_format(key, *value, base);
                at_line(value->line, [&] { parse_format(format); });
                text += fmt::format(",r={0},p={0},q={0}", format);
                line = value->line;
            } else if (key == "lanes") {
                text += fmt::format(",lanes={}", whole_of(key, *value, 1));
                line = value->line;
            } else if (contains(kFormatKeys, key) && text_of(key, *value) != "exact") {
                const std::string format = relative_format(key, *value, base);
                at_line(value->line, [&] { parse_format(format); });
                text += fmt::format(",{}={}", key, format);
            } else if (contains(kSpecKeys, key)) {
                text += fmt::format(",{}={}", key, text_of(key, *value));
                line = value->line;
            }
        }
        return at_line(line, [&] { return parse_spec(text); });
    }

    Point make_point(const Settings& settings, std::uint32_t line) {
        Point point;
        SolveOptions& o = point.options;
        for (const auto& [key, setting] : settings) {
            const Value& value = *setting;
            if (key == "problem") point.problem = canonical_problem(value);
            else if (key == "engine") {
                check_engine(value);
                point.engine = text_of(key, value);
            } else if (key == "scheme")
                o.scheme = at_line(value.line, [&] { return parse_scheme(text_of("scheme", value)); });
            else if (key == "inner") o.inner = whole_of(key, value, 1);
            else if (key == "digits") o.digits = digits_of(key, value);
            else if (key == "stop") at_line(value.line, [&] { sweeps::set_stop(o, text_of("stop", value)); });
            else if (key == "inner_recurrence")
                o.inner_recurrence =
                    at_line(value.line, [&] { return sweeps::parse_recurrence(text_of("inner_recurrence", value)); });
            else if (key == "middle")
                o.middle = at_line(value.line, [&] { return sweeps::parse_middle(text_of("middle", value)); });
            else if (key == "outer")
                o.outer = at_line(value.line, [&] { return parse_format(text_of("outer", value)); });
            else if (key == "schedule")
                o.schedule = at_line(value.line, [&] { return sweeps::parse_schedule(text_of("schedule", value)); });
            else if (key == "headroom")
                o.headroom = static_cast<int>(number_of(key, value, kLeastHeadroom - 1, kMostHeadroom + 1));
            else if (key == "couplings")
                o.couplings = at_line(value.line, [&] { return parse_format(text_of("couplings", value)); });
            else if (key == "middle_digits") o.middle_digits = digits_of(key, value);
            else if (key == "tolerance") o.tolerance = number_of(key, value, 0, 1);
            else if (key == "max_iterations") o.max_iterations = whole_of(key, value, 0);
            else if (key == "resident") o.resident = truth_of(key, value);
            else if (key == "jacobi") o.jacobi = truth_of(key, value);
            else if (key == "history") o.history = truth_of(key, value);
        }
        o.spec = o.schedule.empty() ? make_spec(settings, line) : o.schedule.front().spec;
        return point;
    }

    const text::TomlText& file_;
    std::size_t max_points_;
    std::vector<EngineEntry> engines_;
    std::map<std::string, std::string, std::less<>> problems_;
    std::unordered_set<std::string> seen_;
};

} // namespace

Sweep parse_sweep(std::string_view text, std::string_view name, std::size_t max_points) {
    const text::TomlText file(text, name);
    return Reader(file, max_points).read();
}

Sweep read_sweep(const std::string& path) {
    return parse_sweep(base::read_file(path).view(), path);
}

} // namespace mantissa
