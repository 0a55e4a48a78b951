// A multilevel cycle over the parts of one solve.
#pragma once

#include <memory>

#include "mantissa/multilevel/cycle.hpp"
#include "mantissa/multilevel/word_solve.hpp"
#include "mantissa/partition/partition.hpp"
#include "mantissa/partition/space.hpp"

namespace mantissa {

/// The cycle `spec` on `system`, with the bits of make_cycle(): sums of words are exact, and so for all to order as
/// they like. Each part has its rows of the larger levels, `partition`'s on the finest; elements that others need and
/// the largest word go between them. Coarser levels are gathered: every part works out all of them, without a meeting
/// over a few rows. correct() is collective over processes: each gives the whole d and gets the whole c.
///
/// The hierarchy is made whole by every process, and then cut. Cycles in double, words longer than the fast path's and
/// systems of one part or of small levels alone are worked out whole by every process.
/// Throws InvalidInput where make_cycle() does. `threads`: of this process.
std::unique_ptr<Cycle> make_parted_cycle(const std::shared_ptr<Space>& space, const Partition& partition,
                                         const System& system, const CycleSpec& spec, const ExchangeOptions& exchange,
                                         int threads);

/// make_word_solver() around such cycles, with its bits: every process holds the words of u, b and the defect.
std::unique_ptr<multilevel::WordSolver> make_parted_word_solver(const std::shared_ptr<Space>& space,
                                                                const multilevel::GridWords& grid,
                                                                const CycleSpec& spec, const ExchangeOptions& exchange);

} // namespace mantissa
