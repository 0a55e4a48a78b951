// A hierarchy of words shared out over parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../../parted/local_system.hpp"
#include "mantissa/multilevel/word_rows.hpp"
#include "mantissa/partition/partition.hpp"

namespace mantissa::multilevel {

/// Levels of fewer rows are not shared out: the work on them is about what their meetings cost (docs/parts.md).
inline constexpr std::size_t kWorthSharing = 4096;

/// Who owns what of a hierarchy. A row of a level belongs to the part that owns the finer row it is closest to: the one
/// of the largest word of interpolation.
struct LevelCuts {
    std::size_t shared = 0;                          ///< levels, the finest first; the coarsest is not
    std::vector<std::vector<std::uint32_t>> owner;   ///< of the rows of levels 0 to shared
    std::vector<std::vector<Part>> parts;            ///< of the shared levels
    std::vector<std::vector<std::uint32_t>> brought; ///< each part's rows of the first level that is not shared
};
/// `owner`: of the finest level's rows. `least`: rows of a level that is worth sharing.
LevelCuts cut_levels(const WordHierarchy& h, std::span<const std::uint32_t> owner, std::uint32_t parts,
                     std::size_t least = kWorthSharing);

/// One part's rows of the shared levels and all of the others.
struct PartOfLevels {
    WordHierarchy hierarchy;
    std::vector<detail::ExchangePlaces> places; ///< of the shared levels
};
PartOfLevels part_of_levels(const WordHierarchy& h, const LevelCuts& cuts, std::uint32_t part);

} // namespace mantissa::multilevel
