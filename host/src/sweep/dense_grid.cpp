#include "dense_grid.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "grid.hpp"
#include "mantissa/host/registry.hpp"
#include "text/key_values.hpp"

namespace mantissa::sweeps {

namespace {

constexpr std::string_view kProblemKeys[] = {"n", "kind", "kappa", "points", "phi", "seed", "file"};
constexpr std::string_view kSpecKeys[] = {"a", "l", "u", "acc", "product", "order", "pivot", "div", "sum"};
constexpr std::string_view kFormat = "format";
const std::string_view kProblem = options::common(options::Common::problem).name,
                       kEngine = options::common(options::Common::engine).name;

/// Does a key name the arithmetic of the factors, whole?
bool names_spec(std::string_view key) {
    return options::find(key, options::dense()) == &options::dense(options::Dense::lu);
}

/// What a sweep file calls the options, with their earlier spellings. A store's rows are of factors.
std::vector<std::string> option_keys() {
    std::vector<std::string> keys;
    for (const options::Option& option : options::dense()) {
        if (&option == &options::dense(options::Dense::method)) continue;
        keys.push_back(options::spelt(option));
        if (!option.earlier.empty()) keys.emplace_back(option.earlier);
    }
    return keys;
}

template <std::size_t N> bool contains(const std::string_view (&list)[N], std::string_view key) {
    return std::find(std::begin(list), std::end(list), key) != std::end(list);
}

bool describes_spec(std::string_view key) {
    return key == kFormat || contains(kSpecKeys, key);
}

/// May both keys not stand in one grid?
bool exclude_each_other(std::string_view a, std::string_view b) {
    const auto either = [&](std::string_view whole, const auto& is_part) {
        return (a == whole && is_part(b)) || (b == whole && is_part(a));
    };
    const options::Option* const option = options::find(a, options::dense());
    if (option != nullptr && option == options::find(b, options::dense())) return true;
    return either(kProblem, [](std::string_view k) { return contains(kProblemKeys, k); }) ||
           either("file", [](std::string_view k) { return k != "file" && contains(kProblemKeys, k); }) ||
           (names_spec(a) && describes_spec(b)) || (names_spec(b) && describes_spec(a));
}

GridRules rules() {
    GridRules rules;
    rules.keys = dense_keys();
    rules.exclude_each_other = exclude_each_other;
    return rules;
}

class DenseReader : private GridReader {
public:
    DenseReader(const text::TomlText& file, std::size_t max_points)
        : GridReader(file, rules(), max_points), max_points_(max_points) {}

    std::vector<DensePoint> read(const toml::array& grids, const toml::table* defaults) {
        const Axes given = defaults == nullptr ? Axes{} : read_axes(*defaults);
        std::vector<DensePoint> points;
        for (const toml::node& grid : grids) {
            const toml::table& table = *grid.as_table();
            const bool whole = table.contains(kProblem) || given.contains(kProblem);
            const bool file = table.contains("file") || given.contains("file");
            UseOfKeys uses;
            each(table, given,
                 whole  ? kProblem
                 : file ? "file"
                        : "n",
                 "a dense grid without a system: give n = 256, problem = \"n=256,kind=uniform\" or file = \"a.mtx\"",
                 [&](const Settings& settings, std::uint32_t line) {
                     DensePoint point = make_point(settings, line);
                     for (const auto& [key, value] : settings)
                         if (const options::Option* const option = options::find(key, options::dense());
                             option != nullptr && !value->by_default)
                             uses.note(key, value->line, options::unused(*option, point.options));
                     if (!seen_.insert(point_key(point)).second) return;
                     if (points.size() == max_points_)
                         fail(line, fmt::format("more than {} points: split the sweep", max_points_));
                     points.push_back(std::move(point));
                 });
            if (const auto unused = uses.first_unused()) fail(unused->first, unused->second);
        }
        return points;
    }

private:
    std::size_t max_points_;
    std::map<std::string, std::string, std::less<>> problems_; ///< by text: each is checked once
    std::unordered_set<std::string> seen_;
    std::unordered_set<std::string> engines_; ///< names that are checked

    /// A number or a word as `KEY=VALUE` of a text has it.
    [[nodiscard]] std::string word_of(std::string_view key, const Value& value) const {
        if (const auto* i = std::get_if<std::int64_t>(&value.data)) return fmt::format("{}", *i);
        if (const auto* d = std::get_if<double>(&value.data)) return text::shortest(*d);
        const std::string text = text_of(key, value);
        if (text.find(',') != std::string::npos)
            fail(value.line,
                 fmt::format("{} = \"{}\": a comma parts keys; give one value", key, text::printable(text)));
        return text;
    }

    const std::string& problem_of(const Settings& settings, std::uint32_t line) {
        std::string text;
        for (const auto& [key, value] : settings) {
            if (key == kProblem) text = text_of(key, *value);
            else if (contains(kProblemKeys, key))
                text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, word_of(key, *value));
            else continue;
            line = value->line;
        }
        const auto known = problems_.find(text);
        if (known != problems_.end()) return known->second;
        std::string name = at_line(line, [&] { return outline_dense_problem(text).name; });
        return problems_.emplace(std::move(text), std::move(name)).first->second;
    }

    [[nodiscard]] LuSpec spec_of(const Settings& settings, std::uint32_t line) const {
        std::string text = "lu:s10e5";
        if (const auto it = settings.find(kFormat); it != settings.end()) {
            text = "lu:" + text_of(kFormat, *it->second);
            line = it->second->line;
        }
        for (const auto& [key, value] : settings) {
            if (!contains(kSpecKeys, key)) continue;
            const std::string word = text_of(key, *value);
            if (word == "same") continue; // as the format, or the field's default
            text += fmt::format(",{}={}", key, word);
            line = value->line;
        }
        return at_line(line, [&] { return parse_lu_spec(text); });
    }

    DensePoint make_point(const Settings& settings, std::uint32_t line) {
        DensePoint point;
        point.problem = problem_of(settings, line);
        DenseOptions& o = point.options;
        o.spec = spec_of(settings, line);
        for (const auto& [key, setting] : settings) {
            const Value& value = *setting;
            if (key == kEngine) {
                point.engine = text_of(key, value);
                if (engines_.insert(point.engine).second) at_line(value.line, [&] { make_lu_factor(point.engine, 1); });
            } else if (const options::Option* const option = options::find(key, options::dense())) {
                at_line(value.line,
                        [&, name = key] { options::give(o, *option, value_of(*option, name, value), name); });
            }
        }
        return point;
    }
};

} // namespace

std::vector<DensePoint> read_dense_grids(const text::TomlText& file, const toml::array& grids,
                                         const toml::table* defaults, std::size_t max_points) {
    return DenseReader(file, max_points).read(grids, defaults);
}

std::vector<std::string_view> dense_keys() {
    static const std::vector<std::string> kOptionKeys = option_keys();
    std::vector<std::string_view> keys{kProblem, kEngine, kFormat};
    keys.insert(keys.end(), kOptionKeys.begin(), kOptionKeys.end());
    for (const std::span<const std::string_view> list :
         {std::span<const std::string_view>(kProblemKeys), std::span<const std::string_view>(kSpecKeys)})
        keys.insert(keys.end(), list.begin(), list.end());
    return keys;
}

} // namespace mantissa::sweeps
