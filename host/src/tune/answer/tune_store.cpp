// The answer of `mantissa tune` in its results file, for the report.
#include "mantissa/host/provenance.hpp"
#include "store/database.hpp"
#include "tune/tune.hpp"

namespace mantissa::tuning {

namespace {

constexpr std::size_t kMostBest = 20; ///< designs next to the best that are kept

} // namespace

void store_answer(const TuneRequest& request, const TuneResult& result) {
    const results::Database db(request.store, results::Access::write);
    db.execute("CREATE TABLE IF NOT EXISTS tuned (problem TEXT, device TEXT, goal TEXT, number INTEGER, design TEXT, "
               "lanes INTEGER, cores INTEGER, inner INTEGER, headroom TEXT, iterations INTEGER, area_share REAL, "
               "seconds REAL, clock_mhz REAL, netlist INTEGER, on_front INTEGER, winner INTEGER, version TEXT, "
               "commit_id TEXT, machine TEXT, date TEXT, command TEXT, PRIMARY KEY (problem, device, goal, number))");
    const Provenance here = current_provenance(request.command);
    db.execute("BEGIN IMMEDIATE");
    db.prepare("DELETE FROM tuned WHERE problem = ? AND device = ? AND goal = ?")
        .bind_all(request.problem, request.device.id, to_string(request.goal))
        .step();
    std::uint64_t number = 0;
    const auto put = [&](const Placed& p, bool winner) {
        const Design& d = result.designs[p.design];
        db.prepare("INSERT INTO tuned VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .bind_all(request.problem, request.device.id, to_string(request.goal), number++, p.build.name(),
                      static_cast<std::uint64_t>(p.build.lanes()), p.estimate.cores,
                      p.build.cycle ? std::nullopt : std::optional(d.options.inner),
                      d.options.headroom ? std::to_string(*d.options.headroom) : std::string(), d.iterations,
                      p.estimate.area_share, p.estimate.seconds, p.build.figures.mhz, p.build.figures.synthesised,
                      p.front, winner)
            .bind_provenance(here)
            .step();
    };
    const Placed* winner = result.best.empty() ? nullptr : &result.best.front();
    for (const Placed& p : result.front) put(p, winner != nullptr && same_place(p, *winner));
    for (std::size_t i = 0; i < std::min(kMostBest, result.best.size()); ++i)
        if (!result.best[i].front) put(result.best[i], i == 0);
    db.execute("COMMIT");
}

} // namespace mantissa::tuning
