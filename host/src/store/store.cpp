#include "mantissa/host/store.hpp"

#include <mutex>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "database.hpp"
#include "mantissa/format.hpp"
#include "point_columns.hpp"
#include "result_json.hpp"
#include "text/json_text.hpp"

namespace mantissa {

using results::Statement;

namespace {

void bind_value(Statement& statement, const std::optional<options::Value>& value) {
    if (!value) return statement.bind_null();
    std::visit(
        [&](const auto& v) {
            using T = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<T, std::string>) statement.bind(std::string_view(v));
            else if constexpr (std::is_same_v<T, std::int64_t>) statement.bind(static_cast<std::uint64_t>(v));
            else statement.bind(v);
        },
        *value);
}

void execute(sqlite3* db, const std::string& path, std::string_view sql) {
    (void)Statement(db, path, sql).step();
}

bool has_column(sqlite3* db, const std::string& path, std::string_view name) {
    Statement columns(db, path, "SELECT 1 FROM pragma_table_info('points') WHERE name = ?");
    columns.bind(name);
    return columns.step();
}

/// Columns that a file from an older program lacks. What they would hold stands in the key of each solve.
void add_columns(sqlite3* db, const std::string& path) {
    for (const options::Option* option : results::column_options(options::Column::later)) {
        const std::string name = options::spelt(*option);
        if (has_column(db, path, name)) continue;
        execute(db, path, "ALTER TABLE points ADD COLUMN " + results::column_declaration(*option));
        std::vector<std::pair<std::uint64_t, options::Value>> found;
        Statement rows(db, path, "SELECT id, key FROM points");
        while (rows.step())
            if (auto value = options::value_in_key(rows.text(1), *option)) found.emplace_back(rows.integer(0), *value);
        for (const auto& [id, value] : found) {
            Statement update(db, path, fmt::format("UPDATE points SET {} = ? WHERE id = ?", name));
            bind_value(update, value);
            update.bind(id);
            update.step();
        }
    }
}

/// Before a solve's recurrence was one value it stood in three columns, and so in the keys; these are its scheme's name
/// and `recurrence` now.
void join_recurrences(sqlite3* db, const std::string& path) {
    const bool inner = has_column(db, path, "inner_recurrence"), gmres = has_column(db, path, "gmres");
    if (!inner && !gmres) return;
    struct Row {
        std::uint64_t id;
        std::string key, scheme, recurrence;
    };
    std::vector<Row> changed;
    Statement rows(db, path,
                   fmt::format("SELECT id, key, problem, scheme, recurrence, {}, {} FROM points",
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
        Statement update(db, path, "UPDATE OR REPLACE points SET key = ?, scheme = ?, recurrence = ? WHERE id = ?");
        update.bind(row.key);
        update.bind(row.scheme);
        if (row.recurrence.empty()) update.bind_null();
        else update.bind(row.recurrence);
        update.bind(row.id);
        update.step();
    }
    if (inner) execute(db, path, "ALTER TABLE points DROP COLUMN inner_recurrence");
    if (gmres) execute(db, path, "ALTER TABLE points DROP COLUMN gmres");
}

} // namespace

void results::settle_points(sqlite3* db, const std::string& path) {
    execute(db, path, "BEGIN IMMEDIATE");
    if (is_new(db, path)) {
        execute(db, path, points_schema());
        mark_results(db, path);
    } else {
        if (!has_column(db, path, "words")) // before fixed-point vectors
            execute(db, path, "ALTER TABLE points ADD COLUMN words TEXT");
        add_columns(db, path);
        join_recurrences(db, path);
    }
    execute(db, path, "COMMIT");
}

Store::Store(const std::string& path, StoreAccess access) : db_(std::make_unique<Database>(path, access)) {
    sqlite3* const db = db_->handle.get();
    if (access == StoreAccess::read) {
        results::update_copy(db, path, [&] { results::settle_points(db, path); });
        return;
    }
    results::settle_points(db, path);
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
    const auto first = results::column_options(options::Column::first);
    const auto later = results::column_options(options::Column::later);
    std::string front, back, marks;
    for (const options::Option* option : first) front += options::spelt(*option) + ", ";
    for (const options::Option* option : later) back += ", " + options::spelt(*option);
    for (std::size_t i = 0; i < first.size() + later.size(); ++i) marks += ",?";
    const std::lock_guard lock(db_->mutex);
    Statement insert = db_->prepare(fmt::format(
        "INSERT OR REPLACE INTO points (key, problem, unknowns, engine, {}status, detail, inner_iterations, "
        "outer_iterations, true_residual, error, sigma_guards, cycles, seconds, threads, history, words, version, "
        "commit_id, machine, date, command{}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?{})",
        front, back, marks));
    insert.bind(point_key(point));
    insert.bind(point.problem);
    insert.bind(std::uint64_t{unknowns});
    insert.bind(point.engine);
    for (const options::Option* option : first) bind_value(insert, results::column_value(*option, o));
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
    for (const options::Option* option : later) bind_value(insert, results::column_value(*option, o));
    insert.step();
}

std::size_t Store::size() const {
    const std::lock_guard lock(db_->mutex);
    Statement count = db_->prepare("SELECT COUNT(*) FROM points");
    count.step();
    return count.integer(0);
}

} // namespace mantissa
