// What stored dense solves say: the law by which a factor's error grows with n, and which formats suffice. Internal to
// host/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/lu/spec.hpp"

namespace mantissa::findings {

/// How the sums behind a factor's elements are kept.
enum class DenseSums : std::uint8_t {
    truncated, ///< in the factors' format, toward zero at every step
    nearest,   ///< in the factors' format, to nearest at every step
    wider,     ///< in a wider floating format
    window,    ///< in a fixed-point window
};
/// "each step truncated", "each step rounded to nearest", "wider sums", "sums in a window".
std::string_view to_string(DenseSums sums);

struct DenseSolve {
    std::string kind;    ///< of the problem: uniform, randsvd, ...; "file" for one of a file
    std::string problem; ///< its text without seed=
    std::uint64_t n = 0;
    double kappa = 0; ///< of randsvd; else 0
    LuSpec spec;
    std::string refinement;
    bool converged = false;
    std::uint64_t steps = 0, krylov_steps = 0;
    std::optional<double> factor_error; ///< ||P A Q - L U|| / ||A||, where there are factors
};

/// From the columns of a store; nothing where the texts are none of this program's.
std::optional<DenseSolve> dense_solve(std::string_view problem, std::uint64_t unknowns, std::string_view spec);

/// Right-looking or by columns with partial pivoting and division by the pivot, operands in one format: what the laws
/// are drawn from. Nothing for other specifications.
std::optional<DenseSums> sums_of(const LuSpec& spec);

/// The factor's error in units of the last fraction bit of u's format.
std::optional<double> error_units(const DenseSolve& solve);

/// error = factor n^exponent units, by least squares of the logarithms, from LINPACK's random matrices.
struct FactorLaw {
    DenseSums sums = DenseSums::truncated;
    double factor = 0, exponent = 0;
    double per_row = 0; ///< mean of error / n
    std::size_t solves = 0;
    std::uint64_t least_n = 0, most_n = 0;
    [[nodiscard]] double at(double n) const;
};
/// One for each kind of sums that has solves of at least three sizes.
std::vector<FactorLaw> factor_laws(std::span<const DenseSolve> solves);

/// The shortest of the formats that were tried in one setting, with which every solve converged.
struct Sufficient {
    std::string problem;
    std::string kind;
    std::uint64_t n = 0;
    double kappa = 0;
    DenseSums sums = DenseSums::truncated;
    std::string refinement;
    std::optional<Format> shortest;
    std::size_t formats = 0; ///< tried
    double steps = 0;        ///< of refinement (ir) or GMRES in the mean, with the shortest
};
std::vector<Sufficient> sufficient_formats(std::span<const DenseSolve> solves);

/// Sentences with figures, the law first; none where there is nothing to say.
std::vector<std::string> dense_sentences(std::span<const DenseSolve> solves);

} // namespace mantissa::findings
