// Sparse products and Jacobi-preconditioned pipelined CG on the GPU, for every sparse format and for nine bands.
//
// The recurrence is the pipelined one (engine.hpp) with z = D^-1 r in place of r where r is preconditioned:
//     x' = x + alpha p   r' = r - alpha q   p' = D^-1 r' + beta p   q' = A p'
//     rho = r'.D^-1 r'   pq = p'.q'   qq = q'.D^-1 q'   alpha = rho/pq   beta = alpha (alpha qq - pq) / rho
// so an iteration is two kernels, and a captured graph of many iterations runs without a word to the host.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mantissa/gpu/cg.hpp"
#include "mantissa/sparse/formats.hpp"
#include "mantissa/sparse/jacobi_pcg.hpp"
#include "mantissa/sparse/sliced_ell.hpp"

namespace mantissa::gpu {

enum class SparsePrecision : std::uint8_t { single_precision, double_precision };

/// How solve_several() iterates: `resident`, one launch with the matrix in the multiprocessors' shared memory, or
/// `stream`, two kernels an iteration in the matrix's format. `automatic`: resident where the matrix fits.
enum class SeveralPlan : std::uint8_t { automatic, resident, stream };

/// Asked at fixed iterations, with those so far and the largest residual of a column relative to its ||b||: go on?
/// False ends the solve as `cancelled`.
using SparseLook = std::function<bool(std::uint32_t, double)>;

/// How a solver's end reads on this side of the device, and back.
[[nodiscard]] PcgEnd native_end(CgEnd end);
[[nodiscard]] CgEnd end_of(PcgEnd end);

struct SparseCgReport {
    CgEnd end = CgEnd::passes;
    std::uint32_t iterations = 0;
    double seconds = 0;       ///< from the first kernel to the last, by events; without true residuals' forming
    double true_residual = 0; ///< ||b - A x|| / ||b|| in double precision
    bool resident = false;    ///< by SeveralPlan::resident
};

/// Relative to ||b||; element k is that of the iterate after k iterations.
struct SparseHistory {
    std::vector<double> recursive;     ///< ||r|| of the recurrence
    std::vector<double> true_residual; ///< ||b - A x|| in double precision
};

struct TextbookOptions {
    PcgTest test = PcgTest::residual;
    double tolerance = 1e-6;
    std::uint32_t max_iterations = 10000;
    bool jacobi = true;              ///< else M = 1
    std::span<const double> start{}; ///< x_0; empty: zeros
    bool history = false;
    bool measure_idle = false; ///< also time an iteration whose kernels return at once
};

struct TextbookReport {
    CgEnd end = CgEnd::passes;
    std::uint32_t iterations = 0;
    double seconds = 0;       ///< from the first kernel to the last, by events, looks at the status included
    double idle_seconds = 0;  ///< of an iteration of empty kernels, if measured: what launches cost
    double wall_seconds = 0;  ///< of the call, by the host's clock: memory, transfers and the true residual included
    double true_residual = 0; ///< ||b - A x|| / ||b|| in double precision
    SparseHistory history;
};

/// A matrix on the device in one format. Throws InvalidInput on a matrix the format cannot hold, DeviceError on a
/// fault of the device.
class SparseMatrix {
public:
    SparseMatrix(const CompressedRows& a, SparseFormat format, SparsePrecision precision);
    /// Sliced ELL of any shape.
    SparseMatrix(const CompressedRows& a, const SlicedOptions& options, SparsePrecision precision);
    /// Nine bands as they are, thread by row; `system` is of kind bands.
    SparseMatrix(const System& system, SparsePrecision precision);
    ~SparseMatrix();
    SparseMatrix(SparseMatrix&&) noexcept;
    SparseMatrix(const SparseMatrix&) = delete;

    /// Does a resident solve of one right-hand side fit the multiprocessors' shared memory? The layout that says so is
    /// kept for the solves.
    [[nodiscard]] bool fits_chip() const;

    /// y = A x; both have as many elements as the matrix has rows. Values are rounded to the precision.
    void apply(std::span<const double> x, std::span<double> y) const;
    /// Seconds of one product, the median of `repeats` timed ones after a warm-up.
    [[nodiscard]] double time_product(int repeats = 50) const;
    /// Seconds of one product, at every call of what is returned: of a captured graph of twenty, so that matrices can
    /// be timed in turn. The matrix must outlive it. `dependent`: a product starts while the one before it ends, and
    /// waits for it before it reads x (programmatic dependent launch).
    [[nodiscard]] std::function<double()> product_batches(bool dependent = true) const;
    /// Solves from x = 0 until ||b - A x|| is below tolerance ||b||: CG ends by its recursion's residual, and in double
    /// goes on from the true one where that is still above (see CgEnd). `jacobi`: else D = 1. `x`, if given, gets the
    /// solution.
    /// `history`, if given, gets the residuals of every iteration; without one nothing is spent on it.
    SparseCgReport solve(std::span<const double> b, double tolerance, std::uint32_t max_iterations, bool jacobi = true,
                         std::vector<double>* x = nullptr, SparseHistory* history = nullptr) const;

    /// Textbook Jacobi-PCG, in the matrix's precision, to the end of its own test, with no return to the true residual:
    /// `converged` where the test holds of the true residual as well (of its delta, for that test), `stagnated` where
    /// it holds of the recurrence's alone. `x`, if given, gets the solution. jacobi_pcg() is the processor's.
    TextbookReport textbook(std::span<const double> b, const TextbookOptions& options,
                            std::vector<double>* x = nullptr) const;

    /// y[j] = A x[j] for one to three vectors in one pass over the matrix: compressed rows and sliced ELL; one vector
    /// in any format.
    void apply_several(std::span<const std::vector<double>> x, std::vector<std::vector<double>>& y) const;
    /// solve() with Jacobi for one to three right-hand sides in one pass over the matrix, a report for each. Columns
    /// have their own scalars; one that has converged stops changing. Seconds are those of all together.
    /// A resident solve keeps rows of its own, in any format; it needs rows of at most 256 entries and some 10 bytes of
    /// shared memory for an entry in double, 6 in float, and room for p. Throws InvalidInput where `plan` asks for it
    /// and it does not fit. `look`, where one is given: after every 32 iterations of a streamed solve.
    std::vector<SparseCgReport> solve_several(std::span<const std::vector<double>> b, double tolerance,
                                              std::uint32_t max_iterations,
                                              std::vector<std::vector<double>>* x = nullptr,
                                              SeveralPlan plan = SeveralPlan::automatic,
                                              const SparseLook& look = {}) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Times all formats on the device and chooses (see choose_format): the reason names the times.
struct TimedChoice {
    FormatChoice choice;
    std::vector<FormatReport> reports;
    std::vector<double> seconds; ///< one for each report
    bool reordered = false;      ///< they are those of the matrix after reverse_cuthill_mckee(), which was faster
};
/// `try_reordered`: time the matrix in that order too (permuted()); its pattern must be symmetric.
TimedChoice choose_on_device(const CompressedRows& a, SparsePrecision precision, bool try_reordered = false);

} // namespace mantissa::gpu
