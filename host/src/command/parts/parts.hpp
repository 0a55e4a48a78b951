// mantissa solve --parts: one solve over several parts, in threads of one process or in the ranks of mpirun.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "mantissa/engine.hpp"
#include "mantissa/host/solve.hpp"
#include "sweep/sweep_run.hpp"

namespace mantissa::cli {

struct PartFlags {
    std::uint32_t parts = 0; ///< 0: one for each rank; one process keeps the system whole
    std::string cut;         ///< empty: contiguous
    std::uint32_t gpus = 0;  ///< 0: not given (gpus.hpp)
    std::string devices;     ///< numbers with commas; empty: not given
};

void add_part_options(CLI::App& app, PartFlags& flags);

/// The engine for these options: `name` as it is where the system stays whole, else the emulated one over parts. Throws
/// InvalidInput where parts and ranks disagree, or the engine or the scheme cannot be shared out.
std::unique_ptr<Engine> make_solving_engine(const std::string& name, const SolveOptions& options,
                                            const PartFlags& flags, const sweeps::Ranks& ranks);
/// Why `engine` cannot share this system out, before any work; empty where it can, or the system stays whole.
std::string parts_refusal(const PartFlags& flags, const Engine& engine, const SolveOptions& options,
                          const System& system, const sweeps::Ranks& ranks);
/// "3 ranks, cut by rcm: a part sends ...", or nothing where the system stays whole.
std::string parts_in_words(const PartFlags& flags, const System& system, const sweeps::Ranks& ranks);

} // namespace mantissa::cli
