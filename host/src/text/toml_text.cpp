#include "toml_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "whole_range.hpp"

namespace mantissa::text {

namespace {

std::uint32_t line_of_node(const toml::node& node, std::uint32_t fallback) {
    return node.source().begin.line != 0 ? node.source().begin.line : fallback;
}

/// The line of a key with more parts (a.b.c) than any of ours, or 0: the parser makes a table inside a table of each,
/// and thousands of those overrun the stack when they go.
std::uint32_t line_of_deep_key(std::string_view text) {
    constexpr int kMostParts = 16;
    std::uint32_t line = 1;
    int dots = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"' || c == '\'') {
            const bool several = text.substr(at, 3) == std::string(3, c);
            const std::string_view end = text.substr(at, several ? 3 : 1);
            for (at += end.size(); at < text.size() && text.substr(at, end.size()) != end; ++at) {
                if (c == '"' && text[at] == '\\') ++at;
                if (at < text.size() && text[at] == '\n') {
                    ++line;
                    if (!several) break; // an error that the parser will tell
                }
            }
            if (several) at += 2;
            continue;
        }
        if (c == '#') at = std::min(text.find('\n', at), text.size()) - 1;
        else if (c == '.') ++dots;
        else if (std::string_view("=[]{},\n").find(c) != std::string_view::npos) dots = 0;
        line += c == '\n' ? 1 : 0;
        if (dots >= kMostParts) return line;
    }
    return 0;
}

} // namespace

std::string printable(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, 80)) out += c >= ' ' && c <= '~' ? c : '?';
    return out;
}

TomlText::TomlText(std::string_view text, std::string_view name) : name_(name) {
    if (const std::uint32_t line = line_of_deep_key(text); line != 0)
        fail(line, "a key of too many parts (a.b.c...); the keys here have two at most");
    try {
        root_ = toml::parse(text, name);
    } catch (const toml::parse_error& fault) {
        fail(fault.source().begin.line, fmt::format("{}; correct the TOML", printable(fault.description())));
    }
}

void TomlText::fail(std::uint32_t line, const std::string& what) const {
    std::string text = what; // may quote the file, line ends and all
    for (char& c : text)
        if (static_cast<unsigned char>(c) < ' ') c = '?';
    throw InvalidInput(fmt::format("{}:{}: {}", name_, std::max(line, 1U), text));
}

void TomlText::check_keys(const toml::table& table, std::string_view where,
                          std::initializer_list<std::string_view> known) const {
    for (const auto& [key, node] : table)
        if (std::find(known.begin(), known.end(), key.str()) == known.end())
            fail(key.source().begin.line, fmt::format("no key '{}' in {}; the keys are {}", printable(key.str()), where,
                                                      fmt::join(known, ", ")));
}

std::uint32_t TomlText::line_of(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    return node == nullptr ? table.source().begin.line : line_of_node(*node, table.source().begin.line);
}

std::string TomlText::text(const toml::table& table, std::string_view key, std::string fallback) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return fallback;
    const auto value = node->value_exact<std::string>();
    if (!value || value->empty()) fail(line_of(table, key), fmt::format("{} must be text in quotes", key));
    return *value;
}

bool TomlText::truth(const toml::table& table, std::string_view key, bool fallback) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return fallback;
    const auto value = node->value_exact<bool>();
    if (!value) fail(line_of(table, key), fmt::format("{} must be true or false", key));
    return *value;
}

double TomlText::number(const toml::table& table, std::string_view key, double low, double high,
                        double fallback) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return fallback;
    double value = NAN;
    if (const auto d = node->value_exact<double>()) value = *d;
    if (const auto i = node->value_exact<std::int64_t>()) value = static_cast<double>(*i);
    if (!(value > low && value <= high))
        fail(line_of(table, key), fmt::format("{} must be a number above {} and up to {}", key, low, high));
    return value;
}

std::uint64_t TomlText::whole(const toml::table& table, std::string_view key, std::uint64_t low, std::uint64_t high,
                              std::uint64_t fallback) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return fallback;
    const WholeRange range{low, high};
    const auto value = range.checked(node->value_exact<std::int64_t>());
    if (!value) fail(line_of(table, key), fmt::format("{} must be {}", key, range.name()));
    return *value;
}

std::vector<std::uint64_t> TomlText::wholes(const toml::table& table, std::string_view key, std::uint64_t low,
                                            std::uint64_t high, std::uint64_t fallback) const {
    const toml::node* node = table.get(key);
    const toml::array* list = node == nullptr ? nullptr : node->as_array();
    if (list == nullptr) return {whole(table, key, low, high, fallback)};
    const WholeRange range{low, high};
    std::vector<std::uint64_t> values;
    for (const toml::node& item : *list) {
        const auto value = range.checked(item.value_exact<std::int64_t>());
        if (!value) fail(line_of_node(item, line_of(table, key)), fmt::format("each {} must be {}", key, range.name()));
        if (std::find(values.begin(), values.end(), *value) == values.end()) values.push_back(*value);
    }
    if (values.empty() || values.size() > 20)
        fail(line_of(table, key), fmt::format("{} must have 1 to 20 values", key));
    return values;
}

std::vector<TomlText::Item> TomlText::texts(const toml::table& table, std::string_view key) const {
    const toml::node* node = table.get(key);
    std::vector<Item> items;
    if (node == nullptr) return items;
    const std::uint32_t line = line_of(table, key);
    const auto add = [&](const toml::node& item) {
        const auto value = item.value_exact<std::string>();
        if (!value || value->empty())
            fail(line_of_node(item, line), fmt::format("{} must be text in quotes, or a list of such", key));
        const bool there = std::any_of(items.begin(), items.end(), [&](const Item& i) { return i.text == *value; });
        if (!there) items.push_back({*value, line_of_node(item, line)});
    };
    if (const toml::array* list = node->as_array()) {
        if (list->empty()) fail(line, fmt::format("{} is an empty list: give at least one value", key));
        for (const toml::node& item : *list) add(item);
    } else {
        add(*node);
    }
    return items;
}

} // namespace mantissa::text
