// Clocks of a pass of sparse cores, from passes of the timed SystemC model, which has the RTL core's clocks where
// memory keeps up (tests/systemc/sparse_rtl_test.cpp).
#include <cmath>

#include <fmt/format.h>

#include "compare/join.hpp"
#include "gather.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/scaling.hpp"
#include "mantissa/sparse_core/limits.hpp"
#include "running/progress.hpp"

#ifdef MANTISSA_ENGINE_SYSTEMC
#include "mantissa/sim/systemc_engine.hpp"
#endif

namespace mantissa::compare {

namespace {

constexpr double kChannelBytes = 32;           // a pseudo-channel's port at the card's own clock
constexpr std::uint32_t kChannelLatency = 100; // clocks from a request to its first bytes
constexpr std::uint64_t kPasses = 2;

/// The stored name: all that the clocks depend on.
std::string name_of(const std::string& problem, const Design& design, const Device& device, const SparsePlan& plan) {
    return fmt::format("sparse pass: {}, {}, {} cores, {} channels of {} B/s, {} MHz, {} words, {} clocks", problem,
                       to_string(with_lanes(design.spec, static_cast<int>(plan.fit.lanes))), plan.fit.cores,
                       plan.fit.channels, device.channel_bandwidth, plan.clock.value.mhz, design.link_words,
                       design.link_latency);
}

#ifdef MANTISSA_ENGINE_SYSTEMC
/// Two passes after a first one, on the system as a solve loads it.
results::Json simulate(const Problem& problem, const Design& design, const Device& device, const SparsePlan& plan) {
    const DatapathSpec spec = with_lanes(design.spec, static_cast<int>(plan.fit.lanes));
    const System system = jacobi_scaled(problem).problem.system;
    sim::SystemcOptions options;
    sim::SparseCoreOptions& o = options.sparse;
    o.cores = static_cast<int>(plan.fit.cores);
    o.channels = static_cast<int>(plan.fit.channels);
    o.channel_bytes = kChannelBytes;
    o.channel_mhz = device.channel_bandwidth / kChannelBytes / 1e6;
    o.core_mhz = plan.clock.value.mhz;
    o.latency = kChannelLatency;
    o.link_words = design.link_words;
    o.link_latency = static_cast<std::uint32_t>(design.link_latency);
    const sim::SparsePass pass = sim::sparse_pass(spec, system);
    const auto session = sim::make_systemc_engine(options)->load(system, spec, {});
    const std::vector<double> r(system.size(), 1 / std::sqrt(static_cast<double>(system.size())));
    session->write(Vec::r, 0, r);
    session->run({.passes = 1});
    const RunReport run = session->run({.passes = kPasses});
    if (run.passes != kPasses)
        throw InvalidInput(
            fmt::format("the core's run ended early ({}) after {} of {} passes; give r and p wider words",
                        to_string(run.end), run.passes, kPasses));
    const auto nonzeros = std::get<CompressedRows>(system.matrix()).nonzeros();
    return {{"problem", problem.name},
            {"spec", to_string(spec)},
            {"cores", plan.fit.cores},
            {"passes", kPasses},
            // (a run takes one clock to begin)
            {"cycles", *run.cycles - 1},
            {"one_core", pass.two_part},
            {"addresses", pass.addresses},
            {"beats", pass.beats},
            {"fixed", pass.fixed},
            {"fill", pass.fill},
            {"beat_bits", pass.beat_bits},
            {"conflict_beats", pass.conflict_beats},
            {"nonzeros", nonzeros}};
}
#else
results::Json simulate(const Problem&, const Design&, const Device&, const SparsePlan&) {
    throw InvalidInput("built without SystemC, which times sparse cores; install libsystemc-dev and build again");
}
#endif

SparsePassFigures figures_of(const results::Json& d) {
    return {d.at("cycles").get<double>() / d.at("passes").get<double>(),
            d.at("one_core").get<double>(),
            d.at("fill").get<double>(),
            d.at("beat_bits").get<std::uint64_t>(),
            d.at("beats").get<std::uint64_t>(),
            d.at("conflict_beats").get<std::uint64_t>(),
            d.at("addresses").get<std::uint64_t>(),
            d.at("fixed").get<std::uint64_t>(),
            d.at("nonzeros").get<std::uint64_t>()};
}

} // namespace

void check_sparse(const Comparison& comparison, const std::map<std::string, Problem>& problems) {
    for (const auto& [text, problem] : problems)
        for (const Design& design : comparison.designs) {
            if (!design.sparse) continue;
            if (const std::string why = sparse_core::refusal(design.spec, jacobi_scaled(problem).problem.system);
                !why.empty())
                throw InvalidInput(fmt::format("problem {}: {}", base::quoted(text), why));
            for (const Design::Core& core : design.cores) {
                const Device& device = comparison.devices[core.device];
                if (const std::uint64_t most = most_sparse_rows(design.spec, device); problem.system.size() > most)
                    throw InvalidInput(fmt::format("problem {}: {} rows are too many for the memory on {}, which holds "
                                                   "{} in words of {}; choose a larger device, a smaller problem or "
                                                   "shorter words",
                                                   base::quoted(text), problem.system.size(), device.id, most,
                                                   to_string(design.spec)));
            }
        }
}

void gather_sparse(GatherContext& context) {
    const Comparison& c = context.comparison;
    struct Job {
        std::string problem;
        const Design* design = nullptr;
        std::size_t device = 0;
        SparsePlan plan;
    };
    std::vector<Job> todo;
    GapGroups gaps;
    double work = 0;
    const Provenance here = current_provenance(context.options.command);
    for (const std::string& problem : c.problems)
        for (const Design& design : c.designs) {
            if (!design.sparse) continue;
            for (const auto& [device, multiplier] : design.cores)
                for (SparsePlan& plan : sparse_plans(c, context.out, here, problem, design, device, multiplier)) {
                    work += static_cast<double>(context.out.problems.at(problem).unknowns);
                    todo.push_back({problem, &design, device, std::move(plan)});
                }
        }
    running::ItemProgress line("sparse passes", todo.size(), work);
    for (const Job& job : todo) { // SystemC has one simulation per process
        const Problem& problem = context.problems.at(job.problem);
        const Device& device = c.devices[job.device];
        const std::string name = name_of(job.problem, *job.design, device, job.plan);
        try {
            const std::string content = context.store.content_of(job.problem);
            auto stored = context.documents.measurement(name, content);
            if (!stored && context.options.stored_only) throw InvalidInput(kNotStored);
            if (!stored) {
                stored = {simulate(problem, *job.design, device, job.plan), here};
                context.documents.put_measurement(name, stored->document, stored->provenance, content);
            }
            const std::string id =
                context.out.origins.add({"measured",
                                         fmt::format("clocks of {} passes of {} sparse core{} (SystemC), {} on {}",
                                                     kPasses, job.plan.fit.cores, job.plan.fit.cores == 1 ? "" : "s",
                                                     stored->document.at("spec").get<std::string>(), job.problem),
                                         stored->provenance});
            context.out.sparse_passes[job.plan.key] = {figures_of(stored->document), id};
        } catch (const std::runtime_error& fault) { // not stored, or refused
            gaps.add(fault.what(), fmt::format("{} x {} lanes of {} on {}", job.plan.fit.cores, job.plan.fit.lanes,
                                               to_string(job.design->spec), job.problem));
        }
        line.done(static_cast<double>(problem.system.size()));
    }
    gaps.enter(context, "clocks of a pass");
}

} // namespace mantissa::compare
