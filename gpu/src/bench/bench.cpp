#include "mantissa/gpu/bench.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/bench_samples.hpp"
#include "bench/bench_sparse.hpp"
#include "bench/energy.hpp"
#include "bench/vendor_baselines.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/cg.hpp"
#include "mantissa/gpu/device.hpp"
#include "native/native.hpp"
#include "schedules/launches.hpp"

namespace mantissa::gpu {

namespace {

/// u = x(1-x)y(1-y) on the unit square; b = h^2 f.
std::vector<double> poisson_rhs(int level) {
    const std::size_t n = (std::size_t{1} << level) + 1;
    const double h = 1.0 / static_cast<double>(n - 1);
    std::vector<double> b(n * n, 0.0);
    for (std::size_t j = 1; j + 1 < n; ++j)
        for (std::size_t i = 1; i + 1 < n; ++i) {
            const double x = h * static_cast<double>(i), y = h * static_cast<double>(j);
            b[j * n + i] = h * h * 2 * (x * (1 - x) + y * (1 - y));
        }
    return b;
}

double poisson_error(int level, const std::vector<double>& u) {
    const std::size_t n = (std::size_t{1} << level) + 1;
    const double h = 1.0 / static_cast<double>(n - 1);
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < n; ++i) {
            const double x = h * static_cast<double>(i), y = h * static_cast<double>(j);
            const double e = u[j * n + i] - x * (1 - x) * y * (1 - y);
            sum += e * e;
        }
    return std::sqrt(sum / static_cast<double>(n * n));
}

struct Timed {
    CgReport report;
    double seconds = 0;           ///< the median
    double least = 0, most = 0;   ///< seconds of the fastest and of the slowest
    std::optional<double> joules; ///< of one solve
};

template <class Solve> Timed timed_solve(Solve&& solve, int repeats, const EnergyMeter* meter) {
    static_cast<void>(solve());
    Timed t;
    std::vector<double> seconds;
    for (int i = 0; i < repeats; ++i) {
        t.report = solve();
        seconds.push_back(t.report.seconds);
    }
    std::ranges::sort(seconds);
    if (meter != nullptr) {
        // The counter moves every few tens of milliseconds: solve until that is little.
        const auto begin = std::chrono::steady_clock::now();
        const auto before = meter->joules();
        int solves = 0;
        for (; std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(400); ++solves)
            static_cast<void>(solve());
        const auto after = meter->joules();
        if (before && after) t.joules = (*after - *before) / solves;
    }
    t.seconds = seconds[seconds.size() / 2];
    t.least = seconds.front();
    t.most = seconds.back();
    return t;
}

Json optional_number(const std::optional<double>& x) {
    return x ? Json(*x) : Json(nullptr);
}

Json describe(const Timed& t, double rows, double copy) {
    const double each = t.seconds / std::max<std::uint32_t>(1, t.report.passes);
    const double rate = t.report.bytes_per_row * rows / each;
    return {{"plan", to_string(t.report.plan)},
            {"plan_text", t.report.plan_text},
            {"end", to_string(t.report.end)},
            {"passes", t.report.passes},
            {"outer", t.report.outer},
            {"double_passes", t.report.double_passes},
            {"seconds", t.seconds},
            {"seconds_least", t.least},
            {"seconds_most", t.most},
            {"us_per_pass", 1e6 * each},
            {"bytes_per_row", t.report.bytes_per_row},
            {"operations_per_row", t.report.operations_per_row},
            {"bytes_per_second", rate},
            {"share_of_copy", rate / copy},
            {"true_residual", t.report.true_residual},
            {"joules", optional_number(t.joules)}};
}

/// Double on a grid as `mantissa solve --engine gpu` has it.
class DoubleSolves {
public:
    DoubleSolves(const System& system, const std::vector<double>& b)
        : system_(system), b_(1, b), spec_(formats::kDouble) {
        spec_.sum = SumOrder::free;
    }
    /// A solve by a plan, each time that what is returned is called.
    std::function<CgReport()> by(NativePlan plan, const NativeRequest& request) {
        solver_ = make_native(system_, spec_, {plan, true});
        return [this, request] {
            const NativeReport done = solver_->solve(b_, request, x_).front();
            const bool resident = solver_->plan().plan == NativePlan::grid_resident;
            const StreamTraits traits = stream_traits(Arithmetic::double_precision);
            CgReport r;
            r.end = end_of(done.end);
            r.passes = r.double_passes = static_cast<std::uint32_t>(done.iterations);
            r.outer = static_cast<std::uint32_t>(done.outer);
            r.seconds = done.seconds;
            r.true_residual = done.residual;
            r.plan = resident ? Plan::resident : Plan::stream;
            r.plan_text = done.layout;
            r.bytes_per_row = resident ? 0 : traits.bytes_per_row;
            r.operations_per_row = resident ? 0 : traits.operations_per_row;
            return r;
        };
    }
    [[nodiscard]] const std::vector<double>& solution() const { return x_.front(); }

private:
    const System& system_;
    std::vector<std::vector<double>> b_, x_;
    DatapathSpec spec_;
    std::unique_ptr<NativeSolver> solver_;
};

Json bench_level(const BenchRequest& request, int level, double copy, const EnergyMeter& meter) {
    const System system = poisson(level);
    const std::vector<double> b = poisson_rhs(level);
    DoubleSolves in_double(system, b);
    GridSolver solver(system); // what `solve` does not run: float alone, and other words beside double
    solver.set_rhs(b);
    std::vector<double> u(b.size());
    const double side = std::ldexp(1.0, level) - 1, rows = side * side;
    Json entry{{"level", level}, {"rows", rows}, {"passes", Json::array()}, {"solves", Json::array()}};
    for (const Arithmetic a : {Arithmetic::double_precision, Arithmetic::single_precision})
        for (const Plan plan : {Plan::resident, Plan::stream}) {
            if (plan == Plan::resident && level > 10) continue;
            CgRequest q;
            q.arithmetic = a;
            q.plan = plan;
            q.tolerance = 0;
            q.max_passes = level <= 10 ? 5 * request.passes : request.passes;
            const NativePlan native = plan == Plan::resident ? NativePlan::grid_resident : NativePlan::grid_stream;
            const std::function<CgReport()> run = a == Arithmetic::double_precision
                                                      ? in_double.by(native, {0, q.max_passes})
                                                      : [&] { return solver.solve(q); };
            Json one = describe(timed_solve(run, request.repeats, nullptr), rows, copy);
            one["arithmetic"] = to_string(a);
            entry["passes"].push_back(std::move(one));
        }
    if (level <= request.last_solve_level) {
        const auto solve = [&](CgRequest q) {
            const bool wide = q.arithmetic == Arithmetic::double_precision;
            const std::uint64_t limit = 40 * (std::uint64_t{1} << level) + 1000;
            const std::function<CgReport()> run =
                wide ? in_double.by(NativePlan::automatic, {q.tolerance, limit}) : [&] { return solver.solve(q); };
            Json one = describe(timed_solve(run, request.repeats, &meter), rows, copy);
            if (wide) u = in_double.solution();
            else solver.solution(u);
            one["arithmetic"] = to_string(q.arithmetic);
            one["scheme"] = q.arithmetic == Arithmetic::double_precision ? "direct"
                            : q.guided                                   ? "residual-guided"
                                                                         : "restart";
            one["inner"] = q.arithmetic == Arithmetic::double_precision ? Json(nullptr)
                           : q.inner != 0                               ? Json(q.inner)
                                                                        : Json(fmt::format("digits {}", q.digits));
            one["error"] = poisson_error(level, u);
            entry["solves"].push_back(std::move(one));
        };
        solve({});
        CgRequest mixed;
        mixed.arithmetic = Arithmetic::mixed_float;
        for (const std::uint32_t inner : {50U, 100U}) {
            mixed.inner = inner;
            solve(mixed);
        }
        mixed.inner = 0;
        mixed.digits = 2;
        mixed.guided = false;
        solve(mixed);
        if (level <= 10) {
            CgRequest q;
            q.arithmetic = Arithmetic::late_float;
            q.inner = 0;
            q.digits = 2;
            solve(q);
        }
    }
    if (level <= request.last_library_level) {
        Json library = Json::array();
        for (const bool single : {false, true}) {
            const std::uint32_t n = level <= 10 ? 300 : 50;
            const VendorCg r = library_cg_poisson(level, single, 0, n);
            Json one{{"arithmetic", single ? "float" : "double"}, {"us_per_iteration", 1e6 * r.seconds / n}};
            if (!single && level <= 10) {
                const VendorCg whole = library_cg_poisson(level, false, 1e-10, 100000);
                one["solve_iterations"] = whole.iterations;
                one["solve_seconds"] = whole.seconds;
            }
            library.push_back(std::move(one));
        }
        entry["cublas_cusparse_cg"] = std::move(library);
    }
    return entry;
}

} // namespace

std::string run_bench(const BenchRequest& request, const std::string& commit, const std::string& date,
                      const std::function<void(const std::string&)>& say) {
    const DeviceInfo& device = require_device();
    const EnergyMeter meter;
    const auto tell = [&](const std::string& line) {
        if (say) say(line);
    };
    tell("copy bandwidth");
    const double copy = copy_bandwidth();
    Json all{{"device", device.name},
             {"multiprocessors", device.multiprocessors},
             {"driver", meter.driver()},
             {"driver_cuda", device.driver},
             {"runtime_cuda", device.runtime},
             {"date", date},
             {"commit", commit},
             {"copy_bytes_per_second", copy},
             {"poisson", Json::array()},
             {"matrices", Json::array()}};
    for (int level = request.first_level; level <= request.last_level; ++level) {
        tell(fmt::format("poisson level {}", level));
        all["poisson"].push_back(bench_level(request, level, copy, meter));
    }
    for (const NamedMatrix& m : request.matrices) {
        tell(m.name);
        all["matrices"].push_back(bench_matrix(request, m));
    }
    for (const NamedSystems& s : request.systems) {
        tell(s.name);
        all["systems"].push_back(bench_systems(request, s));
    }
    return all.dump(1);
}

} // namespace mantissa::gpu
