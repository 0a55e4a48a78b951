#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include <fmt/format.h>

#include "report/charts/spec_shape.hpp"
#include "report/numbers.hpp"
#include "text/tables/html.hpp"

namespace mantissa::report {

using text::escape;

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

namespace {

std::string cell_html(const Cell& cell, const Column& column, bool header) {
    text::Cell in_html = cell.text;
    in_html.modelled = cell.modelled;
    in_html.code = cell.code;
    std::string attributes;
    // Text shown whole needs no copy of itself.
    if (!cell.value.is_null() && !(cell.value.is_string() && cell.value == cell.text))
        attributes += fmt::format(" data-v=\"{}\"", escape(cell.value.dump()));
    if (!cell.source.empty()) attributes += fmt::format(" data-src=\"{}\"", escape(cell.source));
    return text::html_cell(column, in_html, header, attributes);
}

std::string head_html(const Table& table) {
    std::string head = "<thead><tr>";
    for (const Column& c : table.columns)
        if (!c.hidden) head += text::html_head(c);
    if (table.show_origins) head += text::html_head({"Origin"});
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

/// "s0/points/12" of "s0/points/12/inner_iterations".
std::string base_of(const std::string& source) {
    return source.substr(0, source.rfind('/'));
}

/// Cells that are numbers with an address: their common form, with the values and texts apart.
Json numbers_json(const Table& table, std::size_t c, bool header) {
    Json values = Json::array(), texts = Json::array();
    std::string form;
    for (const TableRow& row : table.rows) {
        const Cell& cell = row.cells[c];
        if (cell.source.empty() || !cell.value.is_number() || cell.text.empty() || cell.code || cell.modelled)
            return {};
        const std::string name = cell.source.substr(cell.source.rfind('/'));
        const char* tag = header ? "th scope=\"row\"" : "td";
        std::string own = fmt::format("<{} class=\"n\" data-v=\"{{v}}\" data-src=\"{{r}}{}\">{{x}}</{}>", tag,
                                      escape(name), header ? "th" : "td");
        if (form.empty()) form = std::move(own);
        else if (form != own) return {};
        values.push_back(cell.value);
        texts.push_back(cell.text == cell.value.dump() ? Json(0) : Json(cell.text)); // 0: as the value
    }
    return {{"form", form}, {"v", values}, {"x", texts}};
}

/// Any cells: each different one once.
Json cells_json(const std::vector<std::string>& html) {
    Json cells = Json::array(), at = Json::array();
    std::map<std::string, std::size_t> known;
    for (const std::string& cell : html) {
        const auto [entry, fresh] = known.try_emplace(cell, known.size());
        if (fresh) cells.push_back(cell);
        at.push_back(entry->second);
    }
    return {{"cells", cells}, {"at", at}};
}

} // namespace

Json long_rows_json(const Table& table, Origins& origins) {
    Json columns = Json::array(), bases = Json::array();
    for (const TableRow& row : table.rows) {
        const auto sourced = std::ranges::find_if(row.cells, [](const Cell& c) { return !c.source.empty(); });
        bases.push_back(sourced == row.cells.end() ? std::string() : base_of(sourced->source));
    }
    bool header = table.row_header;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (table.columns[c].hidden) continue;
        Json numbers = numbers_json(table, c, header);
        if (numbers.is_null()) {
            std::vector<std::string> html;
            for (std::size_t r = 0; r < table.rows.size(); ++r) {
                Cell cell = table.rows[r].cells[c];
                if (const std::string base = bases[r]; !cell.source.empty() && base_of(cell.source) == base)
                    cell.source = "{r}" + cell.source.substr(base.size());
                html.push_back(cell_html(cell, table.columns[c], header));
            }
            numbers = cells_json(html);
        }
        columns.push_back(std::move(numbers));
        header = false;
    }
    if (table.show_origins) {
        std::vector<std::string> html;
        for (const TableRow& row : table.rows)
            html.push_back("<td class=\"origins\">" + origins_html(row.origins, origins) + "</td>");
        columns.push_back(cells_json(html));
    }
    Json strong = Json::array();
    for (std::size_t r = 0; r < table.rows.size(); ++r)
        if (table.rows[r].strong) strong.push_back(r);
    return {{"rows", table.rows.size()}, {"bases", bases}, {"columns", columns}, {"strong", strong}};
}

std::string table_html(const Table& table, Origins& origins) {
    constexpr std::size_t kWithoutScript = 20;
    const std::size_t shown = is_long(table) ? kWithoutScript : table.rows.size();
    std::string body = "<tbody>\n";
    for (const TableRow& row : std::span(table.rows).first(shown)) {
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
    std::string note = table.note.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", escape(table.note));
    if (is_long(table))
        note += fmt::format(
            "<noscript><p class=\"note\">The first {} of {} rows; a script shows the others.</p></noscript>\n", shown,
            table.rows.size());
    if (!table.folded) return grid + note;
    return fmt::format(
        "<details class=\"data{}\"><summary>{}: the figures as a table ({} {})</summary>\n{}{}</details>\n",
        table.rows.size() > 60 ? " long" : "", escape(table.caption), table.rows.size(),
        table.rows.size() == 1 ? "row" : "rows", grid, note);
}

Json table_json(const Table& table) {
    Json columns = Json::array(), rows = Json::array();
    for (const Column& c : table.columns)
        columns.push_back({{"id", c.key}, {"title", c.title}, {"unit", c.unit}, {"hidden", c.hidden}});
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        Json row;
        const auto& cells = table.rows[r].cells;
        for (std::size_t c = 0; c < cells.size(); ++c) row[table.columns[c].key] = cells[c].value;
        row["row_"] = r;
        row["modelled_"] = Json::array();
        for (std::size_t c = 0; c < cells.size(); ++c)
            if (cells[c].modelled) row["modelled_"].push_back(table.columns[c].key);
        rows.push_back(std::move(row));
    }
    return {{"columns", columns}, {"rows", rows}};
}

} // namespace mantissa::report
