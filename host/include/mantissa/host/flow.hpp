// Bubbly flow: a density of bubbles is advected over a grid of cells, and the velocity in a cell is that of the fluid
// around the cell's bubbles, the solution of a dense system (docs/flow.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/host/dense.hpp"

namespace mantissa {

using Point2 = std::array<double, 2>;

/// The bubbles of one cell, a unit square without walls: equal circles, each moving with `drive` through a fluid that
/// has a potential and is at rest far away.
struct BubbleCell {
    std::vector<Point2> centres; ///< of the circles
    double radius = 0;           ///< of each
    Point2 drive{0, 0};          ///< the bubbles' velocity
    std::uint32_t points = 0;    ///< k, equispaced on each circle

    [[nodiscard]] std::size_t unknowns() const { return centres.size() * points; }
};

/// `count` centres in the unit square, by random throws (SplitMix, `seed`), each at least 0.7 / sqrt(count) from those
/// before it; where 1000 throws in a row fail, the distance shrinks by a tenth.
std::vector<Point2> bubble_centres(std::size_t count, std::uint64_t seed);
/// The centres of s x s equal squares; throws InvalidInput unless `count` is a square.
std::vector<Point2> square_centres(std::size_t count);
/// The radius at which `count` circles fill the share `fraction` of a unit square.
double bubble_radius(std::size_t count, double fraction);
/// The greatest radius that `centres` take: nine tenths of half the least distance; 0.3 for a single one.
double greatest_radius(std::span<const Point2> centres);

/// The system of a cell's potential q at its points, by Green's formula and the trapezoidal rule (Nystrom), circle by
/// circle, points counterclockwise from angle 0. With h = 2 pi a / k and n_j the normal into the fluid:
///     A_ij = delta_ij / 2 + h ((x_j - x_i).n_j) / (2 pi |x_j - x_i|^2)            i, j on two circles
///     b_i  = sum over the other circles of h ln|x_i - x_j| / (2 pi) (v.n_j)  -  (a / 2) v.n_i
/// On one circle A_ij = delta_ij / 2, and 1 / (2 k) more with `own_circle`. That term is a constant for each bubble; it
/// reaches neither the other bubbles nor mean_flow(), and without it the rows are the more dominant.
/// Throws InvalidInput, one line, where circles touch or fewer than 3 points are on one.
DenseProblem bubble_system(const BubbleCell& cell, bool own_circle = false);

/// u = - sum_j h n_j q_j: phi v for few bubbles, phi being the circles' share of the cell.
Point2 mean_flow(const BubbleCell& cell, std::span<const double> q);

/// The potential in the fluid at `x`, from q.
double bubble_potential(const BubbleCell& cell, std::span<const double> q, const Point2& x);

/// Seconds of a batch of cells.
struct CellTimes {
    double assembly = 0, factor = 0, solve = 0, transfers = 0;
    [[nodiscard]] double total() const { return assembly + factor + solve + transfers; }
};

/// Whatever solves a batch of cells.
class CellSolver {
public:
    CellSolver() = default;
    CellSolver(const CellSolver&) = delete;
    CellSolver& operator=(const CellSolver&) = delete;
    virtual ~CellSolver() = default;

