// A matrix as a core takes it: in registers, or in streams from the memory.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "beats.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/spec.hpp"

namespace mantissa::sim {

struct CoreMatrix {
    bool constant = false; ///< a stencil: nothing is streamed
    std::array<std::uint64_t, kBands>
        registers{};            ///< a stencil's numbers in the floating core's registers (core_coefficients)
    std::vector<Beats> streams; ///< nine bands; four weights and row sums where rows are of fluxes
    int stream_bits = 1;        ///< of an element
};

/// Of a spec and a system that core_refusal() accepts; with floating vectors of the kind that converted_for() gives.
CoreMatrix core_matrix(const System& system, const DatapathSpec& spec);

} // namespace mantissa::sim
