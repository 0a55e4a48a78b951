#include "table.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "html.hpp"
#include "report/charts/spec_shape.hpp"
#include "report/numbers.hpp"

namespace mantissa::report {

Cell words(const std::string& text) {
    return {text, text.empty() ? Json(nullptr) : Json(text), {}, false, false};
}
Cell code(const std::string& text) {
    return {text, text, {}, false, true};
}
Cell spec(const std::string& text, const std::string& source) {
    return {spec_label(text), text, source, false, true};
}
Cell count(std::uint64_t value, const std::string& source) {
    return {grouped(value), value, source, false, false};
}
Cell count(const std::optional<std::uint64_t>& value, const std::string& source) {
    return value ? count(*value, source) : none();
}
Cell real(double value, const std::string& source, int digits) {
    return {significant(value, digits), std::isfinite(value) ? Json(value) : Json(nullptr), source, false, false};
}
Cell real(const std::optional<double>& value, const std::string& source, int digits) {
    return value ? real(*value, source, digits) : none();
}
Cell factor(double value) {
    return {fixed(value, 2), std::isfinite(value) ? Json(value) : Json(nullptr), {}, false, false};
}
Cell modelled(Cell cell) {
    cell.modelled = true;
    return cell;
}
Cell none() {
    return {{}, nullptr, {}, false, false};
}

Column number_column(const std::string& id, const std::string& title, const std::string& unit) {
    return {id, title, unit, true, false};
}
Column text_column(const std::string& id, const std::string& title) {
    return {id, title, {}, false, false};
}
Column hidden_column(const std::string& id) {
    return {id, {}, {}, false, true};
}

namespace {

constexpr const char* kMark = "<abbr class=\"mark\" title=\"modelled, not measured\">\xE2\x97\x8A</abbr>"; // lozenge

std::string cell_html(const Cell& cell, const Column& column, bool header) {
    std::string attributes;
    if (column.number) attributes += " class=\"n\"";
    // Text shown whole needs no copy of itself.
    if (!cell.value.is_null() && !(cell.value.is_string() && cell.value == cell.text))
        attributes += fmt::format(" data-v=\"{}\"", escape(cell.value.dump()));
    if (!cell.source.empty()) attributes += fmt::format(" data-src=\"{}\"", escape(cell.source));
    std::string content = cell.text.empty() ? "<span class=\"none\">\xE2\x80\x93</span>"
                          : cell.code       ? "<code>" + escape_breaking(cell.text) + "</code>"
                                            : escape(cell.text);
    if (cell.modelled && !cell.text.empty()) content += kMark;
    return header ? fmt::format("<th scope=\"row\"{}>{}</th>", attributes, content)
                  : fmt::format("<td{}>{}</td>", attributes, content);
}

std::string head_html(const Table& table) {
    std::string head = "<thead><tr>";
    for (const Column& c : table.columns) {
        if (c.hidden) continue;
        head += fmt::format("<th scope=\"col\"{}>{}", c.number ? " class=\"n\"" : "", escape(c.title));
        if (!c.unit.empty()) head += fmt::format(" <span class=\"unit\">{}</span>", escape(c.unit));
        head += "</th>";
    }
    if (table.show_origins) head += "<th scope=\"col\">Origin</th>";
    return head + "</tr></thead>\n";
}

std::string origins_html(const std::vector<int>& indices, Origins& origins) {
    std::set<int> numbers;
    for (const int index : indices) numbers.insert(origins.cite(index));
    std::string text;
    for (const int number : numbers)
        text += fmt::format("{}<a href=\"#origin-{}\">{}</a>", text.empty() ? "" : " ", number, number);
    return text;
}

} // namespace

std::string table_html(const Table& table, Origins& origins) {
    std::string body = "<tbody>\n";
    for (const TableRow& row : table.rows) {
        body += row.strong ? "<tr class=\"strong\">" : "<tr>";
        bool header = table.row_header;
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            if (table.columns[c].hidden) continue;
            body += cell_html(row.cells.at(c), table.columns[c], header);
            header = false;
        }
        if (table.show_origins) body += "<td class=\"origins\">" + origins_html(row.origins, origins) + "</td>";
        body += "</tr>\n";
    }
    body += "</tbody>\n";
    const std::string grid =
        fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table id=\"table-{}\">"
                    "<caption>{}</caption>\n{}{}</table></div>\n",
                    escape(table.caption), escape(table.id), escape(table.caption), head_html(table), body);
    const std::string note = table.note.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", escape(table.note));
    if (!table.folded) return grid + note;
    return fmt::format(
        "<details class=\"data{}\"><summary>{}: the figures as a table ({} {})</summary>\n{}{}</details>\n",
        table.rows.size() > 60 ? " long" : "", escape(table.caption), table.rows.size(),
        table.rows.size() == 1 ? "row" : "rows", grid, note);
}

Json table_json(const Table& table) {
    Json columns = Json::array(), rows = Json::array();
    for (const Column& c : table.columns)
        columns.push_back({{"id", c.id}, {"title", c.title}, {"unit", c.unit}, {"hidden", c.hidden}});
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        Json row;
        const auto& cells = table.rows[r].cells;
        for (std::size_t c = 0; c < cells.size(); ++c) row[table.columns[c].id] = cells[c].value;
        row["row_"] = r;
        row["modelled_"] = Json::array();
        for (std::size_t c = 0; c < cells.size(); ++c)
            if (cells[c].modelled) row["modelled_"].push_back(table.columns[c].id);
        rows.push_back(std::move(row));
    }
    return {{"columns", columns}, {"rows", rows}};
}

} // namespace mantissa::report
