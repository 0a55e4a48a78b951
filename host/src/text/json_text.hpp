// JSON as text, whatever bytes its strings hold. Internal to host/.
#pragma once

#include <string>

namespace mantissa {

/// Of nlohmann's json or ordered_json. Names of files need not be UTF-8, and JSON's text must be: what is not becomes
/// U+FFFD, in place of an exception after long work.
template <class Json> std::string json_text(const Json& json, int indent = 2) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

} // namespace mantissa
