// Sessions of the gpu engine over several parts.
#pragma once

#include <memory>

#include "mantissa/engine.hpp"
#include "mantissa/gpu/peers.hpp"
#include "part_map.hpp"

namespace mantissa::gpu {

/// How a system is shared out over `parts` GPUs: grids in strips, sparse rows by `method`.
std::vector<PartMap> part_maps(const System& system, int parts, CutMethod method);

/// In fixed-point words. The engine has refused what this does not take.
std::unique_ptr<Session> make_parted_words(const System& system, const DatapathSpec& spec, std::shared_ptr<Peers> peers,
                                           CutMethod method);
/// In floating vectors with dot=fixed[...].
std::unique_ptr<Session> make_parted_floats(const System& system, const DatapathSpec& spec,
                                            std::shared_ptr<Peers> peers, CutMethod method);

} // namespace mantissa::gpu