    /// The mean flow of each cell; all have as many bubbles and points. Throws InvalidInput, naming the cell of the
    /// batch, where one has no solution.
    virtual std::vector<Point2> solve(std::span<const BubbleCell> cells) = 0;
    /// What solves: a device's name, or the processor with so many threads.
    [[nodiscard]] virtual std::string where() const = 0;
    /// Of all batches so far.
    [[nodiscard]] const CellTimes& times() const { return times_; }
    /// The greatest ||b - A q|| / (||A|| ||q|| + ||b||) of all cells so far, maximum norms.
    [[nodiscard]] double backward_error() const { return backward_error_; }

protected:
    CellTimes times_;
    double backward_error_ = 0;
};

/// Factors in the arithmetic of `spec` by the emulated engine, a cell for each thread. With `refine`, iterative
/// refinement goes on to double accuracy (a backward error of n u); a cell that does not reach it is refused.
std::unique_ptr<CellSolver> make_emulated_cells(const LuSpec& spec, bool refine, int threads);

enum class BubbleArrangement : std::uint8_t { random, square };
enum class BubbleDrive : std::uint8_t {
    rise,  ///< (0, 1) everywhere
    rolls, ///< (0, 1) and vortices: (sin 2 pi x cos 2 pi y, 1 - cos 2 pi x sin 2 pi y)
};

/// A bubbly flow: its cells, their systems, and how they are solved. docs/flow.md.
struct FlowOptions {
    std::uint32_t columns = 32, rows = 32; ///< K x L cells, periodic
    std::uint32_t unknowns = 2048;         ///< of a cell: bubbles times points
    std::uint32_t bubbles = 32;            ///< of a cell
    double fraction = 0.03;                ///< mean share of bubbles
    double contrast = 1.5;                 ///< the densest cell has (1 + contrast) times the thinnest's share
    double refreshed = 0.15;               ///< share of the cells that are solved in a step
    double courant = 0.5;                  ///< dt times the greatest |u_x| / dx + |u_y| / dy, at most 0.5
    BubbleArrangement arrangement = BubbleArrangement::random;
    BubbleDrive drive = BubbleDrive::rolls;
    std::uint64_t seed = 1;

    /// Throws InvalidInput, one line.
    void validate() const;
    /// Cells that a step solves: at least one.
    [[nodiscard]] std::size_t batch() const;
};

/// n_t + div(n u(n)) = 0, n being the share of bubbles: first-order upwind on K x L cells of the periodic unit square.
/// A step advects n, and then solves again the cells whose n has changed most, relatively, since they were solved
/// (ties: the first); the others keep their velocity. The macroscopic part is in double on the host.
class BubblyFlow {
public:
    /// Solves every cell, in batches as a step does.
    BubblyFlow(const FlowOptions& options, CellSolver& solver);

    void step();

    [[nodiscard]] const FlowOptions& options() const { return options_; }
    [[nodiscard]] std::span<const double> density() const { return n_; } ///< by rows from the bottom
    [[nodiscard]] std::span<const Point2> velocity() const { return u_; }
    [[nodiscard]] double time() const { return time_; }
    [[nodiscard]] std::uint64_t steps() const { return steps_; }
    [[nodiscard]] double advection_seconds() const { return advection_seconds_; }
    /// Mean of n over the cells, compensated: what a step keeps but for rounding.
    [[nodiscard]] double mean_density() const;
    /// How far rounding can have moved mean_density() so far.
    [[nodiscard]] double rounding_bound() const { return rounding_bound_; }
    /// The cell as it would be solved now. Throws InvalidInput where its bubbles would touch.
    [[nodiscard]] BubbleCell cell(std::size_t index) const;

private:
    FlowOptions options_;
    CellSolver& solver_;
    std::vector<std::vector<Point2>> centres_;
    std::vector<double> n_, solved_; ///< now, and when the cell was solved
    std::vector<Point2> u_;
    double time_ = 0, rounding_bound_ = 0, advection_seconds_ = 0;
    std::uint64_t steps_ = 0;

    void advect();
    void solve(std::span<const std::size_t> cells);
    [[nodiscard]] std::vector<std::size_t> most_changed() const;
};

/// Densities after some steps as squares side by side, and one cell's bubbles in the potential that they make: an SVG
/// drawing. `q` is the solution of `cell`'s system.
struct FlowFrame {
    std::uint64_t step = 0;
    double time = 0;
    std::vector<double> density;
};
std::string flow_picture(const FlowOptions& options, std::span<const FlowFrame> frames, const BubbleCell& cell,
                         std::span<const double> q);

} // namespace mantissa
