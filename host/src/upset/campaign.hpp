// `mantissa upset`: what becomes of solves on a Verilated core in which one bit turns over (docs/upsets.md). Internal
// to host/.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/sim/core_parameters.hpp"
#include "mantissa/sim/upsets.hpp"
#include "store/result_json.hpp"

namespace mantissa::upset {

enum class Where : std::uint8_t { regs, memories, all };

/// What became of a solve; of several that hold the first in this order.
enum class Outcome : std::uint8_t {
    wrong,         ///< its status is converged, and the true residual is above the tolerance
    hang,          ///< a run did not end by itself (a watchdog ended it), or a reset did not make the core answer
    not_converged, ///< another status
    falsely,       ///< a resident core declared convergence, and the host's residual, which decides, said no
    detected,      ///< the core ended a run with a fault, or did not answer and was reset
    corrected,     ///< other words than without the upset; the outer loop converged all the same
    masked,        ///< the same counts and the same bits of the solution
};
inline constexpr std::size_t kOutcomes = 7;
std::string_view to_string(Outcome outcome);
std::string_view in_words(Outcome outcome);

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

/// Is it a memory, as the RTL calls it (mem), or an array too long for anything else?
bool is_memory(const sim::UpsetPlace& place);

/// Runs it, or what the store lacks of it. The same seed makes the same upsets, whatever the threads. Throws
/// InvalidInput before any work for what has no such model.
Campaign run_campaign(const Request& request);

/// The part of a place's name that is its module: instances without generate blocks, two at most.
std::string module_of(const std::string& place);

results::Json campaign_json(const Request& request, const Campaign& campaign);
std::string campaign_text(const Request& request, const Campaign& campaign);

} // namespace mantissa::upset
