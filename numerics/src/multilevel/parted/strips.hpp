// Levels of a grid shared out in strips.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../../parted/exchanger.hpp"
#include "cycle_links.hpp"
#include "mantissa/multilevel/cycle_spec.hpp"
#include "mantissa/multilevel/grid_words.hpp"
#include "mantissa/partition/partition.hpp"
#include "mantissa/partition/space.hpp"

namespace mantissa::multilevel {

/// Strips of one height on the first level that is not shared, and of twice as many rows on each finer one.
class GridStrips {
public:
    /// `least`: nodes of a level that is worth sharing. Shares nothing where strips would be too low for the halos.
    GridStrips(const GridWords& grid, std::uint32_t parts, std::size_t least);

    [[nodiscard]] std::size_t shared() const { return shared_; }
    [[nodiscard]] std::size_t side(std::size_t level) const { return ((row_length_ - 1) >> level) + 1; }
    /// Of level 0 to shared().
    [[nodiscard]] Strip own(std::size_t level, std::uint32_t part) const;
    /// Of the finest level's nodes.
    [[nodiscard]] Partition partition() const;

private:
    std::size_t row_length_, shared_ = 0;
    std::uint32_t parts_;
};

/// What the parts of one process share where they exchange through the host; collective over processes.
struct GridHost {
    std::vector<detail::HostArrays> residuals, corrections, iterates; ///< of each shared level
};
GridHost grid_host(Space& space, const GridStrips& strips, ExchangeWay way);

std::unique_ptr<GridLinks> make_grid_links(const std::shared_ptr<Space>& space, std::uint32_t part,
                                           const GridStrips& strips, const CycleSpec& spec, const GridHost& host,
                                           const std::shared_ptr<ExchangeCounts>& counts);

} // namespace mantissa::multilevel
