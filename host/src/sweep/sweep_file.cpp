// Sweep files: TOML text to points.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <toml++/toml.h>

#include "mantissa/base/files.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/host/sweep.hpp"
#include "options_text.hpp"
#include "text/toml_text.hpp"
#include "text/whole_range.hpp"

namespace mantissa {

namespace {

struct Value {
    std::variant<std::string, std::int64_t, double, bool> data;
    std::uint32_t line = 0;
};

/// A key of a grid with the values it takes.
struct Axis {
    std::vector<Value> values;
    std::uint32_t line = 0, column = 0;
};
using Axes = std::map<std::string, Axis, std::less<>>;

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

class Reader {
public:
    Reader(const text::TomlText& file, std::size_t max_points)
        : file_(file), max_points_(max_points), engines_(list_engines()) {}

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
                defaults = read_axes(*node.as_table());
            } else if (key == "grid") {
                if (!node.is_array_of_tables()) fail(line, "grid must be tables: write [[grid]]");
            } else {
                fail(line, fmt::format("no key '{}' here; the top level holds store, [defaults] and [[grid]]",
                                       text::printable(key.str())));
            }
        }
        const toml::array* grids = root["grid"].as_array();
        if (grids == nullptr) fail(1, "no [[grid]]: give at least one");
        for (const toml::node& grid : *grids) read_grid(*grid.as_table(), defaults, sweep.points);
        return sweep;
    }

