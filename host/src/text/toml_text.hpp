// TOML text with errors as one line, FILE:LINE. Internal to host/.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "mantissa/format.hpp"

namespace mantissa::text {

/// A file's text as a table, and its values with their checks. `name` stands for the file in errors; every error is
/// InvalidInput with one line, `FILE:LINE: what; the mend`.
class TomlText {
public:
    TomlText(std::string_view text, std::string_view name);

    [[nodiscard]] const toml::table& root() const { return root_; }
    [[noreturn]] void fail(std::uint32_t line, const std::string& what) const;
    /// Runs `action`; an InvalidInput from it gets the file and line in front.
    template <class Action> auto at_line(std::uint32_t line, const Action& action) const {
        try {
            return action();
        } catch (const InvalidInput& fault) {
            fail(line, fault.what());
        }
    }

    /// Fails on a key of `table` that is not among `known`; `where` names the table.
    void check_keys(const toml::table& table, std::string_view where,
                    std::initializer_list<std::string_view> known) const;
    /// The line of a key's value, or of the table when the key is not there.
    [[nodiscard]] static std::uint32_t line_of(const toml::table& table, std::string_view key);

    // Each: the fallback when the key is not there.
    [[nodiscard]] std::string text(const toml::table& table, std::string_view key, std::string fallback = {}) const;
    [[nodiscard]] bool truth(const toml::table& table, std::string_view key, bool fallback) const;
    /// Above `low` and at most `high`.
    [[nodiscard]] double number(const toml::table& table, std::string_view key, double low, double high,
                                double fallback) const;
    [[nodiscard]] std::uint64_t whole(const toml::table& table, std::string_view key, std::uint64_t low,
                                      std::uint64_t high, std::uint64_t fallback) const;
    /// One number or a list, each once.
    [[nodiscard]] std::vector<std::uint64_t> wholes(const toml::table& table, std::string_view key, std::uint64_t low,
                                                    std::uint64_t high, std::uint64_t fallback) const;
    struct Item {
        std::string text;
        std::uint32_t line = 0;
    };
    /// One text or a list of texts, each once; empty when the key is not there.
    [[nodiscard]] std::vector<Item> texts(const toml::table& table, std::string_view key) const;

private:
    std::string name_;
    toml::table root_;
};

/// The first 80 characters, with what cannot be printed as '?'.
std::string printable(std::string_view text);

} // namespace mantissa::text
