#include "command/parts/parts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "command/command.hpp"
#include "command/options/declare.hpp"
#include "command/parts/gpus.hpp"
#include "command/parts/rank_space.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/partition/cuts.hpp"
#include "mantissa/partition/parted_engine.hpp"
#include "mantissa/partition/partition.hpp"

namespace mantissa::cli {

namespace {
CutMethod method_of(const PartFlags& flags) {
    return flags.cut.empty() ? CutMethod::contiguous : parse_cut_method(flags.cut);
}

/// In double over parts, CG runs on no engine.
bool is_cg_in_double(const SolveOptions& options) {
    return options.scheme == Scheme::jacobi_pcg ||
           (options.scheme == Scheme::cg && options.spec == DatapathSpec(formats::kDouble));
}

/// On GPUs of one process: is it the engine's native solver that runs?
bool is_native(const SolveOptions& options) {
    return options.scheme == Scheme::jacobi_pcg || options.spec.sums_free();
}

/// Ranks, or threads of one process, with a GPU each.
SharedOut over_rank_gpus(SharedOut shared, const PartFlags& flags, const running::Ranks& ranks,
                         const SolveOptions& options, std::vector<RankGpus> rank_gpus) {
    if (!is_cg_in_double(options))
        throw InvalidInput(
            "--engine gpu: over ranks and --parts GPUs run CG in double: give --format double and --scheme "
            "direct or jacobi-pcg, share reduced formats out by --gpus, or take the engine emulated");
    if (flags.gpus.count != 0) throw InvalidInput("--gpus: each rank, or part, has one GPU; leave it out");
    if (ranks.count() == 1) rank_gpus.resize(flags.parts, RankGpus(rank_gpus.front()));
    else if (flags.parts != 0 && flags.parts != static_cast<std::uint32_t>(ranks.count()))
        throw InvalidInput(fmt::format("--parts {} on {} ranks: each rank is one part; leave --parts out", flags.parts,
                                       ranks.count()));
    std::optional<GpuExchange> asked;
    if (flags.exchange == "nccl") asked = GpuExchange::nccl;
    else if (flags.exchange == "mpi") asked = GpuExchange::mpi;
    else if (!flags.exchange.empty())
        throw InvalidInput(
            fmt::format("--exchange {}: GPUs of ranks take nccl or mpi", base::shortened(flags.exchange)));
    shared.places = place_ranks(rank_gpus, devices_of(flags.gpus), asked);
    shared.space = ranks.count() > 1 ? make_rank_space(ranks) : make_threads_space(flags.parts);
    shared.exchange.counts = std::make_shared<ExchangeCounts>();
    return shared;
}
} // namespace

void add_part_options(CLI::App& app, PartFlags& flags) {
    declare(app, Common::parts, flags.parts);
    declare(app, Common::cut, flags.cut);
    declare(app, Common::exchange, flags.exchange);
    declare(app, Common::rank_wait, flags.rank_wait);
    add_gpu_options(app, flags.gpus);
}

bool on_gpus_of_ranks(const PartFlags& flags, const running::Ranks& ranks, const std::string& engine) {
    return engine == "gpu" && (ranks.count() > 1 || flags.parts != 0);
}

SharedOut shared_out(const PartFlags& flags, const running::Ranks& ranks, const std::string& engine,
                     const SolveOptions& options, const std::vector<RankGpus>& rank_gpus) {
    SharedOut shared;
    shared.method = method_of(flags);
    const auto count = static_cast<std::uint32_t>(ranks.count());
    if (on_gpus_of_ranks(flags, ranks, engine))
        return over_rank_gpus(std::move(shared), flags, ranks, options, rank_gpus);
    if (flags.exchange == "nccl" || flags.exchange == "mpi")
        throw InvalidInput(fmt::format("--exchange {}: so exchange the GPUs of ranks: give --engine gpu under mpirun "
                                       "or with --parts, or leave it out",
                                       flags.exchange));
    if (flags.exchange == "host") shared.exchange.way = ExchangeWay::host;
    else if (!flags.exchange.empty() && flags.exchange != "neighbours")
        throw InvalidInput(fmt::format("--exchange {}: take neighbours or host", base::shortened(flags.exchange)));
    if (on_gpus(flags.gpus)) {
        if (count > 1)
            throw InvalidInput("--gpus and --devices: ranks have GPUs with --engine gpu alone; leave them out");
        if (flags.parts != 0) throw InvalidInput("--parts: parts on GPUs are counted by --gpus; give one of the two");
        if (!flags.exchange.empty())
            throw InvalidInput("--exchange: GPUs write straight into each other's memory; leave it out");
        shared.gpus = flags.gpus;
        return shared;
    }
    if (flags.parts == 0 && count == 1) {
        if (!flags.cut.empty())
            throw InvalidInput("--cut: nothing is cut without --parts or --gpus; give both or neither");
        if (!flags.exchange.empty())
            throw InvalidInput("--exchange: nothing is exchanged without --parts; give both or neither");
        return shared;
    }
    if (count > 1 && flags.parts != 0 && flags.parts != count)
        throw InvalidInput(
            fmt::format("--parts {} on {} ranks: each rank is one part; leave --parts out", flags.parts, count));
    shared.space = count > 1 ? make_rank_space(ranks) : make_threads_space(flags.parts);
    shared.exchange.counts = std::make_shared<ExchangeCounts>();
    return shared;
}

bool in_double_over_parts(const SolveOptions& options, const SharedOut& shared) {
    return shared.space != nullptr && is_cg_in_double(options);
}

std::unique_ptr<Engine> make_solving_engine(const std::string& name, const SolveOptions& options,
                                            const SharedOut& shared) {
    if (shared.space == nullptr && !on_gpus(shared.gpus)) return make_engine(name);
    if (shared.places) return make_engine("emulated"); // (which does not run: CG in double needs none)
    if (!on_gpus(shared.gpus) && name != "emulated")
        throw InvalidInput(fmt::format("--engine {}: the engine emulated alone is shared out over parts", name));
    if (in_double_over_parts(options, shared)) return make_engine(name);
    const bool on_engine = options.scheme == Scheme::cg || options.scheme == Scheme::pipelined ||
                           refines(options.scheme) || (on_gpus(shared.gpus) && is_native(options));
    if (refines(options.scheme) && !session_recurrence(iterated(options)))
        throw InvalidInput(fmt::format("recurrence {}: it is not shared out over parts; leave parts and gpus out",
                                       to_string(iterated(options))));
    if (!on_engine || options.resident)
        throw InvalidInput(
            fmt::format("{}: it is not shared out over parts; take direct, pipelined, defect-correction, "
                        "residual-guided or inexact-pcg",
                        options.resident ? "--resident" : "--scheme " + scheme_name(options)));
    if (on_gpus(shared.gpus)) return make_gpus_engine(name, shared.gpus, shared.method, shared.picked);
    return make_parted_engine(shared.space, shared.method, shared.exchange);
}

std::string parts_refusal(const SharedOut& shared, const Engine& engine, const SolveOptions& options,
                          const System& system) {
    if (shared.space == nullptr && !on_gpus(shared.gpus)) return {};
    if (shared.method != CutMethod::contiguous && system.kind() != System::Kind::sparse)
        return fmt::format("{} {}: a grid is cut in strips, whatever the method; leave it out", flag_of(Common::cut),
                           to_string(shared.method));
    if (in_double_over_parts(options, shared)) {
        const std::size_t most = most_parts(system);
        if (shared.space->parts() <= most) return {};
        return fmt::format("{} parts: this system has rows for at most {}", shared.space->parts(), most);
    }
    if (is_native(options)) return {}; // (whose solver says so itself)
    if (options.preconditioner && on_gpus(shared.gpus) && shared.method != CutMethod::contiguous)
        return fmt::format("{} {}: multilevel cycles over GPUs have strips of rows; leave it out", flag_of(Common::cut),
                           to_string(shared.method));
    if (options.preconditioner) return {}; // (whose engine says so itself)
    // What the engine says of the whole system as well is for the solve to say: it may scale the system first.
    const auto whole = make_engine(on_gpus(shared.gpus) ? "gpu" : "emulated");
    std::string why;
    const auto ask = [&](const DatapathSpec& spec) {
        if (why.empty() && whole->refusal(spec, system, {}).empty()) why = engine.refusal(spec, system, {});
    };
    ask(options.spec);
    for (const auto& stage : options.schedule) ask(stage.spec);
    return why;
}

std::string parts_in_words(const SharedOut& shared, const System& system, const SolveOptions& options,
                           const running::Ranks& ranks) {
    if (on_gpus(shared.gpus)) return gpus_in_words(shared.gpus, system, options, shared.method);
    if (shared.space == nullptr) return {};
    std::string way = "in strips";
    if (system.kind() == System::Kind::sparse) way = "by " + to_string(shared.method);
    const std::uint32_t parts = shared.space->parts();
    const std::string text =
        fmt::format("{} {}, cut {}", parts,
                    shared.places       ? (ranks.count() > 1 ? "ranks, each on a GPU" : "parts, each on a GPU")
                    : ranks.count() > 1 ? "ranks"
                                        : "parts",
                    way);
    if (options.preconditioner) return text; // (a cycle's levels each have a volume of their own)
    const PartitionVolume v = volume(parts_of(system, parts, shared.method));
    return fmt::format(
        "{}: a part sends {} elements of p a pass at most, receives {}, and has {:.1f} % more entries than "
        "the mean",
        text, v.most_sent, v.most_received, 100 * v.nonzero_imbalance);
}

MakePartSolver loops_elsewhere(const SharedOut& shared, const running::Ranks& ranks, const PartFlags& flags) {
    if (!shared.places) return {};
    return on_rank_gpus(*shared.places, ranks, flags.rank_wait.value_or(running::kRankWait));
}

std::string way_name(const SharedOut& shared) {
    if (shared.places) return shared.places->exchange == GpuExchange::nccl ? "nccl" : "mpi";
    return shared.exchange.way == ExchangeWay::host ? "host" : "neighbours";
}

namespace {
std::string way_in_words(const SharedOut& shared) {
    if (!shared.places)
        return shared.exchange.way == ExchangeWay::host ? "through the host's memory" : "between neighbours";
    if (shared.places->exchange == GpuExchange::nccl) return "by NCCL between GPUs";
    if (shared.places->why.empty()) return "through the hosts' memory";
    return fmt::format("through the hosts' memory, since NCCL cannot be used ({})", shared.places->why);
}
} // namespace

std::string exchanges_in_words(const SharedOut& shared, std::size_t held) {
    if (shared.space == nullptr || shared.exchange.counts == nullptr) return {};
    const ExchangeCounts& c = *shared.exchange.counts;
    const auto iterations = static_cast<double>(std::max<std::uint64_t>(c.iterations, 1));
    const std::string vectors =
        held == 0 ? std::string(", whole vectors outside") : fmt::format(", at most {} numbers a part outside", held);
    if (c.synchronisations == 0) return "none" + vectors;
    return fmt::format(
        "{}: {:.3g} synchronisations and {:.4g} elements of the first part an iteration, in {} of them{}",
        way_in_words(shared), static_cast<double>(c.synchronisations) / iterations,
        static_cast<double>(c.elements) / iterations, c.iterations.load(), vectors);
}

} // namespace mantissa::cli
