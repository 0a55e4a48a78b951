// The cycles of the parts of one process, side by side.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mantissa/multilevel/cycle.hpp"
#include "mantissa/multilevel/word_solve.hpp"
#include "mantissa/partition/partition.hpp"
#include "mantissa/partition/space.hpp"

namespace mantissa::multilevel {

class PartedCycle : public Cycle {
public:
    PartedCycle(std::shared_ptr<Space> space, std::shared_ptr<const Partition> partition,
                const ExchangeOptions& exchange);

    void correct(std::span<const double> d, std::span<double> c) final;
    /// One part's side of it: d and c are of the k-th part of this process, its rows in their order. Every part calls
    /// it.
    void correct_own(std::size_t k, std::span<const double> d, std::span<double> c);
    /// Who owns which row.
    [[nodiscard]] const std::shared_ptr<const Partition>& partition() const { return partition_; }
    [[nodiscard]] const std::shared_ptr<Space>& space() const { return space_; }

protected:
    virtual void correct_part(std::size_t k, std::span<const double> d, std::span<double> c) = 0;
    [[nodiscard]] const std::vector<std::uint32_t>& rows(std::uint32_t part) const {
        return partition_->parts()[part].row;
    }
    [[nodiscard]] int threads_of_part(int threads) const;
    /// Every part's elements, whole.
    void bring(std::uint32_t part, std::span<const double> own, std::span<double> whole) const;

    std::shared_ptr<Space> space_;
    std::vector<std::uint32_t> here_;

private:
    /// d and c of a part's rows.
    struct Share {
        std::vector<double> d, c;
    };
    std::shared_ptr<const Partition> partition_;
    std::shared_ptr<ExchangeCounts> counts_;
    std::vector<Share> share_; ///< of the parts of this process, once correct() was called
};

/// The cycle `spec` on `system`, with the bits of make_cycle(): sums of words are exact, and so for all to order as
/// they like. Each part has its rows of the larger levels, `partition`'s on the finest, but that a grid's levels are
/// cut in strips of its own; elements that others need and the largest word go between them. Coarser levels are
/// gathered: every part works out all of them, without a meeting over a few rows. correct() is collective over
/// processes: each gives the whole d and gets the whole c.
///
/// The hierarchy is made whole by every process, and then cut. Cycles in double, words longer than the fast path's and
/// systems of one part or of small levels alone are worked out whole by every process. Throws InvalidInput where
/// make_cycle() does. `threads`: of this process.
std::unique_ptr<PartedCycle> make_cycle_of_parts(const std::shared_ptr<Space>& space, const Partition& partition,
                                                 const System& system, const CycleSpec& spec,
                                                 const ExchangeOptions& exchange, int threads);

/// make_word_solver() around such cycles, with its bits: every process holds the words of u, b and the defect.
std::unique_ptr<WordSolver> make_parted_word_solver(const std::shared_ptr<Space>& space, const GridWords& grid,
                                                    const CycleSpec& spec, const ExchangeOptions& exchange);

} // namespace mantissa::multilevel
