// The native solver: CG, or another recurrence where the engine has kernels for it, in an engine's own double or float,
// its vectors where the engine has them and its sums in whatever order is fast (the datapaths `double,sum=free` and
// `float,sum=free`; spec.hpp). It is the only seam where no bits are promised: what holds is the true residual, which
// the caller forms.
//
// An engine has several plans and picks one by the system's size; it says which and why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/sparse/jacobi_pcg.hpp"

namespace mantissa {

/// Where a native solve keeps its vectors and its matrix.
enum class NativePlan : std::uint8_t {
    automatic,
    grid_resident,   ///< a constant stencil, all vectors in registers and shared memory
    grid_stream,     ///< a constant stencil, one pass over memory an iteration
    grid_parts,      ///< a constant stencil in strips over several devices
    sparse_resident, ///< rows, the matrix in shared memory, one launch
    sparse_stream,   ///< rows, two kernels an iteration
    sparse_parts,    ///< rows over several devices
    processor,       ///< rows on this processor's threads
};
/// "automatic", "grid-resident", "grid-stream", "grid-parts", "sparse-resident", "sparse-stream", "sparse-parts",
/// "processor".
std::string to_string(NativePlan plan);
/// Throws InvalidInput, one line with the names.
NativePlan parse_native_plan(std::string_view text);

namespace recurrence {
struct Definition;
}

/// How a native solver is made.
struct NativeChoice {
    NativePlan plan = NativePlan::automatic;
    bool jacobi = true; ///< preconditioned by the diagonal (which a constant stencil's makes no difference to)
    const recurrence::Definition* recurrence = nullptr; ///< of the library (recurrence/library.hpp); null: CG
    double low = 0, high = 0; ///< chebyshev: bounds of the eigenvalues of the matrix, and without jacobi
    std::size_t restart = 0;  ///< not zero: GMRES in cycles of so many steps, in place of a definition
    int threads = 1;          ///< of this processor, where it solves itself
};

/// What a plan is picked by.
struct NativeFacts {
    bool grid = false;                 ///< a constant stencil, the same left, right, up and down
    std::size_t columns = 0, rows = 0; ///< of the grid's points that are unknown, or rows of the matrix
    int parts = 1;                     ///< devices' parts that the engine was made for
    bool fits_chip = false;            ///< one device holds all of it in registers and shared memory
    std::string why_not;               ///< where it does not
};

/// A plan, never `automatic`, with the reason in one line.
struct PickedPlan {
    NativePlan plan = NativePlan::sparse_stream;
    std::string why;
};
/// The plan for these facts; `asked`, where it is not automatic and can be. What fits one chip is on one device,
/// however many there are: an exchange between devices takes longer than an iteration there. Throws InvalidInput, one
/// line, where `asked` cannot be.
PickedPlan pick_plan(const NativeFacts& facts, NativePlan asked);

/// How far a native solve iterates.
struct NativeRequest {
    double tolerance = 1e-10;             ///< on ||b - A x|| / ||b||, below 1; 0: run max_iterations
    std::uint64_t max_iterations = 10000; ///< of each right-hand side, at least 1
    /// Called at times: iterations of this right-hand side so far, and its residual as the recurrence has it (relative
    /// to ||b||); false ends the solve as `cancelled`. Solvers that see nothing before a kernel's end do not call it.
    std::function<bool(std::uint64_t, double)> watch = {};
};

/// How a right-hand side's solve ended and what it took.
struct NativeReport {
    PcgEnd end = PcgEnd::limit;   ///< `reached` and `stagnated` as jacobi_pcg() has them, of the solver's own residual
    std::uint64_t iterations = 0; ///< passes of the recurrence, those of restarts included
    std::uint64_t outer = 0;      ///< true residuals that took the recurrence's place meanwhile
    double seconds = 0;           ///< of the device, transfers not included; of right-hand sides together, of all
    double residual = 0;          ///< ||b - A x|| / ||b|| as the solver forms it; the caller's decides
    bool stalled = false; ///< with `stagnated`: the recurrence's own residual did not reach the tolerance either
    std::string layout;   ///< blocks, tiles or strips that ran; empty where the plan says enough
};

/// A system loaded for native solves, which holds what it needs of it. Not for use from two threads at once.
class NativeSolver {
public:
    NativeSolver() = default;
    NativeSolver(const NativeSolver&) = delete;
    NativeSolver& operator=(const NativeSolver&) = delete;
    virtual ~NativeSolver() = default;

    /// The plan that runs, and why.
    [[nodiscard]] virtual const PickedPlan& plan() const = 0;
    /// Solves A x = b from x = 0 for each of `b`, of the system's size; `x` gets the iterates. Throws InvalidInput, one
    /// line, on a diagonal that Jacobi refuses, and what the engine throws on a fault of its device.
    virtual std::vector<NativeReport> solve(std::span<const std::vector<double>> b, const NativeRequest& request,
                                            std::vector<std::vector<double>>& x) = 0;
};

} // namespace mantissa
