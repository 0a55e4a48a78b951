// Jacobi-preconditioned Conjugate Gradients in double precision on this processor, made for large systems: few passes
// over memory, several right-hand sides in one, systems of complex blocks at half the matrix's bytes. The textbook form
// (as OpenNL has it, and Buatois, Caumon, Levy, IJPEDS 24(3), 2008, with its last line mended: d = s + beta d).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa {

/// What ends it; both relative, delta = r . M^-1 r with M the diagonal.
enum class PcgTest : std::uint8_t {
    residual, ///< ||r|| <= tolerance ||b||
    delta,    ///< delta <= tolerance^2 delta_0, the paper's
};

/// How far Jacobi-preconditioned CG iterates, and with how many threads.
struct PcgOptions {
    double tolerance = 1e-6; ///< above 0
    PcgTest test = PcgTest::residual;
    std::uint64_t max_iterations = 10000; ///< of each right-hand side
    int threads = 1;                      ///< results do not depend on it
    bool history = false;                 ///< return the recursion's residuals
    /// Called after every iteration that another one follows, with the iterations so far and the largest residual of a
    /// right-hand side that is not done, relative to its b; false ends the solve.
    std::function<bool(std::uint64_t, double)> progress;
    /// Called after every iteration with the same two numbers, so that what it says does not depend on a clock; false
    /// ends the solve (mantissa/pace.hpp).
    std::function<bool(std::uint64_t, double)> pace;
};

enum class PcgEnd : std::uint8_t {
    reached,    ///< the test held, and for `residual` that of the true residual, too
    stagnated,  ///< the recursion's residual reached the tolerance, the true one did not and no longer falls
    limit,      ///< of iterations
    indefinite, ///< p . A p is not above zero
    not_finite, ///< a scalar left the range of double precision
    cancelled,
};

/// How a solve by preconditioned CG ended and what it took.
struct PcgReport {
    PcgEnd end = PcgEnd::limit;
    std::uint64_t iterations = 0;
    double recursive_residual = 0; ///< ||r|| / ||b|| of the recursion, at its end
    double true_residual = 0;      ///< ||b - A x|| / ||b||, formed anew
    std::vector<double> history;   ///< ||r|| / ||b|| of the recursion after each iteration
    bool complex_blocks = false;   ///< the matrix went as complex numbers
};

/// Solves A x = b for each right-hand side; `x` holds the starts (each empty: zeros) and then the solutions. Up to four
/// right-hand sides share each pass over the matrix, and each has the same bits as alone. Where the recursion's
/// residual has reached the tolerance and the true one has not, CG goes on from the true one.
///
/// A system of complex 2 x 2 blocks (complex_blocks.hpp; LSCM) of which few have an imaginary part is iterated on as
/// one of complex numbers, and imaginary parts are stored where there are any. True residuals are those of `a` as
/// given.
///
/// Rows whose entries lie more than 16384 rows off the diagonal in the mean are put in the order of reverse Cuthill and
/// McKee first. Sums of a row go over its entries in order; dot products over blocks of 1024 rows in eight interleaved
/// sums closed by halving, the blocks in order: so the bits depend on neither threads nor instruction set.
///
/// Throws InvalidInput: a right-hand side or start of another length, a right-hand side that is not finite, a diagonal
/// entry that is not above zero; and what `progress` or `pace` throws.
std::vector<PcgReport> jacobi_pcg(const CompressedRows& a, const std::vector<std::vector<double>>& b,
                                  std::vector<std::vector<double>>& x, const PcgOptions& options);

} // namespace mantissa