private:
    [[noreturn]] void fail(std::uint32_t line, const std::string& what) const { file_.fail(line, what); }
    template <class Action> auto at_line(std::uint32_t line, const Action& action) const {
        return file_.at_line(line, action);
    }

    Value read_value(const toml::node& node, std::string_view key, std::uint32_t key_line) const {
        const std::uint32_t line = node.source().begin.line != 0 ? node.source().begin.line : key_line;
        if (const auto v = node.value_exact<std::string>()) return {*v, line};
        if (const auto v = node.value_exact<std::int64_t>()) return {*v, line};
        if (const auto v = node.value_exact<double>()) return {*v, line};
        if (const auto v = node.value_exact<bool>()) return {*v, line};
        fail(line, fmt::format("a value of {} is no text, number or boolean", key));
    }

    /// [[1, "s52e11"], [2e-3, "s23e8"]] as the text that the command line takes; the numbers as they are in the file.
    Value read_schedule(const toml::node& node, std::uint32_t key_line) const {
        const std::uint32_t line = node.source().begin.line != 0 ? node.source().begin.line : key_line;
        const auto bad = [&] {
            fail(line, "schedule must list pairs of a defect and a datapath: [[1, \"s52e11\"], [2e-3, \"s23e8\"]]");
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
    std::vector<Value> read_schedules(const toml::node& node, std::uint32_t line) const {
        const toml::array* list = node.as_array();
        const toml::array* first = list == nullptr || list->empty() ? nullptr : list->get(0)->as_array();
        if (first == nullptr || first->empty() || !first->get(0)->is_array()) return {read_schedule(node, line)};
        std::vector<Value> values;
        for (const toml::node& item : *list) values.push_back(read_schedule(item, line));
        return values;
    }

    Axes read_axes(const toml::table& table) const {
        Axes axes;
        for (const auto& [key, node] : table) {
            const auto begin = key.source().begin;
            if (key == "zip") continue;
            if (!contains(kSpecKeys, key.str()) && !contains(kOtherKeys, key.str()))
                fail(begin.line, fmt::format("no key '{}'; the keys are {}, {} and zip", text::printable(key.str()),
                                             fmt::join(kOtherKeys, ", "), fmt::join(kSpecKeys, ", ")));
            Axis axis{{}, begin.line, begin.column};
            if (key == "schedule") {
                axis.values = read_schedules(node, begin.line);
            } else if (const toml::array* list = node.as_array()) {
                if (list->empty())
                    fail(begin.line, fmt::format("{} is an empty list: give at least one value", key.str()));
                for (const toml::node& item : *list) axis.values.push_back(read_value(item, key.str(), begin.line));
            } else {
                axis.values.push_back(read_value(node, key.str(), begin.line));
            }
            for (const auto& [other, unused] : axes)
                if (exclude_each_other(key.str(), other))
                    fail(begin.line, fmt::format("{} and {} exclude each other: keep one", other, key.str()));
            axes.emplace(key.str(), std::move(axis));
        }
        return axes;
    }

    /// The keys that vary together, one group per dimension of the grid, in the file's order.
    std::vector<std::vector<std::string>> read_dimensions(const toml::table& grid, const Axes& axes) const {
        std::vector<std::vector<std::string>> dimensions;
        std::set<std::string, std::less<>> zipped;
        if (const toml::node* node = grid.get("zip")) {
            const std::uint32_t line = node->source().begin.line;
            const char* const form = "zip must list lists of keys, as in zip = [[\"format\", \"row\"]]";
            const toml::array* groups = node->as_array();
            if (groups == nullptr) fail(line, form);
            for (const toml::node& group : *groups) {
                const toml::array* keys = group.as_array();
                if (keys == nullptr || keys->empty()) fail(line, form);
                std::vector<std::string> members;
                for (const toml::node& item : *keys) {
                    const auto key = item.value_exact<std::string>();
                    if (!key) fail(line, form);
                    const auto axis = axes.find(*key);
                    if (axis == axes.end())
                        fail(line, fmt::format("zip names {}, which the grid does not set", text::printable(*key)));
                    if (!zipped.insert(*key).second) fail(line, fmt::format("zip names {} twice", *key));
                    if (!members.empty() &&
                        axes.find(members.front())->second.values.size() != axis->second.values.size())
                        fail(axis->second.line,
                             fmt::format("zipped lists of different lengths: {} has {} values, {} has {}",
                                         members.front(), axes.find(members.front())->second.values.size(), *key,
                                         axis->second.values.size()));
                    members.push_back(*key);
                }
                dimensions.push_back(std::move(members));
            }
        }
        for (const auto& [key, axis] : axes)
            if (!zipped.contains(key)) dimensions.push_back({key});
        std::stable_sort(dimensions.begin(), dimensions.end(), [&](const auto& a, const auto& b) {
            const Axis &x = axes.find(a.front())->second, &y = axes.find(b.front())->second;
            return std::pair(x.line, x.column) < std::pair(y.line, y.column);
        });
        return dimensions;
    }

    void read_grid(const toml::table& grid, const Axes& defaults, std::vector<Point>& points) {
        const std::uint32_t line = grid.source().begin.line;
        Axes axes = read_axes(grid);
        for (const auto& entry : defaults) {
            const bool overridden = std::any_of(axes.begin(), axes.end(), [&](const auto& own) {
                return own.first == entry.first || exclude_each_other(entry.first, own.first);
            });
            if (!overridden) axes.insert(entry); // defaults exclude none of each other
        }
        if (!axes.contains("problem")) fail(line, "a grid without problem: give problem = \"poisson2d:level=8\"");
        const auto dimensions = read_dimensions(grid, axes);

        std::size_t count = 1;
        for (const auto& keys : dimensions) {
            const std::size_t length = axes.find(keys.front())->second.values.size();
            if (length > max_points_ / count)
                fail(line, fmt::format("this grid has more than {} points: split the sweep", max_points_));
            count *= length;
        }
        for (std::size_t index = 0; index < count; ++index) {
            std::map<std::string_view, const Value*> settings;
            std::size_t rest = index;
            for (auto keys = dimensions.rbegin(); keys != dimensions.rend(); ++keys) { // the last list runs fastest
                const std::size_t length = axes.find(keys->front())->second.values.size();
                for (const std::string& key : *keys) settings[key] = &axes.find(key)->second.values[rest % length];
                rest /= length;
            }
            Point point = make_point(settings, line);
            if (!seen_.insert(point_key(point)).second) continue;
            if (points.size() == max_points_)
                fail(line, fmt::format("more than {} points: split the sweep", max_points_));
            points.push_back(std::move(point));
        }
    }

    using Settings = std::map<std::string_view, const Value*>;

    std::string text_of(std::string_view key, const Value& value) const {
        if (const auto* text = std::get_if<std::string>(&value.data)) return *text;
        fail(value.line, fmt::format("{} must be text in quotes", key));
    }
    double number_of(std::string_view key, const Value& value, double low, double high) const {
        double number = NAN;
        if (const auto* d = std::get_if<double>(&value.data)) number = *d;
        if (const auto* i = std::get_if<std::int64_t>(&value.data)) number = static_cast<double>(*i);
        if (!(number > low && number < high))
            fail(value.line, fmt::format("{} must be a number above {} and below {}", key, low, high));
        return number;
    }
    double digits_of(std::string_view key, const Value& value) const {
        const double any = number_of(key, value, -INFINITY, INFINITY);
        return at_line(value.line, [&] { return checked_digits(any, key); });
    }
    std::uint64_t whole_of(std::string_view key, const Value& value, std::uint64_t low) const {
        const text::WholeRange range{low};
        const auto* i = std::get_if<std::int64_t>(&value.data);
        const auto number = i != nullptr ? range.checked(*i) : std::nullopt;
        if (!number) fail(value.line, fmt::format("{} must be {}", key, range.name()));
        return *number;
    }
    bool truth_of(std::string_view key, const Value& value) const {
        const auto* b = std::get_if<bool>(&value.data);
        if (b == nullptr) fail(value.line, fmt::format("{} must be true or false", key));
        return *b;
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
