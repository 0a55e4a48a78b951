// `mantissa upset`: what becomes of solves on a Verilated core in which one bit turns over (docs/upsets.md). Internal
// to host/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/sim/core_parameters.hpp"
#include "mantissa/sim/upsets.hpp"
#include "outcomes.hpp"
#include "store/result_json.hpp"

namespace mantissa::upset {

struct Request {
    std::string problem; ///< canonical text
    SolveOptions options;
    Where where = Where::all;
    std::uint64_t flips = 1000, seed = 1;
    std::string store, command; ///< results file, empty for none; as typed
    int threads = 1;
    int checks = 0; ///< the core's parameter Checks
};

/// A solve with an upset.
struct Flip {
    std::uint64_t number = 0;
    std::string place; ///< the register or memory
    std::uint64_t word = 0, clock = 0;
    std::uint32_t bit = 0;
    Outcome outcome = Outcome::masked;
    std::int64_t more_inner = 0, more_outer = 0; ///< than without the upset
    bool converged = false;
    double true_residual = 0;
};

/// The solve without an upset, and where upsets can be.
struct Reference {
    SolveResult result;
    std::string core;                                 ///< its name
    std::vector<sim::UpsetPlace> places;              ///< of those asked for
    std::vector<std::uint32_t> numbers;               ///< the places' numbers in the model
    std::vector<std::uint64_t> bits;                  ///< up to and with the place
    std::uint64_t first = 0, last = 0;                ///< clocks of the solve
    std::uint64_t register_bits = 0, memory_bits = 0; ///< of the whole core
    std::string model;
};

struct Campaign {
    Reference reference;
    std::vector<Flip> flips;  ///< by number
    std::uint64_t stored = 0; ///< of them from the store
    double seconds = 0;
};

/// The core that takes such a system: "integer", "floating", "resident", "cycle", "sparse".
std::string_view core_name(const SolveOptions& options, System::Kind kind);

/// What the core computes in: the datapath, or the cycle as "multilevel:b2,w=10".
std::string words_of(const SolveOptions& options);

/// Is it a memory, as the RTL calls it (mem), or an array too long for anything else?
bool is_memory(const sim::UpsetPlace& place);

/// Runs it, or what the store lacks of it. The same seed makes the same upsets, whatever the threads. Throws
/// InvalidInput before any work for what has no such model.
Campaign run_campaign(const Request& request);

results::Json campaign_json(const Request& request, const Campaign& campaign);
std::string campaign_text(const Request& request, const Campaign& campaign);

} // namespace mantissa::upset
