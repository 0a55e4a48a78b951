// Simulation models on demand: Verilates and compiles a core for a set of parameters on first use, and keeps the
// shared object under a hash of the parameters, the RTL, the harness and the tools.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "mantissa/sim/core_parameters.hpp"

struct mantissa_model_state;

namespace mantissa::sim {

struct ModelRequest {
    CoreParameters parameters; ///< the core's; what is left out keeps its default
    bool trace = false;        ///< built for waveforms (slower)
    bool rules = false;        ///< with the rules of rtl/check as assertions (slower): a broken one throws
    bool upsets = false;       ///< with its state by name, to turn bits of it over (slower)
    int cores = 1;             ///< of the integer core so many together (fx_cores)
};

/// What the cache is doing, one line at a time; `seconds` since it began.
using BuildProgress = std::function<void(const std::string& line, double seconds)>;

/// Lines on standard error when that is a terminal; else nothing.
BuildProgress terminal_progress();

struct ModelCacheOptions {
    /// Empty: $MANTISSA_CACHE, else $XDG_CACHE_HOME/mantissa, else ~/.cache/mantissa. Models go into its folder rtl.
    std::string folder;
    /// The folder that holds rtl/ and sim/; empty: $MANTISSA_SOURCE, else where this program was built.
    std::string source;
    BuildProgress progress;
};

/// Empty when models can be built here; else one line that says which tool is missing, and the mend.
std::string why_no_models();
/// Throws InvalidInput, one line, where the RTL's sources are not in that folder.
void require_sources(const ModelCacheOptions& options);

/// The key of a model: 32 hexadecimal digits.
std::string model_key(const ModelRequest& request, const ModelCacheOptions& options);

/// The path of the model's shared object, built if it is not there yet. Two processes that ask at once build it once.
/// Throws ToolFailure when a tool is missing or fails (its log stays beside where the model would lie), InvalidInput
/// when the cache folder cannot be written or the sources are not there.
std::string build_model(const ModelRequest& request, const ModelCacheOptions& options);

} // namespace mantissa::sim
