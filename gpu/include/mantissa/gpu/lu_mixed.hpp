// Dense systems to double accuracy by mixed precision on one GPU: PA = LU with partial pivoting, whose updates the
// tensor cores multiply in 16-bit words and add in float, and refinement with residuals in double. All on the device.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace mantissa::gpu {

/// Operands of the tensor cores. `half` keeps 11 significant bits, `bfloat` 8; `half_pair` and `bfloat_pair` keep a
/// float as the sum of two words (22 and 16 bits) and pay three products for one.
enum class MixedWords { half, half_pair, bfloat, bfloat_pair };
/// GMRES over the factors (Carson and Higham's GMRES-IR), or the factors' own solution of each residual's system.
enum class MixedRefinement { gmres, classical };

struct MixedOptions {
    MixedWords words = MixedWords::half_pair; ///< the fastest on LINPACK's matrices from n = 1000 on
    MixedRefinement refinement = MixedRefinement::gmres;
    /// A GMRES cycle ends when its residual is this small relative to its first. 0: 1e-6 for pairs, 1e-8 for single
    /// words.
    double cycle_tolerance = 0;
    int cycle_vectors = 48;  ///< or at this many vectors, 1 to 64
    int most_residuals = 40; ///< residuals computed at most
};

/// How a solve ended. `singular`: a column without a pivot. `overflow`: an element of U beyond the words' range.
/// `stagnated`: refinement gained no more before ||r|| <= n u (||A|| ||x|| + ||b||); x is its last.
enum class MixedStatus { converged, stagnated, singular, overflow, not_finite };
std::string_view to_string(MixedStatus status);
std::string_view to_string(MixedWords words);

struct MixedResult {
    MixedStatus status = MixedStatus::converged;
    int column = -1;            ///< where it is singular
    int residuals = 0;          ///< residuals computed in double
    int corrections = 0;        ///< times the factors were applied
    double backward_error = 0;  ///< ||r|| / (||A|| ||x|| + ||b||), infinity norms
    double hpl_residual = 0;    ///< the same by n 2^-53, as HPL has it: below 1 is converged, DGESV gives about 0.01
    double prepare_seconds = 0; ///< scaling to float
    double factor_seconds = 0;
    double refine_seconds = 0;
    [[nodiscard]] double seconds() const { return prepare_seconds + factor_seconds + refine_seconds; }
};

/// Memory and plans for systems of one size. About 9 n^2 bytes of device memory beside the matrix (13 n^2 with pairs).
class MixedSolver {
public:
    /// 0 <= n <= 32768. Throws InvalidInput for other sizes or options, DeviceError where memory or a device is
    /// missing.
    explicit MixedSolver(int n, const MixedOptions& options = {});
    MixedSolver(MixedSolver&&) noexcept;
    MixedSolver& operator=(MixedSolver&&) noexcept;
    ~MixedSolver();

    /// Solves A x = b; all pointers to device memory, A column after column (`lda` >= n) and left as it is.
    MixedResult solve(const double* a, long lda, const double* b, double* x);
    /// Factors only, for measurements; seconds. The factors stay until the next call.
    double factor(const double* a, long lda);
    /// Row i of PA is row permutation()[i] of A, after a factorisation.
    [[nodiscard]] std::vector<int> permutation() const;

private:
    class State;
    std::unique_ptr<State> state_;
};

/// The same from and to host memory; `a` holds n * n words, row after row when `by_rows`, else column after column.
MixedResult solve_mixed(std::span<const double> a, std::span<const double> b, std::span<double> x, bool by_rows,
                        const MixedOptions& options = {});

} // namespace mantissa::gpu
