// Grids of a sweep file: keys with lists of values, and every combination of them. Internal to host/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <toml++/toml.h>

#include "mantissa/host/options.hpp"
#include "text/toml_text.hpp"

namespace mantissa::sweeps {

struct Value {
    std::variant<std::string, std::int64_t, double, bool> data;
    std::uint32_t line = 0;
    bool by_default = false; ///< from [defaults], and not from the grid itself
};

/// A key of a grid with the values it takes.
struct Axis {
    std::vector<Value> values;
    std::uint32_t line = 0, column = 0;
};
using Axes = std::map<std::string, Axis, std::less<>>;

/// One combination: a value for each key.
using Settings = std::map<std::string_view, const Value*>;

/// Which keys that a grid gives are of no use in any of its points: a list of schemes may have one that has no use for
/// a key.
class UseOfKeys {
public:
    /// `why`: as options::unused() says it of a point; empty where the point uses the key.
    void note(std::string_view key, std::uint32_t line, const std::string& why) {
        if (why.empty()) used_.emplace(key);
        else unused_.try_emplace(std::string(key), line, why);
    }
    /// The line and the reason of the first one, if any.
    [[nodiscard]] std::optional<std::pair<std::uint32_t, std::string>> first_unused() const {
        for (const auto& [key, fault] : unused_)
            if (!used_.contains(key)) return fault;
        return std::nullopt;
    }

private:
    std::set<std::string, std::less<>> used_;
    std::map<std::string, std::pair<std::uint32_t, std::string>, std::less<>> unused_;
};

/// What a kind of grid may hold.
struct GridRules {
    std::vector<std::string_view> keys;
    std::function<bool(std::string_view, std::string_view)> exclude_each_other; ///< of two different keys
    /// Reads the values of a key that are no plain values; nothing for the other keys.
    std::function<std::optional<std::vector<Value>>(std::string_view key, const toml::node& node, std::uint32_t line)>
        special = {};
};

class GridReader {
public:
    GridReader(const text::TomlText& file, GridRules rules, std::size_t max_points)
        : file_(file), rules_(std::move(rules)), max_points_(max_points) {}

    [[nodiscard]] Axes read_axes(const toml::table& table) const;
    /// Calls `take` for every combination of `grid`'s values with those defaults that it does not replace; the last
    /// list runs fastest. A grid needs the key `needed`; `mend` is the error's text where it is not there.
    void each(const toml::table& grid, const Axes& defaults, std::string_view needed, const std::string& mend,
              const std::function<void(const Settings&, std::uint32_t line)>& take) const;

    [[noreturn]] void fail(std::uint32_t line, const std::string& what) const { file_.fail(line, what); }
    template <class Action> auto at_line(std::uint32_t line, const Action& action) const {
        return file_.at_line(line, action);
    }
    // A value as what `key` takes, or an error in its line.
    [[nodiscard]] std::string text_of(std::string_view key, const Value& value) const;
    [[nodiscard]] double number_of(std::string_view key, const Value& value, double low, double high) const;
    [[nodiscard]] std::uint64_t whole_of(std::string_view key, const Value& value, std::uint64_t low) const;
    [[nodiscard]] std::int64_t integer_of(std::string_view key, const Value& value) const;
    [[nodiscard]] bool truth_of(std::string_view key, const Value& value) const;
    /// What the file has, as what the option takes.
    [[nodiscard]] options::Value value_of(const options::Option& option, std::string_view key,
                                          const Value& value) const;

private:
    [[nodiscard]] Value read_value(const toml::node& node, std::string_view key, std::uint32_t key_line) const;
    [[nodiscard]] std::vector<std::vector<std::string>> read_dimensions(const toml::table& grid,
                                                                        const Axes& axes) const;

    const text::TomlText& file_;
    GridRules rules_;
    std::size_t max_points_;
};

} // namespace mantissa::sweeps
