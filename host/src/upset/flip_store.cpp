#include "flip_store.hpp"

#include "mantissa/format.hpp"
#include "mantissa/host/provenance.hpp"
#include "mantissa/host/store.hpp"
#include "store/database.hpp"

namespace mantissa::upset {

struct FlipStore::Database {
    std::string path;
    Store points; // makes the file what it is
    results::DatabaseHandle handle;

    explicit Database(const std::string& file)
        : path(file), points(file), handle(results::open_results(file, results::Access::write)) {}
    results::Statement prepare(std::string_view sql) { return {handle.get(), path, sql}; }
    void execute(std::string_view sql) { (void)prepare(sql).step(); }
};

FlipStore::FlipStore(const std::string& path, std::string campaign)
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
    results::Statement row =
        db_->prepare("INSERT OR REPLACE INTO upset_campaign VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    const std::string spec = to_string(request.options.spec);
    for (const std::string_view text : {std::string_view(campaign_), std::string_view(request.problem),
                                        std::string_view(spec), core_name(request.options), to_string(request.where)})
        row.bind(text);
    for (const std::uint64_t number : {static_cast<std::uint64_t>(request.checks), request.seed, request.flips,
                                       reference.register_bits, reference.memory_bits})
        row.bind(number);
    for (const std::string* text : {&here.version, &here.commit, &here.machine, &here.date, &here.command})
        row.bind(std::string_view(*text));
    row.step();
    for (const sim::UpsetPlace& place : reference.places) {
        results::Statement one = db_->prepare("INSERT OR REPLACE INTO upset_place VALUES (?, ?, ?, ?)");
        one.bind(std::string_view(campaign_));
        one.bind(std::string_view(place.name));
        one.bind(is_memory(place));
        one.bind(std::uint64_t{place.bits} * place.words);
        one.step();
    }
    commit();
}

std::vector<Flip> FlipStore::below(std::uint64_t count) {
    results::Statement rows =
        db_->prepare("SELECT number, place, word, bit, clock, outcome, more_inner, more_outer, converged, "
                     "true_residual FROM upset WHERE campaign = ? AND number < ? ORDER BY number");
    rows.bind(std::string_view(campaign_));
    rows.bind(count);
    std::vector<Flip> flips;
    while (rows.step()) {
        Flip f;
        f.number = rows.integer(0);
        f.place = rows.text(1);
        f.word = rows.integer(2);
        f.bit = static_cast<std::uint32_t>(rows.integer(3));
        f.clock = rows.integer(4);
        if (rows.integer(5) >= kOutcomes) continue; // (it is made again)
        f.outcome = static_cast<Outcome>(rows.integer(5));
        f.more_inner = static_cast<std::int64_t>(rows.integer(6));
        f.more_outer = static_cast<std::int64_t>(rows.integer(7));
        f.converged = rows.integer(8) != 0;
        f.true_residual = rows.null(9) ? std::numeric_limits<double>::infinity() : rows.real(9);
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
    results::Statement row = db_->prepare("INSERT OR REPLACE INTO upset VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    row.bind(std::string_view(campaign_));
    row.bind(flip.number);
    row.bind(std::string_view(flip.place));
    row.bind(flip.word);
    row.bind(std::uint64_t{flip.bit});
    row.bind(flip.clock);
    row.bind(static_cast<std::uint64_t>(flip.outcome));
    row.bind(static_cast<std::uint64_t>(flip.more_inner));
    row.bind(static_cast<std::uint64_t>(flip.more_outer));
    row.bind(flip.converged);
    row.bind(flip.true_residual);
    row.step();
    if (now - since_ > std::chrono::seconds(2)) commit();
}

} // namespace mantissa::upset
