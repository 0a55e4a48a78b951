#include "synthesis_store.hpp"

#include <array>
#include <memory>

#include <fmt/format.h>
#include <sqlite3.h>

#include "mantissa/format.hpp"
#include "mantissa/host/store.hpp"
#include "store/results_file.hpp"

namespace mantissa::synthesis {

namespace {

constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS netlist ("
    "bands TEXT NOT NULL, "
    "spec TEXT NOT NULL, target TEXT NOT NULL, multiplier TEXT NOT NULL, part TEXT NOT NULL, "
    "tool TEXT NOT NULL, sources TEXT NOT NULL, luts INTEGER NOT NULL, memory_luts INTEGER "
    "NOT NULL, flip_flops INTEGER NOT NULL, paired INTEGER NOT NULL, carries INTEGER NOT "
    "NULL, multipliers INTEGER NOT NULL, memory_bits INTEGER NOT NULL, io_bits INTEGER NOT "
    "NULL, depth INTEGER NOT NULL, model_mhz REAL NOT NULL, model_path TEXT NOT NULL, version TEXT NOT NULL, commit_id "
    "TEXT NOT NULL, machine "
    "TEXT NOT NULL, date TEXT NOT NULL, command TEXT NOT NULL, "
    "PRIMARY KEY (spec, target, multiplier, part, tool, sources, bands))";

constexpr const char* kPlacements =
    "CREATE TABLE IF NOT EXISTS placement ("
    "bands TEXT NOT NULL, "
    "spec TEXT NOT NULL, target TEXT NOT NULL, multiplier TEXT NOT NULL, part TEXT NOT "
    "NULL, tool TEXT NOT NULL, sources TEXT NOT NULL, placer TEXT NOT NULL, seed INTEGER "
    "NOT NULL, mhz REAL NOT NULL, critical TEXT NOT NULL, version TEXT NOT NULL, "
    "commit_id TEXT NOT NULL, machine TEXT NOT NULL, date TEXT NOT NULL, command TEXT "
    "NOT NULL, PRIMARY KEY (spec, target, multiplier, part, tool, sources, bands, placer, seed))";

using Statement = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

Statement prepare(sqlite3* db, const std::string& path, const char* sql) {
    sqlite3_stmt* raw = nullptr;
    results::check_database(db, sqlite3_prepare_v2(db, sql, -1, &raw, nullptr), path);
    return {raw, &sqlite3_finalize};
}

void execute(sqlite3* db, const std::string& path, const std::string& sql) {
    results::check_database(db, sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), path);
}

/// Has the table no column `bands`?
bool is_older(sqlite3* db, const std::string& path, const char* table) {
    const Statement query = prepare(
        db, path, fmt::format("SELECT COUNT(*), SUM(name='bands') FROM pragma_table_info('{}')", table).c_str());
    results::check_database(db, sqlite3_step(query.get()), path);
    return sqlite3_column_int(query.get(), 0) > 0 && sqlite3_column_int(query.get(), 1) == 0;
}

/// Moves the rows of an older table into one whose key has the bands. In one transaction: a program that is stopped
/// leaves the older table as it was.
void add_bands(sqlite3* db, const std::string& path) {
    execute(db, path, "BEGIN IMMEDIATE");
    try {
        for (const auto& [table, make] : {std::pair{"netlist", kTable}, std::pair{"placement", kPlacements}}) {
            if (!is_older(db, path, table)) continue; // another program may have come first
            execute(db, path, fmt::format("ALTER TABLE {0} RENAME TO {0}_before_bands", table));
            execute(db, path, make);
            execute(db, path,
                    fmt::format("INSERT INTO {0} SELECT 'streamed', * FROM {0}_before_bands; DROP TABLE "
                                "{0}_before_bands",
                                table));
        }
        execute(db, path, "COMMIT");
    } catch (...) {
        sqlite3_exec(db, "ROLLBACK", nullptr, nullptr, nullptr);
        throw;
    }
}

results::DatabaseHandle open(const std::string& path) {
    { const Store settled(path); } // makes or checks the file
    results::DatabaseHandle db = results::open_results(path, results::Access::write);
    settle_synthesis_tables(db.get(), path);
    return db;
}

/// To look something up, which a store that cannot be written allows too.
results::DatabaseHandle open_to_find(const std::string& path) {
    if (results::access_to(path) != results::Access::read) return open(path);
    results::DatabaseHandle db = results::open_results(path, results::Access::read);
    for (const char* table : {"netlist", "placement"})
        if (!results::has_table(db.get(), path, table) || is_older(db.get(), path, table))
            throw InvalidInput(fmt::format("{}: cannot be written, and holds no results of synthesis as this program "
                                           "keeps them; give another results file",
                                           results::path_text(path)));
    return db;
}

void bind(sqlite3_stmt* statement, int at, const std::string& text) {
    sqlite3_bind_text(statement, at, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

int bind_key(sqlite3_stmt* statement, const SynthesisKey& key) {
    int at = 0;
    for (const std::string* text :
         {&key.bands, &key.spec, &key.target, &key.multiplier, &key.part, &key.tool, &key.sources})
        bind(statement, ++at, *text);
    return at;
}

template <class Figures> auto columns(Figures& f) {
    return std::array{&f.luts,        &f.memory_luts, &f.flip_flops, &f.paired, &f.carries,
                      &f.multipliers, &f.memory_bits, &f.io_bits,    &f.depth};
}

} // namespace

void settle_synthesis_tables(const std::string& path) {
    (void)open(path);
}

void settle_synthesis_tables(sqlite3* db, const std::string& path) {
    for (const char* sql : {kTable, kPlacements}) execute(db, path, sql);
    if (is_older(db, path, "netlist") || is_older(db, path, "placement")) add_bands(db, path);
}

std::optional<SynthesisFigures> find_synthesis(const std::string& path, const SynthesisKey& key) {
    const results::DatabaseHandle db = open_to_find(path);
    const Statement select =
        prepare(db.get(), path,
                "SELECT luts, memory_luts, flip_flops, paired, carries, multipliers, memory_bits, io_bits, depth, "
                "model_mhz, model_path FROM netlist WHERE bands=? AND spec=? AND target=? AND multiplier=? AND part=? "
                "AND tool=? "
                "AND sources=?");
    bind_key(select.get(), key);
    const int code = sqlite3_step(select.get());
    results::check_database(db.get(), code, path);
    if (code != SQLITE_ROW) return std::nullopt;
    SynthesisFigures figures;
    int at = 0;
    for (std::uint64_t* column : columns(figures))
        *column = static_cast<std::uint64_t>(sqlite3_column_int64(select.get(), at++));
    figures.model_mhz = sqlite3_column_double(select.get(), at++);
    figures.model_path = reinterpret_cast<const char*>(sqlite3_column_text(select.get(), at));
    return figures;
}

void put_synthesis(const std::string& path, const SynthesisKey& key, const SynthesisFigures& figures,
                   const Provenance& provenance) {
    const results::DatabaseHandle db = open(path);
    const Statement insert = prepare(
        db.get(), path, "INSERT OR REPLACE INTO netlist VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    int at = bind_key(insert.get(), key);
    for (const std::uint64_t* column : columns(figures))
        sqlite3_bind_int64(insert.get(), ++at, static_cast<sqlite3_int64>(*column));
    sqlite3_bind_double(insert.get(), ++at, figures.model_mhz);
    bind(insert.get(), ++at, figures.model_path);
    for (const std::string* text :
         {&provenance.version, &provenance.commit, &provenance.machine, &provenance.date, &provenance.command})
        bind(insert.get(), ++at, *text);
    results::check_database(db.get(), sqlite3_step(insert.get()), path);
}

std::optional<Placement> find_placement(const std::string& path, const SynthesisKey& key, const std::string& placer,
                                        int seed) {
    const results::DatabaseHandle db = open_to_find(path);
    const Statement select = prepare(db.get(), path,
                                     "SELECT mhz, critical FROM placement WHERE bands=? AND spec=? AND target=? AND "
                                     "multiplier=? AND part=? AND tool=? "
                                     "AND sources=? AND placer=? AND seed=?");
    int at = bind_key(select.get(), key);
    bind(select.get(), ++at, placer);
    sqlite3_bind_int(select.get(), ++at, seed);
    const int code = sqlite3_step(select.get());
    results::check_database(db.get(), code, path);
    if (code != SQLITE_ROW) return std::nullopt;
    return Placement{seed, sqlite3_column_double(select.get(), 0),
                     reinterpret_cast<const char*>(sqlite3_column_text(select.get(), 1))};
}

std::vector<Placement> find_placements(const std::string& path, const SynthesisKey& key, const std::string& placer) {
    const results::DatabaseHandle db = open_to_find(path);
    const Statement select = prepare(db.get(), path,
                                     "SELECT seed, mhz, critical FROM placement WHERE bands=? AND spec=? AND target=? "
                                     "AND multiplier=? AND part=? AND "
                                     "tool=? AND sources=? AND placer=? ORDER BY mhz, seed");
    int at = bind_key(select.get(), key);
    bind(select.get(), ++at, placer);
    std::vector<Placement> all;
    for (;;) {
        const int code = sqlite3_step(select.get());
        results::check_database(db.get(), code, path);
        if (code != SQLITE_ROW) return all;
        all.push_back({sqlite3_column_int(select.get(), 0), sqlite3_column_double(select.get(), 1),
                       reinterpret_cast<const char*>(sqlite3_column_text(select.get(), 2))});
    }
}

void put_placement(const std::string& path, const SynthesisKey& key, const std::string& placer,
                   const Placement& placement, const Provenance& provenance) {
    const results::DatabaseHandle db = open(path);
    const Statement insert =
        prepare(db.get(), path, "INSERT OR REPLACE INTO placement VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    int at = bind_key(insert.get(), key);
    bind(insert.get(), ++at, placer);
    sqlite3_bind_int(insert.get(), ++at, placement.seed);
    sqlite3_bind_double(insert.get(), ++at, placement.mhz);
    bind(insert.get(), ++at, placement.critical);
    for (const std::string* text :
         {&provenance.version, &provenance.commit, &provenance.machine, &provenance.date, &provenance.command})
        bind(insert.get(), ++at, *text);
    results::check_database(db.get(), sqlite3_step(insert.get()), path);
}

} // namespace mantissa::synthesis
