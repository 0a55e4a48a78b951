// A table of the page: shown as HTML, and as JSON the data of the charts above it. Internal to host/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/origins.hpp"
#include "text/tables/table.hpp"

namespace mantissa::report {

using Json = nlohmann::ordered_json;

struct Cell {
    std::string text;      ///< as shown; empty: a dash
    Json value;            ///< as stored, in full precision; null where there is none
    std::string source;    ///< the figure's address in the store (rows.hpp), empty for text and what is derived
    bool modelled = false; ///< carries the mark of modelled figures
    bool code = false;     ///< a specification or command: in a fixed-width face, breaking after commas
};

// Cells of the usual kinds. `source` as in Cell.
Cell words(const std::string& text);
Cell code(const std::string& text);
/// A specification: its label for readers, with the text as stored after it.
Cell spec(const std::string& text, const std::string& source = {});
Cell count(std::uint64_t value, const std::string& source = {});
Cell count(const std::optional<std::uint64_t>& value, const std::string& source = {});
/// `digits` significant digits.
Cell real(double value, const std::string& source = {}, int digits = 3);
Cell real(const std::optional<double>& value, const std::string& source = {}, int digits = 3);
/// Two decimals and the multiplication sign.
Cell factor(double value);
Cell modelled(Cell cell);
Cell none();

using text::Column, text::columns;

struct TableRow {
    std::vector<Cell> cells;  ///< one for each column
    std::vector<int> origins; ///< indices into Origins
    bool strong = false;      ///< set off: a winner, a reference
};

struct Table {
    std::string id, caption;
    std::vector<Column> columns;
    std::string note{}; ///< stands below; plain text
    std::vector<TableRow> rows{};
    bool folded = false;    ///< behind a line to click: the data of a chart
    bool row_header = true; ///< the first visible column heads its row
    bool show_origins = true;
};

/// A table with more rows than this, behind a line to click, has them as data, and a script makes rows of them when the
/// table is opened; without the script it shows the first of them.
inline constexpr std::size_t kLongTable = 300;
[[nodiscard]] inline bool is_long(const Table& table) {
    return table.folded && table.rows.size() > kLongTable;
}

/// Counts the origins' citations.
std::string table_html(const Table& table, Origins& origins);
/// All rows of a long table: {"rows": n, "bases": [...], "columns": [...]}. A cell is its column's "form" with {v}, {x}
/// and {r} put in: the value, the text, and the row's address in the store; or entry "at"[row] of the column's "cells".
Json long_rows_json(const Table& table, Origins& origins);
/// {"columns": [...], "rows": [{id: value, ...}, ...]}; a row's "row_" is its index, "modelled_" lists the
/// columns whose figures are.
Json table_json(const Table& table);

} // namespace mantissa::report
