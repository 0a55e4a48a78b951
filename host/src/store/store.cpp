#include "mantissa/host/store.hpp"

#include <mutex>
#include <string_view>

#include <fmt/format.h>

#include "database.hpp"
#include "mantissa/format.hpp"
#include "result_json.hpp"
#include "sweep/options_text.hpp"
#include "text/json_text.hpp"

namespace mantissa {

using results::Statement;

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

} // namespace

void Store::Database::settle_schema() {
    execute("BEGIN IMMEDIATE");
    if (results::is_new(handle.get(), path)) {
        execute(kSchema);
        results::mark_results(handle.get(), path);
    } else if (!has_column("words")) { // files of before fixed-point vectors
        execute("ALTER TABLE points ADD COLUMN words TEXT");
    }
    execute("COMMIT");
}

Store::Store(const std::string& path, StoreAccess access) : db_(std::make_unique<Database>(path, access)) {
    if (access == StoreAccess::read) return;
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
    const bool refining = refines(o.scheme);
    const std::lock_guard lock(db_->mutex);
    Statement insert = db_->prepare(
        "INSERT OR REPLACE INTO points (key, problem, unknowns, engine, scheme, inner, digits, inner_recurrence, "
        "middle, "
        "middle_digits, spec, tolerance, max_iterations, jacobi, status, detail, inner_iterations, outer_iterations, "
        "true_residual, error, sigma_guards, cycles, seconds, threads, history, words, version, commit_id, machine, "
        "date, "
        "command) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    insert.bind(point_key(point));
    insert.bind(point.problem);
    insert.bind(std::uint64_t{unknowns});
    insert.bind(point.engine);
    insert.bind(to_string(o.scheme));
    insert.bind(refining && !(o.digits > 0) ? std::optional(o.inner) : std::nullopt);
    insert.bind(refining && o.digits > 0 ? std::optional(o.digits) : std::nullopt);
    if (correction || o.scheme == Scheme::inexact_pcg)
        insert.bind(std::string_view(o.inner_recurrence == Recurrence::plain ? "plain" : "pipelined"));
    else insert.bind_null();
    if (correction && !o.middle.empty()) {
        insert.bind(results::middle_text(o));
        insert.bind(o.middle_digits);
    } else {
        insert.bind_null();
        insert.bind_null();
    }
    insert.bind(o.schedule.empty() ? to_string(o.spec) : sweeps::schedule_text(o.schedule));
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
    else insert.bind(json_text(results::history_to_json(result.history), -1));
    if (const results::Json words = results::words_to_json(result); words.empty()) insert.bind_null();
    else insert.bind(json_text(words, -1));
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

} // namespace mantissa
