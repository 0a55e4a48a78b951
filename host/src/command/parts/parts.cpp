#include "command/parts/parts.hpp"

#include <fmt/format.h>

#include "command/command.hpp"
#include "command/parts/gpus.hpp"
#include "command/parts/rank_space.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/partition/cuts.hpp"
#include "mantissa/partition/parted_engine.hpp"
#include "mantissa/partition/partition.hpp"

namespace mantissa::cli {

namespace {
/// Parts in one process are threads.
constexpr std::uint32_t kMostParts = 256;

CutMethod method_of(const PartFlags& flags) {
    return flags.cut.empty() ? CutMethod::contiguous : parse_cut_method(flags.cut);
}
} // namespace

void add_part_options(CLI::App& app, PartFlags& flags) {
    app.add_option("--parts", flags.parts,
                   "share the system out over this many parts, with the same bits (integers, or dot=fixed[MSB:LSB]; "
                   "engine emulated); under mpirun each rank is one")
        ->check(whole_number(1, kMostParts));
    app.add_option("--cut", flags.cut,
                   "how rows go to parts: contiguous (the default), rcm or bisection; grids are cut in strips");
    add_gpu_options(app, flags);
}

std::unique_ptr<Engine> make_solving_engine(const std::string& name, const SolveOptions& options,
                                            const PartFlags& flags, const sweeps::Ranks& ranks) {
    const CutMethod method = method_of(flags);
    const auto count = static_cast<std::uint32_t>(ranks.count());
    if (flags.parts == 0 && count == 1 && !on_gpus(flags)) {
        if (!flags.cut.empty())
            throw InvalidInput("--cut: nothing is cut without --parts or --gpus; give both or neither");
        return make_engine(name);
    }
    if (count > 1 && flags.parts != 0 && flags.parts != count)
        throw InvalidInput(
            fmt::format("--parts {} on {} ranks: each rank is one part; leave --parts out", flags.parts, count));
    if (on_gpus(flags) && (flags.parts != 0 || count > 1))
        throw InvalidInput(count > 1 ? "--gpus and --devices: they are for one process; leave them out under mpirun"
                                     : "--parts: parts on GPUs are counted by --gpus; give one of the two");
    if (name != "emulated" && !on_gpus(flags))
        throw InvalidInput(fmt::format("--engine {}: the engine emulated alone is shared out over parts", name));
    const bool on_engine = options.scheme == Scheme::direct || options.scheme == Scheme::pipelined ||
                           options.scheme == Scheme::defect_correction || options.scheme == Scheme::residual_guided;
    if (!on_engine || options.resident)
        throw InvalidInput(fmt::format("{}: it is not shared out over parts; take direct, pipelined, defect-correction "
                                       "or residual-guided",
                                       options.resident ? "--resident" : "--scheme " + to_string(options.scheme)));
    if (on_gpus(flags)) return make_gpus_engine(name, flags, method);
    return make_parted_engine(count > 1 ? make_rank_space(ranks) : make_threads_space(flags.parts), method);
}

std::string parts_refusal(const PartFlags& flags, const Engine& engine, const SolveOptions& options,
                          const System& system, const sweeps::Ranks& ranks) {
    if (flags.parts == 0 && ranks.count() == 1 && !on_gpus(flags)) return {};
    // What the engine says of the whole system as well is for the solve to say: it may scale the system first.
    const auto whole = make_engine(on_gpus(flags) ? "gpu" : "emulated");
    std::string why;
    const auto ask = [&](const DatapathSpec& spec) {
        if (why.empty() && whole->refusal(spec, system, {}).empty()) why = engine.refusal(spec, system, {});
    };
    ask(options.spec);
    for (const auto& stage : options.schedule) ask(stage.spec);
    return why;
}

std::string parts_in_words(const PartFlags& flags, const System& system, const sweeps::Ranks& ranks) {
    if (on_gpus(flags)) return gpus_in_words(flags, system, method_of(flags));
    if (flags.parts == 0 && ranks.count() == 1) return {};
    const bool over_ranks = ranks.count() > 1;
    const std::uint32_t parts = over_ranks ? static_cast<std::uint32_t>(ranks.count()) : flags.parts;
    std::string way = "in strips";
    if (system.kind() == System::Kind::sparse) way = "by " + to_string(method_of(flags));
    const PartitionVolume v = volume(parts_of(system, parts, method_of(flags)));
    return fmt::format(
        "{} {}, cut {}: a part sends {} elements of p a pass at most, receives {}, and has {:.1f} % more "
        "entries than the mean",
        parts, over_ranks ? "ranks" : "parts", way, v.most_sent, v.most_received, 100 * v.nonzero_imbalance);
}

} // namespace mantissa::cli
