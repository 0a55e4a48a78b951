// Environment variables.
#pragma once

#include <cstdlib>
#include <string>

namespace mantissa::base {

/// The variable's value; empty when it is not set: to Mantissa an empty variable is one that is not there.
inline std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// The same with a default.
inline std::string environment_or(const char* name, const std::string& usual) {
    std::string value = environment(name);
    return value.empty() ? usual : value;
}

} // namespace mantissa::base
