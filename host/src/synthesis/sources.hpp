// The RTL and the recipe that netlists are made of: of each part only the files that it is made of, so that a change of
// another part moves neither its netlist nor the key it is kept under. Internal to host/.
#pragma once

#include <string>
#include <vector>

#include "synthesis.hpp"

namespace mantissa::synthesis {

/// The project's folder, whose RTL is synthesised. MANTISSA_SOURCE names another.
std::string sources_folder();

/// Files of `source` that a module is made of, by their names from there: its own, of all modules that these name, and
/// the headers that they include. In the order in which yosys reads them; headers last. A module's file has its name.
struct Sources {
    std::vector<std::string> modules, headers;
};
/// Throws InvalidInput, one line, where `source` is not the project's folder or has no such module.
Sources sources_of(const std::string& source, const std::string& module);

/// The hash of RTL and recipe in `source` that a request's netlist is kept under. Comments of one line, which change no
/// netlist, are not in it, but for those that yosys obeys ("// synthesis translate_off").
std::string sources_hash(const std::string& source, const SynthesisRequest& request);

} // namespace mantissa::synthesis
