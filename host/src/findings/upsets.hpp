// What stored campaigns of upsets say: what checks change, and where a core is not covered. Internal to host/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "upset/outcomes.hpp"
#include "verdict.hpp"

namespace mantissa::findings {

/// The registers of a module, or its memories.
struct UpsetModule {
    std::string name;
    bool memory = false;
    std::uint64_t bits = 0;
    upset::Counts outcomes{};
};

/// The upsets of one core, so far as they are stored.
struct UpsetCampaign {
    std::string problem, spec;
    std::string core; ///< integer, floating, resident
    upset::Where where = upset::Where::all;
    bool checks = false;
    std::uint64_t seed = 0, asked = 0;                ///< how many upsets the latest command asked for
    std::uint64_t register_bits = 0, memory_bits = 0; ///< of the whole core
    std::string command;                              ///< as typed
    upset::Counts outcomes{};
    std::uint64_t converged = 0;
    std::int64_t more_outer = 0; ///< outer steps of those that converged, more than without an upset
    std::vector<UpsetModule> modules;
    [[nodiscard]] std::uint64_t upsets() const { return upset::all_of(outcomes); }
};

/// "integer core with Checks, all bits".
std::string what_of(const UpsetCampaign& campaign);

/// The module with the most upsets that were not covered; nothing where all were.
const UpsetModule* least_covered(const UpsetCampaign& campaign);

/// Sentences with figures: for each core with and without checks what checks change; where the largest part that is not
/// covered lies. Campaigns without an upset say nothing.
std::vector<std::string> upset_sentences(std::span<const UpsetCampaign> campaigns);

/// Campaigns that are not finished, and cores that have checks and were looked at without them only.
std::vector<NextStep> upset_steps(std::span<const UpsetCampaign> campaigns);

} // namespace mantissa::findings
