// The cycles of the parts of one process, side by side.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mantissa/multilevel/cycle.hpp"
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

/// The one that a system gets (mantissa/partition/parted_cycle.hpp). `partition` is of `system`; a grid's levels are
/// cut in strips of its own.
std::unique_ptr<PartedCycle> make_cycle_of_parts(const std::shared_ptr<Space>& space, const Partition& partition,
                                                 const System& system, const CycleSpec& spec,
                                                 const ExchangeOptions& exchange, int threads);

} // namespace mantissa::multilevel
