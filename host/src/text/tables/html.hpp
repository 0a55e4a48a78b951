// Text into HTML. Internal to host/.
#pragma once

#include <string>
#include <string_view>

namespace mantissa::text {

/// Marks a modelled or estimated figure: a lozenge after it.
inline constexpr const char* kMark = "<abbr class=\"mark\" title=\"modelled, not measured\">\xE2\x97\x8A</abbr>";

/// `text` for element content and quoted attributes: & < > " ' become entities; control characters that HTML does not
/// allow become U+FFFD.
std::string escape(std::string_view text);

/// The same for a specification or command: lines break after commas, and within a part only where it is long.
std::string escape_breaking(std::string_view text);

/// JSON `text` for a <script> element: "<", ">" and "&" become \u escapes, so that no content can end the element or
/// open a comment, as do the two line separators.
std::string escape_json(std::string_view text);

} // namespace mantissa::text
