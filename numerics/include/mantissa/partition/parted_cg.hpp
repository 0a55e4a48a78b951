// Conjugate Gradients in double precision over the parts of a system: threads of this process, or ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mantissa/outer/spread_iterate.hpp"
#include "mantissa/partition/cuts.hpp"
#include "mantissa/partition/space.hpp"
#include "mantissa/sparse/jacobi_pcg.hpp"
#include "mantissa/system.hpp"

namespace mantissa {

struct PartedCgOptions;

/// What one part's side of CG is made from; all of it outlives that.
struct PartToSolve {
    const System& system;       ///< whole; symmetric bands have become nine
    const Partition& partition; ///< of it
    std::uint32_t part = 0;
    std::shared_ptr<Space> space;
    std::span<const double> b; ///< whole
    const PartedCgOptions& options;
};

/// One part's side of CG. Several are made in one thread, and then each runs in its own.
class PartSolver {
public:
    PartSolver() = default;
    PartSolver(const PartSolver&) = delete;
    PartSolver& operator=(const PartSolver&) = delete;
    virtual ~PartSolver() = default;
    /// The iteration from x = 0; collective over parts, once.
    virtual PcgReport run() = 0;
    /// x of the owned rows, in their order, after run().
    [[nodiscard]] virtual std::span<const double> solution() const = 0;
    /// Numbers of its vectors.
    [[nodiscard]] virtual std::size_t held() const = 0;
};
using MakePartSolver = std::function<std::unique_ptr<PartSolver>(const PartToSolve&)>;

/// How far CG over several parts iterates, and what it returns.
struct PartedCgOptions {
    double tolerance = 1e-10; ///< ||r|| <= tolerance ||b||, of the recurrence and then of the true residual
    std::uint64_t max_iterations = 10000;
    bool jacobi = false;                      ///< divide by the diagonal
    bool history = false;                     ///< return the recurrence's residuals
    CutMethod method = CutMethod::contiguous; ///< of sparse rows; grids are cut in strips
    ExchangeOptions exchange;
    /// Called by the first part of this process after every iteration, with their number and ||r|| / ||b||; false ends
    /// the solve as `cancelled` in every part of every process. (On GPUs it is asked once a batch of iterations.)
    std::function<bool(std::uint64_t, double)> progress;
    /// Called once at the end by each process, with the solution as it is shared out: no process then gathers x.
    std::function<void(SpreadIterate&)> at_end;
    /// Who iterates in place of this processor's loops (mantissa/gpu/rank_cg.hpp); empty: these.
    MakePartSolver elsewhere;
    int threads = 1; ///< of each part, where the verdict's defects are formed; the bits do not depend on it
};

/// Solves A x = b from x = 0 by the textbook recurrence: one exchange of p and two sums an iteration. All bits, and so
/// the number of iterations, are the same for any number of parts, wherever they are cut and in however many processes
/// they live: rows are summed in the order of the whole system's entries, and dot products are OrderFreeSum's. Where
/// the recurrence's residual has reached the tolerance and the true one has not, it goes on from the true one.
///
/// Collective over processes: each gives the same arguments and gets the whole x, or with `at_end` an empty one. Each
/// part holds its rows of all vectors. (true_residual is formed with OrderFreeSum too.) Throws InvalidInput: a
/// right-hand side of another length, more parts than rows, with `jacobi` a diagonal entry that is not above zero
/// beside entries in its row.
PcgReport parted_cg(const std::shared_ptr<Space>& space, const System& system, std::span<const double> b,
                    std::vector<double>& x, const PartedCgOptions& options);

} // namespace mantissa
