// A native solver (mantissa/native.hpp) around runs of a recurrence, on this processor or a device: true residuals, new
// starts, the best iterate. The runs are in double or float; all else is in double.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mantissa/native.hpp"
#include "mantissa/recurrence/preconditioner.hpp"
#include "mantissa/run_end.hpp"
#include "mantissa/sparse/compressed_rows.hpp"
#include "mantissa/spec.hpp"
#include "mantissa/system.hpp"

namespace mantissa::recurrence {

/// How a run ended and what it took.
struct RecurrenceRun {
    RunEnd end = RunEnd::passes; ///< `passes`: the limit, or patience
    bool patience = false;       ///< the recurrence's residual had not fallen for long
    bool cancelled = false;      ///< on_look() said so
    std::uint32_t iterations = 0;
    double seconds = 0; ///< looks at the state included; of a device by its events
    /// Where it broke down after its first iteration: its last iterate, which is another start than the best one.
    std::vector<double> last;
};

/// A matrix with the vectors of one recurrence. Not for use from two threads at once.
class Runner {
public:
    Runner() = default;
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;
    virtual ~Runner() = default;

    /// Solves A u = r from u = 0 until the recurrence's own ||r|| is below `goal` ||r||, `limit` iterations are made,
    /// the recurrence cannot go on, or its residual has not halved over `patience` iterations (which counts for none
    /// that needs a positive definite matrix: it reduces the energy, and its residual may stand high for long). `r` is
    /// of norm 1, or near it. `u` gets the iterate whose recurrence's residual was the least, as far as it was looked
    /// at (now and then, and at the end); zeros where none was below 1.
    virtual RecurrenceRun run(std::span<const double> r, double goal, std::uint32_t limit, std::uint32_t patience,
                              std::span<double> u) = 0;

    /// Of runs from now on: called whenever the residual is looked at, with the iterations of the run so far and the
    /// recurrence's ||r||; false ends the run.
    void on_look(std::function<bool(std::uint32_t, double)> look) { look_ = std::move(look); }

protected:
    [[nodiscard]] bool goes_on(std::uint32_t iterations, double square) const {
        return !look_ || look_(iterations, std::sqrt(square));
    }

private:
    std::function<bool(std::uint32_t, double)> look_;
};

/// The scalars that the choice's recurrence is given: of chebyshev theta and delta.
[[nodiscard]] std::vector<double> given_of(const NativeChoice& choice);

/// 1 / a_ii; 1 where that is zero or is not stored, and everywhere without `jacobi`.
[[nodiscard]] std::vector<double> inverse_diagonal(const CompressedRows& a, bool jacobi);
/// Column j times factor[j].
[[nodiscard]] CompressedRows with_columns_scaled(const CompressedRows& a, const std::vector<double>& factor);

/// Solves A x = b by runs on A D^-1, D^-1 being `inverse`: preconditioned from the right, so that the residual is the
/// system's own. `single`: the runs are in float.
[[nodiscard]] std::unique_ptr<NativeSolver> make_restarted(const CompressedRows& a, PickedPlan plan, bool single,
                                                           std::vector<double> inverse, std::unique_ptr<Runner> runner);
/// What a solver is to reach of what was asked for: in float an iterate gains five digits at most before its defect
/// must be formed in double, which the caller does.
[[nodiscard]] double native_tolerance(bool single, double asked);
/// A count of iterations that fits the kernels' counters.
[[nodiscard]] std::uint32_t native_limit(std::uint64_t iterations);

/// Of the engine that is this processor: rows, in double or float, by cg, bicgstab, flexible or chebyshev.
/// `preconditioner`: of what has a step M.
[[nodiscard]] std::string processor_native_refusal(const DatapathSpec& spec, const System& system,
                                                   const NativeChoice& choice);
[[nodiscard]] std::unique_ptr<NativeSolver> make_processor_native(const DatapathSpec& spec, const System& system,
                                                                  const NativeChoice& choice,
                                                                  Preconditioner preconditioner = {});

} // namespace mantissa::recurrence
