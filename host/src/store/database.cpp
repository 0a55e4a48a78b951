#include "database.hpp"

#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
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

int number_of(const Database& db, const char* name) {
    Statement row = db.prepare(fmt::format("PRAGMA {}", name));
    return row.step() ? static_cast<int>(row.integer(0)) : 0;
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
            fmt::format("{}: no such results file; a command with it as its --store makes one", path_text(path)));
    if (fs::file_size(path, error) == 0 && !error)
        throw InvalidInput(fmt::format("{}: an empty file, without results; {}", path_text(path), kGiveAnother));
}

/// SQLite's own search for damage: pages that are missing or malformed, rows out of their order, indices that differ
/// from their tables.
void check_whole(const Database& db) {
    std::error_code error;
    const auto size = fs::file_size(db.path(), error);
    const int page = number_of(db, "page_size");
    if (!error && page > 0 && size % static_cast<std::uintmax_t>(page) != 0)
        throw InvalidInput(damaged(db.path(), "it ends within a page"));
    Statement row = db.prepare("PRAGMA integrity_check(1)");
    const std::string said(row.step() && !row.null(0) ? row.text(0) : "no answer");
    if (said != "ok") throw InvalidInput(damaged(db.path(), said));
}

/// Only this program's tables, of plain columns: whatever else a schema may hold runs, or answers, as its maker likes.
void check_schema(const Database& db) {
    static const std::set<std::string> kTables = {"points",      "dense",      "netlist",
                                                  "placement",   "synthesis",  "netlist_before_bands",
                                                  "measurement", "comparison", "placement_before_bands",
                                                  "tuned",       "upset",      "upset_campaign",
                                                  "upset_place"};
    const auto refuse = [&](const std::string& what) {
        throw InvalidInput(fmt::format("{}: it holds {}, which this program never makes; {}", path_text(db.path()),
                                       what, kGiveAnother));
    };
    for (Statement row = db.prepare("SELECT type, name, sql FROM sqlite_master"); row.step();) {
        const std::string type(row.text(0)), name(row.text(1));
        std::string sql(row.text(2));
        if (type == "index" && sql.empty()) continue; // a primary key's or a UNIQUE column's
        if (type != "table") refuse(fmt::format("the {} {}", type, base::quoted(name, 60)));
        if (!kTables.contains(name)) refuse(fmt::format("the table {}", base::quoted(name, 60)));
        for (char& c : sql) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        for (const char* word : {"VIRTUAL", "GENERATED", "CHECK", "DEFAULT", "REFERENCES", "COLLATE", " AS", ")AS"})
            if (sql.find(word) != std::string::npos)
                refuse(fmt::format("the table {} with more than plain columns", base::quoted(name, 60)));
    }
    for (const std::string& table : kTables)
        if (db.prepare(fmt::format("SELECT 1 FROM pragma_table_xinfo('{}') WHERE hidden <> 0", table)).step())
            refuse(fmt::format("the table {} with computed columns", base::quoted(table, 60)));
}

void check_owner(const Database& db) {
    if (number_of(db, "application_id") != kApplicationId)
        throw InvalidInput(fmt::format("{}: a database of another program; {}", path_text(db.path()), kGiveAnother));
    const int version = number_of(db, "user_version");
    if (version != Store::kSchemaVersion)
        throw InvalidInput(fmt::format("{}: results of schema {}, and this program knows schema {}; use the program "
                                       "that wrote them, or another file",
                                       path_text(db.path()), version, Store::kSchemaVersion));
    if (!db.has_table("points")) throw InvalidInput(damaged(db.path(), "its table of solves is gone"));
    check_schema(db);
}

