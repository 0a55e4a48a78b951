#include "grid_bench.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "bench/bench_samples.hpp"
#include "mantissa/gpu/parted_grid.hpp"

namespace mantissa::gpu {

namespace {

using Json = nlohmann::ordered_json;

/// b = h^2 f for u = x (1-x) y (1-y), y from 0 to 1 over all rows.
std::vector<double> poisson_rhs(const System& system) {
    const std::size_t n = system.row_length(), m = system.size() / n;
    const double h = 1.0 / static_cast<double>(n - 1), k = 1.0 / static_cast<double>(m - 1);
    std::vector<double> b(system.size(), 0.0);
    for (std::size_t j = 1; j + 1 < m; ++j)
        for (std::size_t i = 1; i + 1 < n; ++i) {
            const double x = h * static_cast<double>(i), y = k * static_cast<double>(j);
            b[j * n + i] = h * h * 2 * (x * (1 - x) + y * (1 - y));
        }
    return b;
}

double interior_points(const System& system) {
    const std::size_t n = system.row_length();
    return static_cast<double>(n - 2) * static_cast<double>(system.size() / n - 2);
}

/// Some fifty milliseconds, and enough passes that a solve's first ones do not tell.
std::uint32_t passes_for(double points) {
    return static_cast<std::uint32_t>(std::clamp(4e9 / points, 120.0, 3000.0));
}

/// The solvers of one system that are timed in turn.
struct Entrants {
    GridSolver one;
    std::vector<std::unique_ptr<Peers>> peers;
    std::vector<std::unique_ptr<PartedGridSolver>> parted;

