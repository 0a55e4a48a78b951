#include "solve_flags.hpp"

#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command/command.hpp"

namespace mantissa::cli {

using options::Option;
using options::Type;
using options::Value;

std::string flag_of(const Option& option) {
    return fmt::format("--{}", option.no.empty() ? option.name : option.no);
}

std::string help_of(const Option& option) {
    std::string text(option.help);
    if (option.type == Type::choice) text += fmt::format(": {}", fmt::join(option.choices, ", "));
    return text;
}

SolveFlags::SolveFlags(std::span<const Option> among) : among_(among), values_(among.size()) {}

namespace {

/// An option of one value, which is put into `into`.
template <class T> CLI::Option* declare_value(CLI::App& app, const Option& option, std::optional<Value>& into) {
    return app.add_option_function<T>(
        flag_of(option), [&into](const T& value) { into = Value(value); }, help_of(option));
}

CLI::Option* declare_option(CLI::App& app, const Option& option, std::optional<Value>& into) {
    switch (option.type) {
    case Type::truth:
        if (!option.no.empty())
            return app.add_flag_callback(
                flag_of(option), [&into] { into = Value(false); }, "do not " + help_of(option));
        return app.add_flag_callback(
            flag_of(option), [&into] { into = Value(true); }, help_of(option));
    case Type::whole: {
        const std::uint64_t most = std::isinf(option.high) ? UINT64_MAX : static_cast<std::uint64_t>(option.high);
        return declare_value<std::uint64_t>(app, option, into)
            ->check(whole_number(static_cast<std::uint64_t>(option.low), most));
    }
    case Type::integer:
        return declare_value<std::int64_t>(app, option, into);
    case Type::number:
        return declare_value<double>(app, option, into);
    default:
        return declare_value<std::string>(app, option, into);
    }
}

} // namespace

void SolveFlags::declare(CLI::App& app, options::Group group) {
    for (std::size_t i = 0; i < among_.size(); ++i) {
        const Option& option = among_[i];
        if (!option.on_commands || option.group != group) continue;
        CLI::Option* const flag = declare_option(app, option, values_[i])->group(options::title(group));
        if (!option.default_text.empty() && option.type != Type::truth)
            flag->default_str(std::string(option.default_text));
    }
}

void SolveFlags::exclude(CLI::App& app) const {
    for (const Option& option : among_)
        for (const std::string_view other : option.excludes)
            if (option.on_commands)
                app.get_option(flag_of(option))->excludes(app.get_option(fmt::format("--{}", other)));
}

void SolveFlags::give_to(DenseOptions& dense) const {
    for (std::size_t i = 0; i < among_.size(); ++i)
        if (values_[i]) give(dense, among_[i], *values_[i], flag_of(among_[i]));
    options::require_used(given(), dense);
}

SolveOptions SolveFlags::options() const {
    options::Request request;
    for (std::size_t i = 0; i < among_.size(); ++i)
        if (values_[i]) give(request, among_[i], *values_[i], flag_of(among_[i]));
    SolveOptions made = request.finish();
    options::require_used(given(), made);
    return made;
}

std::vector<const Option*> SolveFlags::given() const {
    std::vector<const Option*> list;
    for (std::size_t i = 0; i < among_.size(); ++i)
        if (values_[i]) list.push_back(&among_[i]);
    return list;
}

bool SolveFlags::given(const Option& option) const {
    return values_[static_cast<std::size_t>(&option - among_.data())].has_value();
}

const Value& SolveFlags::value(const Option& option) const {
    return values_[static_cast<std::size_t>(&option - among_.data())].value();
}

} // namespace mantissa::cli
