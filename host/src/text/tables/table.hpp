// Tables: columns with a heading, a unit and a number format, written as text, Markdown or HTML. Internal to host/.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mantissa::text {

/// What stands in a row: text, a number that its column's form writes, or nothing, which is shown as a dash.
struct Cell {
    std::variant<std::monostate, std::string, std::int64_t, double> value;
    bool modelled = false; ///< no measurement: marked
    bool code = false;     ///< a specification or command

    /// Of text, a number, an optional one, or JSON's text, number or null.
    template <class T>
    requires(!std::same_as<T, Cell>) Cell(const T& of) {
        if constexpr (requires { of.is_number_integer(); }) {
            if (of.is_string()) value = of.template get<std::string>();
            else if (of.is_number_integer()) value = of.template get<std::int64_t>();
            else if (of.is_number()) value = of.template get<double>();
        } else if constexpr (requires { of.has_value(); }) {
            if (of) *this = Cell(*of);
        } else if constexpr (std::convertible_to<T, std::string_view>) {
            value = std::string(std::string_view(of));
        } else if constexpr (std::integral<T>) {
            value = static_cast<std::int64_t>(of);
        } else {
            value = static_cast<double>(of);
        }
    }
};

[[nodiscard]] inline Cell modelled(Cell cell, bool is = true) {
    cell.modelled = is;
    return cell;
}
[[nodiscard]] inline Cell code(Cell cell) {
    cell.code = true;
    return cell;
}

struct Column {
    std::string title, unit{};
    std::string key{};       ///< of its figures in JSON
    int width = 0;           ///< in text, to the right, or below 0 to the left; 0: as wide as it is
    std::string form = "{}"; ///< how its numbers are written
    double scale = 1;        ///< what its numbers are multiplied by
    std::string before{};    ///< stands before it in text
    bool hidden = false;     ///< of a page: for its charts only
};

/// Columns by a line as fmt's: heading, unit, key (else the heading in small letters), width, form and scale, as in
/// "{Problem:<20}{area=area_share:>8.1f %*100}{Clock [MHz]:>}  {bound by=bound}"; hidden is "{=key}".
[[nodiscard]] std::vector<Column> columns(std::string_view line);

enum class Markup { text, markdown, html };

class Table {
public:
    /// Of columns() by `line`.
    explicit Table(std::string_view line, Markup markup = Markup::text) : columns_(columns(line)), markup_(markup) {}

    /// Both end their lines.
    [[nodiscard]] std::string head() const;
    /// A row may end before the last column. `attributes` are those of the row in HTML.
    [[nodiscard]] std::string row(const std::vector<Cell>& cells, std::string_view attributes = {}) const;
    /// A row for each of JSON's objects, by the columns' keys; marked are those that its "modelled" names.
    template <class Json> [[nodiscard]] std::string rows(const Json& objects) const {
        std::string out;
        for (const Json& object : objects) {
            std::vector<Cell> cells;
            const Json marked = object.value("modelled", Json::array());
            for (const Column& c : columns_)
                cells.push_back(modelled(object.value(c.key, Json()), std::ranges::count(marked, Json(c.key)) > 0));
            out += row(cells);
        }
        return out;
    }

private:
    std::vector<Column> columns_;
    Markup markup_;
};

/// A heading in HTML.
[[nodiscard]] std::string html_head(const Column& column);
/// A cell in HTML, with further attributes; `heads`: it heads its row.
[[nodiscard]] std::string html_cell(const Column& column, const Cell& cell, bool heads,
                                    std::string_view attributes = {});

} // namespace mantissa::text
