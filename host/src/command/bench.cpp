// mantissa bench: what one pipelined-CG pass costs on an engine, format by format.
#include <chrono>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/bench_cpu.hpp"
#include "command.hpp"
#include "command/options/declare.hpp"
#include "mantissa/fitted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/host/residual.hpp"
#include "store/result_json.hpp"
#include "text/counted.hpp"
#include "text/json_text.hpp"
#include "text/tables/table.hpp"

namespace mantissa::cli {

namespace {

struct BenchFlags {
    std::string problem = "poisson2d:level=9", engine = "emulated";
    std::vector<std::string> specs = {"double", "float", "s23e8", "s17e8", "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]"};
    double seconds = 1;
    int threads = 1;
    bool json = false;
};

struct Timing {
    std::uint64_t passes = 0;
    double seconds = 0;
    std::optional<double> cycles_per_pass;
};

/// Runs passes from r = b/|b|, restarting when the recurrence ends, until the time is up.
Timing time_passes(const Problem& problem, const Engine& engine, const DatapathSpec& spec, const BenchFlags& flags) {
    using Clock = std::chrono::steady_clock;
    const auto fit = fitted(problem.system, spec); // as a solve loads it
    const auto session =
        engine.load(fit ? fit->system : problem.system, spec, {thread_count(flags.threads), Recurrence::pipelined});
    std::vector<double> r = problem.b;
    const double norm = norm2(r, 1);
    if (norm > 0)
        for (double& x : r) x /= norm;
    const auto restart = [&] {
        for (const Vec v : {Vec::u, Vec::p, Vec::q}) session->clear(v);
        session->write(Vec::r, 0, r);
        session->set_scalars(0, 0);
    };
    restart();
    session->run({2, 0, 1}); // warm caches and thread pools
    Timing timing;
    std::uint64_t cycles = 0, batch = 1;
    bool has_cycles = false;
    while (timing.seconds < flags.seconds) {
        const auto start = Clock::now();
        const RunReport report = session->run({batch, 0, 1});
        const double spent = std::chrono::duration<double>(Clock::now() - start).count();
        timing.seconds += spent;
        timing.passes += report.passes;
        has_cycles = has_cycles || report.cycles.has_value();
        cycles += report.cycles.value_or(0);
        if (report.end != RunEnd::passes) restart();
        else if (spent < flags.seconds / 10) batch *= 2;
    }
    if (has_cycles) timing.cycles_per_pass = static_cast<double>(cycles) / static_cast<double>(timing.passes);
    return timing;
}

int bench_command(const BenchFlags& flags) {
    if (!(flags.seconds > 0 && flags.seconds <= 3600))
        throw InvalidInput(fmt::format("--seconds {}: give a time above 0 and up to 3600", flags.seconds));
    static_cast<void>(thread_count(flags.threads));
    std::vector<DatapathSpec> specs;
    for (const std::string& text : flags.specs) specs.push_back(parse_spec(text));
    const auto engine = make_engine(flags.engine);
    const Problem problem = make_problem(flags.problem);
    options::require_suits_cg(problem, "bench");
    const auto size = static_cast<double>(problem.system.size());
    results::Json list = results::Json::array();
    const text::Table table(
        "{datapath:<44} {us/pass:>12.2f*1e6} {ns/unknown:>12.3f*1e9} {passes/s:>12.1f} {relative:>9.3f}");
    if (!flags.json)
        fmt::print("{}: {} unknowns, engine {}, {}\n{}", problem.name, problem.system.size(), flags.engine,
                   text::counted(static_cast<std::uint64_t>(thread_count(flags.threads)), "thread"), table.head());
    double first = 0;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const Timing t = time_passes(problem, *engine, specs[i], flags);
        const double pass = t.seconds / static_cast<double>(t.passes);
        if (i == 0) first = pass;
        list.push_back(
            {{"problem", problem.name},
             {"engine", flags.engine},
             {"spec", to_string(specs[i])},
             {"threads", thread_count(flags.threads)},
             {"unknowns", problem.system.size()},
             {"passes", t.passes},
             {"seconds_per_pass", pass},
             {"cycles_per_pass", t.cycles_per_pass ? results::Json(*t.cycles_per_pass) : results::Json(nullptr)}});
        if (!flags.json) fmt::print("{}", table.row({flags.specs[i], pass, pass / size, 1 / pass, pass / first}));
    }
    if (flags.json) fmt::print("{}\n", json_text(list));
    return kDone;
}

Run setup_bench(CLI::App& app, const std::string& typed) {
    const auto flags = std::make_shared<BenchFlags>();
    declare(app, Common::problem, flags->problem, "as for mantissa solve")->capture_default_str();
    declare(app, Common::engine, flags->engine);
    app.add_option("--spec", flags->specs, "datapaths to time; the first is what the others are relative to");
    app.add_option("--seconds", flags->seconds, "time for each")->capture_default_str();
    declare(app, Common::threads, flags->threads, "threads, 0 for all cores");
    declare(app, Common::json, flags->json, "print a JSON list");
    CLI::App* const gpu = app.add_subcommand("gpu", "The GPU's native solvers against cuSPARSE and cuBLAS, as JSON");
    CLI::App* const arithmetic = app.add_subcommand(
        "arithmetic", "Kernels and Float<F> against native arithmetic, an emulated pass against native float");
    CLI::App* const residuals = app.add_subcommand(
        "residuals", "The recurrence's residual and the true one against iterations, as JSON and as a picture");
    CLI::App* const cpu = app.add_subcommand(
        "cpu", "Sparse products on this processor: scalar, explicit SIMD, threads, and Eigen's beside them");
    const std::vector<CLI::Option*> own = app.get_options();
    return [flags, own, gpu, arithmetic, residuals, cpu, run_residuals = setup_bench_residuals(*residuals, typed),
            run_gpu = setup_bench_gpu(*gpu, typed), run_arithmetic = setup_bench_arithmetic(*arithmetic),
            run_cpu = setup_bench_cpu(*cpu)] {
        for (const CLI::App* const sub : {gpu, arithmetic, residuals, cpu})
            for (const CLI::Option* const option : own)
                if (sub->parsed() && option->count() != 0)
                    throw InvalidInput(fmt::format("{} is of bench itself; write what {} takes after that word",
                                                   option->get_name(), sub->get_name()));
        if (cpu->parsed()) return run_cpu();
        if (gpu->parsed()) return run_gpu();
        if (residuals->parsed()) return run_residuals();
        return arithmetic->parsed() ? run_arithmetic() : bench_command(*flags);
    };
}

} // namespace

const Command kBench{"bench", "Time a pipelined-CG pass on an engine", setup_bench};

} // namespace mantissa::cli
