// The engine `gpu`: a DatapathSpec's arithmetic on graphics processors, with the bits of the emulated engine.
#pragma once

#include <memory>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa/partition/cuts.hpp"

namespace mantissa {

/// Throws InvalidInput, one line, when no device can run it.
std::unique_ptr<Engine> make_gpu_engine();

/// The same over several parts, one on each of `devices` in this order; a device may be named several times. Bits are
/// those of one device, whatever the parts: sums are integers. Grids are cut in strips of whole grid rows, systems of
/// rows by `method`. It refuses, in one line, dot products in floating lanes and more parts than a system has rows for.
/// Throws InvalidInput, one line, on no device, more than eight parts, a device that is not there, and two devices
/// without a link between their memories.
std::unique_ptr<Engine> make_parted_gpu_engine(const std::vector<int>& devices,
                                               CutMethod method = CutMethod::contiguous);

/// Does one device keep all words of this system on its chip from pass to pass (the resident plan, for grids of up to
/// about a million points and words of up to 30 bits)? Parts have no such plan: there, several devices took longer than
/// one (docs/parts.md). False where there is no device.
bool one_chip_holds(const System& system, const DatapathSpec& spec);

/// Devices for `parts` parts: each once where there are enough, else some of them several times. Throws InvalidInput
/// where there is none, and on more than eight parts.
std::vector<int> spread_devices(int parts);

} // namespace mantissa
