// What is made from the declarations of options, whatever they are.
#include "mantissa/host/options.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/errors.hpp"
#include "text/key_values.hpp"
#include "text/whole_range.hpp"

namespace mantissa::options {

namespace {

text::WholeRange whole_range(const Option& option) {
    return {static_cast<std::uint64_t>(option.low),
            std::isinf(option.high) ? UINT64_MAX : static_cast<std::uint64_t>(option.high)};
}

bool in_range(const Option& option, double value) {
    if (option.low == 0 && option.high == 0) return true;
    return option.open ? value > option.low && value < option.high : value >= option.low && value <= option.high;
}

/// Is `text` one of the option's choices? One that is written NAME(M) stands for NAME too, and for any M; which M there
/// are, `set` says.
bool chooses(const Option& option, std::string_view text) {
    constexpr std::string_view kArgument = "(M)";
    return std::ranges::any_of(option.choices, [&](std::string_view choice) {
        if (!choice.ends_with(kArgument)) return text == choice;
        choice.remove_suffix(kArgument.size());
        return text.substr(0, text.find('(')) == choice;
    });
}

/// Is `value` one that the option can take, as far as its declaration says?
bool fits(const Option& option, const Value& value) {
    if (const auto* whole = std::get_if<std::uint64_t>(&value)) return whole_range(option).holds(*whole);
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return in_range(option, static_cast<double>(*integer));
    if (const auto* number = std::get_if<double>(&value)) return in_range(option, *number);
    return true;
}

} // namespace

const char* title(Group group) {
    static constexpr std::array kTitles{"Problem",       "Arithmetic",      "Solver",
                                        "Where it runs", "What is written", "A dense system by LU"};
    return kTitles.at(static_cast<std::size_t>(group));
}

std::string spelt(const Option& option) {
    std::string name(option.name);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

const Option* find(std::string_view spelling, std::span<const Option> among) {
    const auto same = [](char a, char b) { return (a == '-' ? '_' : a) == b; };
    const auto found = std::find_if(among.begin(), among.end(), [&](const Option& o) {
        return std::ranges::equal(o.name, spelling, same) || (!o.earlier.empty() && o.earlier == spelling);
    });
    return found == among.end() ? nullptr : &*found;
}

bool names_datapath(const Option& option) {
    return option.type == Type::spec || (option.type == Type::format && option.get == nullptr);
}

bool exclude_each_other(const Option& a, const Option& b) {
    return std::find(a.excludes.begin(), a.excludes.end(), b.name) != a.excludes.end() ||
           std::find(b.excludes.begin(), b.excludes.end(), a.name) != b.excludes.end();
}

std::string range_text(const Option& option) {
    if (option.type == Type::whole) return whole_range(option).name();
    const char* const kind = option.type == Type::integer ? "whole number" : "number";
    if (option.low == 0 && option.high == 0) return fmt::format("a {}", kind);
    return fmt::format("a {} {} {} {} {}", kind, option.open ? "between" : "from", option.low,
                       option.open ? "and" : "to", option.high);
}

namespace {

void check_value(const Option& option, const Value& value, std::string_view name) {
    if (!fits(option, value))
        throw InvalidInput(fmt::format("{} {}: give {}", name, text_of(value), range_text(option)));
    if (option.type == Type::choice && !option.parsed && !chooses(option, std::get<std::string>(value)))
        throw InvalidInput(fmt::format("{} {}: give {}", name, base::quoted(std::get<std::string>(value)),
                                       fmt::join(option.choices, ", ")));
}

} // namespace

void give(Request& request, const Option& option, const Value& value, std::string_view name) {
    check_value(option, value, name);
    option.set(request, value);
}

void give(DenseOptions& request, const Option& option, const Value& value, std::string_view name) {
    check_value(option, value, name);
    option.set_dense(request, value);
}

std::string text_of(const Value& value) {
    if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
    if (const auto* whole = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *whole);
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
    if (const auto* number = std::get_if<double>(&value)) return text::shortest(*number);
    return std::get<std::string>(value);
}

std::string key_text(const SolveOptions& options, std::span<const Option> among) {
    std::string key;
    for (const Option& option : among) {
        const std::optional<Value> value = option.get != nullptr ? option.get(options) : std::nullopt;
        if (!value) continue;
        const std::string written = text_of(*value);
        if (option.quiet && written == option.default_text) continue;
        key += fmt::format(" {}", option.name);
        if (option.type != Type::truth) key += "=" + written;
    }
    return key;
}

std::optional<Value> value_in_key(std::string_view key, const Option& option) {
    const std::size_t behind = key.rfind(" tolerance="); // a problem's text may hold anything
    if (behind == std::string_view::npos) return std::nullopt;
    key.remove_prefix(behind);
    const std::string word = fmt::format(" {}", option.name);
    for (std::size_t at = key.find(word); at != std::string_view::npos; at = key.find(word, at + 1)) {
        const std::string_view rest = key.substr(at + word.size());
        if (option.type == Type::truth && (rest.empty() || rest.front() == ' ')) return true;
        if (option.type == Type::truth || !rest.starts_with('=')) continue;
        const std::string_view written = rest.substr(1, rest.find(' ') - 1);
        const auto number = [&]<class T>(T value) {
            return text::read_number(written, value) ? std::optional<Value>(value) : std::nullopt;
        };
        if (option.type == Type::whole) return number(std::uint64_t{});
        if (option.type == Type::integer) return number(std::int64_t{});
        if (option.type == Type::number) return number(double{});
        return std::string(written);
    }
    return std::nullopt;
}

} // namespace mantissa::options
