// Smoothed aggregation as decisions and steps. The decisions are made in one place, wherever the levels lie: the steps
// are those of make_aggregation() on this processor, or an engine's on its own memory, which have the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mantissa::multilevel {

/// Sums over a level's rows are added in order within blocks of so many rows, then the blocks in order.
inline constexpr std::size_t kRowsOfSum = 4096;
/// A node whose magnitudes beside the diagonal add up to no more is left to the smoother.
inline constexpr double kAlone = 0.1;
/// Weak couplings leave no less of a diagonal where a prolongation is smoothed.
inline constexpr double kLeastDiagonal = 0.1;
/// Entries of a coarse matrix are left out below this part of both diagonal entries,
inline constexpr double kTiny = 0.01;
/// where couplings around them are so many times as strong,
inline constexpr double kWayAround = 4;
/// and both rows have at most so many entries. (To look for ways around takes the square of it.)
inline constexpr std::size_t kLongRow = 256;
/// Unknowns of a level that is inverted.
inline constexpr std::uint32_t kCoarsest = 256;
/// What a row of that inverse may add up to.
inline constexpr double kMostInverse = 0x1p42;
/// Steps of Lanczos's method for a level's largest eigenvalue.
inline constexpr int kLanczosSteps = 10;

class AggregationSteps {
public:
    struct Size {
        std::uint64_t rows = 0, entries = 0;
    };
    struct Coarse {
        std::uint64_t unknowns = 0, aggregates = 0;
    };

    AggregationSteps() = default;
    AggregationSteps(const AggregationSteps&) = delete;
    AggregationSteps& operator=(const AggregationSteps&) = delete;
    virtual ~AggregationSteps() = default;
    /// Begins a level with the matrix that is there, the given one or what project() left, and finds its largest
    /// eigenvalue.
    virtual Size begin_level() = 0;
    /// Couplings of at least `threshold`, aggregates by them, and functions on the aggregates.
    virtual Coarse coarsen(double threshold) = 0;
    /// The same with node 0 as the one aggregate.
    virtual Coarse keep_one() = 0;
    /// The prolongation from the level that coarsen() found. Returns how many additions the product A P takes.
    virtual double smooth() = 0;
    /// The next level's matrix. False where a diagonal entry is not above zero.
    virtual bool project() = 0;
    /// The inverse of the last level. False where it has none.
    virtual bool invert() = 0;
};

/// Makes all levels, for so many near-kernel functions. Returns in one line why there is no hierarchy that is worth its
/// work; nothing where there is one.
std::string make_levels(AggregationSteps& steps, std::size_t functions);

/// A level's `largest` from an upper bound and the scalars of Lanczos's method: v.A v of each step and the norm of what
/// is left after it. Steps beyond an invariant space are of no account.
double largest_by_lanczos(double bound, std::span<const double> along, std::span<const double> rest);

/// Throws the InvalidInput of a matrix whose diagonal entry of a row, counted from 0, is not above zero.
[[noreturn]] void refuse_diagonal(std::size_t row);
/// And of one with more entries than 32 bits number.
void require_numbered_entries(std::uint64_t entries);

} // namespace mantissa::multilevel
