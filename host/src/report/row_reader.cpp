#include "row_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "store/results_file.hpp"

namespace mantissa::report {

std::string RowAddress::column(const std::string& name) const {
    return fmt::format("s{}/{}/{}/{}", store, table, row, name);
}

RowReader::RowReader(sqlite3* db, const std::string& path, std::size_t store, std::string table)
    : db_(db), path_(path), address_{store, std::move(table), 0}, statement_(nullptr, &sqlite3_finalize) {
    sqlite3_stmt* raw = nullptr;
    const std::string sql = fmt::format("SELECT rowid AS rowid_, * FROM {} ORDER BY rowid", address_.table);
    results::check_database(db, sqlite3_prepare_v2(db, sql.c_str(), -1, &raw, nullptr), path);
    statement_.reset(raw);
    for (int c = 0; c < sqlite3_column_count(raw); ++c) columns_.emplace(sqlite3_column_name(raw, c), c);
}

bool RowReader::next() {
    const int code = sqlite3_step(statement_.get());
    results::check_database(db_, code, path_);
    if (code == SQLITE_ROW) address_.row = sqlite3_column_int64(statement_.get(), 0);
    return code == SQLITE_ROW;
}

std::string RowReader::text(const char* name) const {
    const int c = column(name);
    expect(name, {SQLITE_TEXT, SQLITE_NULL}, "text");
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), c));
    if (bytes == nullptr) return {};
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), c))};
}

std::uint64_t RowReader::whole(const char* name) const {
    const std::int64_t value = integer(name);
    if (value < 0) fail(name, "number from 0 on");
    return static_cast<std::uint64_t>(value);
}

std::int64_t RowReader::integer(const char* name) const {
    expect(name, {SQLITE_INTEGER}, "whole number");
    return sqlite3_column_int64(statement_.get(), column(name));
}

double RowReader::real(const char* name) const {
    expect(name, {SQLITE_FLOAT, SQLITE_INTEGER}, "number");
    return sqlite3_column_double(statement_.get(), column(name));
}

std::optional<options::Value> RowReader::maybe_value(const char* name, options::Type type) const {
    using options::Type;
    if (null(name)) return std::nullopt;
    if (type == Type::truth) return whole(name) != 0;
    if (type == Type::whole) return whole(name);
    if (type == Type::integer) return integer(name);
    if (type == Type::number) return real(name);
    return text(name);
}

void RowReader::fail(const char* name, const char* expected) const {
    throw InvalidInput(fmt::format("{}: column {} of row {} of table {} is no {}; the file is damaged, make it again",
                                   results::path_text(path_), name, address_.row, address_.table, expected));
}

int RowReader::column(const char* name) const {
    const auto it = columns_.find(name);
    if (it == columns_.end())
        throw InvalidInput(
            fmt::format("{}: table {} has no column {}; use the program that wrote it", path_, address_.table, name));
    return it->second;
}

void RowReader::expect(const char* name, std::initializer_list<int> types, const char* expected) const {
    const int type = sqlite3_column_type(statement_.get(), column(name));
    if (std::find(types.begin(), types.end(), type) == types.end()) fail(name, expected);
}

} // namespace mantissa::report
