#include "row_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace mantissa::results {

RowReader::RowReader(const Database& db, std::string table, const std::optional<std::string>& key)
    : db_(db), table_(std::move(table)),
      statement_(
          db, fmt::format("SELECT rowid AS rowid_, * FROM {}{} ORDER BY rowid", table_, key ? " WHERE key = ?" : "")) {
    if (key) statement_.bind(*key);
    for (int c = 0; c < statement_.columns(); ++c) columns_.emplace(statement_.name(c), c);
}

bool RowReader::next() {
    const bool there = statement_.step();
    if (there) row_ = static_cast<std::int64_t>(statement_.integer(0));
    return there;
}

std::string RowReader::text(const char* name) const {
    expect(name, {SQLITE_TEXT, SQLITE_NULL}, "text");
    return std::string(statement_.text(column(name)));
}

std::uint64_t RowReader::whole(const char* name) const {
    const std::int64_t value = integer(name);
    if (value < 0) fail(name, "number from 0 on");
    return static_cast<std::uint64_t>(value);
}

std::int64_t RowReader::integer(const char* name) const {
    expect(name, {SQLITE_INTEGER}, "whole number");
    return static_cast<std::int64_t>(statement_.integer(column(name)));
}

double RowReader::real(const char* name) const {
    expect(name, {SQLITE_FLOAT, SQLITE_INTEGER}, "number");
    return statement_.real(column(name));
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
    throw DamagedRow(fmt::format("{}: column {} of row {} of table {} is no {}: the row is damaged; run "
                                 "the command that stored it again",
                                 path_text(db_.path()), name, row_, table_, expected));
}

int RowReader::column(const char* name) const {
    const auto it = columns_.find(name);
    if (it == columns_.end())
        throw InvalidInput(
            fmt::format("{}: table {} has no column {}; use the program that wrote it", db_.path(), table_, name));
    return it->second;
}

void RowReader::expect(const char* name, std::initializer_list<int> types, const char* expected) const {
    const int type = statement_.type(column(name));
    if (std::find(types.begin(), types.end(), type) == types.end()) fail(name, expected);
}

} // namespace mantissa::results
