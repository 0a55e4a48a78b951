// What needs tools beside the library: simulation of the RTL core (Verilator) and synthesis (yosys).
#include "solving.hpp"

#include <algorithm>

#include "mantissa/host/provenance.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/sim/simulation_report.hpp"
#include "synthesis/core_clock.hpp"
#include "synthesis/synthesis.hpp"

namespace mantissa::python {

using namespace nb::literals;

namespace {

struct Hardware {
    double clock_mhz = 100, bandwidth_gb = 0, latency_ns = 0, stall = 0;
    std::uint64_t seed = 1;
    int cores = 1, lanes = 1;
};

sim::RtlOptions rtl_options(const Hardware& h, std::shared_ptr<sim::CycleCounts> counts) {
    if (!(h.clock_mhz > 0 && h.clock_mhz <= 1e6)) throw InvalidInput("clock_mhz: give the core's clock in MHz, as 120");
    if (!(h.bandwidth_gb >= 0 && h.bandwidth_gb <= 1e9))
        throw InvalidInput("bandwidth_gb: give GB/s, or 0 for no limit");
    if (!(h.latency_ns >= 0 && h.latency_ns <= 1e6)) throw InvalidInput("latency_ns: give 0 to 1e6 ns");
    if (!(h.stall >= 0 && h.stall < 1)) throw InvalidInput("stall: give a probability below 1");
    if (h.cores < 1 || h.cores > 64) throw InvalidInput("cores: give 1 to 64");
    if (h.lanes < 1 || h.lanes > 256) throw InvalidInput("lanes: give 1 to 256");
    sim::RtlOptions o;
    o.cores = h.cores;
    o.cycle_lanes = h.lanes;
    o.memory = sim::memory_for(h.clock_mhz * 1e6, h.bandwidth_gb * 1e9, h.latency_ns * 1e-9);
    o.memory.stall = h.stall;
    o.memory.seed = h.seed;
    o.counts = std::move(counts);
    return o;
}

nb::dict simulate_of(const Problem& problem, const nb::dict& given, double clock_mhz, double bandwidth_gb,
                     double latency_ns, double stall, std::uint64_t seed, int cores, int lanes) {
    const SolveOptions options = solve_options(given);
    if (options.preconditioner && (bandwidth_gb != 0 || latency_ns != 0 || stall != 0))
        throw InvalidInput("bandwidth_gb, latency_ns and stall: the cycle core keeps all vectors and reads no memory; "
                           "leave them out");
    if (!options.preconditioner && lanes != 1)
        throw InvalidInput("lanes: it is of the cycle core; the lanes of other cores stand in their spec, as "
                           "fx18.16,lanes=2");
    if (options.resident)
        throw InvalidInput("resident: a core that runs the whole solve is solve(engine='rtl', resident=True); leave it "
                           "out");
    const auto counts = std::make_shared<sim::CycleCounts>();
    const auto rtl =
        sim::make_rtl_engine(rtl_options({clock_mhz, bandwidth_gb, latency_ns, stall, seed, cores, lanes}, counts));
    Watch watch{nb::object(nb::none())};
    SolveResult result;
    {
        const nb::gil_scoped_release release;
        result = solve(problem, *rtl, options, std::ref(watch));
    }
    watch.settle();
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    const sim::SimulationReport report = sim::make_report(*counts, clock_mhz * 1e6);
    nb::dict d;
    nb::dict solved = to_dict(std::move(result));
    solved["problem"] = problem.name;
    solved["spec"] = to_string(options.spec);
    solved["scheme"] = scheme_name(options);
    solved["engine"] = "rtl";
    d["solve"] = solved;
    d["cycles"] = report.counts.cycles;
    d["passes"] = report.counts.passes;
    d["cycles_per_pass"] = report.cycles_per_pass;
    d["stalled"] = report.counts.stalled;
    d["bytes_read"] = report.counts.bytes_read;
    d["bytes_written"] = report.counts.bytes_written;
    d["clock_hz"] = report.clock_hz;
    d["predicted_seconds"] = report.seconds;
    return d;
}

template <class Names> void one_of(const char* what, const std::string& given, const Names& names) {
    if (std::find(names.begin(), names.end(), given) != names.end()) return;
    std::string all;
    for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
    throw InvalidInput(std::string(what) + " '" + given + "': give one of " + all);
}

nb::dict synthesize_of(const std::string& spec, const std::string& target, const std::string& multiplier,
                       const std::string& part, const std::string& bands, bool combinational, int place,
                       const std::string& store) {
    constexpr std::string_view kTargets[] = {"xc2v", "xc7", "xcup", "ecp5"}, kMultipliers[] = {"logic", "block"},
                               kBandKinds[] = {"", "streamed", "constant"};
    one_of("target", target, std::span(kTargets));
    one_of("multiplier", multiplier, std::span(kMultipliers));
    one_of("bands", bands, std::span(kBandKinds));
    synthesis::SynthesisRequest request{parse_spec(spec), target, multiplier, part, combinational, false};
    request.constant_bands =
        bands.empty() ? part == "core" && synthesis::holds_stencil(request.spec) : bands == "constant";
    synthesis::Synthesizer::check(request);
    if (place > 0) synthesis::Synthesizer::check_place(request, place);
    synthesis::SynthesisFigures f;
    std::vector<synthesis::Placement> placements;
    std::string tool, why_not;
    {
        const nb::gil_scoped_release release;
        synthesis::Synthesizer synthesizer(store, current_provenance("mantissa.synthesize() of Python"));
        tool = synthesizer.tool();
        f = synthesizer.figures(request);
        if (place > 0) (void)synthesizer.place(request, place, 1, why_not);
        placements = synthesizer.stored_placements(request);
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!why_not.empty()) throw ToolFailure(why_not);
    const synthesis::CoreClock clock = synthesis::core_clock(target, f.model_mhz, f.model_path, placements);
    nb::dict d;
    d["spec"] = to_string(request.spec);
    d["target"] = target;
    d["multiplier"] = multiplier;
    d["part"] = part;
    d["bands"] = request.constant_bands ? "constant" : "streamed";
    d["tool"] = tool;
    d["luts"] = f.luts;
    d["memory_luts"] = f.memory_luts;
    d["flip_flops"] = f.flip_flops;
    d["carries"] = f.carries;
    d["multipliers"] = f.multipliers;
    d["memory_bits"] = f.memory_bits;
    d["memory_blocks"] = f.memory_blocks();
    d["io_bits"] = f.io_bits;
    d["slices"] = f.slices(target);
    d["depth"] = f.depth;
    // (Without registers there is no clock.)
    d["clock_mhz"] = combinational ? nb::none() : nb::cast(clock.mhz);
    d["clock_kind"] = combinational ? nb::none() : nb::cast(clock.kind);
    d["clock_from"] = combinational ? nb::none() : nb::cast(clock.derivation);
    return d;
}

} // namespace

void bind_tools(nb::module_& m) {
    m.def("simulate", &simulate_of, "problem"_a, "options"_a, "clock_mhz"_a, "bandwidth_gb"_a, "latency_ns"_a,
          "stall"_a, "seed"_a, "cores"_a, "lanes"_a);
    m.def("synthesize", &synthesize_of, "spec"_a, "target"_a, "multiplier"_a, "part"_a, "bands"_a, "combinational"_a,
          "place"_a, "store"_a);
}

} // namespace mantissa::python
