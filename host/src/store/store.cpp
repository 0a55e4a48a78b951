#include "mantissa/host/store.hpp"

#include <cmath>
#include <filesystem>
#include <limits>
#include <mutex>
#include <string_view>

#include <sqlite3.h>

#include <fmt/format.h>

#include "mantissa/base/files.hpp"
#include "mantissa/format.hpp"
#include "result_json.hpp"
#include "results_file.hpp"
#include "text/key_values.hpp"

namespace mantissa {

namespace {

constexpr const char* kSchema = R"sql(
CREATE TABLE points (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  problem TEXT NOT NULL,
  unknowns INTEGER NOT NULL,
  engine TEXT NOT NULL,
  scheme TEXT NOT NULL,
  inner INTEGER,
  digits REAL,
  inner_recurrence TEXT,
  middle TEXT,
  middle_digits REAL,
  spec TEXT NOT NULL,
  tolerance REAL NOT NULL,
  max_iterations INTEGER NOT NULL,
  jacobi INTEGER NOT NULL,
  status TEXT NOT NULL,
  detail TEXT NOT NULL,
  inner_iterations INTEGER NOT NULL,
  outer_iterations INTEGER NOT NULL,
  true_residual REAL,
  error REAL,
  sigma_guards INTEGER NOT NULL,
  cycles INTEGER,
  seconds REAL NOT NULL,
  threads INTEGER NOT NULL,
  history TEXT,
  words TEXT,
  version TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  machine TEXT NOT NULL,
  date TEXT NOT NULL,
  command TEXT NOT NULL
);
)sql";

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

} // namespace

struct Store::Database {
    std::string path;
    results::DatabaseHandle handle;
    std::mutex mutex;

    explicit Database(const std::string& file)
        : path(file), handle(results::open_results(file, results::Missing::create)) {}

    Statement prepare(std::string_view sql) { return {handle.get(), path, sql}; }
    void execute(std::string_view sql) {
        Statement statement(handle.get(), path, sql);
        while (statement.step()) {
        }
    }
    [[nodiscard]] bool has_column(std::string_view name) {
        Statement columns = prepare("SELECT 1 FROM pragma_table_info('points') WHERE name = ?");
        columns.bind(name);
        return columns.step();
    }
    /// Makes the tables of a new file, once, whoever else may be opening it.
    void settle_schema() {
        execute("BEGIN IMMEDIATE");
        if (results::is_new(handle.get(), path)) {
            execute(kSchema);
            results::mark_results(handle.get(), path);
        } else if (!has_column("words")) { // files of before fixed-point vectors
            execute("ALTER TABLE points ADD COLUMN words TEXT");
        }
        execute("COMMIT");
    }
};

Store::Store(const std::string& path) : db_(std::make_unique<Database>(path)) {
    db_->settle_schema();
    db_->execute("PRAGMA journal_mode=WAL");
    db_->execute("PRAGMA synchronous=NORMAL");
}

Store::~Store() = default;

bool Store::contains(const Point& point) const {
    const std::lock_guard lock(db_->mutex);
    Statement select = db_->prepare("SELECT 1 FROM points WHERE key = ?");
    select.bind(point_key(point));
    return select.step();
}

std::optional<SolveResult> Store::find(const Point& point) const {
    const std::lock_guard lock(db_->mutex);
    Statement select = db_->prepare("SELECT status, detail, inner_iterations, outer_iterations, true_residual, error, "
                                    "sigma_guards, cycles, seconds, history, words FROM points WHERE key = ?");
    select.bind(point_key(point));
    if (!select.step()) return std::nullopt;
    SolveResult result;
    try {
        result.status = results::parse_status(select.text(0));
    } catch (const InvalidInput& fault) {
        throw InvalidInput(fmt::format("{}: {}; make the file again", results::path_text(db_->path), fault.what()));
    }
    result.detail = select.text(1);
    result.inner_iterations = select.integer(2);
    result.outer_iterations = select.integer(3);
    result.true_residual = select.real(4);
    if (!select.null(5)) result.error = select.real(5);
    result.sigma_guards = select.integer(6);
    if (!select.null(7)) result.cycles = select.integer(7);
    result.seconds = select.real(8);
    try {
        result.history = results::history_from_json(select.text(9));
        results::words_from_json(select.text(10), result);
    } catch (const results::Json::exception&) {
        throw InvalidInput(fmt::format("{}: the history or the words of a solve cannot be read; make the file again",
                                       results::path_text(db_->path)));
    }
    return result;
}

