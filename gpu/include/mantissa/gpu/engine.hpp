// The engine `gpu`: a DatapathSpec's arithmetic on a graphics processor, with the bits of the emulated engine.
#pragma once

#include <memory>

#include "mantissa/engine.hpp"

namespace mantissa {

/// Throws InvalidInput, one line, when no device can run it.
std::unique_ptr<Engine> make_gpu_engine();

} // namespace mantissa
