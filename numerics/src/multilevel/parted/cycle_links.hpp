// What one part of a cycle asks of the others. Internal to numerics/.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mantissa/multilevel/words.hpp"

namespace mantissa::multilevel {

/// The first shared() levels are shared out; of coarser levels every part has all rows. All operations are collective
/// over parts.
class LevelLinks {
public:
    LevelLinks() = default;
    LevelLinks(const LevelLinks&) = delete;
    LevelLinks& operator=(const LevelLinks&) = delete;
    virtual ~LevelLinks() = default;
    /// At least one, and not all.
    [[nodiscard]] virtual std::size_t shared() const = 0;
    /// The largest of all parts'.
    [[nodiscard]] virtual Wide largest(Wide mine) = 0;
    /// The same of magnitudes in double precision, whose bits have their order.
    [[nodiscard]] double largest_magnitude(double mine) {
        return std::bit_cast<double>(largest(std::bit_cast<Wide>(mine)));
    }
};

/// Of rows: a part has its rows of a shared level and, after these, ghosts.
class CycleLinks : public LevelLinks {
public:
    [[nodiscard]] virtual std::size_t ghosts(std::size_t level) const = 0;
    /// Ghosts of a shared level's vector come.
    virtual void fill(std::size_t level, std::span<std::int32_t> v) = 0;
    /// The part's rows of the first level that is not shared, and from all parts the whole.
    virtual void bring(std::span<const Wide> own, std::span<Wide> whole) = 0;
};

/// Grid rows first to end - 1 of a level.
struct Strip {
    std::size_t first = 0, end = 0;
};
/// Of a grid, in strips: what a part owns of a level covers what it owns of the next one.
class GridLinks : public LevelLinks {
public:
    /// Rows of neighbours that a vector has room for beside the own ones; no strip of a shared level has fewer.
    static constexpr std::size_t kMostHalo = kMostSmoothing + 1;

    /// What the part owns of level 0 to shared(), the edges among it.
    [[nodiscard]] virtual Strip own(std::size_t level) const = 0;
    /// Rows of neighbours come into a shared level's vector, which has kMostHalo rows beside the own ones or as many as
    /// there are: of r what the smoothing steps reach, of v the row after the own ones, of e one on either side.
    virtual void residual(std::size_t level, std::span<std::int16_t> r) = 0;
    virtual void correction(std::size_t level, std::span<std::int32_t> v) = 0;
    virtual void iterate(std::size_t level, std::span<std::int32_t> e) = 0;
    virtual void iterate(std::size_t level, std::span<Wide> e) = 0;
    /// All other parts' rows of the level shared().
    virtual void bring(std::span<std::int32_t> whole) = 0;
    virtual void bring(std::span<Wide> whole) = 0;
};

} // namespace mantissa::multilevel
