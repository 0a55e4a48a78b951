// Pipelined CG in native arithmetic on the GPU, for constant nine-point stencils: one launch for a
// whole solve, restarts in double precision included, no word to the host before it ends.
//
// Two plans. `resident` keeps the state in registers and shared memory (grids of about a million points); `stream`
// passes over memory once per iteration. Results are deterministic on one device; they depend on the number of
// multiprocessors through the order of summation.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mantissa/gpu/cg_end.hpp"
#include "mantissa/reached.hpp"
#include "mantissa/system.hpp"

namespace mantissa::gpu {

/// What an inner iteration computes in and keeps its vectors in.
enum class Arithmetic : std::uint8_t {
    single_precision,
    double_precision,
    mixed_float, ///< double outer loop; inner vectors and arithmetic in float
    late_float,  ///< double until the residual norm has fallen by `late`, then mixed_float on the same p; resident only
};
/// "float", "double", "mixed-float", "late-float".
std::string to_string(Arithmetic a);

enum class Plan : std::uint8_t { automatic, resident, stream };
std::string to_string(Plan p);

struct CgRequest {
    Arithmetic arithmetic = Arithmetic::double_precision;
    /// On the true residual: the norm of the double-precision defect relative to the initial one. 0: run max_passes.
    double tolerance = 1e-10;
    std::uint32_t max_passes = 0; ///< 0: 40 per grid row + 1000
    std::uint32_t inner = 50;     ///< mixed: passes between defects; 0: by digits
    double digits = 1;            ///< mixed with inner = 0: reduction of the inner residual norm in decimal digits
    bool guided = true;           ///< mixed: residual guided (keep p), else restart with p = r
    /// late_float: the reduction of the residual norm, relative to the initial one, from which passes are in float.
    /// The error that a step may make grows as the residual falls (inexact Krylov methods: Simoncini and Szyld, 2003;
    /// van den Eshof and Sleijpen, 2004). On Poisson grids of levels 8 to 10, with two right-hand sides, a float tail
    /// from 3e-3 on takes no more passes than double, one from 1e-2 on up to 22 % more.
    double late = 2e-3;
    /// double_precision: after each reduction of the residual norm by this factor, and where the recurrence says that
    /// the tolerance is reached, the true defect takes the residual's place and p is kept. The recurrence's residual
    /// drifts away from the true one by rounding that the first, large steps make (van der Vorst and Ye, "Residual
    /// replacement strategies for Krylov subspace iterative methods", 2000): without replacement level 12 ends at 49
    /// times a tolerance of 1e-10. Below 1; 0: never; none given: 1e-5 in the resident plan, whose passes are 10 %
    /// slower after the first replacement, and 1e-2 in the stream plan, where level 12 takes 6097 passes in place of
    /// 6513.
    std::optional<double> replace;
    Plan plan = Plan::automatic;
    /// Called at times while the kernel runs: passes so far, and the residual as the recurrence has it, relative to the
    /// first; false ends the solve within 256 passes as `cancelled`.
    std::function<bool(std::uint64_t, double)> watch = {};
};

struct CgReport {
    CgEnd end = CgEnd::passes;
    std::uint32_t passes = 0;        ///< pipelined passes; CG steps are one less for each (re)start
    std::uint32_t outer = 0;         ///< double-precision defects after inner solves, replacements among them
    std::uint32_t guards = 0;        ///< times sigma was below zero
    std::uint32_t double_passes = 0; ///< of the passes, those in double arithmetic
    double seconds = 0;              ///< the launch, by events; data transfers not included
    double initial_norm = 0;         ///< ||b||
    /// ||b - A x|| / ||b|| of the x that is returned, formed after the solve with rows in twice double precision, so
    /// that what rows round does not count (at level 12 that alone is 2e-10).
    double true_residual = 0;
    Plan plan = Plan::automatic; ///< the plan that ran
    std::string plan_text;       ///< blocks, tile or strips
    double bytes_per_row = 0;    ///< device memory traffic per row and pass that the kernel needs; 0 when resident
    double operations_per_row = 0;
};

class GridSolver {
public:
    /// Loads a stencil system. Throws InvalidInput on another kind (see sparse_solver.hpp) or a stencil that is not
    /// symmetric under both reflections of the grid, DeviceError on a fault of the device.
    explicit GridSolver(const System& system);
    ~GridSolver();
    GridSolver(const GridSolver&) = delete;
    GridSolver& operator=(const GridSolver&) = delete;

    /// Has the resident plan room for the grid on this device?
    [[nodiscard]] bool fits_chip() const;
    /// The right-hand side, system.size() elements (Dirichlet nodes are ignored).
    void set_rhs(std::span<const double> b);
    /// Solves from x = 0.
    CgReport solve(const CgRequest& request);
    /// The last solution, system.size() elements.
    void solution(std::span<double> x) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Bytes a second of a large device-to-device copy, read plus written.
double copy_bandwidth();

} // namespace mantissa::gpu
