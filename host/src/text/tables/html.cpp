#include "html.hpp"

namespace mantissa::text {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

void append_escaped(std::string& out, char c) {
    switch (c) {
    case '&':
        out += "&amp;";
        return;
    case '<':
        out += "&lt;";
        return;
    case '>':
        out += "&gt;";
        return;
    case '"':
        out += "&quot;";
        return;
    case '\'':
        out += "&#39;";
        return;
    default:
        break;
    }
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t' && c != '\n') || byte == 0x7F) out += kReplacement;
    else out += c;
}

} // namespace

std::string escape(std::string_view text) {
    std::string out;
    out.reserve(text.size() + text.size() / 8);
    for (const char c : text) append_escaped(out, c);
    return out;
}

std::string escape_breaking(std::string_view text) {
    constexpr std::size_t kKeptWhole = 24;
    std::string out;
    out.reserve(text.size() + text.size() / 2);
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(',') + (text.find(',') == text.npos ? 0 : 1));
        text.remove_prefix(part.size());
        const bool whole = part.size() <= kKeptWhole && part.find(' ') == part.npos;
        if (whole) out += "<span class=\"k\">";
        out += escape(part);
        if (whole) out += "</span>";
        if (!text.empty()) out += "<wbr>";
    }
    return out;
}

std::string escape_json(std::string_view text) {
    std::string out;
    out.reserve(text.size() + text.size() / 16);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '<') out += "\\u003c";
        else if (c == '>') out += "\\u003e";
        else if (c == '&') out += "\\u0026";
        else if (text.substr(i).starts_with("\xE2\x80\xA8")) { // line separator
            out += "\\u2028";
            i += 2;
        } else if (text.substr(i).starts_with("\xE2\x80\xA9")) { // paragraph separator
            out += "\\u2029";
            i += 2;
        } else out += c;
    }
    return out;
}

} // namespace mantissa::text
