#include "comparison_store.hpp"

#include <limits>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <sqlite3.h>

#include "mantissa/format.hpp"
#include "mantissa/host/options.hpp"
#include "store/point_columns.hpp"
#include "store/result_json.hpp"
#include "synthesis/kept/synthesis_store.hpp"
#include "text/json_text.hpp"

namespace mantissa::compare {

namespace {

/// The file, opened for as long as this lives; or `copy`, where a copy of it was taken to read.
class Database {
public:
    Database(const std::string& path, sqlite3* copy)
        : path_(path), own_(copy != nullptr ? nullptr : results::open_results(path, results::Access::write)),
          db_(copy != nullptr ? copy : own_.get()) {}
    void execute(const std::string& sql) {
        results::check_database(db_, sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr), path_);
    }

    class Query {
    public:
        Query(Database& db, const std::string& sql) : db_(db) {
            sqlite3_stmt* raw = nullptr;
            results::check_database(db_.db_, sqlite3_prepare_v2(db_.db_, sql.c_str(), -1, &raw, nullptr), db_.path_);
            statement_.reset(raw);
        }
        Query& bind(std::string_view text) {
            sqlite3_bind_text(statement_.get(), ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
            return *this;
        }
        Query& bind_number(std::uint64_t value) {
            sqlite3_bind_int64(statement_.get(), ++bound_, static_cast<sqlite3_int64>(value));
            return *this;
        }
        Query& bind_number(double value) {
            sqlite3_bind_double(statement_.get(), ++bound_, value);
            return *this;
        }
        bool step() {
            const int code = sqlite3_step(statement_.get());
            results::check_database(db_.db_, code, db_.path_);
            return code == SQLITE_ROW;
        }
        [[nodiscard]] std::string text(int column) const {
            const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
            return bytes == nullptr ? "" : bytes;
        }
        [[nodiscard]] std::uint64_t whole(int column) const {
            return static_cast<std::uint64_t>(sqlite3_column_int64(statement_.get(), column));
        }
        /// `missing` stands for what SQLite keeps as NULL: no value, or one that is no finite number.
        [[nodiscard]] double real(int column, double missing = 0) const {
            const bool there = sqlite3_column_type(statement_.get(), column) != SQLITE_NULL;
            return there ? sqlite3_column_double(statement_.get(), column) : missing;
        }
        /// What a column of an option holds; nothing for NULL.
        [[nodiscard]] std::optional<options::Value> value(int column, options::Type type) const {
            using options::Type;
            if (sqlite3_column_type(statement_.get(), column) == SQLITE_NULL) return std::nullopt;
            if (type == Type::truth) return whole(column) != 0;
            if (type == Type::whole) return whole(column);
            if (type == Type::integer) return static_cast<std::int64_t>(whole(column));
            if (type == Type::number) return real(column);
            return text(column);
        }
        /// Five columns from `first` on.
        [[nodiscard]] Provenance provenance(int first) const {
            return {text(first), text(first + 1), text(first + 2), text(first + 3), text(first + 4)};
        }

    private:
        Database& db_;
        std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement_{nullptr, &sqlite3_finalize};
        int bound_ = 0;
    };

private:
    std::string path_;
    results::DatabaseHandle own_;
    sqlite3* db_;
};

constexpr const char* kProvenance = "version, commit_id, machine, date, command";

std::optional<StoredDocument> find(Database db, const std::string& path, const char* table, const std::string& name) {
    Database::Query query(db, fmt::format("SELECT document, {} FROM {} WHERE name=?", kProvenance, table));
    query.bind(name);
    if (!query.step()) return std::nullopt;
    const results::Json document = results::Json::parse(query.text(0), nullptr, false);
    if (document.is_discarded())
        throw InvalidInput(
            fmt::format("{}: the {} '{}' is no JSON; remove the file or give another results file", path, table, name));
    return StoredDocument{document, query.provenance(1)};
}

void put(Database db, const char* table, const std::string& name, const results::Json& document, const Provenance& p) {
    Database::Query insert(db, fmt::format("INSERT OR REPLACE INTO {} VALUES (?,?,?,?,?,?,?)", table));
    insert.bind(name)
        .bind(json_text(document, -1))
        .bind(p.version)
        .bind(p.commit)
        .bind(p.machine)
        .bind(p.date)
        .bind(p.command);
    insert.step();
}

std::optional<Provenance> newest(Database::Query& query) {
    if (!query.step()) return std::nullopt;
    return query.provenance(0);
}

/// A core, or a unit of one, in the tables of synthesis.
constexpr const char* kCore = "part=? AND spec=? AND target=? AND multiplier=? AND bands=?";
Database::Query& bind_core(Database::Query& query, const CoreKey& key) {
    return query.bind(key.part).bind(key.spec).bind(key.target).bind(key.multiplier).bind(key.bands);
}

} // namespace

ComparisonStore::ComparisonStore(std::string path, StoreAccess access) : path_(std::move(path)) {
    const auto make_tables = [&](Database db) {
        for (const char* table : {"measurement", "comparison"})
            db.execute(fmt::format("CREATE TABLE IF NOT EXISTS {} (name TEXT PRIMARY KEY, document TEXT NOT NULL, "
                                   "version TEXT NOT NULL, commit_id TEXT NOT NULL, machine TEXT NOT NULL, date TEXT "
                                   "NOT NULL, command TEXT NOT NULL)",
                                   table));
    };
    if (access == StoreAccess::write) {
        synthesis::settle_synthesis_tables(path_); // makes or checks the file
        make_tables(Database(path_, nullptr));
        return;
    }
    copy_ = results::open_results(path_, results::Access::read);
    results::update_copy(copy_.get(), path_, [&] {
        results::settle_points(copy_.get(), path_);
        synthesis::settle_synthesis_tables(copy_.get(), path_);
        make_tables(Database(path_, copy_.get()));
    });
}

std::optional<StoredDocument> ComparisonStore::measurement(const std::string& name) const {
    return find({path_, copy_.get()}, path_, "measurement", name);
}
void ComparisonStore::put_measurement(const std::string& name, const results::Json& document,
                                      const Provenance& provenance) const {
    put({path_, copy_.get()}, "measurement", name, document, provenance);
}
std::optional<StoredDocument> ComparisonStore::comparison(const std::string& name) const {
    return find({path_, copy_.get()}, path_, "comparison", name);
}
void ComparisonStore::put_comparison(const std::string& name, const results::Json& document,
                                     const Provenance& provenance) const {
    put({path_, copy_.get()}, "comparison", name, document, provenance);
}

std::vector<findings::SolveBeside> ComparisonStore::solves() const {
    Database db(path_, copy_.get());
    std::map<const options::Option*, int> at;
    std::string columns = "problem, spec, status, inner_iterations, true_residual";
    for (const options::Option& option : options::table())
        if (option.column != options::Column::none) {
            at.emplace(&option, 5 + static_cast<int>(at.size()));
            columns += ", " + options::spelt(option);
        }
    Database::Query query(db, fmt::format("SELECT {} FROM points ORDER BY id", columns));
    std::vector<findings::SolveBeside> list;
    while (query.step()) {
        const SolveOptions o = results::options_of_columns(
            [&](const options::Option& option) { return query.value(at.at(&option), option.type); },
            [&](const std::string& name) {
                throw InvalidInput(
                    fmt::format("{}: column {} holds no value of this option; make the file again", path_, name));
            });
        const Status status = results::parse_status(query.text(2));
        const double residual = query.real(4, std::numeric_limits<double>::infinity());
        list.push_back({.problem = query.text(0),
                        .spec = query.text(1),
                        .options = o,
                        .converged = status == Status::converged,
                        .gives_count = gives_count(o.scheme, status, residual, o.tolerance),
                        .iterations = query.whole(3)});
    }
    return list;
}

std::optional<Provenance> ComparisonStore::origin_of(const Point& point) const {
    Database db(path_, copy_.get());
    Database::Query query(db, fmt::format("SELECT {} FROM points WHERE key=?", kProvenance));
    query.bind(point_key(point));
    return newest(query);
}

std::optional<Provenance> ComparisonStore::origin_of_synthesis(const CoreKey& key, std::uint64_t luts,
                                                               std::uint64_t flip_flops, std::uint64_t depth) const {
    Database db(path_, copy_.get());
    Database::Query query(db, fmt::format("SELECT {} FROM netlist WHERE {} AND luts=? AND flip_flops=? AND depth=? "
                                          "ORDER BY date DESC",
                                          kProvenance, kCore));
    bind_core(query, key).bind_number(luts).bind_number(flip_flops).bind_number(depth);
    return newest(query);
}

std::optional<Provenance> ComparisonStore::origin_of_placement(const CoreKey& key, int seed, double mhz) const {
    Database db(path_, copy_.get());
    Database::Query query(db, fmt::format("SELECT {} FROM placement WHERE {} AND seed=? AND mhz=? ORDER BY date DESC",
                                          kProvenance, kCore));
    bind_core(query, key).bind_number(static_cast<std::uint64_t>(seed)).bind_number(mhz);
    return newest(query);
}

std::optional<ComparisonStore::Synthesis> ComparisonStore::newest_synthesis(const CoreKey& key) const {
    Database db(path_, copy_.get());
    Database::Query query(
        db, fmt::format("SELECT luts, memory_luts, flip_flops, paired, carries, multipliers, memory_bits, io_bits, "
                        "depth, model_mhz, model_path, tool, sources, {} FROM netlist WHERE {} ORDER BY date DESC "
                        "LIMIT 1",
                        kProvenance, kCore));
    bind_core(query, key);
    if (!query.step()) return std::nullopt;
    Synthesis s;
    synthesis::SynthesisFigures& f = s.figures;
    int at = 0;
    for (std::uint64_t* column : {&f.luts, &f.memory_luts, &f.flip_flops, &f.paired, &f.carries, &f.multipliers,
                                  &f.memory_bits, &f.io_bits, &f.depth})
        *column = query.whole(at++);
    f.model_mhz = query.real(at++);
    f.model_path = query.text(at++);
    s.tool = query.text(at++);
    s.sources = query.text(at++);
    s.provenance = query.provenance(at);
    return s;
}

std::vector<ComparisonStore::Placed> ComparisonStore::placements(const CoreKey& key, const std::string& sources) const {
    Database db(path_, copy_.get());
    std::vector<Placed> placed;
    Database::Query query(db, fmt::format("SELECT seed, mhz, critical, {} FROM placement WHERE {} AND sources=? ORDER "
                                          "BY mhz",
                                          kProvenance, kCore));
    bind_core(query, key).bind(sources);
    while (query.step())
        placed.push_back({{static_cast<int>(query.whole(0)), query.real(1), query.text(2)}, query.provenance(3)});
    return placed;
}

} // namespace mantissa::compare
