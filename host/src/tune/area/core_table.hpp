// The shipped table of synthesised cores (experiments/tune/cores.json), from which the area models are fitted. Internal
// to host/.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json_fwd.hpp>

#include "synthesis/synthesis.hpp"

namespace mantissa::tuning {

/// Calls `take` with each entry of the table. Throws InvalidInput, one line, for a file that is no such table or an
/// entry that lacks what `take` asks it for.
void each_core(const std::string& file, const std::function<void(const nlohmann::json&)>& take);

/// The figures of an entry's netlist that areas and clocks are made of: cells, multipliers, memory and the clock.
[[nodiscard]] synthesis::SynthesisFigures figures_of(const nlohmann::json& entry);

/// The table's netlists for one family, as far as they are of the RTL as it is now. What has one is not modelled.
class TableNetlists {
public:
    /// Throws as each_core() does.
    TableNetlists(const std::string& file, const std::string& target, const std::string& multiplier);
    [[nodiscard]] std::optional<synthesis::SynthesisFigures> of(const synthesis::SynthesisRequest& request);

private:
    struct Entry {
        std::string sources;
        synthesis::SynthesisFigures figures;
    };
    std::map<std::pair<std::string, std::string>, Entry>
        entries_;                                                 ///< by kind of core, as the table has it, and subject
    std::map<std::pair<std::string, bool>, std::string> sources_; ///< hashes, by kind of core and of word
};

} // namespace mantissa::tuning
