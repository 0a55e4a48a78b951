// Runs experiment files on the system model and prints one table each.
//     mantissa_systemc_experiments FILE.toml...
// Exit codes: 0 done, 2 the request was wrong.
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "mantissa/hls/engine.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/sim/systemc_engine.hpp"
#include "sparse.hpp"
#ifdef MANTISSA_WITH_RTL
#include "mantissa/sim/rtl_engine.hpp"
#endif

namespace {

using namespace mantissa;
using sim::SystemcOptions;
using sim::SystemReport;

std::vector<std::string> texts(const toml::table& t, const char* key) {
    std::vector<std::string> out;
    if (const toml::array* list = t[key].as_array())
        for (const toml::node& n : *list)
            if (const auto text = n.value<std::string>()) out.push_back(*text);
    if (out.empty()) throw InvalidInput(fmt::format("experiment: {} is missing; write {} = [\"...\"]", key, key));
    return out;
}

std::vector<double> numbers(const toml::table& t, const char* key) {
    std::vector<double> out;
    if (const toml::array* list = t[key].as_array())
        for (const toml::node& n : *list)
            if (const auto x = n.value<double>()) out.push_back(*x);
    if (out.empty()) throw InvalidInput(fmt::format("experiment: {} is missing; write {} = [1, 2]", key, key));
    return out;
}

SystemcOptions options_of(const toml::table& t) {
    SystemcOptions o;
    const auto memory = t["memory"];
    o.memory.channels = memory["channels"].value_or(o.memory.channels);
    o.memory.bytes_per_cycle = memory["bytes_per_cycle"].value_or(o.memory.bytes_per_cycle);
    o.memory.latency = memory["latency"].value_or(o.memory.latency);
    o.memory.banks = memory["banks"].value_or(o.memory.banks);
    o.memory.page_bytes = memory["page_bytes"].value_or(o.memory.page_bytes);
    o.memory.page_miss = memory["page_miss"].value_or(o.memory.page_miss);
    o.memory.burst_beats = memory["burst_beats"].value_or(o.memory.burst_beats);
    o.memory.interleave = memory["interleave"].value_or(o.memory.interleave);
    const auto host = t["host"];
    o.host.core_mhz = host["core_mhz"].value_or(o.host.core_mhz);
    o.host.link_mb_per_s = host["link_mb_per_s"].value_or(o.host.link_mb_per_s);
    o.host.flops_per_element = host["flops_per_element"].value_or(o.host.flops_per_element);
    o.stream_fifo = t["stream_fifo"].value_or(o.stream_fifo);
    return o;
}

struct Pass {
    double clocks = 0; ///< a pass; infinite on a deadlock
    SystemReport report;
};

/// Clocks of a pass, from passes on a right-hand side.
Pass measure(const SystemcOptions& options, const std::string& spec, const Problem& problem, std::uint64_t passes = 6) {
    const auto session = sim::make_systemc_engine(options)->load(problem.system, parse_spec(spec), {});
    std::vector<double> r = problem.b;
    double norm = 0;
    for (const double x : r) norm += x * x;
    for (double& x : r) x /= std::sqrt(norm);
    session->write(Vec::r, 0, r);
    const RunReport run = session->run({.passes = passes});
    Pass out;
    out.report = dynamic_cast<sim::SystemcSession&>(*session).report();
    out.clocks =
        run.end == RunEnd::fault ? INFINITY : static_cast<double>(*run.cycles) / static_cast<double>(run.passes);
    return out;
}

/// The smallest depth of each FIFO, the others at their defaults, at which a pass takes no more than 0.1 % longer.
void fifo_depth(const toml::table& t) {
    const Problem problem = make_problem(t["problem"].value_or(std::string("poisson2d:level=6")));
    const SystemcOptions base = options_of(t);
    fmt::print("| datapath | FIFO | depth for full rate | at half of it | deadlock below |\n|---|---|--:|--:|--:|\n");
    for (const std::string& spec : texts(t, "specs")) {
        const double full = measure(base, spec, problem).clocks;
        for (const std::string& name : texts(t, "fifos")) {
            const auto clocks = [&](std::uint32_t depth) {
                SystemcOptions o = base;
                o.fifo_depth[name] = depth;
                return measure(o, spec, problem).clocks;
            };
            const auto smallest = [&](double limit) { // clocks fall as the depth grows
                std::uint32_t low = 0, high = 1;
                while (high < 4096 && !(clocks(high) <= limit)) {
                    low = high;
                    high *= 2;
                }
                while (high - low > 1) {
                    const std::uint32_t middle = (low + high) / 2;
                    (clocks(middle) <= limit ? high : low) = middle;
                }
                return high;
            };
            const std::uint32_t need = smallest(1.001 * full), live = smallest(1e18);
            const double half = need > 1 ? clocks(need / 2) : full;
            fmt::print("| {} | {} | {} | {} | {} |\n", spec, name, need,
                       std::isinf(half) ? "deadlock" : fmt::format("{:.2f} times the clocks", half / full),
                       live > 1 ? std::to_string(live) : "-");
        }
    }
}

/// The smallest bandwidth at which a pass takes no more than `tolerance` longer than with an ideal memory.
void bandwidth(const toml::table& t) {
    const double tolerance = t["tolerance"].value_or(0.02);
    fmt::print(
        "| datapath | matrix | clocks per pass, ideal | bytes per element | bytes per clock that suffice | at half of it |\n"
        "|---|---|--:|--:|--:|--:|\n");
    for (const std::string& text : texts(t, "problems")) {
        const Problem problem = make_problem(text);
        for (const std::string& spec : texts(t, "specs")) {
            SystemcOptions o = options_of(t);
            o.memory.bytes_per_cycle = 0;
            const Pass ideal = measure(o, spec, problem);
            const auto clocks = [&](double bytes) {
                o.memory.bytes_per_cycle = bytes;
                return measure(o, spec, problem).clocks;
            };
            double moved = 0;
            for (const sim::ChannelReport& c : ideal.report.channels)
                moved += static_cast<double>(c.bytes_read + c.bytes_written);
            moved /= static_cast<double>(ideal.report.passes * problem.system.size());
            double low = 0, high = 4;
            while (clocks(high) > (1 + tolerance) * ideal.clocks) {
                low = high;
                high *= 2;
            }
            for (int k = 0; k < 7; ++k) {
                const double middle = (low + high) / 2;
                (clocks(middle) <= (1 + tolerance) * ideal.clocks ? high : low) = middle;
            }
            fmt::print("| {} | {} | {:.0f} | {:.1f} | {:.1f} | {:.2f} times the clocks |\n", spec,
                       to_string(problem.system.kind()), ideal.clocks, moved, high, clocks(high / 2) / ideal.clocks);
            std::fflush(stdout);
        }
    }
}

/// The same channel, once, twice, four times.
void channels(const toml::table& t) {
    fmt::print(
        "| datapath | matrix | channels | clocks per pass | elements per clock | data buses busy | page hits | landing |\n"
        "|---|---|--:|--:|--:|--:|--:|--:|\n");
    for (const std::string& text : texts(t, "problems")) {
        const Problem problem = make_problem(text);
        for (const std::string& spec : texts(t, "specs"))
            for (const double count : numbers(t, "channels")) {
                SystemcOptions o = options_of(t);
                o.memory.channels = static_cast<int>(count);
                const Pass p = measure(o, spec, problem);
                double busy = 0, hits = 0, all = 0;
                for (const sim::ChannelReport& c : p.report.channels) {
                    busy += c.busy / static_cast<double>(p.report.cycles);
                    hits += static_cast<double>(c.page_hits);
                    all += static_cast<double>(c.page_hits + c.page_misses);
                }
                fmt::print("| {} | {} | {:.0f} | {:.0f} | {:.2f} | {:.0f} % | {:.0f} % | {:.1f} % |\n", spec,
                           to_string(problem.system.kind()), count, p.clocks,
                           static_cast<double>(problem.system.size()) / p.clocks, 100 * busy / count,
                           all > 0 ? 100 * hits / all : 0.0,
                           100 * static_cast<double>(p.report.landing) / static_cast<double>(p.report.cycles));
                std::fflush(stdout);
            }
    }
}

/// Whole solves: what the outer loop costs on hosts of several speeds, with and without overlap.
void outer_loop(const toml::table& t) {
    fmt::print("| problem | scheme | inner | outer | datapath | host Mflop/s | outer loop's share | overlapped | whole "
               "solve | "
               "overlapped |\n|---|---|--:|--:|---|--:|--:|--:|--:|--:|\n");
    for (const std::string& text : texts(t, "problems")) {
        const Problem problem = make_problem(text);
        for (const std::string& spec : texts(t, "specs"))
            for (const std::string& scheme : texts(t, "schemes"))
                for (const double inner : numbers(t, "inner")) {
                    SystemcOptions o = options_of(t);
                    o.host.mflops = 1000;
                    o.last_report = std::make_shared<SystemReport>();
                    SolveOptions s;
                    set_scheme(s, scheme);
                    s.spec = parse_spec(spec);
                    s.inner = static_cast<std::uint64_t>(inner);
                    const SolveResult result = solve(problem, *sim::make_systemc_engine(o), s);
                    const SystemReport& r = *o.last_report;
                    for (const double speed : numbers(t, "mflops")) {
                        // The host's time is its work over its speed: one solve serves all speeds.
                        const double compute = r.host_compute_seconds * 1000 / speed;
                        const double apart = compute + r.host_transfer_seconds;
                        const double over = std::max(compute, r.host_transfer_seconds);
                        fmt::print(
                            "| {} | {} | {} | {} | {} | {:.0f} | {:.1f} % | {:.1f} % | {:.2f} ms | {:.2f} ms |\n", text,
                            scheme, result.inner_iterations, result.outer_iterations, spec, speed,
                            100 * apart / (apart + r.core_seconds), 100 * over / (over + r.core_seconds),
                            1e3 * (apart + r.core_seconds), 1e3 * (over + r.core_seconds));
                    }
                    std::fflush(stdout);
                }
    }
}

/// Elements a second of the untimed kernel, the timed model and the Verilated core, one processor core each.
void speed(const toml::table& t) {
    const Problem problem = make_problem(t["problem"].value_or(std::string("poisson2d:level=8")));
    const auto rate = [&](const Engine& engine, const std::string& spec, std::uint64_t passes) {
        const auto session = engine.load(problem.system, parse_spec(spec), {});
        std::vector<double> r = problem.b;
        for (double& x : r) x *= 1e3;
        session->write(Vec::r, 0, r);
        session->run({.passes = 1});
        const std::clock_t start = std::clock(); // processor time: others may be at work
        const RunReport run = session->run({.passes = passes});
        const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        return static_cast<double>(run.passes * problem.system.size()) / seconds / 1e6;
    };
    fmt::print("| datapath | hls, untimed | rtl | hls / rtl | systemc, timed |\n|---|--:|--:|--:|--:|\n");
    for (const std::string& spec : texts(t, "specs")) {
        const double untimed = rate(*make_hls_engine(), spec, 60), timed = rate(*make_systemc_engine(), spec, 2);
#ifdef MANTISSA_WITH_RTL
        const double rtl = rate(*sim::make_rtl_engine(), spec, 6);
        const std::string beside = fmt::format("{:.2f} | {:.1f}", rtl, untimed / rtl);
#else
        const std::string beside = "not built | -";
#endif
        fmt::print("| {} | {:.1f} | {} | {:.2f} |\n", spec, untimed, beside, timed);
        std::fflush(stdout);
    }
}

void run(const std::string& file) {
    const toml::table t = toml::parse_file(file);
    fmt::print("## {}\n\n{}\n\n", t["title"].value_or(file), t["question"].value_or(std::string()));
    const std::string kind = t["kind"].value_or(std::string());
    if (kind == "fifo_depth") fifo_depth(t);
    else if (kind == "bandwidth") bandwidth(t);
    else if (kind == "channels") channels(t);
    else if (kind == "outer_loop") outer_loop(t);
    else if (kind == "speed") speed(t);
    else if (kind == "sparse") sparse_experiment(t);
    else
        throw InvalidInput(fmt::format(
            "{}: kind = \"{}\"; the kinds are fifo_depth, bandwidth, channels, outer_loop, speed and sparse", file,
            kind));
    fmt::print("\n");
}

} // namespace

int main(int count, char** values) {
    if (count < 2) {
        fmt::print(stderr, "usage: mantissa_systemc_experiments FILE.toml...\n");
        return 2;
    }
    try {
        for (int k = 1; k < count; ++k) run(values[k]);
    } catch (const toml::parse_error& fault) {
        fmt::print(stderr, "experiment: {} at line {}\n", fault.description(), fault.source().begin.line);
        return 2;
    } catch (const std::exception& fault) {
        fmt::print(stderr, "{}\n", fault.what());
        return 2;
    }
    return 0;
}
