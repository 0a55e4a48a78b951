// Sessions of the gpu engine in fixed-point words.
#pragma once

#include <memory>
#include <string>

#include "mantissa/engine.hpp"

namespace mantissa::gpu {

/// Why the engine does not run a fixed-point spec on a system, in one line; empty where it does.
std::string fixed_refusal(const DatapathSpec& spec, const System& system);
std::unique_ptr<Session> make_fixed_session(const System& system, const DatapathSpec& spec);

} // namespace mantissa::gpu
