// The rows of a table of a results file, columns by name. Internal to host/src/report/.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <sqlite3.h>

#include "mantissa/host/options.hpp"
#include "rows.hpp"

namespace mantissa::report {

/// The rows of one table, columns by name, so that columns may be added in later schemas. A value of another type than
/// asked for, and a column that is not there, end in InvalidInput, one line.
class RowReader {
public:
    /// `store`: the file's index among the page's. `path` must outlive the reader.
    RowReader(sqlite3* db, const std::string& path, std::size_t store, std::string table);
    bool next();
    [[nodiscard]] bool has(const char* name) const { return columns_.contains(name); }
    [[nodiscard]] const RowAddress& address() const { return address_; }
    /// Empty for NULL.
    [[nodiscard]] std::string text(const char* name) const;
    [[nodiscard]] std::uint64_t whole(const char* name) const;
    /// A whole number of either sign.
    [[nodiscard]] std::int64_t integer(const char* name) const;
    [[nodiscard]] std::optional<std::uint64_t> maybe_whole(const char* name) const {
        return null(name) ? std::nullopt : std::optional(whole(name));
    }
    [[nodiscard]] double real(const char* name) const;
    [[nodiscard]] std::optional<double> maybe_real(const char* name) const {
        return null(name) ? std::nullopt : std::optional(real(name));
    }
    /// What a column of an option holds; nothing for NULL.
    [[nodiscard]] std::optional<options::Value> maybe_value(const char* name, options::Type type) const;
    [[noreturn]] void fail(const char* name, const char* expected) const;
    [[nodiscard]] Provenance provenance() const {
        return {text("version"), text("commit_id"), text("machine"), text("date"), text("command")};
    }

private:
    [[nodiscard]] bool null(const char* name) const {
        return sqlite3_column_type(statement_.get(), column(name)) == SQLITE_NULL;
    }
    [[nodiscard]] int column(const char* name) const;
    void expect(const char* name, std::initializer_list<int> types, const char* expected) const;

    sqlite3* db_;
    const std::string& path_;
    RowAddress address_;
    std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement_;
    std::map<std::string, int, std::less<>> columns_;
};

} // namespace mantissa::report
