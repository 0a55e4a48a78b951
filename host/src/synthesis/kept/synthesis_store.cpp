#include "synthesis_store.hpp"

#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "store/database.hpp"

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

using results::Database;
using results::Statement;

/// Has the table no column `bands`?
bool is_older(const Database& db, const char* table) {
    return db.has_table(table) && !db.has_column(table, "bands");
}

/// Moves the rows of an older table into one whose key has the bands. In one transaction: a program that is stopped
/// leaves the older table as it was.
void add_bands(const Database& db) {
    db.execute("BEGIN IMMEDIATE");
    try {
        for (const auto& [table, make] : {std::pair{"netlist", kTable}, std::pair{"placement", kPlacements}}) {
            if (!is_older(db, table)) continue; // another program may have come first
            db.execute(fmt::format("ALTER TABLE {0} RENAME TO {0}_before_bands", table));
            db.execute(make);
            db.execute(fmt::format("INSERT INTO {0} SELECT 'streamed', * FROM {0}_before_bands; DROP TABLE "
                                   "{0}_before_bands",
                                   table));
        }
        db.execute("COMMIT");
    } catch (...) {
        sqlite3_exec(db.get(), "ROLLBACK", nullptr, nullptr, nullptr);
        throw;
    }
}

Database open(const std::string& path) {
    { const Store settled(path); } // makes or checks the file
    Database db(path, results::Access::write);
    settle_synthesis_tables(db);
    return db;
}

/// To look something up, which a store that cannot be written allows too.
Database open_to_find(const std::string& path) {
    if (results::access_to(path) != results::Access::read) return open(path);
    Database db(path, results::Access::read);
    for (const char* table : {"netlist", "placement"})
        if (!db.has_table(table) || is_older(db, table))
            throw InvalidInput(fmt::format("{}: cannot be written, and holds no results of synthesis as this program "
                                           "keeps them; give another results file",
                                           results::path_text(path)));
    return db;
}

/// A netlist in either table.
constexpr const char* kOfNetlist =
    "bands=? AND spec=? AND target=? AND multiplier=? AND part=? AND tool=? AND sources=?";
Statement& bind_key(Statement& statement, const SynthesisKey& key) {
    return statement.bind_all(key.bands, key.spec, key.target, key.multiplier, key.part, key.tool, key.sources);
}

} // namespace

std::string figure_columns() {
    std::string names;
    for (const NetlistCount& count : kNetlistCounts) names += fmt::format("{}, ", count.name);
    return names + "model_mhz, model_path";
}

SynthesisFigures figures_at(const Statement& row) {
    SynthesisFigures figures;
    int at = 0;
    for (const NetlistCount& count : kNetlistCounts) figures.*count.member = row.integer(at++);
    figures.model_mhz = row.real(at++);
    figures.model_path = row.text(at);
    return figures;
}

void settle_synthesis_tables(const std::string& path) {
    (void)open(path);
}

void settle_synthesis_tables(const Database& db) {
    for (const char* sql : {kTable, kPlacements}) db.execute(sql);
    if (is_older(db, "netlist") || is_older(db, "placement")) add_bands(db);
}

std::optional<SynthesisFigures> find_synthesis(const std::string& path, const SynthesisKey& key) {
    const Database db = open_to_find(path);
    Statement select = db.prepare(fmt::format("SELECT {} FROM netlist WHERE {}", figure_columns(), kOfNetlist));
    return bind_key(select, key).step() ? std::optional(figures_at(select)) : std::nullopt;
}

void put_synthesis(const std::string& path, const SynthesisKey& key, const SynthesisFigures& figures,
                   const Provenance& provenance) {
    const Database db = open(path);
    Statement insert =
        db.prepare("INSERT OR REPLACE INTO netlist VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    bind_key(insert, key);
    for (const NetlistCount& count : kNetlistCounts) insert.bind(figures.*count.member);
    insert.bind(figures.model_mhz).bind(figures.model_path).bind_provenance(provenance).step();
}

std::optional<Placement> find_placement(const std::string& path, const SynthesisKey& key, const std::string& placer,
                                        int seed) {
    const Database db = open_to_find(path);
    Statement select =
        db.prepare(fmt::format("SELECT mhz, critical FROM placement WHERE {} AND placer=? AND seed=?", kOfNetlist));
    if (!bind_key(select, key).bind(placer).bind(static_cast<std::uint64_t>(seed)).step()) return std::nullopt;
    return Placement{seed, select.real(0), std::string(select.text(1))};
}

std::vector<Placement> find_placements(const std::string& path, const SynthesisKey& key, const std::string& placer) {
    const Database db = open_to_find(path);
    Statement select = db.prepare(
        fmt::format("SELECT seed, mhz, critical FROM placement WHERE {} AND placer=? ORDER BY mhz, seed", kOfNetlist));
    bind_key(select, key).bind(placer);
    std::vector<Placement> all;
    while (select.step())
        all.push_back({static_cast<int>(select.integer(0)), select.real(1), std::string(select.text(2))});
    return all;
}

void put_placement(const std::string& path, const SynthesisKey& key, const std::string& placer,
                   const Placement& placement, const Provenance& provenance) {
    const Database db = open(path);
    Statement insert = db.prepare("INSERT OR REPLACE INTO placement VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    bind_key(insert, key)
        .bind_all(placer, static_cast<std::uint64_t>(placement.seed), placement.mhz, placement.critical)
        .bind_provenance(provenance)
        .step();
}

} // namespace mantissa::synthesis
