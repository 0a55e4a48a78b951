#include "grid.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "text/whole_range.hpp"

namespace mantissa::sweeps {

Value GridReader::read_value(const toml::node& node, std::string_view key, std::uint32_t key_line) const {
    const std::uint32_t line = node.source().begin.line != 0 ? node.source().begin.line : key_line;
    if (const auto v = node.value_exact<std::string>()) return {*v, line};
    if (const auto v = node.value_exact<std::int64_t>()) return {*v, line};
    if (const auto v = node.value_exact<double>()) return {*v, line};
    if (const auto v = node.value_exact<bool>()) return {*v, line};
    fail(line, fmt::format("a value of {} is no text, number or boolean", key));
}

Axes GridReader::read_axes(const toml::table& table) const {
    Axes axes;
    for (const auto& [key, node] : table) {
        const auto begin = key.source().begin;
        if (key == "zip") continue;
        if (std::find(rules_.keys.begin(), rules_.keys.end(), key.str()) == rules_.keys.end())
            fail(begin.line, fmt::format("no key '{}'; the keys are {} and zip", text::printable(key.str()),
                                         fmt::join(rules_.keys, ", ")));
        Axis axis{{}, begin.line, begin.column};
        if (auto special = rules_.special ? rules_.special(key.str(), node, begin.line) : std::nullopt) {
            axis.values = std::move(*special);
        } else if (const toml::array* list = node.as_array()) {
            if (list->empty()) fail(begin.line, fmt::format("{} is an empty list: give at least one value", key.str()));
            for (const toml::node& item : *list) axis.values.push_back(read_value(item, key.str(), begin.line));
        } else {
            axis.values.push_back(read_value(node, key.str(), begin.line));
        }
        for (const auto& [other, unused] : axes)
            if (rules_.exclude_each_other(key.str(), other))
                fail(begin.line, fmt::format("{} and {} exclude each other: keep one", other, key.str()));
        axes.emplace(key.str(), std::move(axis));
    }
    return axes;
}

/// The keys that vary together, one group per dimension of the grid, in the file's order.
std::vector<std::vector<std::string>> GridReader::read_dimensions(const toml::table& grid, const Axes& axes) const {
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
                if (!members.empty() && axes.find(members.front())->second.values.size() != axis->second.values.size())
                    fail(axis->second.line,
                         fmt::format("zipped lists of different lengths: {} has {} values, {} has {}", members.front(),
                                     axes.find(members.front())->second.values.size(), *key,
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

void GridReader::each(const toml::table& grid, const Axes& defaults, std::string_view needed, const std::string& mend,
                      const std::function<void(const Settings&, std::uint32_t line)>& take) const {
    const std::uint32_t line = grid.source().begin.line;
    Axes axes = read_axes(grid);
    for (const auto& entry : defaults) {
        const bool overridden = std::any_of(axes.begin(), axes.end(), [&](const auto& own) {
            return own.first == entry.first || rules_.exclude_each_other(entry.first, own.first);
        });
        if (overridden) continue;
        Axis axis = entry.second; // defaults exclude none of each other
        for (Value& value : axis.values) value.by_default = true;
        axes.emplace(entry.first, std::move(axis));
    }
    if (!axes.contains(needed)) fail(line, mend);
    const auto dimensions = read_dimensions(grid, axes);

    std::size_t count = 1;
    for (const auto& keys : dimensions) {
        const std::size_t length = axes.find(keys.front())->second.values.size();
        if (length > max_points_ / count)
            fail(line, fmt::format("this grid has more than {} points: split the sweep", max_points_));
        count *= length;
    }
    for (std::size_t index = 0; index < count; ++index) {
        Settings settings;
        std::size_t rest = index;
        for (auto keys = dimensions.rbegin(); keys != dimensions.rend(); ++keys) { // the last list runs fastest
            const std::size_t length = axes.find(keys->front())->second.values.size();
            for (const std::string& key : *keys) settings[key] = &axes.find(key)->second.values[rest % length];
            rest /= length;
        }
        take(settings, line);
    }
}

std::string GridReader::text_of(std::string_view key, const Value& value) const {
    if (const auto* text = std::get_if<std::string>(&value.data)) return *text;
    fail(value.line, fmt::format("{} must be text in quotes", key));
}
double GridReader::number_of(std::string_view key, const Value& value, double low, double high) const {
    double number = NAN;
    if (const auto* d = std::get_if<double>(&value.data)) number = *d;
    if (const auto* i = std::get_if<std::int64_t>(&value.data)) number = static_cast<double>(*i);
    if (!(number > low && number < high))
        fail(value.line, std::isinf(low) ? fmt::format("{} must be a finite number, without quotes", key)
                                         : fmt::format("{} must be a number above {} and below {}", key, low, high));
    return number;
}

std::uint64_t GridReader::whole_of(std::string_view key, const Value& value, std::uint64_t low) const {
    const text::WholeRange range{low};
    const auto* i = std::get_if<std::int64_t>(&value.data);
    const auto number = i != nullptr ? range.checked(*i) : std::nullopt;
    if (!number) fail(value.line, fmt::format("{} must be {}", key, range.name()));
    return *number;
}
std::int64_t GridReader::integer_of(std::string_view key, const Value& value) const {
    const auto* i = std::get_if<std::int64_t>(&value.data);
    if (i == nullptr) fail(value.line, fmt::format("{} must be a whole number", key));
    return *i;
}

bool GridReader::truth_of(std::string_view key, const Value& value) const {
    const auto* b = std::get_if<bool>(&value.data);
    if (b == nullptr) fail(value.line, fmt::format("{} must be true or false", key));
    return *b;
}

options::Value GridReader::value_of(const options::Option& option, std::string_view key, const Value& value) const {
    switch (option.type) {
    case options::Type::truth:
        return truth_of(key, value);
    case options::Type::whole:
        return whole_of(key, value, static_cast<std::uint64_t>(option.low));
    case options::Type::integer:
        return integer_of(key, value);
    case options::Type::number:
        return option.open ? number_of(key, value, option.low, option.high)
                           : number_of(key, value, -INFINITY, INFINITY);
    default:
        return text_of(key, value);
    }
}

} // namespace mantissa::sweeps
