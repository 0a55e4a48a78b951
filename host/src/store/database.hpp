// The database behind Store, and its statements. Internal to host/src/store/.
#pragma once

#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "mantissa/host/store.hpp"
#include "results_file.hpp"

namespace mantissa {

namespace results {

/// A prepared statement with its bindings, finalised at the end of its scope.
class Statement {
public:
    Statement(sqlite3* db, const std::string& path, std::string_view sql) : db_(db), path_(path) {
        check(sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr));
    }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement() { sqlite3_finalize(statement_); }

    void bind(std::string_view text) {
        check(sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
    }
    void bind(double value) { check(sqlite3_bind_double(statement_, ++bound_, value)); } // NaN becomes NULL
    void bind(std::uint64_t value) {
        check(sqlite3_bind_int64(statement_, ++bound_, static_cast<sqlite3_int64>(value)));
    }
    void bind(bool value) { bind(std::uint64_t{value}); }
    void bind_null() { check(sqlite3_bind_null(statement_, ++bound_)); }
    template <class T> void bind(const std::optional<T>& value) {
        if (value) bind(*value);
        else bind_null();
    }
    /// True when there is a row.
    bool step() {
        const int code = sqlite3_step(statement_);
        check(code);
        return code == SQLITE_ROW;
    }
    [[nodiscard]] int columns() const { return sqlite3_column_count(statement_); }
    [[nodiscard]] std::string_view name(int column) const { return sqlite3_column_name(statement_, column); }
    [[nodiscard]] int type(int column) const { return sqlite3_column_type(statement_, column); }
    [[nodiscard]] bool null(int column) const { return type(column) == SQLITE_NULL; }
    [[nodiscard]] std::string_view text(int column) const {
        const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
        return bytes == nullptr
                   ? std::string_view{}
                   : std::string_view(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
    }
    [[nodiscard]] std::uint64_t integer(int column) const {
        return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, column));
    }
    [[nodiscard]] double real(int column) const {
        return null(column) ? std::numeric_limits<double>::quiet_NaN() : sqlite3_column_double(statement_, column);
    }

private:
    void check(int code) const { results::check_database(db_, code, path_); }

    sqlite3* db_;
    const std::string& path_;
    sqlite3_stmt* statement_ = nullptr;
    int bound_ = 0;
};

} // namespace results

struct Store::Database {
    std::string path;
    results::DatabaseHandle handle;
    std::mutex mutex;

    Database(const std::string& file, StoreAccess access)
        : path(file), handle(results::open_results(file, access == StoreAccess::read ? results::Access::read
                                                                                     : results::Access::create)) {}

    results::Statement prepare(std::string_view sql) { return {handle.get(), path, sql}; }
    void execute(std::string_view sql) {
        results::Statement statement(handle.get(), path, sql);
        while (statement.step()) {
        }
    }
    [[nodiscard]] bool has_table(const char* name) const { return results::has_table(handle.get(), path, name); }
};

} // namespace mantissa