void Store::put(const Point& point, const SolveResult& result, std::size_t unknowns, const Provenance& provenance) {
    const SolveOptions& o = point.options;
    const bool correction = o.scheme == Scheme::defect_correction;
    const bool refines = correction || o.scheme == Scheme::residual_guided;
    const std::lock_guard lock(db_->mutex);
    Statement insert = db_->prepare(
        "INSERT OR REPLACE INTO points (key, problem, unknowns, engine, scheme, inner, digits, inner_recurrence, "
        "middle, "
        "middle_digits, spec, tolerance, max_iterations, jacobi, status, detail, inner_iterations, outer_iterations, "
        "true_residual, error, sigma_guards, cycles, seconds, threads, history, words, version, commit_id, machine, date, "
        "command) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    insert.bind(point_key(point));
    insert.bind(point.problem);
    insert.bind(std::uint64_t{unknowns});
    insert.bind(point.engine);
    insert.bind(to_string(o.scheme));
    insert.bind(refines && !(o.digits > 0) ? std::optional(o.inner) : std::nullopt);
    insert.bind(refines && o.digits > 0 ? std::optional(o.digits) : std::nullopt);
    if (correction) insert.bind(std::string_view(o.inner_recurrence == Recurrence::plain ? "plain" : "pipelined"));
    else insert.bind_null();
    if (correction && !o.middle.empty()) {
        insert.bind(results::middle_text(o));
        insert.bind(o.middle_digits);
    } else {
        insert.bind_null();
        insert.bind_null();
    }
    insert.bind(to_string(o.spec));
    insert.bind(o.tolerance);
    insert.bind(o.max_iterations);
    insert.bind(o.jacobi);
    insert.bind(to_string(result.status));
    insert.bind(result.detail);
    insert.bind(result.inner_iterations);
    insert.bind(result.outer_iterations);
    insert.bind(result.true_residual);
    insert.bind(result.error);
    insert.bind(result.sigma_guards);
    insert.bind(result.cycles);
    insert.bind(result.seconds);
    insert.bind(static_cast<std::uint64_t>(o.threads));
    if (result.history.empty()) insert.bind_null();
    else insert.bind(results::history_to_json(result.history).dump());
    if (const results::Json words = results::words_to_json(result); words.empty()) insert.bind_null();
    else insert.bind(words.dump());
    insert.bind(provenance.version);
    insert.bind(provenance.commit);
    insert.bind(provenance.machine);
    insert.bind(provenance.date);
    insert.bind(provenance.command);
    insert.step();
}

std::size_t Store::size() const {
    const std::lock_guard lock(db_->mutex);
    Statement count = db_->prepare("SELECT COUNT(*) FROM points");
    count.step();
    return count.integer(0);
}

namespace {

constexpr int kFirstExported = 2; // behind id and key

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
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

results::Json json_value(const Statement& row, int column) {
    switch (row.type(column)) {
    case SQLITE_NULL:
        return nullptr;
    case SQLITE_FLOAT:
        return results::number(row.real(column));
    case SQLITE_INTEGER:
        return row.name(column) == "jacobi" ? results::Json(row.integer(column) != 0)
                                            : results::Json(row.integer(column));
    default:
        return row.name(column) == "history" ? results::Json::parse(row.text(column)) : results::Json(row.text(column));
    }
}

} // namespace

void Store::export_csv(const std::string& path) const {
    std::string text;
    {
        const std::lock_guard lock(db_->mutex);
        Statement row = db_->prepare("SELECT * FROM points ORDER BY id");
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

void Store::export_json_lines(const std::string& path) const {
    std::string text;
    {
        const std::lock_guard lock(db_->mutex);
        Statement row = db_->prepare("SELECT * FROM points ORDER BY id");
        while (row.step()) {
            results::Json object;
            for (int c = kFirstExported; c < row.columns(); ++c) object[std::string(row.name(c))] = json_value(row, c);
            text += object.dump() + '\n';
        }
    }
    base::write_file(path, text);
}

} // namespace mantissa
