// The engines of this build, by name. Engines that were not built stay listed with the reason, so that the program
// can say what is missing and how to get it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/engine.hpp"

namespace mantissa {

struct EngineEntry {
    std::string name;
    std::string description;
    std::string missing; ///< empty when the engine is here; else why not and the mend
};

/// All engines that Mantissa knows, the executable specification first: emulated, hls, systemc, rtl, gpu.
std::vector<EngineEntry> list_engines();

/// The engine of that name. Throws InvalidInput for an unknown name or an engine that this build lacks.
std::unique_ptr<Engine> make_engine(std::string_view name);

} // namespace mantissa
