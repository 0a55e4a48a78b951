// Files of host/web/ and the charts' library, inside the program. Internal to host/.
#pragma once

#include <string_view>

namespace mantissa::report {

extern const std::string_view kStyle, kScript;
extern const std::string_view kVega; ///< empty when the build found no Vega
/// SHA-256 in base64, for the page's Content-Security-Policy.
extern const std::string_view kStyleHash, kScriptHash, kVegaHash;

} // namespace mantissa::report
