// A cursor over the text of a numeric file: lines, blanks, numbers. Internal to host/.
//
// A line ends with LF, CR LF or, as in files of old Macs, CR.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "mantissa/format.hpp"

namespace mantissa::text {

class NumberText {
public:
    NumberText(std::string_view text, std::string_view name)
        : at_(text.data()), end_(text.data() + text.size()), name_(name) {}

    [[noreturn]] void fail(const std::string& what) const { fail(name_, line_, what); }
    [[noreturn]] static void fail(std::string_view name, std::uint64_t line, const std::string& what) {
        throw InvalidInput(fmt::format("{}:{}: {}", name, line, what));
    }
    [[nodiscard]] std::uint64_t line() const { return line_; }
    [[nodiscard]] std::string_view name() const { return name_; }
    [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
    [[nodiscard]] bool at_end() const { return at_ == end_; }
    [[nodiscard]] char peek() const { return at_ == end_ ? '\n' : *at_; }
    [[nodiscard]] bool at_line_end() const { return line_end(at_); }

    /// From here on a backslash at the end of a line is a blank, and so is that line end.
    void continue_lines() { continues_ = true; }
    void skip_blanks() {
        for (;;) {
            while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || (*at_ == '\r' && !line_end(at_)))) ++at_;
            if (!continued(at_)) return;
            while (!line_end(at_)) ++at_;
            next_line();
        }
    }
    /// The rest of the line; moves to the next line.
    std::string_view take_line() {
        const char* begin = at_;
        while (!at_line_end()) ++at_;
        std::string_view text(begin, static_cast<std::size_t>(at_ - begin));
        next_line();
        if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
        return text;
    }
    /// Steps over the character under the cursor, which is no line end.
    void step() {
        if (!at_line_end()) ++at_;
    }
    /// Steps over the word under the cursor.
    void skip_word() {
        while (!ends_word(at_)) ++at_;
    }
    /// Steps over the line end under the cursor.
    void next_line() {
        if (at_ != end_) {
            ++at_;
            ++line_;
        }
    }
    /// Moves to the next line that holds more than blanks and comments after `%`. False at the end of the text.
    bool next_content() {
        for (;;) {
            skip_blanks();
            if (at_ == end_) return false;
            if (*at_ == '%') {
                while (!at_line_end()) ++at_;
            } else if (!at_line_end()) {
                return true;
            }
            next_line();
        }
    }
    /// The word under the cursor, for error lines.
    [[nodiscard]] std::string word() const {
        const char* end = at_;
        while (end - at_ < 40 && !ends_word(end)) ++end;
        std::string text;
        for (const char* c = at_; c != end; ++c) text += *c >= ' ' && *c <= '~' ? *c : '?';
        return text;
    }

    /// Steps over a word that is a number, finite or not, also as Windows writes those that are not.
    void skip_number(const char* what) {
        skip_blanks();
        double value = 0;
        const char* begin = at_ != end_ && *at_ == '+' ? at_ + 1 : at_;
        const auto [end, error] = std::from_chars(begin, end_, value);
        if (error == std::errc::invalid_argument || (!ends_word(end) && *end != '#' && *end != 'd' && *end != 'D'))
            fail(fmt::format("{} is missing or no number: '{}'", what, word()));
        skip_word();
    }

    /// A whole number; `what` names it in errors.
    std::uint64_t whole(const char* what) {
        skip_blanks();
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(at_, end_, value);
        if (error == std::errc::result_out_of_range) fail(fmt::format("{} does not fit 64 bits: {}", what, word()));
        if (error != std::errc{} || !ends_word(end))
            fail(fmt::format("{} is missing or no whole number: '{}'", what, word()));
        at_ = end;
        return value;
    }
    /// A finite number. Accepts a leading + and Fortran's D exponents.
    double real(const char* what) {
        skip_blanks();
        double value = 0;
        const char* begin = at_ != end_ && *at_ == '+' ? at_ + 1 : at_;
        const auto [end, error] = std::from_chars(begin, end_, value);
        if (error == std::errc{} && ends_word(end)) [[likely]] {
            if (!std::isfinite(value)) fail(fmt::format("{} is {}: every value must be finite", what, word()));
            at_ = end;
            return value;
        }
        return slow_real(what);
    }

private:
    [[nodiscard]] bool line_end(const char* p) const {
        return p == end_ || *p == '\n' || (*p == '\r' && (p + 1 == end_ || p[1] != '\n'));
    }
    /// Does the line go on after its end, which a backslash stands before?
    [[nodiscard]] bool continued(const char* p) const {
        if (!continues_ || p == end_ || *p != '\\') return false;
        for (++p; !line_end(p); ++p)
            if (*p != ' ' && *p != '\t' && *p != '\r') return false;
        return true;
    }
    [[nodiscard]] bool ends_word(const char* p) const {
        return p == end_ || *p == ' ' || *p == '\t' || *p == '\r' || *p == '\n' || continued(p);
    }
    double slow_real(const char* what) {
        const char* end = at_;
        std::string copy;
        while (!ends_word(end) && copy.size() <= 4096) {
            copy += *end == 'D' || *end == 'd' ? 'e' : *end;
            ++end;
        }
        // Only characters of a decimal number, so that strtod reads neither names nor hexadecimal.
        const bool plain = copy.find_first_not_of("0123456789+-.eE") == std::string::npos;
        char* stop = nullptr;
        const double value = plain ? std::strtod(copy.c_str(), &stop) : 0.0;
        if (copy.empty() || copy.size() > 4096 || !plain || stop != copy.c_str() + copy.size())
            fail(fmt::format("{} is missing or no number: '{}'", what, word()));
        if (!std::isfinite(value)) fail(fmt::format("{} {} is beyond double precision: scale the file", what, word()));
        at_ = end;
        return value;
    }

    const char* at_;
    const char* end_;
    std::string_view name_;
    std::uint64_t line_ = 1;
    bool continues_ = false;
};

} // namespace mantissa::text
