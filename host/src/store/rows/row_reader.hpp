// The rows of a table of a results file, columns by name. Internal to host/.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>

#include "mantissa/host/options.hpp"
#include "store/database.hpp"

namespace mantissa::results {

/// What a row holds is not what its table's rows hold. The file's others may be whole.
class DamagedRow : public InvalidInput {
public:
    using InvalidInput::InvalidInput;
};

/// The rows of one table, columns by name, so that columns may be added in later schemas. A value of another type than
/// asked for, and a column that is not there, end in InvalidInput, one line.
class RowReader {
public:
    /// All rows, or that of `key`. `db` must outlive the reader.
    RowReader(const Database& db, std::string table, const std::optional<std::string>& key = {});
    bool next();
    [[nodiscard]] bool has(const char* name) const { return columns_.contains(name); }
    [[nodiscard]] const std::string& table() const { return table_; }
    [[nodiscard]] std::int64_t row() const { return row_; }
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
    /// Throws DamagedRow.
    [[noreturn]] void fail(const char* name, const char* expected) const;
    [[nodiscard]] Provenance provenance() const {
        return {text("version"), text("commit_id"), text("machine"), text("date"), text("command")};
    }

private:
    [[nodiscard]] bool null(const char* name) const { return statement_.null(column(name)); }
    [[nodiscard]] int column(const char* name) const;
    void expect(const char* name, std::initializer_list<int> types, const char* expected) const;

    const Database& db_;
    std::string table_;
    std::int64_t row_ = 0;
    Statement statement_;
    std::map<std::string, int, std::less<>> columns_;
};

} // namespace mantissa::results
