// Figures of netlists that the sources ship, so that a first comparison need not wait for yosys. Internal to host/.
#pragma once

#include <optional>
#include <string>

#include "mantissa/host/provenance.hpp"
#include "synthesis/synthesis.hpp"
#include "synthesis_store.hpp"

namespace mantissa::synthesis {

/// What a run of the same tool on the same RTL gave, and where and when it ran.
struct KeptNetlist {
    SynthesisFigures figures;
    Provenance provenance; ///< of that run; "(kept)" stands after its command
};

/// The entry of `file` (experiments/synthesis/results/kept.json, which `tables.py keep` writes) whose whole key is
/// `key`, the hash of the RTL and the tool's version among it. Nothing where there is none, as after any change of the
/// RTL, or no such file. Throws InvalidInput, one line, for a file that is not such JSON.
std::optional<KeptNetlist> find_kept(const std::string& file, const SynthesisKey& key);

} // namespace mantissa::synthesis
