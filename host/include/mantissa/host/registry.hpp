// The engines of this build, by name. Engines that were not built stay listed with the reason, so that the program
// can say what is missing and how to get it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa/host/dense.hpp"

namespace mantissa {

/// An engine by name, and whether it can run here.
struct EngineEntry {
    std::string name;
    std::string description;
    std::string missing; ///< empty when the engine is here; else why not and the mend
};

/// All engines that Mantissa knows, the executable specification first: emulated, hls, systemc, rtl, gpu.
std::vector<EngineEntry> list_engines();

/// The engine of that name. Throws InvalidInput for an unknown name or an engine that this build lacks.
std::unique_ptr<Engine> make_engine(std::string_view name);

/// What forms the factors of dense systems: the engine emulated, on `threads` threads (0: as many as OpenMP gives), or
/// gpu. Both return the same bits. Throws InvalidInput for another name and for an engine that this build or this
/// machine lacks. `seconds`, if given, receives the time of each factorisation, a device's
/// without the transfers.
LuFactor make_lu_factor(std::string_view engine, int threads = 0, double* seconds = nullptr);

/// Dense solves in an arithmetic of the engine's own; empty where it has none. Throws InvalidInput as make_lu_factor().
MakeNativeLu make_native_lu(std::string_view engine);

} // namespace mantissa
