// The options that commands share, on the command line.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>

#include <CLI/CLI.hpp>

#include "command/command.hpp"
#include "command/options/solve_flags.hpp"

namespace mantissa::cli {

using options::Common;

/// "--engine".
inline std::string flag_of(options::Common which) {
    return flag_of(options::common(which));
}

/// Declares one of them, whose value goes into `into`. `help`: what this command makes of it, where that is not what
/// the declaration says.
template <class T>
CLI::Option* declare(CLI::App& app, const options::Option& option, T& into, const std::string& help = {}) {
    const std::string text = help.empty() ? help_of(option) : help;
    if constexpr (std::is_same_v<T, bool>) {
        return app.add_flag(flag_of(option), into, text);
    } else {
        CLI::Option* const added = app.add_option(flag_of(option), into, text);
        if (!option.default_text.empty()) added->capture_default_str();
        if (option.type == options::Type::whole && option.low > 0)
            added->check(whole_number(static_cast<std::uint64_t>(option.low), static_cast<std::uint64_t>(option.high)));
        if (option.type == options::Type::number) added->check(CLI::Range(option.low, option.high));
        return added;
    }
}

template <class T> CLI::Option* declare(CLI::App& app, options::Common which, T& into, const std::string& help = {}) {
    return declare(app, options::common(which), into, help);
}

/// Was the option given that is called so, without dashes?
inline bool given(const CLI::App& app, std::string_view name) {
    return app.get_option("--" + std::string(name))->count() != 0;
}
inline bool given(const CLI::App& app, options::Common which) {
    return given(app, options::common(which).name);
}

/// The declaration of a flag, "--engine", with those of a solve among them; null where a command declares its own.
inline const options::Option* declared_as(std::string_view flag) {
    std::string name(flag.substr(std::min<std::size_t>(flag.size(), 2)));
    std::replace(name.begin(), name.end(), '-', '_');
    for (const options::Option& option : options::dense())
        if (flag_of(option) == flag) return &option;
    const options::Option* const found = options::find(name, options::common());
    return found != nullptr ? found : options::find(name);
}

} // namespace mantissa::cli
