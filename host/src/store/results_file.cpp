#include "results_file.hpp"

#include <cctype>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/store.hpp"
#include "snapshot.hpp"

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
void check_kind(const std::string& path, Access access) {
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
    if (access == Access::create) return;
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

/// Only this program's tables, of plain columns: whatever else a schema may hold runs, or answers, as its maker likes.
void check_schema(sqlite3* db, const std::string& path) {
    static const std::set<std::string> kTables = {"points",      "dense",      "netlist",
                                                  "placement",   "synthesis",  "netlist_before_bands",
                                                  "measurement", "comparison", "placement_before_bands",
                                                  "tuned",       "upset",      "upset_campaign",
                                                  "upset_place"};
    const auto refuse = [&](const std::string& what) {
        throw InvalidInput(
            fmt::format("{}: it holds {}, which this program never makes; {}", path_text(path), what, kGiveAnother));
    };
    bool there = false;
    const Statement row = first_row(db, path, "SELECT type, name, sql FROM sqlite_master", there);
    const auto column = [&](int at) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row.get(), at));
        return std::string(text != nullptr ? text : "");
    };
    for (; there; there = sqlite3_step(row.get()) == SQLITE_ROW) {
        const std::string type = column(0), name = column(1);
        std::string sql = column(2);
        if (type == "index" && sql.empty()) continue; // a primary key's or a UNIQUE column's
        if (type != "table") refuse(fmt::format("the {} {}", type, base::quoted(name, 60)));
        if (!kTables.contains(name)) refuse(fmt::format("the table {}", base::quoted(name, 60)));
        for (char& c : sql) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        for (const char* word : {"VIRTUAL", "GENERATED", "CHECK", "DEFAULT", "REFERENCES", "COLLATE", " AS", ")AS"})
            if (sql.find(word) != std::string::npos)
                refuse(fmt::format("the table {} with more than plain columns", base::quoted(name, 60)));
    }
    for (const std::string& table : kTables) {
        const Statement hidden =
            first_row(db, path, fmt::format("SELECT 1 FROM pragma_table_xinfo('{}') WHERE hidden <> 0", table), there);
        if (there) refuse(fmt::format("the table {} with computed columns", base::quoted(table, 60)));
    }
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
    check_schema(db, path);
}

DatabaseHandle open_file(const std::string& path, Access access) {
    sqlite3* raw = nullptr;
    const int create = access == Access::create ? SQLITE_OPEN_CREATE : 0;
    // The whole path: a name of its own such as file:x?mode=memory may be no file to SQLite.
    const int code = sqlite3_open_v2(fs::absolute(path).c_str(), &raw,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | create, nullptr);
    DatabaseHandle db(raw);
    if (code != SQLITE_OK)
        throw InvalidInput(fmt::format("{}: cannot open the results file: {}; give a file in a folder that can be "
                                       "written",
                                       path_text(path), raw != nullptr ? sqlite3_errmsg(raw) : "out of memory"));
    sqlite3_busy_timeout(raw, 60'000);
    return db;
}

void refuse_writes(sqlite3* db, const std::string& path, bool refuse) {
    const char* sql = refuse ? "PRAGMA query_only=1" : "PRAGMA query_only=0";
    check_database(db, sqlite3_exec(db, sql, nullptr, nullptr, nullptr), path);
}

/// What is to be done about a fault of SQLite's that lies in the machine, not in the file.
const char* mend_of(int kind) {
    switch (kind) {
    case SQLITE_FULL:
        return "free space there, or give a results file elsewhere";
    case SQLITE_IOERR:
        return "the system refuses to read or write it: look at the disk's space, quota and limits (ulimit -a)";
    case SQLITE_CANTOPEN:
        return "the file, or the log that is made beside it, cannot be opened: look at the folder's permissions and at "
               "the limit of open files (ulimit -n)";
    case SQLITE_READONLY:
        return "make the file and its folder writable, or give another results file";
    case SQLITE_PERM:
        return "make the file readable and writable";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "another program holds it: wait for that, or give another results file";
    case SQLITE_NOMEM:
        return "free some memory";
    case SQLITE_PROTOCOL:
        return "another program holds its log: wait for that";
    default:
        return kGiveAnother;
    }
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
    throw InvalidInput(fmt::format("{}: {}; {}", path_text(path), reason, mend_of(kind)));
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

Access access_to(const std::string& path) {
    std::error_code error;
    if (!fs::exists(path, error)) return Access::create;
    const fs::path folder = fs::absolute(path, error).parent_path();
    return ::access(path.c_str(), W_OK) == 0 && ::access(folder.c_str(), W_OK | X_OK) == 0 ? Access::write
                                                                                           : Access::read;
}

DatabaseHandle open_results(const std::string& path, Access access, bool look_again) {
    check_kind(path, access);
    DatabaseHandle db = access == Access::read ? open_snapshot(path) : open_file(path, access);
    // What the schema of a file that is not ours might run.
    for (const auto& [option, value] : {std::pair{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                        {SQLITE_DBCONFIG_DEFENSIVE, 1}})
        sqlite3_db_config(db.get(), option, value, nullptr);
    if (is_new(db.get(), path)) {
        if (access == Access::create) return db;
        throw InvalidInput(fmt::format("{}: a database without results; {}", path_text(path), kGiveAnother));
    }
    check_owner(db.get(), path);
    if (first_meeting(path) || look_again) check_whole(db.get(), path);
    if (access == Access::read) refuse_writes(db.get(), path, true);
    return db;
}

void update_copy(sqlite3* copy, const std::string& path, const std::function<void()>& settle) {
    refuse_writes(copy, path, false);
    settle();
    refuse_writes(copy, path, true);
}

} // namespace mantissa::results
