// mantissa solve --parts: one solve over several parts, in threads of one process or in the ranks of mpirun.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "command/parts/picked_engine.hpp"
#include "command/parts/rank_gpus.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/partition/cuts.hpp"
#include "mantissa/partition/space.hpp"
#include "running/ranks.hpp"

namespace mantissa::cli {

/// Parts on GPUs of this machine (gpus.hpp).
struct GpuFlags {
    std::uint32_t count = 0; ///< 0: not given
    std::string devices;     ///< numbers with commas; empty: not given
};

struct PartFlags {
    std::uint32_t parts = 0;         ///< 0: one for each rank; one process keeps the system whole
    std::string cut;                 ///< empty: contiguous
    std::string exchange;            ///< "host", "neighbours", on GPUs of ranks "mpi", "nccl"; empty: what there is
    std::optional<double> rank_wait; ///< seconds
    GpuFlags gpus;
};

/// Over what, and how, a solve is shared out.
struct SharedOut {
    std::shared_ptr<Space> space; ///< null: the system stays whole
    CutMethod method = CutMethod::contiguous;
    ExchangeOptions exchange;                                        ///< with counts
    GpuFlags gpus;                                                   ///< the engine gpu over parts, without a space
    std::shared_ptr<PickNote> picked = std::make_shared<PickNote>(); ///< with --gpus: are all of them used?
    std::optional<GpuPlaces> places;                                 ///< each rank's GPU, where ranks iterate on GPUs
};

/// What iterates in place of this processor's loops: the ranks' GPUs, or nothing.
[[nodiscard]] MakePartSolver loops_elsewhere(const SharedOut& shared, const running::Ranks& ranks,
                                             const PartFlags& flags);
/// "neighbours", "host", "nccl" or "mpi".
[[nodiscard]] std::string way_name(const SharedOut& shared);

void add_part_options(CLI::App& app, PartFlags& flags);

/// Is each rank, or with --parts each part in a thread, to have a GPU?
[[nodiscard]] bool on_gpus_of_ranks(const PartFlags& flags, const running::Ranks& ranks, const std::string& engine);
/// What the flags ask for, with this engine. `rank_gpus` is what the ranks have where on_gpus_of_ranks(), else empty.
/// Throws InvalidInput where parts and ranks disagree, where nothing is shared out but how is said, where GPUs of ranks
/// would run anything but CG in double, and what place_ranks() does.
SharedOut shared_out(const PartFlags& flags, const running::Ranks& ranks, const std::string& engine,
                     const SolveOptions& options, const std::vector<RankGpus>& rank_gpus);
/// The engine for these options: `name` as it is where the system stays whole, else the emulated one over parts. Throws
/// InvalidInput where the engine or the scheme cannot be shared out.
std::unique_ptr<Engine> make_solving_engine(const std::string& name, const SolveOptions& options,
                                            const SharedOut& shared);
/// Is this solve one of CG in double over parts (solve_over_parts()), which needs no engine?
bool in_double_over_parts(const SolveOptions& options, const SharedOut& shared);
/// "3 synchronisations an iteration through the host, ...", counted by a solve, which held so many numbers for a part
/// (SolveResult::held); nothing where it stayed whole.
std::string exchanges_in_words(const SharedOut& shared, std::size_t held);
/// Why `engine` cannot share this system out, before any work; empty where it can, or the system stays whole.
std::string parts_refusal(const SharedOut& shared, const Engine& engine, const SolveOptions& options,
                          const System& system);
/// "3 ranks, cut by rcm: a part sends ...", or nothing where the system stays whole.
std::string parts_in_words(const SharedOut& shared, const System& system, const SolveOptions& options,
                           const running::Ranks& ranks);

} // namespace mantissa::cli
