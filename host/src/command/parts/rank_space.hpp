// Parts of a solve as the ranks of mpirun. Internal to the command; its source is compiled with MPI and without.
#pragma once

#include <memory>

#include "mantissa/partition/space.hpp"
#include "running/ranks.hpp"

namespace mantissa::cli {

/// One part for each rank. `ranks`, of which there are several, outlives it.
std::shared_ptr<Space> make_rank_space(const running::Ranks& ranks);

} // namespace mantissa::cli
