// Results files as SQLite holds them: which file is one, and is it whole. Every reader and writer opens them here, so
// that all refuse the same files with the same words. Internal to host/.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "mantissa/host/options.hpp"
#include "mantissa/host/provenance.hpp"
#include "mantissa/host/store.hpp"

namespace mantissa::results {

/// What a file is opened for.
enum class Access {
    read,  ///< one that is there: taken into memory as it stands; nothing is written beside it, or asked of its folder,
           ///< and the copy refuses to be written, except by update_copy()
    write, ///< one that is there
    create, ///< one that may have to be made
};
/// To write where that can be done, else to read.
Access access_to(const std::string& path);

/// The path as an error names it: its beginning, where it is long.
std::string path_text(const std::string& path);
/// Throws InvalidInput, one line naming the file and SQLite's reason, unless `code` says that a call went well.
void check_database(sqlite3* database, int code, const std::string& path);

class Database;

/// A prepared statement with its bindings, finalised at the end of its scope, which the database must outlive.
class Statement {
public:
    Statement(const Database& database, std::string_view sql);
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement() { sqlite3_finalize(statement_); }

    // Each binds the next parameters.
    Statement& bind(std::string_view text) {
        return bound(
            sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
    }
    Statement& bind(const char* text) { return bind(std::string_view(text)); } // (else it were a bool)
    Statement& bind(double value) { return bound(sqlite3_bind_double(statement_, ++bound_, value)); } // NaN: NULL
    Statement& bind(std::uint64_t value) {
        return bound(sqlite3_bind_int64(statement_, ++bound_, static_cast<sqlite3_int64>(value)));
    }
    Statement& bind(bool value) { return bind(std::uint64_t{value}); }
    Statement& bind_null() { return bound(sqlite3_bind_null(statement_, ++bound_)); }
    template <class T> Statement& bind(const std::optional<T>& value) { return value ? bind(*value) : bind_null(); }
    /// Each of them, in this order.
    template <class... Values> Statement& bind_all(const Values&... values) {
        (bind(values), ...);
        return *this;
    }
    /// What a column of an option keeps.
    Statement& bind_value(const std::optional<options::Value>& value);
    /// kContentColumn's: NULL for no file.
    Statement& bind_content(const std::optional<std::string>& content) {
        return content && !content->empty() ? bind(*content) : bind_null();
    }
    /// Five columns: version, commit_id, machine, date, command.
    Statement& bind_provenance(const Provenance& provenance);

    /// True when there is a row.
    bool step();
    [[nodiscard]] int columns() const { return sqlite3_column_count(statement_); }
    [[nodiscard]] std::string_view name(int column) const { return sqlite3_column_name(statement_, column); }
    [[nodiscard]] int type(int column) const { return sqlite3_column_type(statement_, column); }
    [[nodiscard]] bool null(int column) const { return type(column) == SQLITE_NULL; }
    /// Empty for NULL.
    [[nodiscard]] std::string_view text(int column) const;
    /// 0 for NULL. Like real() it throws InvalidInput where the column holds a text: SQLite takes that for 0.
    [[nodiscard]] std::uint64_t integer(int column) const {
        return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, numeric(column)));
    }
    /// `missing` stands for what SQLite keeps as NULL: no value, or one that is no finite number.
    [[nodiscard]] double real(int column, double missing = std::numeric_limits<double>::quiet_NaN()) const {
        return null(column) ? missing : sqlite3_column_double(statement_, numeric(column));
    }
    /// The five columns from `first` on.
    [[nodiscard]] Provenance provenance(int first) const;

private:
    Statement& bound(int code);
    /// The same column.
    [[nodiscard]] int numeric(int column) const;

    const Database& database_;
    sqlite3_stmt* statement_ = nullptr;
    int bound_ = 0;
};

/// A results file that is open, or a copy of one to read.
class Database {
public:
    /// Opens the file. An old one is checked first: that it is a results file of this program's schema and has nothing
    /// else in it (tables of others, triggers, views, columns that are computed: they would run what their maker
    /// wrote), and that nothing in it is damaged (SQLite's integrity_check, once for each file and process, or each
    /// time with `look_again`). A new or empty one gets no tables here; see is_new(). Throws InvalidInput, one line,
    /// for a folder, a device, a file that is no database or another program's, one of another schema, and a damaged or
    /// truncated one.
    Database(const std::string& path, Access access, bool look_again = false);

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] sqlite3* get() const { return handle_.get(); }
    [[nodiscard]] Statement prepare(std::string_view sql) const { return {*this, sql}; }
    /// Runs statements to their ends.
    void execute(const std::string& sql) const;
    void check(int code) const { check_database(get(), code, path_); }

    /// Throws InvalidInput, one line, where the path no longer names the file that is open: a row written to it would
    /// be found by nobody.
    void require_in_place() const;

    /// Has the file no table at all? Then it is a results file that is still to be made.
    [[nodiscard]] bool is_new() const;
    [[nodiscard]] bool has_table(std::string_view name) const;
    [[nodiscard]] bool has_column(std::string_view table, std::string_view name) const;
    /// Marks a file whose tables have just been made as a results file of this program's schema.
    void mark() const;
    /// Has `settle` make what a file of an older program lacks, in a copy that was opened to read: so that readers of
    /// it need not know its age. The file stays as it is.
    void update_copy(const std::function<void()>& settle) const;

private:
    struct Close {
        void operator()(sqlite3* database) const { sqlite3_close(database); }
    };
    std::string path_;
    std::unique_ptr<sqlite3, Close> handle_;
};

/// The table's name.
constexpr const char* table_of(StoredPoints which) {
    return which == StoredPoints::dense ? "dense" : "points";
}

/// Makes the table of solves in a new file, once, whoever else may be opening it; in one of an older program the
/// columns that it lacks.
void settle_points(const Database& database);

} // namespace mantissa::results
