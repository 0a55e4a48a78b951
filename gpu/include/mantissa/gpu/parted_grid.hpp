// Pipelined CG in native arithmetic over several GPUs, for constant nine-point stencils: the grid's rows are cut into a
// strip for each part (see peers.hpp), and a solve is one launch on every device.
//
// Halo rows go straight into the neighbour's memory and sums are exact integers, so the bits of a solution do not
// depend on the number of parts: one part, two on one card and two on two cards give the same.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "mantissa/gpu/cg.hpp"
#include "mantissa/gpu/peers.hpp"

namespace mantissa::gpu {

struct PartedRequest {
    /// double_precision: residual replacement as GridSolver's (replace = 0: the recurrence alone); mixed_float: double
    /// outer loop; single_precision: the recurrence alone. Others are not there.
    Arithmetic arithmetic = Arithmetic::double_precision;
    double tolerance = 1e-10;     ///< on the true residual, as CgRequest's; 0: run max_passes
    std::uint32_t max_passes = 0; ///< 0: 40 per grid row + 1000
    std::uint32_t inner = 50;     ///< mixed_float: passes between defects
    /// double_precision: see CgRequest; 0: never; none given: 1e-5 up to a million points, else 1e-2.
    std::optional<double> replace;
    Plan plan = Plan::automatic;
    std::function<bool(std::uint64_t, double)> watch = {}; ///< as CgRequest's; false ends all parts in the same pass
};

/// Where the time of a solve went, as parts of one, as the last block of part 0 sees it.
struct PartedShares {
    double work = 0;      ///< products and updates, with the halo rows' stores under way
    double exchange = 0;  ///< until halo rows have arrived (stream; in the resident plan they come beside the sums)
    double own_sum = 0;   ///< waiting for the part's own blocks
    double parts_sum = 0; ///< waiting for the other parts' sums
    double scalars = 0;   ///< coefficients, stopping test; in the resident plan what is left of the exchange
};
struct PartedReport : CgReport {
    PartedShares shares;
};

class PartedGridSolver {
public:
    /// Loads a stencil system onto the parts of `peers`, which must outlive the solver. Throws InvalidInput on another
    /// kind, a stencil that is not symmetric under both reflections, or a grid of fewer than four rows a part;
    /// DeviceError on a fault of a device.
    PartedGridSolver(Peers& peers, const System& system);
    ~PartedGridSolver();
    PartedGridSolver(const PartedGridSolver&) = delete;
    PartedGridSolver& operator=(const PartedGridSolver&) = delete;

    /// The right-hand side, system.size() elements (Dirichlet nodes are ignored).
    void set_rhs(std::span<const double> b);
    /// Solves from x = 0. Throws DeviceError if a device fails or does not answer.
    PartedReport solve(const PartedRequest& request);
    /// The last solution, system.size() elements.
    void solution(std::span<double> x) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace mantissa::gpu
