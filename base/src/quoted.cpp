#include "mantissa/base/quoted.hpp"

#include <fmt/format.h>

namespace mantissa::base {

std::string shortened(std::string_view text, std::size_t limit) {
    std::size_t end = text.size();
    if (end > limit) {
        end = limit;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end; // not inside a UTF-8 sequence
    }
    std::string out;
    for (const char c : text.substr(0, end)) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n') out += "\\n";
        else if (c == '\t') out += "\\t";
        else if (byte < 0x20 || byte == 0x7F) out += fmt::format("\\x{:02X}", byte);
        else out += c;
    }
    if (end < text.size()) out += fmt::format("... ({} characters more)", text.size() - end);
    return out;
}

std::string quoted(std::string_view text, std::size_t limit) {
    return "'" + shortened(text, limit) + "'";
}

} // namespace mantissa::base
