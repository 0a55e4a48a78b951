#include "table.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include <fmt/format.h>

#include "html.hpp"

namespace mantissa::text {

namespace {

/// `written`: what stands between the braces.
Column column_of(std::string_view written, std::string_view before) {
    const std::size_t colon = std::min(written.rfind(':'), written.size());
    std::string spec(written.substr(std::min(colon + 1, written.size())));
    const std::string_view name = written.substr(0, colon), title = name.substr(0, name.find('='));
    const std::size_t unit = std::min(title.rfind(" ["), title.size());
    Column column{std::string(title.substr(0, unit))};
    if (unit < title.size()) column.unit = title.substr(unit + 2, title.size() - unit - 3);
    if (name.find('=') == name.npos)
        for (const char c : column.title)
            column.key += c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else column.key = name.substr(name.find('=') + 1);
    column.before = before;
    column.hidden = written.starts_with('=') && spec.empty();
    if (const std::size_t star = spec.find('*'); star != spec.npos) {
        column.scale = std::strtod(&spec[star + 1], nullptr);
        spec.resize(star);
    }
    if (spec.empty()) return column;
    char* rest = nullptr;
    const int width = static_cast<int>(std::strtol(&spec[1], &rest, 10));
    column.width = spec[0] == '<' ? -width : std::max(width, 1);
    const std::string_view number(rest);
    const std::size_t end = number.starts_with('.') ? number.find_first_of("efg") + 1 : 0;
    column.form = fmt::format("{{:{}}}{}", number.substr(0, end), number.substr(end));
    return column;
}

/// The text of a cell, empty for nothing.
std::string shown(const Column& column, const Cell& cell) {
    if (const auto* words = std::get_if<std::string>(&cell.value)) return *words;
    const auto* const whole = std::get_if<std::int64_t>(&cell.value);
    const auto* const real = std::get_if<double>(&cell.value);
    if (whole == nullptr && real == nullptr) return {};
    if (whole != nullptr && column.scale == 1 && column.form.find('.') == std::string::npos)
        return fmt::format(fmt::runtime(column.form), *whole);
    return fmt::format(fmt::runtime(column.form),
                       (whole != nullptr ? static_cast<double>(*whole) : *real) * column.scale);
}

std::string in_text(const Column& column, const std::string& shown) {
    return column.before + (column.width > 0 ? fmt::format("{:>{}}", shown, column.width)
                                             : fmt::format("{:<{}}", shown, -column.width));
}

std::string in_markdown(std::string_view text, bool code = false) {
    std::string out = code ? "| `" : "| ";
    for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
    return out + (code ? "` " : " ");
}

} // namespace

std::vector<Column> columns(std::string_view line) {
    std::vector<Column> list;
    for (std::size_t open = 0; (open = line.find('{')) != line.npos;) {
        const std::size_t close = line.find('}', open);
        list.push_back(column_of(line.substr(open + 1, close - open - 1), line.substr(0, open)));
        line.remove_prefix(close + 1);
    }
    return list;
}

std::string Table::head() const {
    std::string out, rule;
    for (const Column& c : columns_) {
        const std::string title = c.title + (c.unit.empty() ? "" : ", ") + c.unit;
        out += markup_ == Markup::html   ? html_head(c)
               : markup_ == Markup::text ? in_text(c, title)
               : title.empty()           ? "| "
                                         : in_markdown(title);
        rule += c.width > 0 ? "|---:" : "|---";
    }
    return markup_ == Markup::html       ? "<thead><tr>" + out + "</tr></thead>\n"
           : markup_ == Markup::markdown ? out + "|\n" + rule + "|\n"
                                         : out + "\n";
}

std::string Table::row(const std::vector<Cell>& cells, std::string_view attributes) const {
    std::string out;
    for (std::size_t k = 0; k < cells.size(); ++k) {
        const Cell& cell = cells[k];
        const Column& column = columns_.at(k);
        const bool none = std::holds_alternative<std::monostate>(cell.value);
        const std::string text = none ? "-" : shown(column, cell) + (cell.modelled ? "*" : "");
        out += markup_ == Markup::html       ? html_cell(column, cell, k == 0)
               : markup_ == Markup::markdown ? in_markdown(text, cell.code)
                                             : in_text(column, text);
    }
    return markup_ == Markup::html ? fmt::format("<tr{}>{}</tr>\n", attributes, out)
                                   : out + (markup_ == Markup::markdown ? "|\n" : "\n");
}

std::string html_head(const Column& column) {
    const std::string unit =
        column.unit.empty() ? "" : fmt::format(" <span class=\"unit\">{}</span>", escape(column.unit));
    return fmt::format("<th scope=\"col\"{}>{}{}</th>", column.width > 0 ? " class=\"n\"" : "", escape(column.title),
                       unit);
}

std::string html_cell(const Column& column, const Cell& cell, bool heads, std::string_view attributes) {
    const std::string text = shown(column, cell);
    std::string content = text.empty() ? "<span class=\"none\">\xE2\x80\x93</span>"
                          : cell.code  ? "<code>" + escape_breaking(text) + "</code>"
                                       : escape(text);
    if (cell.modelled && !text.empty()) content += kMark;
    return fmt::format("<{0}{1}{2}{3}>{4}</{0}>", heads ? "th" : "td", heads ? " scope=\"row\"" : "",
                       column.width > 0 ? " class=\"n\"" : "", attributes, content);
}

} // namespace mantissa::text
