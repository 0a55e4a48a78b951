// The answer of `mantissa tune` in its results file, for the report.
#include "mantissa/host/provenance.hpp"
#include "store/database.hpp"
#include "tune/tune.hpp"

namespace mantissa::tuning {

namespace {

constexpr std::size_t kMostBest = 20; ///< designs next to the best that are kept

} // namespace

void store_answer(const TuneRequest& request, const TuneResult& result) {
    const results::DatabaseHandle handle = results::open_results(request.store, results::Access::write);
    const auto prepare = [&](std::string_view sql) { return results::Statement(handle.get(), request.store, sql); };
    const auto execute = [&](std::string_view sql) { (void)prepare(sql).step(); };
    execute("CREATE TABLE IF NOT EXISTS tuned (problem TEXT, device TEXT, goal TEXT, number INTEGER, design TEXT, "
            "lanes INTEGER, cores INTEGER, inner INTEGER, headroom TEXT, iterations INTEGER, area_share REAL, "
            "seconds REAL, clock_mhz REAL, netlist INTEGER, on_front INTEGER, winner INTEGER, version TEXT, "
            "commit_id TEXT, machine TEXT, date TEXT, command TEXT, PRIMARY KEY (problem, device, goal, number))");
    const Provenance here = current_provenance(request.command);
    execute("BEGIN IMMEDIATE");
    results::Statement old = prepare("DELETE FROM tuned WHERE problem = ? AND device = ? AND goal = ?");
    for (const std::string_view text : {std::string_view(request.problem), std::string_view(request.device.id),
                                        std::string_view(to_string(request.goal))})
        old.bind(text);
    (void)old.step();
    std::uint64_t number = 0;
    const auto put = [&](const Placed& p, bool winner) {
        const Design& d = result.designs[p.design];
        results::Statement row = prepare("INSERT INTO tuned VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                                         "?, ?, ?, ?)");
        row.bind(std::string_view(request.problem));
        row.bind(std::string_view(request.device.id));
        row.bind(std::string_view(to_string(request.goal)));
        row.bind(number++);
        row.bind(std::string_view(p.build.name()));
        row.bind(static_cast<std::uint64_t>(p.build.lanes()));
        row.bind(p.estimate.cores);
        row.bind(p.build.cycle ? std::nullopt : std::optional(d.options.inner));
        row.bind(std::string_view(d.options.headroom ? std::to_string(*d.options.headroom) : ""));
        row.bind(d.iterations);
        row.bind(p.estimate.area_share);
        row.bind(p.estimate.seconds);
        row.bind(p.build.figures.mhz);
        row.bind(p.build.figures.synthesised);
        row.bind(p.front);
        row.bind(winner);
        for (const std::string* text : {&here.version, &here.commit, &here.machine, &here.date, &here.command})
            row.bind(std::string_view(*text));
        row.step();
    };
    const Placed* winner = result.best.empty() ? nullptr : &result.best.front();
    for (const Placed& p : result.front) put(p, winner != nullptr && same_place(p, *winner));
    for (std::size_t i = 0; i < std::min(kMostBest, result.best.size()); ++i)
        if (!result.best[i].front) put(result.best[i], i == 0);
    execute("COMMIT");
}

} // namespace mantissa::tuning
