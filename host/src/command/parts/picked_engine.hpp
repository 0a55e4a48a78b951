// One device or several: whichever is faster on the system at hand. Both have the same bits.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "mantissa/engine.hpp"

namespace mantissa::cli {

/// What an engine was chosen for.
struct PickNote {
    bool one = false; ///< the single device is used
    std::string text; ///< why, in words; empty before a system was loaded
};

/// Loads a system into `several`, or into `one` where that is faster: by a measurement of some passes on both each time
/// a system is loaded, left out where `surely_one` holds and for systems of more than 2^22 unknowns, which go to
/// `several` (kept runs have them faster on two GPUs by 1.7 times and more: gpu/results/parted). Multilevel cycles go
/// by the system's size alone. Refuses what `several` refuses, but for cycles, which then run on one. `label`: of the
/// several, as "2 GPUs". `note` gets the last choice.
std::unique_ptr<Engine> make_picked_engine(std::unique_ptr<Engine> one, std::unique_ptr<Engine> several,
                                           std::function<bool(const System&, const DatapathSpec&)> surely_one,
                                           std::string label, std::shared_ptr<PickNote> note);

} // namespace mantissa::cli
