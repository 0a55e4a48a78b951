// mantissa simulate: a solve on the RTL core, clock by clock, and what it cost.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/point.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/sim/checked_engine.hpp"
#include "mantissa/sim/simulation_report.hpp"
#include "options_text.hpp"
#include "progress.hpp"
#include "result_json.hpp"

namespace mantissa::cli {

namespace {

struct Flags {
    std::string problem, scheme = "residual-guided", spec = "s17e8", check, trace, window = "0:2000";
    std::uint64_t inner = 10, max_iterations = 0, seed = 1;
    double tolerance = 1e-10, clock_mhz = 100, bandwidth_gb = 0, latency_ns = 0, stall = 0;
    bool json = false;
};

sim::RtlOptions rtl_options(const Flags& f, std::shared_ptr<sim::CycleCounts> counts) {
    if (!(f.clock_mhz > 0))
        throw InvalidInput(fmt::format("--clock {}: give the core's clock in MHz, as 120", f.clock_mhz));
    if (!(f.bandwidth_gb >= 0))
        throw InvalidInput(fmt::format("--bandwidth {}: give GB/s, or 0 for no limit", f.bandwidth_gb));
    if (!(f.latency_ns >= 0 && f.latency_ns <= 1e6))
        throw InvalidInput(fmt::format("--latency {}: give 0 to 1e6 ns", f.latency_ns));
    if (!(f.stall >= 0 && f.stall < 1))
        throw InvalidInput(fmt::format("--stall {}: give a probability below 1", f.stall));
    sim::RtlOptions o;
    o.memory = sim::memory_for(f.clock_mhz * 1e6, f.bandwidth_gb * 1e9, f.latency_ns * 1e-9);
    o.memory.stall = f.stall;
    o.memory.seed = f.seed;
    o.cache.progress = sim::terminal_progress();
    o.counts = std::move(counts);
    if (!f.trace.empty()) {
        const auto colon = f.window.find(':');
        try {
            if (colon == std::string::npos) throw std::invalid_argument("");
            o.trace = {f.trace, std::stoull(f.window.substr(0, colon)), std::stoull(f.window.substr(colon + 1))};
        } catch (const std::logic_error&) {
            throw InvalidInput(fmt::format("--window {}: give the first and last clock, as 0:2000", f.window));
        }
    }
    return o;
}

detail::Json to_json(const sim::SimulationReport& r) {
    detail::Json j;
    j["cycles"] = r.counts.cycles;
    j["passes"] = r.counts.passes;
    j["cycles_per_pass"] = r.cycles_per_pass;
    j["stalled"] = r.counts.stalled;
    j["stalled_for_writes"] = r.counts.stall_command;
    for (std::size_t k = 0; k < sim::CycleCounts::kStreams; ++k)
        if (r.counts.stall[k] != 0) j["stalls"][sim::stream_name(k)] = r.counts.stall[k];
    j["bytes_read"] = r.counts.bytes_read;
    j["bytes_written"] = r.counts.bytes_written;
    j["clock_hz"] = r.clock_hz;
    j["predicted_seconds"] = r.seconds;
    return j;
}

int simulate_command(const Flags& flags) {
    const auto counts = std::make_shared<sim::CycleCounts>();
    SolveOptions options;
    options.scheme = parse_scheme(flags.scheme);
    options.spec = parse_spec(flags.spec);
    options.inner = flags.inner;
    options.tolerance = flags.tolerance;
    options.max_iterations = flags.max_iterations;
    const auto rtl = sim::make_rtl_engine(rtl_options(flags, counts));
    std::unique_ptr<Engine> reference, checked;
    if (!flags.check.empty()) {
        reference = make_engine(flags.check);
        checked = sim::make_checked_engine(*rtl, *reference);
    }
    const Problem problem = make_problem(flags.problem);
    SolveResult result;
    try {
        detail::SolveProgress line(options.tolerance);
        result = solve(problem, checked ? *checked : *rtl, options, [&](const HistoryPoint& h) {
            line.update(h.inner_iterations, h.relative_defect);
            return true;
        });
    } catch (const sim::Mismatch& m) {
        fmt::print(stderr, "mantissa: {}\n", m.what());
        if (m.difference.first_clock)
            fmt::print(stderr, "mantissa: to see it, add --trace pass.fst --window {}:{}\n", *m.difference.first_clock,
                       *m.difference.last_clock);
        return kNotConverged;
    }
    const sim::SimulationReport report = sim::make_report(*counts, flags.clock_mhz * 1e6);
    if (flags.json) {
        detail::Json j = detail::to_json(result);
        j["problem"] = problem.name;
        j["datapath"] = to_string(options.spec);
        j["simulation"] = to_json(report);
        fmt::print("{}\n", j.dump(2));
    } else {
        fmt::print("{:<18}{}\n{:<18}{}\n", "problem", problem.name, "datapath", to_string(options.spec));
        fmt::print("{:<18}{}{}\n", "status", to_string(result.status),
                   result.detail.empty() ? "" : ": " + result.detail);
        fmt::print("{:<18}{} inner, {} outer\n", "iterations", result.inner_iterations, result.outer_iterations);
        fmt::print("{}", sim::to_text(report));
        if (checked) fmt::print("{:<18}every iteration equal to {}\n", "check", flags.check);
    }
    return result.status == Status::converged ? kDone : kNotConverged;
}

Run setup(CLI::App& app, const std::string&) {
    const auto flags = std::make_shared<Flags>();
    Flags& f = *flags;
    app.add_option("--problem", f.problem, "as for mantissa solve: poisson2d:level=5, diffusion2d:level=5, ...")
        ->required();
    app.add_option("--spec,--format", f.spec, "the datapath")->capture_default_str();
    app.add_option("--scheme", f.scheme, "residual-guided, defect-correction or pipelined")->capture_default_str();
    app.add_option("--inner", f.inner, "inner iterations per outer step")->capture_default_str();
    app.add_option("--tolerance", f.tolerance, "on the defect relative to the first")->capture_default_str();
    app.add_option("--max-iterations", f.max_iterations,
                   "inner iterations in all; 0: 150 per square root of the unknowns and 10000");
    app.add_option("--clock", f.clock_mhz, "the core's clock, MHz")->capture_default_str();
    app.add_option("--bandwidth", f.bandwidth_gb, "of the memory, GB/s; 0: no limit")->capture_default_str();
    app.add_option("--latency", f.latency_ns, "of the memory, ns")->capture_default_str();
    app.add_option("--stall", f.stall, "probability, each clock, that a stream begins a random stall")
        ->capture_default_str();
    app.add_option("--seed", f.seed, "of the stalls")->capture_default_str();
    app.add_option("--check", f.check, "compare every iteration with this engine, bit for bit");
    app.add_option("--trace", f.trace, "write waveforms (FST) and a GTKWave save file beside them");
    app.add_option("--window", f.window, "clocks that the trace covers, FIRST:LAST")->capture_default_str();
    app.add_flag("--json", f.json, "print a JSON object");
    return [flags] { return simulate_command(*flags); };
}

} // namespace

const Command kSimulate{"simulate", "Solve on the RTL core, clock by clock, and report cycles, stalls and traffic",
                        setup};

} // namespace mantissa::cli
