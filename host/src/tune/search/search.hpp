// The search of `mantissa tune` and mt.tune: which point of a space of values has the least cost, where a cost takes a
// measurement that is dear, and the rest of it is known. Nothing of solvers is in it. Internal to host/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mantissa::tuning {

/// For each axis the index of a value.
using Choice = std::vector<std::size_t>;

/// What a measurement gave: of a solve the logarithm of its iterations, of another algorithm that of its error.
struct Measured {
    double log = 0;
    bool reached = true; ///< false: cut off or failed; the true logarithm is at least `log`
};

/// A space and its costs. All must be functions of their arguments (and of what was measured before) alone.
class Contest {
public:
    virtual ~Contest() = default;
    /// How many values each axis has.
    [[nodiscard]] virtual const std::vector<std::size_t>& sizes() const = 0;
    /// The same point with axes that do not matter for it at their first value.
    [[nodiscard]] virtual Choice canonical(Choice choice) const { return choice; }
    /// False: refused, and never measured.
    [[nodiscard]] virtual bool possible(const Choice& choice) = 0;
    /// The cost with this measurement; infinite where it breaks a limit. Does not fall as `log` grows.
    [[nodiscard]] virtual double cost(const Choice& choice, double log) = 0;
    /// No measurement of this point is below it.
    [[nodiscard]] virtual double least_log(const Choice& choice) = 0;
    /// How many cheaper, coarser measurements there are, the coarsest first.
    [[nodiscard]] virtual std::size_t rungs() const { return 0; }
    /// Measures them all, in any order; those of rung rungs() are the true ones.
    virtual std::vector<Measured> measure(std::span<const Choice> choices, std::size_t rung) = 0;
};

struct SearchOptions {
    std::uint64_t seed = 1;
    std::size_t most = 200;            ///< true measurements
    std::size_t batch = 2;             ///< measured at a time
    double noise = 0.08;               ///< of `log`: how much neighbours scatter
    std::function<bool()> out_of_time; ///< asked between batches
};

struct Tried {
    Choice choice;
    Measured measured;
    double cost = 0; ///< infinite where not reached
};

struct SearchResult {
    std::vector<Tried> tried; ///< true measurements, in the order made
    std::size_t coarse = 0;   ///< measurements of lower rungs
    std::size_t refused = 0;  ///< points looked at that are not possible
    std::size_t modelled = 0; ///< points whose cost was worked out, but not measured
    std::size_t open = 0;     ///< of these, how many could still be the best, by one sigma of the guess
    std::string end;          ///< why it ended
    /// The one of least cost; nullptr where none was reached.
    [[nodiscard]] const Tried* best() const;
};

/// Successive halving over the rungs from an even spread of points; then, in batches, the points that the guess from
/// all true measurements promises most, and moves by one value of one axis around the best. A point that would not be
/// the best even with its least_log() is not measured. The same contest and options give the same result.
SearchResult search(Contest& contest, const SearchOptions& options);

} // namespace mantissa::tuning
