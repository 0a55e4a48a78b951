// Textbook and pipelined Jacobi CG on the same systems, as JSON; gpu/results/README.md has the shape of the file.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/energy.hpp"
#include "mantissa/gpu/bench.hpp"
#include "mantissa/gpu/cg.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/sparse_solver.hpp"

namespace mantissa::gpu {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

/// The report and the wall time of the median of some runs, by wall time.
template <class Report, class Work> std::pair<Report, double> median_run(int repeats, const Work& work) {
    static_cast<void>(work()); // loads the kernels
    std::vector<std::pair<Report, double>> runs;
    for (int i = 0; i < repeats; ++i) {
        const auto begin = Clock::now();
        Report report = work();
        runs.emplace_back(std::move(report), std::chrono::duration<double>(Clock::now() - begin).count());
    }
    std::ranges::sort(runs, {}, [](const auto& run) { return run.second; });
    return std::move(runs[runs.size() / 2]);
}

template <class Report> Json describe(const Report& r, double wall, double nonzeros, double rows) {
    // Products, two dot products, a norm, three updates and the preconditioner's product.
    const double operations = (2 * nonzeros + 12 * rows) * r.iterations;
    return {{"end", to_string(r.end)},
            {"iterations", r.iterations},
            {"device_seconds", r.seconds},
            {"wall_seconds", wall},
            {"us_per_iteration", 1e6 * r.seconds / std::max<std::uint32_t>(1, r.iterations)},
            {"gflops", 1e-9 * operations / r.seconds},
            {"true_residual", r.true_residual}};
}

Json describe(const SparseHistory& h, std::uint32_t points) {
    const std::size_t last = h.recursive.size() - 1, every = std::max<std::size_t>(1, (last + points - 1) / points);
    Json iteration = Json::array(), recursive = Json::array(), truth = Json::array();
    for (std::size_t k = 0;; k = std::min(k + every, last)) {
        iteration.push_back(k);
        recursive.push_back(h.recursive[k]);
        truth.push_back(h.true_residual[k]);
        if (k == last) break;
    }
    return {{"iteration", std::move(iteration)}, {"recursive", std::move(recursive)}, {"true", std::move(truth)}};
}

Json textbook(const SparseMatrix& matrix, const NamedSystem& system, TextbookOptions options, int repeats) {
    const auto [report, wall] = median_run<TextbookReport>(repeats, [&] { return matrix.textbook(system.b, options); });
    options.measure_idle = true;
    const double idle = matrix.textbook(system.b, options).idle_seconds;
    const double kernels = report.seconds - report.iterations * idle;
    Json one = describe(report, wall, static_cast<double>(system.matrix.nonzeros()),
                        static_cast<double>(system.matrix.rows()));
    one["method"] = "textbook";
    one["test"] = options.test == PcgTest::delta ? "delta" : "residual";
    one["launch_us_per_iteration"] = 1e6 * idle;
    one["kernel_seconds"] = kernels;
    one["device_share"] = report.seconds / wall;
    one["kernel_share"] = kernels / wall;
    return one;
}

/// Both recurrences in one precision, and their histories.
Json bench_precision(const CgBenchRequest& request, const NamedSystem& system, bool single) {
    const auto precision = single ? SparsePrecision::single_precision : SparsePrecision::double_precision;
    const TimedChoice timed = choose_on_device(system.matrix, precision);
    const SparseMatrix matrix(system.matrix, timed.choice.format, precision);
    TextbookOptions options;
    options.tolerance = request.tolerance;
    options.max_iterations = request.iterations;
    Json solves = Json::array();
    for (const PcgTest test : {PcgTest::residual, PcgTest::delta}) {
        options.test = test;
        solves.push_back(textbook(matrix, system, options, request.repeats));
    }
    const auto [report, wall] = median_run<SparseCgReport>(
        request.repeats, [&] { return matrix.solve(system.b, request.tolerance, request.iterations); });
    Json pipelined = describe(report, wall, static_cast<double>(system.matrix.nonzeros()),
                              static_cast<double>(system.matrix.rows()));
    pipelined["method"] = "pipelined";
    pipelined["test"] = "residual";
    pipelined["device_share"] = report.seconds / wall;
    solves.push_back(std::move(pipelined));
    // Histories go on far below the tolerance, to where the true residual stays.
    options.test = PcgTest::residual;
    options.tolerance = single ? 1e-9 : 1e-14;
    options.history = true;
    const TextbookReport long_one = matrix.textbook(system.b, options);
    SparseHistory history;
    static_cast<void>(matrix.solve(system.b, options.tolerance, request.iterations, true, nullptr, &history));
    return {
        {"arithmetic", single ? "float" : "double"},
        {"format", to_string(timed.choice.format)},
        {"solves", std::move(solves)},
        {"histories",
         {{"textbook", describe(long_one.history, request.points)}, {"pipelined", describe(history, request.points)}}}};
}

Json bench_processor(const CgBenchRequest& request, const NamedSystem& system) {
    Json list = Json::array();
    for (const PcgTest test : {PcgTest::residual, PcgTest::delta}) {
        PcgOptions options;
        options.tolerance = request.tolerance;
        options.test = test;
        options.max_iterations = request.iterations;
        options.threads = request.cpu_threads;
        const auto [report, wall] = median_run<PcgReport>(std::min(3, request.repeats), [&] {
            std::vector<std::vector<double>> x(1);
            return jacobi_pcg(system.matrix, {system.b}, x, options).front();
        });
        list.push_back({{"test", test == PcgTest::delta ? "delta" : "residual"},
                        {"threads", request.cpu_threads},
                        {"reached", report.end == PcgEnd::reached},
                        {"iterations", report.iterations},
                        {"wall_seconds", wall},
                        {"true_residual", report.true_residual}});
    }
    return list;
}

} // namespace

std::string run_cg_bench(const CgBenchRequest& request, const std::string& commit, const std::string& date,
                         const std::function<void(const std::string&)>& say) {
    const DeviceInfo& device = require_device();
    Json systems = Json::array();
    for (const NamedSystem& system : request.systems) {
        Json one{{"name", system.name},
                 {"rows", system.matrix.rows()},
                 {"nonzeros", system.matrix.nonzeros()},
                 {"runs", Json::array()}};
        for (const bool single : {true, false}) {
            one["runs"].push_back(bench_precision(request, system, single));
            const Json& run = one["runs"].back();
            for (const Json& s : run["solves"])
                if (say)
                    say(fmt::format("{}, {}, {}: {} {}: {} in {} iterations, {:.2f} us each, device {:.1f} % of wall{}",
                                    system.name, run["arithmetic"].get<std::string>(), run["format"].get<std::string>(),
                                    s["method"].get<std::string>(), s["test"].get<std::string>(),
                                    s["end"].get<std::string>(), s["iterations"].get<int>(),
                                    s["us_per_iteration"].get<double>(), 100 * s["device_share"].get<double>(),
                                    s.contains("kernel_share")
                                        ? fmt::format(", kernels {:.1f} %", 100 * s["kernel_share"].get<double>())
                                        : ""));
        }
        one["processor"] = bench_processor(request, system);
        systems.push_back(std::move(one));
    }
    return Json{{"kind", "textbook_cg"},
                {"device", device.name},
                {"driver", EnergyMeter().driver()},
                {"runtime_cuda", device.runtime},
                {"date", date},
                {"commit", commit},
                {"tolerance", request.tolerance},
                {"copy_bytes_per_second", copy_bandwidth()},
                {"systems", std::move(systems)}}
        .dump(1);
}

} // namespace mantissa::gpu
