#include "results_file.hpp"

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/store.hpp"

namespace mantissa::results {

namespace fs = std::filesystem;

namespace {

constexpr int kApplicationId = 0x4D414E54; // "MANT" in the file's header
constexpr const char* kGiveAnother = "give a results file of mantissa";

std::string damaged(const std::string& path, std::string reason) {
    for (char& c : reason)
        if (static_cast<unsigned char>(c) < ' ') c = ' ';
    return fmt::format("{}: the results file is damaged ({}); restore it from a copy, or make its results again in "
                       "another file",
                       path_text(path), reason.substr(0, 120));
}

struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

/// A statement that gives one row or none; nothing is bound.
Statement first_row(sqlite3* db, const std::string& path, const std::string& sql, bool& there) {
    sqlite3_stmt* raw = nullptr;
    check_database(db, sqlite3_prepare_v2(db, sql.c_str(), -1, &raw, nullptr), path);
    Statement statement(raw);
    const int code = sqlite3_step(raw);
    check_database(db, code, path);
    there = code == SQLITE_ROW;
    return statement;
}

int number_of(sqlite3* db, const std::string& path, const char* name) {
    bool there = false;
    const Statement row = first_row(db, path, fmt::format("PRAGMA {}", name), there);
    return there ? sqlite3_column_int(row.get(), 0) : 0;
}

/// True the first time that this process meets the file.
bool first_meeting(const std::string& path) {
    static std::mutex mutex;
    static std::set<std::tuple<std::string, dev_t, ino_t>> met; // numbers of files are used again
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return true;
    const std::lock_guard lock(mutex);
    return met.emplace(path, info.st_dev, info.st_ino).second;
}

/// Too short for a database, and not empty? SQLite takes such a file for an empty database and would write over it; of
/// a longer one it looks at the header itself. Only the length is asked for: to open and close the file here would take
/// away the locks that this process's other connections hold on it (POSIX gives them to the process, not to the
/// descriptor), and a second process could then damage it.
bool too_short(const std::string& path) {
    constexpr std::uintmax_t kLeastDatabase = 512;
    std::error_code error;
    const auto size = fs::file_size(path, error);
    return !error && size > 0 && size < kLeastDatabase;
}

/// What kind of file lies there, before SQLite looks at it.
void check_kind(const std::string& path, Missing missing) {
    // SQLite takes these for a database in memory, which would be lost.
    if (path.empty() || path.starts_with(':'))
        throw InvalidInput(
            fmt::format("results file {}: results are kept in a file; give a file name, as results.sqlite",
                        base::quoted(path, 200)));
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status))
        throw InvalidInput(fmt::format("{}: a folder, and no results file; give a file in it", path_text(path)));
    if (fs::exists(status) && !fs::is_regular_file(status))
        throw InvalidInput(fmt::format("{}: no regular file, so no results file; {}", path_text(path), kGiveAnother));
    if (fs::exists(status) && too_short(path))
        throw InvalidInput(fmt::format("{}: file is not a database; {}", path_text(path), kGiveAnother));
    if (missing == Missing::create) return;
    if (!fs::exists(status))
        throw InvalidInput(
            fmt::format("{}: no such results file; a sweep with it as its store makes one", path_text(path)));
    if (fs::file_size(path, error) == 0 && !error)
        throw InvalidInput(fmt::format("{}: an empty file, without results; {}", path_text(path), kGiveAnother));
}

/// SQLite's own search for damage: pages that are missing or malformed, rows out of their order, indices that differ
/// from their tables.
void check_whole(sqlite3* db, const std::string& path) {
    std::error_code error;
    const auto size = fs::file_size(path, error);
    const int page = number_of(db, path, "page_size");
    if (!error && page > 0 && size % static_cast<std::uintmax_t>(page) != 0)
        throw InvalidInput(damaged(path, "it ends within a page"));
    bool there = false;
    const Statement row = first_row(db, path, "PRAGMA integrity_check(1)", there);
    const auto* text = there ? reinterpret_cast<const char*>(sqlite3_column_text(row.get(), 0)) : nullptr;
    const std::string_view said = text == nullptr ? "no answer" : text;
    if (said != "ok") throw InvalidInput(damaged(path, std::string(said)));
}

void check_owner(sqlite3* db, const std::string& path) {
    if (number_of(db, path, "application_id") != kApplicationId)
        throw InvalidInput(fmt::format("{}: a database of another program; {}", path_text(path), kGiveAnother));
    const int version = number_of(db, path, "user_version");
    if (version != Store::kSchemaVersion)
        throw InvalidInput(fmt::format("{}: results of schema {}, and this program knows schema {}; use the program "
                                       "that wrote them, or another file",
                                       path_text(path), version, Store::kSchemaVersion));
    if (!has_table(db, path, "points")) throw InvalidInput(damaged(path, "its table of solves is gone"));
}

} // namespace

void CloseDatabase::operator()(sqlite3* database) const {
    sqlite3_close(database);
}

std::string path_text(const std::string& path) {
    return base::shortened(path, 120);
}

void check_database(sqlite3* database, int code, const std::string& path) {
    const int kind = code & 0xff; // without SQLite's finer distinctions
    if (kind == SQLITE_OK || kind == SQLITE_ROW || kind == SQLITE_DONE) return;
    const std::string reason = database == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(database);
    if (kind == SQLITE_CORRUPT) throw InvalidInput(damaged(path, reason));
    throw InvalidInput(fmt::format("{}: {}; {}", path_text(path), reason, kGiveAnother));
}

bool has_table(sqlite3* database, const std::string& path, const char* name) {
    bool there = false;
    (void)first_row(database, path, fmt::format("SELECT 1 FROM sqlite_master WHERE type='table' AND name='{}'", name),
                    there);
    return there;
}

bool is_new(sqlite3* database, const std::string& path) {
    bool there = false;
    (void)first_row(database, path, "SELECT 1 FROM sqlite_master", there);
    return !there && number_of(database, path, "application_id") == 0;
}

void mark_results(sqlite3* database, const std::string& path) {
    for (const std::string& sql : {fmt::format("PRAGMA application_id={}", kApplicationId),
                                   fmt::format("PRAGMA user_version={}", Store::kSchemaVersion)})
        check_database(database, sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), path);
}

DatabaseHandle open_results(const std::string& path, Missing missing, bool look_again) {
    check_kind(path, missing);
    sqlite3* raw = nullptr;
    // Not SQLITE_OPEN_READONLY, for readers neither: such a connection leaves the files of the write-ahead log behind.
    // SQLite turns to reading only by itself where the file is write-protected.
    const int create = missing == Missing::create ? SQLITE_OPEN_CREATE : 0;
    const int code =
        sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | create, nullptr);
    DatabaseHandle db(raw);
    if (code != SQLITE_OK)
        throw InvalidInput(fmt::format("{}: cannot open the results file: {}; give a file in a folder that can be "
                                       "written",
                                       path_text(path), raw != nullptr ? sqlite3_errmsg(raw) : "out of memory"));
    sqlite3_busy_timeout(raw, 60'000);
    if (is_new(raw, path)) {
        if (missing == Missing::create) return db;
        throw InvalidInput(fmt::format("{}: a database without results; {}", path_text(path), kGiveAnother));
    }
    check_owner(raw, path);
    if (first_meeting(path) || look_again) check_whole(raw, path);
    return db;
}

} // namespace mantissa::results