/// The caller closes it.
sqlite3* open_file(const std::string& path, Access access) {
    sqlite3* raw = nullptr;
    const int create = access == Access::create ? SQLITE_OPEN_CREATE : 0;
    // The whole path: a name of its own such as file:x?mode=memory may be no file to SQLite.
    const int code = sqlite3_open_v2(fs::absolute(path).c_str(), &raw,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | create, nullptr);
    if (code != SQLITE_OK) {
        const std::string reason = raw != nullptr ? sqlite3_errmsg(raw) : "out of memory";
        sqlite3_close(raw);
        constexpr std::size_t kLongest = 500; // SQLite's is 512, with the names of its logs
        const bool too_long = fs::absolute(path).native().size() > kLongest;
        throw InvalidInput(fmt::format(
            "{}: cannot open the results file: {}; {}", path_text(path), reason,
            too_long
                ? fmt::format("its whole path has more than the {} characters that SQLite takes: give a shorter one",
                              kLongest)
                : "give a file in a folder that can be written"));
    }
    sqlite3_busy_timeout(raw, 60'000);
    return raw;
}

/// Or takes them again.
void refuse_writes(const Database& db, bool refuse) {
    db.execute(fmt::format("PRAGMA query_only={}", refuse ? 1 : 0));
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

/// What `mantissa compare --json` prints, by keys that nothing else has together.
bool is_comparison_document(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (file.peek() != '{') return false; // (of a large file of another kind no more is read)
    const auto document = nlohmann::json::parse(file, nullptr, false);
    return document.is_object() && document.contains("scheme") && document.contains("designs") &&
           document.contains("findings");
}

} // namespace

std::string path_text(const std::string& path) {
    return base::shortened(path, 120);
}

void check_database(sqlite3* database, int code, const std::string& path) {
    const int kind = code & 0xff; // without SQLite's finer distinctions
    if (kind == SQLITE_OK || kind == SQLITE_ROW || kind == SQLITE_DONE) return;
    const std::string reason = database == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(database);
    if (kind == SQLITE_CORRUPT) throw InvalidInput(damaged(path, reason));
    if (kind == SQLITE_NOTADB && is_comparison_document(path))
        throw InvalidInput(fmt::format("{}: a document of a comparison, not a results file; `mantissa compare "
                                       "DOCUMENT.json --store FILE` makes a results file of it",
                                       path_text(path)));
    throw InvalidInput(fmt::format("{}: {}; {}", path_text(path), reason, mend_of(kind)));
}

Access access_to(const std::string& path) {
    std::error_code error;
    if (!fs::exists(path, error)) return Access::create;
    const fs::path folder = fs::absolute(path, error).parent_path();
    return ::access(path.c_str(), W_OK) == 0 && ::access(folder.c_str(), W_OK | X_OK) == 0 ? Access::write
                                                                                           : Access::read;
}

Statement::Statement(const Database& database, std::string_view sql) : database_(database) {
    database_.check(
        sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &statement_, nullptr));
}

Statement& Statement::bound(int code) {
    database_.check(code);
    return *this;
}

Statement& Statement::bind_value(const std::optional<options::Value>& value) {
    if (!value) return bind_null();
    if (const auto* integer = std::get_if<std::int64_t>(&*value)) return bind(static_cast<std::uint64_t>(*integer));
    if (const auto* text = std::get_if<std::string>(&*value)) return bind(std::string_view(*text));
    if (const auto* truth = std::get_if<bool>(&*value)) return bind(*truth);
    if (const auto* whole = std::get_if<std::uint64_t>(&*value)) return bind(*whole);
    return bind(std::get<double>(*value));
}

Statement& Statement::bind_provenance(const Provenance& p) {
    return bind(p.version).bind(p.commit).bind(p.machine).bind(p.date).bind(p.command);
}

bool Statement::step() {
    const int code = sqlite3_step(statement_);
    database_.check(code);
    if (sqlite3_stmt_readonly(statement_) == 0) database_.require_in_place();
    return code == SQLITE_ROW;
}

int Statement::numeric(int column) const {
    if (const int held = type(column); held == SQLITE_TEXT || held == SQLITE_BLOB)
        throw InvalidInput(damaged(database_.path(), fmt::format("its column {} holds no number", name(column))));
    return column;
}

std::string_view Statement::text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    if (bytes == nullptr) return {};
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Provenance Statement::provenance(int first) const {
    const auto at = [&](int k) { return std::string(text(first + k)); };
    return {at(0), at(1), at(2), at(3), at(4)};
}

Database::Database(const std::string& path, Access access, bool look_again) : path_(path) {
    check_kind(path, access);
    handle_.reset(access == Access::read ? open_snapshot(path) : open_file(path, access));
    // What the schema of a file that is not ours might run.
    for (const auto& [option, value] : {std::pair{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                        {SQLITE_DBCONFIG_DEFENSIVE, 1}})
        sqlite3_db_config(get(), option, value, nullptr);
    if (is_new()) {
        if (access == Access::create) return;
        throw InvalidInput(fmt::format("{}: a database without results; {}", path_text(path), kGiveAnother));
    }
    check_owner(*this);
    if (first_meeting(path) || look_again) check_whole(*this);
    if (access == Access::read) refuse_writes(*this, true);
}

void Database::execute(const std::string& sql) const {
    check(sqlite3_exec(get(), sql.c_str(), nullptr, nullptr, nullptr));
}

void Database::require_in_place() const {
    int moved = 0; // (a database in memory leaves it so)
    sqlite3_file_control(get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (moved != 0)
        throw InvalidInput(fmt::format("{}: the results file was moved or deleted while it is written; what is stored "
                                       "from here on would be lost: put it back, or begin anew",
                                       path_text(path_)));
}

bool Database::is_new() const {
    return !prepare("SELECT 1 FROM sqlite_master").step() && number_of(*this, "application_id") == 0;
}

bool Database::has_table(std::string_view name) const {
    return prepare("SELECT 1 FROM sqlite_master WHERE type='table' AND name=?").bind(name).step();
}

bool Database::has_column(std::string_view table, std::string_view name) const {
    return prepare("SELECT 1 FROM pragma_table_info(?) WHERE name=?").bind(table).bind(name).step();
}

void Database::mark() const {
    execute(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", kApplicationId, Store::kSchemaVersion));
}

void Database::update_copy(const std::function<void()>& settle) const {
    refuse_writes(*this, false);
    settle();
    refuse_writes(*this, true);
}

} // namespace mantissa::results
