#include "mantissa/base/quoted.hpp"

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "control_characters.hpp"
#include "mantissa/base/shell_words.hpp"

namespace mantissa::base {

namespace {

bool continues(std::string_view text, std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

/// A character of UTF-8 at the beginning of `text`: its code and bytes; no bytes where there is none.
struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 0;
};

Character first_character(std::string_view text) {
    const auto byte = static_cast<unsigned char>(text.front());
    if (byte < 0x80) return {byte, 1};
    const std::size_t bytes = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    if (byte < 0xC2 || byte > 0xF4) return {};
    std::uint32_t code = byte & (0x7FU >> bytes);
    for (std::size_t k = 1; k < bytes; ++k) {
        if (!continues(text, k)) return {};
        code = code << 6 | (static_cast<unsigned char>(text[k]) & 0x3FU);
    }
    constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kLeast[bytes] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
    return {code, bytes};
}

/// Could a terminal take it for a command, or show what follows in another order?
bool is_control(std::uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E || code == 0x200F ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

std::string escaped(std::string_view bytes) {
    std::string out;
    for (const char c : bytes) out += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
    return out;
}

/// `plain(c)`: what stands for a control character of one byte.
template <class Plain> std::string without_controls(std::string_view text, const Plain& plain) {
    std::string out;
    while (!text.empty()) {
        const Character c = first_character(text);
        const std::string_view bytes = text.substr(0, c.bytes != 0 ? c.bytes : 1);
        if (c.bytes == 0) out += escaped(bytes);
        else if (!is_control(c.code)) out += bytes;
        else if (c.code < 0x80) out += plain(bytes.front());
        else out += fmt::format("\\u{:04X}", c.code);
        text.remove_prefix(bytes.size());
    }
    return out;
}

} // namespace

std::string shortened(std::string_view text, std::size_t limit) {
    std::size_t end = text.size();
    if (end > limit) {
        end = limit;
        while (end > 0 && continues(text, end)) --end; // not inside a UTF-8 sequence
    }
    std::string out = without_controls(text.substr(0, end), [](char c) {
        return c == '\n' ? "\\n" : c == '\t' ? "\\t" : escaped({&c, 1});
    });
    if (end < text.size()) out += fmt::format("... ({} characters more)", text.size() - end);
    return out;
}

std::string quoted(std::string_view text, std::size_t limit) {
    return "'" + shortened(text, limit) + "'";
}

std::string fit_for_terminal(std::string_view text) {
    return without_controls(text, [](char c) {
        return c == '\n' || c == '\t' ? std::string(1, c) : fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    });
}

std::size_t unfinished_character(std::string_view text) {
    for (std::size_t count = 1; count <= 3 && count <= text.size(); ++count) {
        const auto byte = static_cast<unsigned char>(text[text.size() - count]);
        if ((byte & 0xC0) == 0x80) continue;
        const std::size_t wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        return wanted > count ? count : 0;
    }
    return 0;
}

std::string shell_quoted(std::string_view text) {
    const std::string shown = without_controls(text, [](char c) { return escaped({&c, 1}); });
    std::string out;
    if (shown == text) { // no escapes are needed
        for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
        return "'" + out + "'";
    }
    // printf's text, each byte that is not plain by its number, so that the line stays one; every shell has it. It
    // loses line ends at the very end, for which there is $'...' of bash, ksh and zsh.
    const bool by_printf = text.back() != '\n';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte >= 0x7F || c == '\'' || c == '\\') out += fmt::format("\\{:03o}", byte);
        else if (c == '%' && by_printf) out += "%%";
        else out += c;
    }
    return by_printf ? "\"$(printf '" + out + "')\"" : "$'" + out + "'";
}

std::string shell_word(std::string_view text) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    const bool plain = !text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos;
    return plain ? std::string(text) : shell_quoted(text);
}

} // namespace mantissa::base
