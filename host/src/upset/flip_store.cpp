#include "flip_store.hpp"

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/provenance.hpp"
#include "mantissa/host/store.hpp"
#include "store/database.hpp"

namespace mantissa::upset {

struct FlipStore::Database {
    Store points; // makes the file what it is
    results::Database file;

    explicit Database(const std::string& path) : points(path), file(path, results::Access::write) {}
    [[nodiscard]] results::Statement prepare(std::string_view sql) const { return file.prepare(sql); }
    void execute(const std::string& sql) const { file.execute(sql); }
};

FlipStore::FlipStore(const std::string& path, std::string campaign, const std::string& problem)
    : db_(std::make_unique<Database>(path)), campaign_(std::move(campaign)) {
    db_->execute("CREATE TABLE IF NOT EXISTS upset (campaign TEXT, number INTEGER, place TEXT, word INTEGER, "
                 "bit INTEGER, clock INTEGER, outcome INTEGER, more_inner INTEGER, more_outer INTEGER, "
                 "converged INTEGER, true_residual REAL, PRIMARY KEY (campaign, number))");
    // (a column named checks, or one that begins with "as", looks to the reader of a schema like more than a column)
    db_->execute("CREATE TABLE IF NOT EXISTS upset_campaign (campaign TEXT PRIMARY KEY, problem TEXT, spec TEXT, "
                 "core TEXT, scope TEXT, guarded INTEGER, seed INTEGER, flips INTEGER, register_bits INTEGER, "
                 "memory_bits INTEGER, version TEXT, commit_id TEXT, machine TEXT, date TEXT, command TEXT)");
    db_->execute("CREATE TABLE IF NOT EXISTS upset_place (campaign TEXT, place TEXT, memory INTEGER, bits INTEGER, "
                 "PRIMARY KEY (campaign, place))");
    const std::string content = db_->points.content_of(problem);
    if (content.empty()) return;
    const auto begun = [&](const std::string& key) {
        return db_->prepare("SELECT 1 FROM upset WHERE campaign = ? LIMIT 1").bind(key).step();
    };
    const std::string marked = campaign_ + " files=" + content;
    if (begun(campaign_)) {
        note_ =
            fmt::format("problem {}: an older version stored upsets of it, without a record of what its files held; "
                        "they count as stored; give another store if a file has changed since",
                        base::quoted(problem, 200));
        return;
    }
    results::Statement others =
        db_->prepare("SELECT 1 FROM upset WHERE substr(campaign, 1, ?) = ? AND campaign <> ? LIMIT 1");
    others.bind_all(std::uint64_t{campaign_.size() + 7}, campaign_ + " files=", marked);
    if (!begun(marked) && others.step())
        note_ =
            fmt::format("problem {}: its files changed since upsets of it were stored; those do not count as stored",
                        base::quoted(problem, 200));
    campaign_ = marked;
}

FlipStore::~FlipStore() {
    try {
        commit();
    } catch (const InvalidInput&) { // (a full disk: what was kept before stays)
    }
}

void FlipStore::commit() {
    if (open_) db_->execute("COMMIT");
    open_ = false;
}

void FlipStore::describe(const Request& request, const Reference& reference) {
    db_->execute("BEGIN IMMEDIATE");
    open_ = true;
    const Provenance here = current_provenance(request.command);
    db_->prepare("INSERT OR REPLACE INTO upset_campaign VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind_all(campaign_, request.problem, words_of(request.options), reference.core, to_string(request.where),
                  static_cast<std::uint64_t>(request.checks), request.seed, request.flips, reference.register_bits,
                  reference.memory_bits)
        .bind_provenance(here)
        .step();
    for (const sim::UpsetPlace& place : reference.places) {
        db_->prepare("INSERT OR REPLACE INTO upset_place VALUES (?, ?, ?, ?)")
            .bind_all(campaign_, place.name, is_memory(place), std::uint64_t{place.bits} * place.words)
            .step();
    }
    commit();
}

std::vector<Flip> FlipStore::below(std::uint64_t count) {
    results::Statement rows =
        db_->prepare("SELECT number, place, word, bit, clock, outcome, more_inner, more_outer, converged, "
                     "true_residual FROM upset WHERE campaign = ? AND number < ? ORDER BY number");
    rows.bind_all(campaign_, count);
    std::vector<Flip> flips;
    while (rows.step()) {
        bool sound = rows.type(9) == SQLITE_FLOAT || rows.null(9);
        for (const int whole : {0, 2, 3, 4, 5, 6, 7, 8}) sound = sound && rows.type(whole) == SQLITE_INTEGER;
        if (!sound || rows.integer(5) >= kOutcomes) continue; // (it is made again)
        Flip f;
        f.number = rows.integer(0);
        f.place = rows.text(1);
        f.word = rows.integer(2);
        f.bit = static_cast<std::uint32_t>(rows.integer(3));
        f.clock = rows.integer(4);
        f.outcome = static_cast<Outcome>(rows.integer(5));
        f.more_inner = static_cast<std::int64_t>(rows.integer(6));
        f.more_outer = static_cast<std::int64_t>(rows.integer(7));
        f.converged = rows.integer(8) != 0;
        f.true_residual = rows.real(9, std::numeric_limits<double>::infinity());
        flips.push_back(std::move(f));
    }
    return flips;
}

void FlipStore::put(const Flip& flip) {
    const auto now = std::chrono::steady_clock::now();
    if (!open_) {
        db_->execute("BEGIN IMMEDIATE");
        open_ = true;
        since_ = now;
    }
    db_->prepare("INSERT OR REPLACE INTO upset VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind_all(campaign_, flip.number, flip.place, flip.word, std::uint64_t{flip.bit}, flip.clock,
                  static_cast<std::uint64_t>(flip.outcome), static_cast<std::uint64_t>(flip.more_inner),
                  static_cast<std::uint64_t>(flip.more_outer), flip.converged, flip.true_residual)
        .step();
    if (now - since_ > std::chrono::seconds(2)) commit();
}

} // namespace mantissa::upset
