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
#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/host/sweep.hpp"
#include "sweep_file.hpp"
#include "text/key_values.hpp"
#include "text/toml_text.hpp"

namespace mantissa {

namespace {

using sweeps::Axes;
using sweeps::Settings;
using sweeps::Value;

constexpr std::string_view kSpecKeys[] = {"u",     "r",     "p",       "q",   "coef",   "operand", "row",
                                          "order", "point", "product", "dot", "scalar", "lanes"};
constexpr std::string_view kFormatKeys[] = {"u", "r", "p", "q", "coef", "operand", "row", "scalar", "product"};
/// Beside the options of a solve: what a point has, and short ways to say several keys at once.
constexpr std::string_view kStop = "stop", kVectors = "vectors";
const std::string_view kProblem = options::common(options::Common::problem).name,
                       kEngine = options::common(options::Common::engine).name;
/// What "stop" gives of inner solves: "inner=10" or "digits=2".
constexpr std::string_view kStops[] = {"inner", "digits"};
/// And of the whole: what the option of that name takes, as "energy=1e-6".
constexpr std::string_view kWholeStops[] = {"energy", "residual"};

template <std::size_t N> bool contains(const std::string_view (&list)[N], std::string_view key) {
    return std::find(std::begin(list), std::end(list), key) != std::end(list);
}
bool is_of(const options::Option* option, options::Type type) {
    return option != nullptr && option->type == type;
}
bool describes_spec(std::string_view key) {
    return key == kVectors || contains(kSpecKeys, key);
}
/// Is it one of the options of which "stop" gives one?
bool is_stop(const options::Option* option) {
    return option != nullptr && (option->name == kStops[0] || option->name == kStops[1]);
}
/// How often does the text of "stop" give what is called `name`?
std::size_t names_stop(std::string_view text, std::string_view name) {
    std::size_t times = 0;
    for (bool more = true; more;) {
        const auto comma = text.find(',');
        const std::string_view one = text.substr(0, comma);
        if (one.substr(0, one.find('=')) == name) ++times;
        more = comma != std::string_view::npos;
        text.remove_prefix(more ? comma + 1 : text.size());
    }
    return times;
}
/// Does it say when the whole solve ends?
bool names_whole(std::string_view text) {
    return std::ranges::any_of(kWholeStops, [&](std::string_view name) { return names_stop(text, name) != 0; });
}

/// May both keys stand in one grid?
bool exclude_each_other(std::string_view a, std::string_view b, std::span<const options::Option> among) {
    if (a == b) return false;
    if (a == kStop || b == kStop) return is_stop(options::find(a == kStop ? b : a, among));
    const options::Option *x = options::find(a, among), *y = options::find(b, among);
    if (x != nullptr && y != nullptr) return options::exclude_each_other(*x, *y);
    const auto vector = [](std::string_view k) { return k == "r" || k == "p" || k == "q"; };
    const auto whole = [](const options::Option* o) {
        return is_of(o, options::Type::spec) || is_of(o, options::Type::schedule);
    };
    return (whole(x) && describes_spec(b)) || (whole(y) && describes_spec(a)) || (a == kVectors && vector(b)) ||
           (b == kVectors && vector(a));
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

/// The keys of a [[grid]], `names` those of options.
std::vector<std::string_view> grid_keys(const std::vector<std::string>& names) {
    std::vector<std::string_view> keys{kProblem, kEngine, kStop, kVectors};
    keys.insert(keys.end(), names.begin(), names.end());
    keys.insert(keys.end(), std::begin(kSpecKeys), std::end(kSpecKeys));
    return keys;
}

sweeps::GridRules rules_of(const text::TomlText& file, const std::vector<std::string>& names,
                           std::span<const options::Option> among) {
    sweeps::GridRules rules;
    rules.keys = grid_keys(names);
    rules.exclude_each_other = [among](std::string_view a, std::string_view b) {
        return exclude_each_other(a, b, among);
    };
    rules.special = [&file, among](std::string_view key, const toml::node& node,
                                   std::uint32_t line) -> std::optional<std::vector<Value>> {
        if (!is_of(options::find(key, among), options::Type::schedule)) return std::nullopt;
        return read_schedules(file, node, line);
    };
    return rules;
}

/// What a sweep file calls the options.
std::vector<std::string> spelt_names(std::span<const options::Option> among) {
    std::vector<std::string> names;
    for (const options::Option& option : among)
        if (option.name != kStop) names.push_back(options::spelt(option));
    return names;
}

class Reader : private sweeps::GridReader {
public:
    Reader(const text::TomlText& file, std::size_t max_points, const std::vector<std::string>& names,
           std::span<const options::Option> among)
        : GridReader(file, rules_of(file, names, among), max_points), file_(file), max_points_(max_points),
          among_(among), engines_(list_engines()) {}

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
                if (const toml::node* const zip = node.as_table()->get("zip"))
                    fail(zip->source().begin.line, "zip is of one grid: write it there, not under [defaults]");
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
        sweeps::UseOfKeys uses;
        each(grid, defaults, kProblem, "a grid without problem: give problem = \"poisson2d:level=8\"",
             [&](const Settings& settings, std::uint32_t line) {
                 Point point = make_point(settings, line);
                 note_uses(settings, point.options, uses);
                 if (!seen_.insert(point_key(point)).second) return;
                 if (points.size() == max_points_)
                     fail(line, fmt::format("more than {} points: split the sweep", max_points_));
                 points.push_back(std::move(point));
             });
        if (const auto unused = uses.first_unused()) fail(unused->first, unused->second);
    }

    /// Which keys of the grid itself a point has a use for; defaults are for those grids that have one.
    void note_uses(const Settings& settings, const SolveOptions& made, sweeps::UseOfKeys& uses) const {
        if (!options::refusal(made).empty()) return; // the solve says why, and uses none of them
        const auto note = [&](std::string_view key, const Value& value, const options::Option* option) {
            if (option == nullptr || value.by_default) return;
            uses.note(key, value.line, options::unused(*option, made));
        };
        for (const auto& [key, value] : settings) {
            if (key != kStop) note(key, *value, options::find(key, among_));
            else
                for (const std::string_view name : kStops)
                    if (names_stop(text_of(kStop, *value), name)) note(key, *value, options::find(name, among_));
        }
    }

    /// Problem texts recur in every point; each is checked once.
    const std::string& canonical_problem(const Value& value) {
        std::string text = text_of(kProblem, value);
        const auto known = problems_.find(text);
        if (known != problems_.end()) return known->second;
        std::string name = at_line(value.line, [&] { return outline_problem(text).name; });
        return problems_.emplace(std::move(text), std::move(name)).first->second;
    }

    void check_engine(const Value& value) const {
        const std::string name = text_of(kEngine, value);
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
        Format base{17, 8};
        for (const auto& [key, value] : settings) {
            const options::Option* const option = options::find(key, among_);
            if (option == nullptr || !options::names_datapath(*option)) continue;
            const std::string text = text_of(key, *value);
            if (option->type == options::Type::spec) return at_line(value->line, [&] { return parse_spec(text); });
            base = at_line(value->line, [&] { return parse_format(text); });
        }
        std::string text = to_string(base);
        for (const auto& [key, value] : settings) {
            if (key == kVectors) {
                const std::string format = relative_format(key, *value, base);
                at_line(value->line, [&] { parse_format(format); });
                text += fmt::format(",r={0},p={0},q={0}", format);
                line = value->line;
            } else if (key == "lanes") {
                text += fmt::format(",lanes={}", whole_of(key, *value, 1));
                line = value->line;
            } else if (contains(kFormatKeys, key) && text_of(key, *value) != "exact") {
                const std::string format = relative_format(key, *value, base);
                at_line(value->line, [&] {
                    if (!narrow::parse_block_format(format)) parse_format(format);
                });
                text += fmt::format(",{}={}", key, format);
            } else if (contains(kSpecKeys, key)) {
                text += fmt::format(",{}={}", key, text_of(key, *value));
                line = value->line;
            }
        }
        return at_line(line, [&] { return parse_spec(text); });
    }

    /// "inner=10", "digits=2", "energy=1e-6" or two of them with a comma between: one of an inner solve, one of the
    /// whole, which is left out where `inner_alone`.
    void set_stops(options::Request& request, std::string_view text, bool inner_alone) const {
        for (const auto names :
             {std::span<const std::string_view>(kStops), std::span<const std::string_view>(kWholeStops)}) {
            std::size_t times = 0;
            for (const std::string_view name : names) times += names_stop(text, name);
            if (times > 1)
                throw InvalidInput(fmt::format("stop {}: {} exclude each other, and each stands once: keep one",
                                               base::quoted(text), fmt::join(names, " and ")));
        }
        for (bool more = true; more;) {
            const auto comma = text.find(',');
            more = comma != std::string_view::npos;
            if (const std::string_view one = text.substr(0, comma); !inner_alone || !names_whole(one))
                set_stop(request, one);
            text.remove_prefix(more ? comma + 1 : text.size());
        }
    }
    /// One of them, as the option that it names.
    void set_stop(options::Request& request, std::string_view text) const {
        const auto fail = [&] {
            throw InvalidInput(fmt::format("stop {}: write {}=10 or {}=2, {}=1e-6 or two of them as {}=10,{}=1e-6",
                                           base::quoted(text), kStops[0], kStops[1], kWholeStops[0], kStops[0],
                                           kWholeStops[0]));
        };
        const auto equals = std::min(text.find('='), text.size());
        const options::Option* const option = options::find(text.substr(0, equals), among_);
        if (const options::Option* whole = options::find(kStop, among_); whole != nullptr && names_whole(text))
            return give(request, *whole, options::Value(std::string(text)), kStop);
        const std::string_view value = text.substr(std::min(equals + 1, text.size()));
        std::uint64_t whole = 0;
        double number = 0;
        if (!is_stop(option)) fail();
        const bool counts = option->type == options::Type::whole;
        if (counts ? !text::read_number(value, whole) || whole < 1 : !text::read_number(value, number)) fail();
        give(request, *option, counts ? options::Value(whole) : options::Value(number),
             fmt::format("stop: {}", option->name));
    }

    /// Of a stop and what excludes it (a tolerance): which key a point goes without.
    struct Tolerated {
        std::string_view left_out; ///< a default, where the grid's stop ends the whole solve
        bool by_tolerance = false; ///< the other way round: of the stop its inner part alone is left
    };
    [[nodiscard]] Tolerated end_of(const Settings& settings) const {
        const auto stop = settings.find(kStop);
        const options::Option* const whole = options::find(kStop, among_);
        if (stop == settings.end() || whole == nullptr || !names_whole(text_of(kStop, *stop->second))) return {};
        for (const auto& [key, value] : settings) {
            const options::Option* const option = options::find(key, among_);
            if (key == kStop || option == nullptr || !options::exclude_each_other(*whole, *option)) continue;
            if (stop->second->by_default == value->by_default)
                fail(stop->second->line, fmt::format("{} excludes {} {}: keep one", key, kStop,
                                                     base::quoted(text_of(kStop, *stop->second))));
            if (value->by_default) return {key, false};
            return {{}, true};
        }
        return {};
    }

    Point make_point(const Settings& settings, std::uint32_t line) {
        Point point;
        options::Request request;
        const Tolerated end = end_of(settings);
        for (const auto& [key, setting] : settings) {
            const Value& value = *setting;
            const options::Option* const option = options::find(key, among_);
            if (key == end.left_out) continue;
            if (key == kProblem) point.problem = canonical_problem(value);
            else if (key == kEngine) {
                check_engine(value);
                point.engine = text_of(key, value);
            } else if (key == kStop)
                at_line(value.line, [&] { set_stops(request, text_of(kStop, value), end.by_tolerance); });
            else if (option != nullptr && !options::names_datapath(*option)) {
                const options::Value given = value_of(*option, key, value);
                at_line(value.line, [&] { give(request, *option, given, key); });
            }
        }
        point.options = at_line(line, [&] { return request.finish(); });
        if (point.options.schedule.empty()) point.options.spec = make_spec(settings, line);
        return point;
    }

    const text::TomlText& file_;
    std::size_t max_points_;
    std::span<const options::Option> among_;
    std::vector<EngineEntry> engines_;
    std::map<std::string, std::string, std::less<>> problems_;
    std::unordered_set<std::string> seen_;
};

} // namespace

Sweep sweeps::parse_sweep_of(std::string_view text, std::string_view name, std::size_t max_points,
                             std::span<const options::Option> among) {
    const text::TomlText file(text, name);
    const std::vector<std::string> names = spelt_names(among);
    return Reader(file, max_points, names, among).read();
}

Sweep parse_sweep(std::string_view text, std::string_view name, std::size_t max_points) {
    return sweeps::parse_sweep_of(text, name, max_points, options::table());
}

Sweep read_sweep(const std::string& path) {
    return parse_sweep(base::read_file(path).view(), path);
}

std::vector<std::string> dense_sweep_keys() {
    const std::vector<std::string> names = spelt_names(options::table());
    const std::vector<std::string_view> others = grid_keys(names);
    std::vector<std::string> keys;
    for (const std::string_view key : sweeps::dense_keys())
        if (std::ranges::find(others, key) == others.end()) keys.emplace_back(key);
    return keys;
}

} // namespace mantissa
