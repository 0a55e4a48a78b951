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
    bool constant = false;                         ///< a stencil: nothing is streamed
    std::array<std::uint64_t, kBands> registers{}; ///< a stencil's coefficients in the floating core's registers
    std::vector<Beats> streams;                    ///< nine bands; the integer core's four weights and row sums
    int stream_bits = 1;                           ///< of an element
};

/// Of a spec and a system that core_refusal() accepts.
CoreMatrix core_matrix(const System& system, const DatapathSpec& spec);

} // namespace mantissa::sim
