// What becomes of solves with an upset, by the names that campaigns, their store and the report share. Internal to
// host/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mantissa::upset {

enum class Where : std::uint8_t { regs, memories, all };
/// "regs", "memories", "all".
std::string_view to_string(Where where);

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
/// One word for programs: "not_converged".
std::string_view to_string(Outcome outcome);
/// For a table of text.
std::string_view in_words(Outcome outcome);
/// Did the solve end otherwise than it should have, or hang? A user would rather have had it detected.
bool uncovered(Outcome outcome);

/// Numbers of upsets by their outcomes.
using Counts = std::array<std::uint64_t, kOutcomes>;
std::uint64_t count_of(const Counts& counts, Outcome outcome);
std::uint64_t all_of(const Counts& counts);
std::uint64_t unmasked(const Counts& counts);
std::uint64_t uncovered(const Counts& counts);

/// The part of a place's name that is its module: instances without generate blocks, two at most.
std::string module_of(const std::string& place);

} // namespace mantissa::upset