    Entrants(const System& system, std::span<const double> b, const std::vector<int>& counts) : one(system) {
        one.set_rhs(b);
        for (const int count : counts) {
            peers.push_back(std::make_unique<Peers>(Peers::spread(count)));
            parted.push_back(std::make_unique<PartedGridSolver>(*peers.back(), system));
            parted.back()->set_rhs(b);
        }
    }
};

struct Timing {
    double one = 0; ///< seconds a pass of GridSolver
    std::string one_plan;
    std::vector<double> seconds; ///< of each count
    std::vector<PartedReport> reports;
};

/// Medians of passes in turn, after one of each to warm up.
Timing time_passes(Entrants& e, Arithmetic arithmetic, Plan plan, std::uint32_t passes, int repeats) {
    CgRequest q;
    q.arithmetic = arithmetic;
    q.tolerance = 0;
    q.replace = 0;
    q.max_passes = passes;
    PartedRequest parted;
    parted.arithmetic = arithmetic;
    parted.tolerance = 0;
    parted.replace = 0;
    parted.max_passes = passes;
    parted.plan = plan;
    std::vector<double> one;
    std::vector<std::vector<double>> seconds(e.parted.size());
    Timing t;
    t.reports.resize(e.parted.size());
    for (int i = 0; i <= repeats; ++i) {
        const CgReport r = e.one.solve(q);
        t.one_plan = to_string(r.plan);
        if (i > 0) one.push_back(r.seconds / r.passes);
        for (std::size_t k = 0; k < e.parted.size(); ++k) {
            t.reports[k] = e.parted[k]->solve(parted);
            if (i > 0) seconds[k].push_back(t.reports[k].seconds / t.reports[k].passes);
        }
    }
    t.one = median(one);
    for (const auto& s : seconds) t.seconds.push_back(median(s));
    return t;
}

Json describe(const Timing& t, const std::vector<int>& counts, double points, double base) {
    Json list = Json::array();
    for (std::size_t k = 0; k < counts.size(); ++k) {
        const PartedReport& r = t.reports[k];
        Json one{{"gpus", counts[k]},
                 {"plan", to_string(r.plan)},
                 {"plan_text", r.plan_text},
                 {"us_per_pass", 1e6 * t.seconds[k]},
                 {"speed_up", base / t.seconds[k]},
                 {"work", r.shares.work},
                 {"exchange", r.shares.exchange},
                 {"own_sum", r.shares.own_sum},
                 {"parts_sum", r.shares.parts_sum},
                 {"scalars", r.shares.scalars}};
        if (r.plan == Plan::stream) one["bytes_per_second"] = r.bytes_per_row * points / t.seconds[k];
        list.push_back(std::move(one));
    }
    return list;
}

/// Which is fastest: one GPU by GridSolver, or a count of those timed.
int fastest(const Timing& t, const std::vector<int>& counts) {
    int best = 1;
    double least = t.one;
    for (std::size_t k = 0; k < counts.size(); ++k)
        if (t.seconds[k] < least) {
            least = t.seconds[k];
            best = counts[k];
        }
    return best;
}

/// One streamed pass for the model: points of the largest part, its GPUs, seconds.
struct GridSample {
    double points;
    int gpus;
    double seconds;
};

/// t(P) = c n / P + sync(P), with the least squares of relative errors. The exchange has no term: it comes after the
/// product's rows (its share is measured beside).
Json fit_model(const std::vector<GridSample>& samples, const std::vector<int>& counts, double bytes) {
    const std::size_t unknowns = counts.size() + 1;
    if (samples.size() <= unknowns) return nullptr; // nothing to check the fit with
    std::vector<std::vector<double>> a(unknowns, std::vector<double>(unknowns + 1, 0.0));
    const auto row_of = [&](const GridSample& s) {
        std::vector<double> row(unknowns, 0.0);
        row[0] = s.points / s.gpus / s.seconds;
        row[1 + static_cast<std::size_t>(std::ranges::find(counts, s.gpus) - counts.begin())] = 1e-6 / s.seconds;
        return row;
    };
    for (const GridSample& s : samples) {
        const std::vector<double> row = row_of(s);
        for (std::size_t i = 0; i < unknowns; ++i) {
            for (std::size_t j = 0; j < unknowns; ++j) a[i][j] += row[i] * row[j];
            a[i][unknowns] += row[i];
        }
    }
    for (std::size_t i = 0; i < unknowns; ++i) { // positive definite: no pivots
        if (!(a[i][i] > 0)) return nullptr;
        for (std::size_t j = 0; j < unknowns; ++j) {
            if (j == i) continue;
            const double f = a[j][i] / a[i][i];
            for (std::size_t k = i; k <= unknowns; ++k) a[j][k] -= f * a[i][k];
        }
    }
    const double c = a[0][unknowns] / a[0][0];
    Json sync = Json::array(), checked = Json::array();
    for (std::size_t k = 0; k < counts.size(); ++k)
        sync.push_back({{"gpus", counts[k]}, {"us", a[k + 1][unknowns] / a[k + 1][k + 1]}});
    for (const GridSample& s : samples) {
        const std::size_t k = static_cast<std::size_t>(std::ranges::find(counts, s.gpus) - counts.begin());
        const double model = c * s.points / s.gpus + 1e-6 * sync[k]["us"].get<double>();
        checked.push_back(
            {{"points", s.points}, {"gpus", s.gpus}, {"us_per_pass", 1e6 * s.seconds}, {"model_us", 1e6 * model}});
    }
    return {{"ns_per_point", 1e9 * c},
            {"bytes_per_second", bytes / c},
            {"sync", std::move(sync)},
            {"samples", std::move(checked)}};
}

Json solves(Entrants& e, const std::vector<int>& counts, Arithmetic arithmetic, int level) {
    CgRequest q;
    q.arithmetic = arithmetic;
    const CgReport one = e.one.solve(q);
    const auto describe_one = [&](int gpus, const CgReport& r, const char* solver) {
        return Json{
            {"gpus", gpus},       {"solver", solver}, {"plan", to_string(r.plan)}, {"end", to_string(r.end)},
            {"passes", r.passes}, {"outer", r.outer}, {"seconds", r.seconds},      {"true_residual", r.true_residual}};
    };
    Json runs = Json::array({describe_one(1, one, "one GPU")});
    PartedRequest parted;
    parted.arithmetic = arithmetic;
    for (std::size_t k = 0; k < counts.size(); ++k)
        runs.push_back(describe_one(counts[k], e.parted[k]->solve(parted), "parts"));
    return {{"level", level}, {"arithmetic", to_string(arithmetic)}, {"runs", std::move(runs)}};
}

} // namespace

Json bench_parted_grids(const PartedBenchRequest& request, const std::function<void(const std::string&)>& say) {
    Json strong = Json::array(), weak = Json::array(), solved = Json::array(), model = Json::array();
    std::map<Arithmetic, std::vector<GridSample>> samples;
    const std::vector<int>& counts = request.gpus;
    constexpr std::array kArithmetics = {Arithmetic::double_precision, Arithmetic::single_precision};
    for (int level = request.first_level; level <= request.last_level; ++level) {
        const System system = poisson(level);
        Entrants entrants(system, poisson_rhs(system), counts);
        const double points = interior_points(system);
        for (const Arithmetic a : kArithmetics) {
            const Timing t = time_passes(entrants, a, Plan::automatic, passes_for(points), request.repeats);
            const int best = fastest(t, counts);
            std::string line =
                fmt::format("level {}, {}: one GPU {:.2f} us per pass", level, to_string(a), 1e6 * t.one);
            for (std::size_t k = 0; k < counts.size(); ++k)
                line += fmt::format(", {} part{} {:.2f}", counts[k], counts[k] == 1 ? "" : "s", 1e6 * t.seconds[k]);
            if (best < *std::ranges::max_element(counts))
                line += fmt::format("; more GPUs than {} are slower here, so {} {} taken", best, best,
                                    best == 1 ? "is" : "are");
            say(line);
            strong.push_back({{"level", level},
                              {"points", points},
                              {"arithmetic", to_string(a)},
                              {"one_gpu", {{"plan", t.one_plan}, {"us_per_pass", 1e6 * t.one}}},
                              {"taken", best},
                              {"parts", describe(t, counts, points, t.one)}});
            if (level < 12) continue;
            // Streams whose vectors are no second-level cache's.
            for (std::size_t k = 0; k < counts.size(); ++k)
                if (t.reports[k].plan == Plan::stream) samples[a].push_back({points, counts[k], t.seconds[k]});
        }
        if (level <= request.last_solve_level)
            for (const Arithmetic a : {Arithmetic::double_precision, Arithmetic::mixed_float})
                solved.push_back(solves(entrants, counts, a, level));
    }
    for (int level = std::max(request.first_level, 10); level <= std::min(request.last_level, 13); ++level) {
        std::map<Arithmetic, Json> lists;
        for (std::size_t k = 0; k < counts.size(); ++k) {
            const System system = poisson(level, counts[k]);
            Entrants entrants(system, poisson_rhs(system), {counts[k]});
            const double points = interior_points(system);
            for (const Arithmetic a : kArithmetics) {
                const Timing t = time_passes(entrants, a, Plan::stream, passes_for(points), request.repeats);
                lists[a].push_back({{"gpus", counts[k]}, {"points", points}, {"us_per_pass", 1e6 * t.seconds[0]}});
            }
        }
        for (const Arithmetic a : kArithmetics)
            weak.push_back({{"level", level}, {"arithmetic", to_string(a)}, {"parts", std::move(lists[a])}});
        say(fmt::format("weak scaling, level {} per GPU", level));
    }
    for (const Arithmetic a : kArithmetics) {
        Json one = fit_model(samples[a], counts, a == Arithmetic::double_precision ? 40 : 20);
        if (!one.is_null()) model.push_back({{"arithmetic", to_string(a)}, {"fit", std::move(one)}});
    }
    return {{"strong", std::move(strong)},
            {"weak", std::move(weak)},
            {"solves", std::move(solved)},
            {"model", std::move(model)}};
}

} // namespace mantissa::gpu
