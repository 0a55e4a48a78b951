#include "comparison_store.hpp"

#include <limits>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <sqlite3.h>

#include "mantissa/format.hpp"
#include "mantissa/host/options.hpp"
#include "store/contents.hpp"
#include "store/point_columns.hpp"
#include "store/result_json.hpp"
#include "synthesis/kept/synthesis_store.hpp"
#include "text/json_text.hpp"

namespace mantissa::compare {

namespace {

using results::Statement;

constexpr const char* kProvenance = "version, commit_id, machine, date, command";

std::optional<StoredDocument> find(const results::Database& db, const char* table, const std::string& name) {
    Statement query = db.prepare(fmt::format("SELECT document, {} FROM {} WHERE name=?", kProvenance, table));
    if (!query.bind(name).step()) return std::nullopt;
    const results::Json document = results::Json::parse(query.text(0), nullptr, false);
    if (document.is_discarded())
        throw InvalidInput(fmt::format("{}: the {} '{}' is no JSON; remove the file or give another results file",
                                       db.path(), table, name));
    return StoredDocument{document, query.provenance(1)};
}

void put(const results::Database& db, const char* table, const std::string& name, const results::Json& document,
         const Provenance& provenance) {
    db.prepare(fmt::format("INSERT OR REPLACE INTO {} VALUES (?,?,?,?,?,?,?)", table))
        .bind_all(name, json_text(document, -1))
        .bind_provenance(provenance)
        .step();
}

std::optional<Provenance> newest(Statement& query) {
    if (!query.step()) return std::nullopt;
    return query.provenance(0);
}

/// A core, or a unit of one, in the tables of synthesis.
constexpr const char* kCore = "part=? AND spec=? AND target=? AND multiplier=? AND bands=?";
Statement& bind_core(Statement& query, const CoreKey& key) {
    return query.bind_all(key.part, key.spec, key.target, key.multiplier, key.bands);
}

} // namespace

ComparisonStore::ComparisonStore(std::string path, StoreAccess access) : path_(std::move(path)) {
    const auto make_tables = [](const results::Database& db) {
        for (const char* table : {"measurement", "comparison"})
            db.execute(fmt::format("CREATE TABLE IF NOT EXISTS {} (name TEXT PRIMARY KEY, document TEXT NOT NULL, "
                                   "version TEXT NOT NULL, commit_id TEXT NOT NULL, machine TEXT NOT NULL, date TEXT "
                                   "NOT NULL, command TEXT NOT NULL)",
                                   table));
    };
    if (access == StoreAccess::write) {
        synthesis::settle_synthesis_tables(path_); // makes or checks the file
        make_tables(results::Database(path_, results::Access::write));
        return;
    }
    copy_ = std::make_shared<results::Database>(path_, results::Access::read);
    copy_->update_copy([&] {
        results::settle_points(*copy_);
        synthesis::settle_synthesis_tables(*copy_);
        make_tables(*copy_);
    });
}

std::shared_ptr<const results::Database> ComparisonStore::database() const {
    return copy_ ? copy_ : std::make_shared<results::Database>(path_, results::Access::write);
}

std::optional<StoredDocument> ComparisonStore::measurement(const std::string& name, const std::string& content) const {
    auto stored = find(*database(), "measurement", name);
    // (what an older program measured has no record of its files)
    if (stored && stored->document.value(results::kContentColumn, content) != content) return std::nullopt;
    return stored;
}
void ComparisonStore::put_measurement(const std::string& name, results::Json document, const Provenance& provenance,
                                      const std::string& content) const {
    if (!content.empty()) document[results::kContentColumn] = content;
    put(*database(), "measurement", name, document, provenance);
}
std::optional<StoredDocument> ComparisonStore::comparison(const std::string& name) const {
    return find(*database(), "comparison", name);
}
void ComparisonStore::put_comparison(const std::string& name, const results::Json& document,
                                     const Provenance& provenance) const {
    put(*database(), "comparison", name, document, provenance);
}

std::vector<findings::SolveBeside> ComparisonStore::solves(const std::map<std::string, std::string>& contents) const {
    const auto db = database();
    std::vector<findings::SolveBeside> list;
    for (results::RowReader row(*db, "points"); row.next();) {
        try {
            const std::string problem = row.text("problem"), files = row.text(results::kContentColumn);
            if (const auto now = contents.find(problem);
                now != contents.end() && !files.empty() && files != now->second)
                continue;
            const SolveOptions o = results::options_of_row(row);
            const Status status = results::parse_status(row.text("status"));
            const double residual = row.maybe_real("true_residual").value_or(std::numeric_limits<double>::infinity());
            list.push_back({.problem = problem,
                            .spec = row.text("spec"),
                            .options = o,
                            .converged = status == Status::converged,
                            .gives_count = gives_count(o.scheme, status, residual, o.tolerance),
                            .iterations = row.whole("inner_iterations")});
        } catch (const InvalidInput&) { // damaged, which is as good as not stored
        }
    }
    return list;
}

std::optional<Provenance> ComparisonStore::origin_of(const Point& point) const {
    const auto db = database();
    Statement query = db->prepare(fmt::format("SELECT {} FROM points WHERE key=?", kProvenance));
    query.bind(point_key(point));
    return newest(query);
}

std::optional<Provenance> ComparisonStore::origin_of_synthesis(const CoreKey& key, std::uint64_t luts,
                                                               std::uint64_t flip_flops, std::uint64_t depth) const {
    const auto db = database();
    Statement query = db->prepare(fmt::format("SELECT {} FROM netlist WHERE {} AND luts=? AND flip_flops=? AND depth=? "
                                              "ORDER BY date DESC",
                                              kProvenance, kCore));
    bind_core(query, key).bind_all(luts, flip_flops, depth);
    return newest(query);
}

std::optional<Provenance> ComparisonStore::origin_of_placement(const CoreKey& key, int seed, double mhz) const {
    const auto db = database();
    Statement query = db->prepare(
        fmt::format("SELECT {} FROM placement WHERE {} AND seed=? AND mhz=? ORDER BY date DESC", kProvenance, kCore));
    bind_core(query, key).bind(static_cast<std::uint64_t>(seed)).bind(mhz);
    return newest(query);
}

std::optional<ComparisonStore::Synthesis> ComparisonStore::newest_synthesis(const CoreKey& key) const {
    const auto db = database();
    Statement query =
        db->prepare(fmt::format("SELECT {}, tool, sources, {} FROM netlist WHERE {} ORDER BY date DESC LIMIT 1",
                                synthesis::figure_columns(), kProvenance, kCore));
    bind_core(query, key);
    if (!query.step()) return std::nullopt;
    constexpr int kFigures = std::size(synthesis::kNetlistCounts) + 2;
    return Synthesis{synthesis::figures_at(query), std::string(query.text(kFigures)),
                     std::string(query.text(kFigures + 1)), query.provenance(kFigures + 2)};
}

std::vector<ComparisonStore::Placed> ComparisonStore::placements(const CoreKey& key, const std::string& sources) const {
    const auto db = database();
    std::vector<Placed> placed;
    Statement query =
        db->prepare(fmt::format("SELECT seed, mhz, critical, {} FROM placement WHERE {} AND sources=? ORDER "
                                "BY mhz",
                                kProvenance, kCore));
    bind_core(query, key).bind(sources);
    while (query.step())
        placed.push_back(
            {{static_cast<int>(query.integer(0)), query.real(1), std::string(query.text(2))}, query.provenance(3)});
    return placed;
}

} // namespace mantissa::compare
