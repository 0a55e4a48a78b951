// The emulated engine over several parts of a system: the same bits as over the whole.
#pragma once

#include <memory>

#include "mantissa/engine.hpp"
#include "mantissa/partition/cuts.hpp"
#include "mantissa/partition/space.hpp"

namespace mantissa {

/// Parts that a system can be shared out over: its rows; of a grid, half its grid rows, since a strip has two, so that
/// with its ghosts it is a grid of its own.
std::size_t most_parts(const System& system);
/// How the engine below shares a system out. Throws InvalidInput where a part would be empty.
Partition parts_of(const System& system, std::uint32_t parts, CutMethod method = CutMethod::contiguous);

/// Each part holds its rows' u, r, p and q. A pass sends p' over the cuts and merges the parts' sums, which are
/// integers: so the bits are those of the engine `emulated`, however many parts there are and wherever they are cut.
/// Systems of rows (CompressedRows) are cut by `method`, grids in strips. Parts compute in the loops of the whole, a
/// strip's rows after the update that they follow.
///
/// It refuses what would depend on the cuts, in one line: dot products in floating lanes; and more parts than rows.
///
/// Where parts live in several processes, each of them loads the same system and makes the same calls; sessions hold
/// this process's parts, and read() gives whole vectors everywhere.
std::unique_ptr<Engine> make_parted_engine(std::shared_ptr<Space> space, CutMethod method = CutMethod::contiguous,
                                           ExchangeOptions exchange = {});

} // namespace mantissa
