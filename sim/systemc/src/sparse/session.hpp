// The systemc engine's sessions on sparse rows.
#pragma once

#include <memory>
#include <string>

#include "mantissa/sim/systemc_engine.hpp"

namespace mantissa::sim {

/// What is wrong with the options, in one line; empty when nothing is.
std::string wrong(const SparseCoreOptions& options);
/// Of a spec and a system that hls::refusal() passed.
std::unique_ptr<Session> load_sparse_cores(const System& system, const DatapathSpec& spec,
                                           const SystemcOptions& options);
/// The lock under which a simulation runs.
class Simulation {
public:
    Simulation();
    ~Simulation();
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;
};

} // namespace mantissa::sim
