#include "mantissa/host/store.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "point_columns.hpp"
#include "result_json.hpp"
#include "store_database.hpp"
#include "text/json_text.hpp"

namespace mantissa {

using results::Statement;

namespace {

/// Columns that a file from an older program lacks. What they would hold stands in the key of each solve.
void add_columns(const results::Database& db) {
    for (const options::Option* option : results::column_options(options::Column::later)) {
        const std::string name = options::spelt(*option);
        if (db.has_column("points", name)) continue;
        db.execute("ALTER TABLE points ADD COLUMN " + results::column_declaration(*option));
        std::vector<std::pair<std::uint64_t, options::Value>> found;
        Statement rows = db.prepare("SELECT id, key FROM points");
        while (rows.step())
            if (auto value = options::value_in_key(rows.text(1), *option)) found.emplace_back(rows.integer(0), *value);
        for (const auto& [id, value] : found) {
            Statement update = db.prepare(fmt::format("UPDATE points SET {} = ? WHERE id = ?", name));
            update.bind_value(value).bind(id).step();
        }
    }
}

/// Before a solve's recurrence was one value it stood in three columns, and so in the keys; these are its scheme's name
/// and `recurrence` now.
void join_recurrences(const results::Database& db) {
    const bool inner = db.has_column("points", "inner_recurrence"), gmres = db.has_column("points", "gmres");
    if (!inner && !gmres) return;
    struct Row {
        std::uint64_t id;
        std::string key, scheme, recurrence;
    };
    std::vector<Row> changed;
    Statement rows = db.prepare(fmt::format("SELECT id, key, problem, scheme, recurrence, {}, {} FROM points",
                                            inner ? "inner_recurrence" : "NULL", gmres ? "gmres" : "NULL"));
    while (rows.step()) {
        const std::string key(rows.text(1)), problem(rows.text(2)), old(rows.text(3));
        std::string name(rows.null(4) ? std::string_view() : rows.text(4));
        const std::string scheme = old == "recurrence" ? name : old;
        if (!rows.null(6)) name = fmt::format("gmres({})", rows.integer(6));
        else if (!rows.null(5) && rows.text(5) != "pipelined")
            name = rows.text(5) == "plain" ? std::string_view("cg") : rows.text(5);
        if (name.empty()) continue;
        std::string rest = key.substr(problem.size()); // (a problem's text may hold anything)
        const auto take_out = [&](const std::string& word) {
            const std::size_t at = rest.find(" " + word + "=");
            if (at != std::string::npos) rest.erase(at, std::min(rest.find(' ', at + 1), rest.size()) - at);
        };
        for (const char* word : {"recurrence", "inner-recurrence", "gmres"}) take_out(word);
        if (const std::size_t at = rest.find(" scheme=" + old); at != std::string::npos)
            rest.replace(at, 8 + old.size(),
                         " scheme=" + scheme + (scheme == name ? std::string() : " recurrence=" + name));
        changed.push_back({rows.integer(0), problem + rest, scheme, scheme == name ? std::string() : name});
    }
    for (const Row& row : changed) {
        Statement update = db.prepare("UPDATE OR REPLACE points SET key = ?, scheme = ?, recurrence = ? WHERE id = ?");
        update.bind(row.key).bind(row.scheme);
        if (row.recurrence.empty()) update.bind_null();
        else update.bind(row.recurrence);
        update.bind(row.id).step();
    }
    if (inner) db.execute("ALTER TABLE points DROP COLUMN inner_recurrence");
    if (gmres) db.execute("ALTER TABLE points DROP COLUMN gmres");
}

} // namespace

void results::settle_points(const Database& db) {
    db.execute("BEGIN IMMEDIATE");
    if (db.is_new()) {
        db.execute(points_schema());
        db.mark();
    } else {
        if (!db.has_column("points", "words")) // before fixed-point vectors
            db.execute("ALTER TABLE points ADD COLUMN words TEXT");
        for (const char* table : {"points", "dense"}) // before results were told apart by what files held
            if (db.has_table(table) && !db.has_column(table, kContentColumn))
                db.execute(fmt::format("ALTER TABLE {} ADD COLUMN {} TEXT", table, kContentColumn));
        add_columns(db);
        join_recurrences(db);
    }
    db.execute("COMMIT");
}

Store::Store(const std::string& path, StoreAccess access)
    : db_(std::make_unique<Database>(path,
                                     access == StoreAccess::read ? results::Access::read : results::Access::create)) {
    db_->only_read = access == StoreAccess::read;
    if (db_->only_read) {
        db_->update_copy([&] { results::settle_points(*db_); });
        return;
    }
    results::settle_points(*db_);
    db_->execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL");
    db_->ending.emplace([db = db_.get()] {
        const std::unique_lock lock(db->mutex, std::try_to_lock); // (in the middle of a row SQLite says no by itself)
        sqlite3_wal_checkpoint_v2(db->get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
        return std::string();
    });
}

Store::~Store() = default;

void Store::arrange(const std::vector<std::string>& keys, StoredPoints which) {
    const std::lock_guard lock(db_->mutex);
    const std::string table = results::table_of(which);
    if (db_->only_read || !db_->has_table(table)) return;
    db_->execute("BEGIN IMMEDIATE");
    try {
        std::vector<std::uint64_t> ids;
        for (const std::string& key : keys) {
            Statement row = db_->prepare(fmt::format("SELECT id FROM {} WHERE key = ?", table));
            if (row.bind(key).step()) ids.push_back(row.integer(0));
        }
        std::vector<std::uint64_t> places = ids;
        std::sort(places.begin(), places.end());
        // An id is one row's at any moment: all that move pass through negative ones.
        for (std::size_t k = 0; k < ids.size(); ++k)
            if (ids[k] != places[k])
                db_->execute(fmt::format("UPDATE {} SET id = -{} WHERE id = {}", table, places[k], ids[k]));
        db_->execute(fmt::format("UPDATE {} SET id = -id WHERE id < 0", table));
        db_->execute("COMMIT");
    } catch (...) {
        sqlite3_exec(db_->get(), "ROLLBACK", nullptr, nullptr, nullptr);
        throw;
    }
}

std::string Store::content_of(const std::string& problem) const {
    const std::lock_guard lock(db_->mutex);
    return db_->contents.of(outline_problem(problem).files).value_or("");
}

std::vector<std::string> Store::notes_on_files() const {
    const std::lock_guard lock(db_->mutex);
    std::vector<std::string> lines = db_->contents.notes();
    if (const std::size_t count = db_->damaged.size(); count != 0)
        lines.push_back(fmt::format("{}: {} damaged and {} not count as stored", results::path_text(db_->path()),
                                    count == 1 ? "one stored solve is" : fmt::format("{} stored solves are", count),
                                    count == 1 ? "does" : "do"));
    return lines;
}

std::vector<std::string> Store::mixed_contents(StoredPoints which) const {
    const std::lock_guard lock(db_->mutex);
    return results::mixed_contents(results::contents_by_problem(*db_, results::table_of(which)));
}

bool Store::contains(const Point& point) const {
    return find(point).has_value();
}

std::optional<SolveResult> Store::find(const Point& point) const {
    const std::lock_guard lock(db_->mutex);
    return db_->find("points", point_key(point), outline_problem(point.problem).files, [](const results::RowReader& r) {
        (void)results::options_of_row(r); // a damaged one is none of the key's
        (void)r.whole("unknowns");
        SolveResult result;
        result.status = results::parse_status(r.text("status"));
        result.detail = r.text("detail");
        result.inner_iterations = r.whole("inner_iterations");
        result.outer_iterations = r.whole("outer_iterations");
        result.true_residual = r.maybe_real("true_residual").value_or(std::numeric_limits<double>::quiet_NaN());
        result.error = r.maybe_real("error");
        result.sigma_guards = r.whole("sigma_guards");
        result.cycles = r.maybe_whole("cycles");
        result.seconds = r.real("seconds");
        result.history = results::history_from_json(r.text("history"));
        results::words_from_json(r.text("words"), result);
        return result;
    });
}

void Store::put(const Point& point, const SolveResult& result, std::size_t unknowns, const Provenance& provenance) {
    const SolveOptions& o = point.options;
    const auto first = results::column_options(options::Column::first);
    const auto later = results::column_options(options::Column::later);
    std::string front, back, marks;
    for (const options::Option* option : first) front += options::spelt(*option) + ", ";
    for (const options::Option* option : later) back += ", " + options::spelt(*option);
    for (std::size_t i = 0; i < first.size() + later.size(); ++i) marks += ",?";
    const auto name = [](options::Common which) { return options::spelt(options::common(which)); };
    const std::lock_guard lock(db_->mutex);
    Statement insert = db_->prepare(fmt::format(
        "INSERT OR REPLACE INTO points (key, {}, unknowns, {}, {}status, detail, inner_iterations, "
        "outer_iterations, true_residual, error, sigma_guards, cycles, seconds, {}, history, words, version, "
        "commit_id, machine, date, command, {}{}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?{})",
        name(options::Common::problem), name(options::Common::engine), front, name(options::Common::threads),
        results::kContentColumn, back, marks));
    insert.bind_all(point_key(point), point.problem, std::uint64_t{unknowns}, point.engine);
    for (const options::Option* option : first) insert.bind_value(results::column_value(*option, o));
    insert.bind_all(to_string(result.status), result.detail, result.inner_iterations, result.outer_iterations,
                    result.true_residual, result.error, result.sigma_guards, result.cycles, result.seconds,
                    static_cast<std::uint64_t>(o.threads));
    if (result.history.empty()) insert.bind_null();
    else insert.bind(json_text(results::history_to_json(result.history), -1));
    if (const results::Json words = results::words_to_json(result); words.empty()) insert.bind_null();
    else insert.bind(json_text(words, -1));
    insert.bind_provenance(provenance);
    insert.bind_content(db_->contents.of(outline_problem(point.problem).files));
    for (const options::Option* option : later) insert.bind_value(results::column_value(*option, o));
    insert.step();
}

std::size_t Store::size() const {
    const std::lock_guard lock(db_->mutex);
    Statement count = db_->prepare("SELECT COUNT(*) FROM points");
    count.step();
    return count.integer(0);
}

} // namespace mantissa
