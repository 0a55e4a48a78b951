// mantissa simulate: a solve on the RTL core, clock by clock, and what it cost.
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "command/answers/solve_answer.hpp"
#include "command/options/declare.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/checked_engine.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/point.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/sim/simulation_report.hpp"
#include "mantissa/sparse_core/row_stream.hpp"
#include "options/solve_flags.hpp"
#include "options/values.hpp"
#include "running/progress.hpp"
#include "store/result_json.hpp"
#include "text/json_text.hpp"
#include "text/key_values.hpp"

namespace mantissa::cli {

namespace {

struct SimulateFlags {
    std::string problem, check, trace, window = "0:2000";
    std::uint64_t seed = 1, cores = 1, lanes = 1;
    double clock_mhz = 100, bandwidth_gb = 0, latency_ns = 0, stall = 0;
    bool json = false;
    SolveFlags solver;
};

namespace fs = std::filesystem;
constexpr std::uint64_t kMostLanes = 256;

sim::TraceWindow trace_of(const SimulateFlags& f) {
    if (f.trace.empty()) return {};
    sim::TraceWindow window{f.trace, 0, 0};
    const std::string_view text = f.window;
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || !text::read_number(text.substr(0, colon), window.first) ||
        !text::read_number(text.substr(colon + 1), window.last))
        throw InvalidInput(
            fmt::format("--window {}: give the first and last clock, as 0:2000", base::quoted(f.window)));
    if (window.first > window.last)
        throw InvalidInput(
            fmt::format("--window {}: it ends before it begins; give the first and last clock, as 0:2000",
                        base::shortened(f.window)));
    // The waveform is written bit by bit and with files beside it: no stream, no device.
    std::error_code error;
    if (base::is_standard_output(f.trace) || (fs::exists(f.trace, error) && !fs::is_regular_file(f.trace, error)))
        throw InvalidInput(fmt::format("--trace {}: {}; give a file, as pass.fst", base::quoted(f.trace, 200),
                                       fs::is_directory(f.trace, error) ? "a folder" : "no regular file"));
    if (fs::path(f.trace).extension() == ".gtkw")
        throw InvalidInput(fmt::format("--trace {}: that name is for GTKWave's save file; give the waveform another, "
                                       "as pass.fst",
                                       base::quoted(f.trace, 200)));
    if (const std::string ending = fs::path(f.trace).extension().string(); ending == ".vcd" || ending == ".ghw")
        throw InvalidInput(
            fmt::format("--trace {}: waveforms are written as FST; name it .fst", base::quoted(f.trace, 200)));
    base::check_writable("--trace", f.trace);
    base::check_writable("--trace", fs::path(f.trace).replace_extension(".gtkw").string());
    return window;
}

sim::RtlOptions rtl_options(const SimulateFlags& f, std::shared_ptr<sim::CycleCounts> counts) {
    if (!(f.clock_mhz > 0 && f.clock_mhz <= 1e6))
        throw InvalidInput(fmt::format("--clock {}: give the core's clock in MHz, as 120", f.clock_mhz));
    if (!(f.bandwidth_gb >= 0 && f.bandwidth_gb <= 1e9))
        throw InvalidInput(fmt::format("--bandwidth {}: give GB/s, or 0 for no limit", f.bandwidth_gb));
    if (!(f.latency_ns >= 0 && f.latency_ns <= 1e6))
        throw InvalidInput(fmt::format("--latency {}: give 0 to 1e6 ns", f.latency_ns));
    if (!(f.stall >= 0 && f.stall < 1))
        throw InvalidInput(fmt::format("--stall {}: give a probability below 1", f.stall));
    if (f.cores > 64) throw InvalidInput(fmt::format("--cores {}: give 1 to 64", f.cores));
    if (f.lanes > kMostLanes) throw InvalidInput(fmt::format("--lanes {}: give 1 to {}", f.lanes, kMostLanes));
    sim::RtlOptions o;
    o.cores = static_cast<int>(f.cores);
    o.cycle_lanes = static_cast<int>(f.lanes);
    o.memory = sim::memory_for(f.clock_mhz * 1e6, f.bandwidth_gb * 1e9, f.latency_ns * 1e-9);
    o.memory.stall = f.stall;
    o.memory.seed = f.seed;
    o.cache.progress = sim::terminal_progress();
    o.counts = std::move(counts);
    o.trace = trace_of(f);
    return o;
}

/// When the waveform was last written; nothing when it is not there.
std::optional<fs::file_time_type> written(const std::string& trace) {
    std::error_code error;
    const auto time = fs::last_write_time(trace, error);
    return error ? std::nullopt : std::optional(time);
}

/// The core writes its waveform, and the save file, when the window's first clock comes. Where it never came, what an
/// earlier run wrote there is as it was.
void check_trace(const SimulateFlags& flags, std::optional<fs::file_time_type> before, std::uint64_t clocks) {
    if (flags.trace.empty() || written(flags.trace) != before) return;
    throw InvalidInput(fmt::format("--window {}: no waveform was written; the run had {} clocks, the first dozens of "
                                   "which set up the core: give clocks after those",
                                   flags.window, clocks));
}

/// The order in which the sparse core reads a matrix, where the problem has one.
std::optional<sparse_core::RowStream> order_of(const Problem& problem, const DatapathSpec& spec) {
    const auto* rows = std::get_if<CompressedRows>(&problem.system.matrix());
    if (rows == nullptr) return std::nullopt;
    return sparse_core::RowStream(*rows, {.lanes = spec.lanes});
}

results::Json to_json(const sparse_core::RowStream& order) {
    const sparse_core::StreamFigures& f = order.figures();
    return {{"entries", f.nonzeros},
            {"padded", f.padded},
            {"beats", f.beats},
            {"conflict_beats", f.conflict_beats},
            {"queued_beats", f.queued_beats},
            {"column_bits", order.column_bits()}};
}

std::string to_text(const sparse_core::RowStream& order) {
    const sparse_core::StreamFigures& f = order.figures();
    const double lanes = order.lanes(), least = static_cast<double>(f.padded) / lanes;
    return fmt::format(
        "{:<18}{} beats per pass, fill {:.3f}, conflicts {:.2f} % (queued {:.1f} %), {} bits per column\n", "order",
        f.beats, f.fill(), 100 * static_cast<double>(f.conflict_beats) / least,
        100 * (static_cast<double>(f.queued_beats) / least - 1), order.column_bits());
}

results::Json to_json(const sim::SimulationReport& r) {
    results::Json j;
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

/// Of a core that runs the whole solve; its multilevel cycles are the report's passes, or its passes.
results::Json kept_to_json(const sim::SimulationReport& r, bool cycles) {
    return {{"clocks", r.counts.cycles},
            {cycles ? "clocks_per_cycle" : "clocks_per_pass", r.cycles_per_pass},
            {"clock_hz", r.clock_hz},
            {"predicted_seconds", r.seconds}};
}

std::string kept_to_text(const sim::SimulationReport& r, bool cycles) {
    return fmt::format("{:<18}{}  ({:.1f} per {})\n{:<18}{:.4g} ms at {:.4g} MHz\n", "clocks", r.counts.cycles,
                       r.cycles_per_pass, cycles ? "cycle" : "pass, with the outer loop's", "predicted time",
                       1e3 * r.seconds, r.clock_hz / 1e6);
}

/// What is of another option.
void check_given(const CLI::App& app) {
    if (given(app, "window") && !given(app, "trace"))
        throw InvalidInput("--window: it is the clocks of a trace; give --trace too, or leave it out");
    if (given(app, "seed") && !given(app, "stall"))
        throw InvalidInput("--seed: it is of random stalls; give --stall too, or leave it out");
}

/// The cycle core and the resident core keep their vectors: they have no memory to be slow, and their models write no
/// waveforms.
void check_kept(const SimulateFlags& f, const char* core) {
    if (f.bandwidth_gb != 0 || f.latency_ns != 0 || f.stall != 0)
        throw InvalidInput(fmt::format("--bandwidth, --latency and --stall: the {} core keeps all vectors and reads no "
                                       "memory; leave them out",
                                       core));
    if (!f.trace.empty())
        throw InvalidInput(fmt::format("--trace: the {} core's model writes no waveforms; leave it out", core));
}

int simulate_command(const SimulateFlags& flags) {
    const auto counts = std::make_shared<sim::CycleCounts>();
    const SolveOptions options = flags.solver.options();
    if (std::string why = options::refusal(options); !why.empty()) throw InvalidInput(why);
    const bool cycles = options.preconditioner.has_value(), kept = cycles || options.resident;
    if (kept) check_kept(flags, cycles ? "cycle" : "resident");
    if (!cycles && flags.lanes != 1)
        throw InvalidInput(
            "--lanes: it is of the cycle core; the lanes of other cores stand in their spec, as fx18.16,lanes=2");
    const auto trace_before = written(flags.trace);
    const auto rtl = sim::make_rtl_engine(rtl_options(flags, counts));
    std::unique_ptr<Engine> reference, checked;
    const auto passes = std::make_shared<std::atomic<std::uint64_t>>(0);
    if (!flags.check.empty()) {
        const bool alike = flags.cores == 1 && flags.bandwidth_gb == 0 && flags.latency_ns == 0 && flags.stall == 0;
        if (alike && flags.check == rtl->name())
            throw InvalidInput(fmt::format("--check {}: it is the engine that solves; name another", flags.check));
        reference = make_engine(flags.check);
        checked = make_checked_engine(*rtl, *reference, passes);
    }
    const Problem problem = make_problem(flags.problem);
    if (!problem.note.empty()) fmt::print(stderr, "mantissa: {}\n", problem.note);
    SolveResult result;
    try {
        running::SolveProgress line(options.tolerance);
        result = solve(problem, checked ? *checked : *rtl, options, std::ref(line));
    } catch (const Mismatch& m) {
        fmt::print(stderr, "mantissa: {}\n", m.what());
        if (m.difference.first_clock)
            fmt::print(stderr, "mantissa: to see it, add --trace pass.fst --window {}:{}\n", *m.difference.first_clock,
                       *m.difference.last_clock);
        return kNotConverged;
    }
    // (Registers of several cores count the clock in which a run ends too: one number is said, the model's.)
    if (!kept && result.cycles) result.cycles = counts->cycles;
    const std::optional<sparse_core::RowStream> order = order_of(problem, options.spec);
    const sim::SimulationReport report = sim::make_report(*counts, flags.clock_mhz * 1e6);
    if (flags.json) {
        results::Json j = results::to_json(Point{problem.name, std::string(rtl->name()), options});
        j.update(results::to_json(result));
        j["simulation"] = kept ? kept_to_json(report, cycles) : to_json(report);
        j["simulation"]["cores"] = flags.cores;
        j["simulation"]["lanes"] = cycles ? flags.lanes : static_cast<std::uint64_t>(options.spec.lanes);
        if (order) j["order"] = to_json(*order);
        if (checked) j["check"] = {{"engine", flags.check}, {"passes", passes->load()}};
        fmt::print("{}\n", json_text(j));
    } else {
        fmt::print("{:<18}{}\n{:<18}{}\n", "problem", problem.name, cycles ? "preconditioner" : "datapath",
                   cycles ? options::preconditioner_text(options) : to_string(options.spec));
        for (std::size_t i = 1; i < options.schedule.size(); ++i)
            fmt::print("{:<18}{}\n", i == 1 ? "then" : "", cli::to_text(options.schedule[i]));
        fmt::print("{:<18}{}{}\n", "status", to_string(result.status),
                   result.detail.empty() ? "" : ": " + result.detail);
        fmt::print("{:<18}{} inner, {} outer\n", "iterations", result.inner_iterations, result.outer_iterations);
        fmt::print("{:<18}{:.3e}\n", "true residual", result.true_residual);
        if (flags.cores > 1) fmt::print("{:<18}{}\n", "cores", flags.cores);
        if (flags.lanes > 1) fmt::print("{:<18}{}\n", "lanes", flags.lanes);
        if (result.energy) fmt::print("{:<18}{}\n", "energy error", cli::to_text(*result.energy));
        if (result.bound) fmt::print("{:<18}{}\n", "error bound", cli::to_text(*result.bound));
        fmt::print("{}", kept ? kept_to_text(report, cycles) : sim::to_text(report));
        if (order) fmt::print("{}", to_text(*order));
        if (checked)
            fmt::print("{:<18}all {} {} equal to {}, bit for bit\n", "check", passes->load(),
                       cycles ? "cycles" : "passes", flags.check);
        if (!kept && flags.cores == 1 && (checked || options.energy))
            fmt::print("{:<18}one by one, for {}: a clock more each than passes that follow one another\n", "started",
                       checked ? flag_of(Common::check) : "the energy of the error");
    }
    check_trace(flags, trace_before, counts->cycles);
    return result.status == Status::converged ? kDone : kNotConverged;
}

Run setup_simulate(CLI::App& app, const std::string&) {
    const auto flags = std::make_shared<SimulateFlags>();
    SimulateFlags& f = *flags;
    using options::Group;
    const auto begin = [&app](Group group) { app.option_defaults()->group(options::title(group)); };
    begin(Group::problem);
    declare(app, Common::problem, f.problem, "as for mantissa solve: poisson2d:level=5, diffusion2d:level=5, ...")
        ->required();
    for (const Group group : options::kGroups) f.solver.declare(app, group);
    f.solver.exclude(app);
    begin(Group::place);
    app.add_option("--cores", f.cores, "integer, resident or cycle cores side by side, each with a slab of the grid")
        ->check(whole_number(1))
        ->capture_default_str();
    app.add_option("--lanes", f.lanes, "of a cycle core: nodes a clock, a power of two")
        ->check(whole_number(1))
        ->capture_default_str();
    app.add_option("--clock", f.clock_mhz, "the core's clock, MHz")->capture_default_str();
    app.add_option("--bandwidth", f.bandwidth_gb, "of the memory, GB/s; 0: no limit; of several cores each has so much")
        ->capture_default_str();
    app.add_option("--latency", f.latency_ns, "of the memory, ns")->capture_default_str();
    app.add_option("--stall", f.stall, "probability, each clock, that a stream begins a random stall")
        ->capture_default_str();
    app.add_option("--seed", f.seed, "of the stalls")->check(whole_number(0))->capture_default_str();
    declare(app, Common::check, f.check, "compare every iteration with this engine, bit for bit");
    begin(Group::output);
    app.add_option("--trace", f.trace, "write waveforms (FST), and a GTKWave save file beside them");
    app.add_option("--window", f.window, "clocks that the trace covers, FIRST:LAST")->capture_default_str();
    declare(app, Common::json, f.json);
    return [flags, &app] {
        check_given(app);
        return simulate_command(*flags);
    };
}

} // namespace

const Command kSimulate{"simulate", "Solve on the RTL core, clock by clock, and report cycles, stalls and traffic",
                        setup_simulate, true};

} // namespace mantissa::cli
