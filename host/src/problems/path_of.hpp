// The file's name in a problem's text.
#pragma once

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <system_error>

namespace mantissa {

/// The path, which runs to the first of `keys` (",rhs="), so it may hold commas. Where it names no file, but its text
/// up to a comma does, and a = follows, what follows is a key that is not known: it belongs to `rest`.
inline std::string path_of(std::string_view options, std::initializer_list<std::string_view> keys,
                           std::string_view& rest) {
    const auto is_file = [](std::string_view path) {
        std::error_code error;
        return std::filesystem::exists(path, error);
    };
    std::size_t end = options.size();
    for (const std::string_view key : keys) end = std::min(end, options.find(key));
    if (!is_file(options.substr(0, end)))
        for (std::size_t at = options.find(','); at < end; at = options.find(',', at + 1))
            if (options.substr(at, end - at).find('=') != std::string_view::npos && is_file(options.substr(0, at)))
                end = at;
    rest = end == options.size() ? std::string_view{} : options.substr(end + 1);
    return std::string(options.substr(0, end));
}

} // namespace mantissa
