// A store's points as text.
#include <mutex>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "mantissa/base/files.hpp"
#include "mantissa/host/options.hpp"
#include "result_json.hpp"
#include "store_database.hpp"
#include "text/json_text.hpp"
#include "text/key_values.hpp"

namespace mantissa {

using results::Statement;

namespace {

constexpr int kFirstExported = 2; // after id and key

/// A spreadsheet takes what begins so for a formula, and runs it: such a text gets a ' in front, and is a text again.
std::string without_formula(std::string_view text) {
    const bool formula = !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
    double number = 0;
    return formula && !text::read_number(text, number) ? "'" + std::string(text) : std::string(text);
}

std::string csv_field(std::string_view given) {
    const std::string text = without_formula(given);
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

std::string csv_value(const Statement& row, int column) {
    switch (row.type(column)) {
    case SQLITE_NULL:
        return {};
    case SQLITE_FLOAT:
        return text::shortest(row.real(column));
    default:
        return csv_field(row.text(column));
    }
}

/// A whole number as what its column holds.
results::Json whole_value(std::string_view column, std::uint64_t bits) {
    const options::Option* const option = options::find(column);
    if (column == "scaled" || (option != nullptr && option->type == options::Type::truth)) return bits != 0;
    if (option != nullptr && option->type == options::Type::integer) return static_cast<std::int64_t>(bits);
    return bits;
}

results::Json json_value(const Statement& row, int column) {
    switch (row.type(column)) {
    case SQLITE_NULL:
        return nullptr;
    case SQLITE_FLOAT:
        return results::number(row.real(column));
    case SQLITE_INTEGER:
        return whole_value(row.name(column), row.integer(column));
    default:
        return row.name(column) == "history" ? results::Json::parse(row.text(column)) : results::Json(row.text(column));
    }
}

} // namespace

void Store::export_csv(const std::string& path, StoredPoints which) const {
    std::string text;
    if (const std::lock_guard lock(db_->mutex); db_->has_table(results::table_of(which))) {
        Statement row = db_->prepare(fmt::format("SELECT * FROM {} ORDER BY id", results::table_of(which)));
        for (int c = kFirstExported; c < row.columns(); ++c) {
            text += row.name(c);
            text += c + 1 < row.columns() ? ',' : '\n';
        }
        while (row.step())
            for (int c = kFirstExported; c < row.columns(); ++c) {
                text += csv_value(row, c);
                text += c + 1 < row.columns() ? ',' : '\n';
            }
    }
    base::write_file(path, text);
}

void Store::export_json_lines(const std::string& path, StoredPoints which) const {
    std::string text;
    if (const std::lock_guard lock(db_->mutex); db_->has_table(results::table_of(which))) {
        Statement row = db_->prepare(fmt::format("SELECT * FROM {} ORDER BY id", results::table_of(which)));
        while (row.step()) {
            results::Json object;
            for (int c = kFirstExported; c < row.columns(); ++c) object[std::string(row.name(c))] = json_value(row, c);
            text += json_text(object, -1) + '\n';
        }
    }
    base::write_file(path, text);
}

} // namespace mantissa
