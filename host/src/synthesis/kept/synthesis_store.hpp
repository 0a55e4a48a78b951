// Synthesis results in a table of their own in the results file. Internal to host/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mantissa/host/provenance.hpp"
#include "synthesis/synthesis.hpp"

namespace mantissa::results {
class Database;
class Statement;
} // namespace mantissa::results

namespace mantissa::synthesis {

struct SynthesisKey {
    std::string spec, target, multiplier, part, tool, sources;
    std::string bands = "streamed"; ///< or "constant"
};

/// Makes the tables where they are missing. Tables of an older program had no column `bands`; their rows are of
/// streamed bands, and stay. All that reads or writes these tables calls it first. Throws InvalidInput like the others.
void settle_synthesis_tables(const std::string& path);
/// The same in a database that is open.
void settle_synthesis_tables(const results::Database& db);

/// The columns of a netlist's figures, as a SELECT lists them, and what a row that begins with them has.
std::string figure_columns();
SynthesisFigures figures_at(const results::Statement& row);

/// All throw InvalidInput, one line, when the file cannot be used.
std::optional<SynthesisFigures> find_synthesis(const std::string& path, const SynthesisKey& key);
void put_synthesis(const std::string& path, const SynthesisKey& key, const SynthesisFigures& figures,
                   const Provenance& provenance);

std::optional<Placement> find_placement(const std::string& path, const SynthesisKey& key, const std::string& placer,
                                        int seed);
/// All seeds of a placer, slowest first.
std::vector<Placement> find_placements(const std::string& path, const SynthesisKey& key, const std::string& placer);
void put_placement(const std::string& path, const SynthesisKey& key, const std::string& placer,
                   const Placement& placement, const Provenance& provenance);

} // namespace mantissa::synthesis
