// The Chebyshev iteration on the device: the processor's iterations and, within rounding, its iterates; the tolerance
// by the true residual, with bounds given and estimated. No bits are compared: a row's products are added in another
// order.
#include <algorithm>
#include <cmath>
#include <vector>

#include "../device_test.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/engine.hpp"
#include "mantissa/host/native.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/recurrence/library.hpp"
#include "mantissa/recurrence/native_loops.hpp"
#include "mantissa/recurrence/native_solver.hpp"
#include "recurrence/recurrence.hpp"

namespace mantissa {
namespace {

class GpuChebyshev : public testing::DeviceTest {};

const char* const kProblems[] = {"poisson3d:level=3", "poisson3d:level=5", "generated:kind=thermal,n=2500"};

SolveOptions by_chebyshev(bool single, double tolerance) {
    SolveOptions o;
    o.scheme = Scheme::defect_correction;
    o.recurrence = RecurrenceChoice::chebyshev;
    o.spec = native_spec(single);
    o.tolerance = tolerance;
    o.keep_solution = true;
    return o;
}

TEST_F(GpuChebyshev, TakesTheProcessorsIterations) {
    const auto device = make_gpu_engine(), processor = make_emulated_engine();
    for (const char* const name : kProblems)
        for (const bool single : {false, true})
            for (const bool jacobi : {false, true}) {
                SCOPED_TRACE(std::string(name) + (single ? " float" : " double") + (jacobi ? " jacobi" : ""));
                const Problem problem = make_problem(name);
                SolveOptions o = by_chebyshev(single, 1e-9);
                o.jacobi = jacobi;
                const SolveResult want = solve(problem, *processor, o), got = solve(problem, *device, o);
                EXPECT_EQ(want.status, Status::converged) << want.detail;
                EXPECT_EQ(got.status, Status::converged) << got.detail;
                // Each round ends at a look, one in 32 iterations; a residual near the tolerance falls on either side
                // of it by the rounding of float.
                const double looks = single ? 1.0 + static_cast<double>(want.outer_iterations) : 0;
                EXPECT_NEAR(static_cast<double>(got.inner_iterations), static_cast<double>(want.inner_iterations),
                            32 * looks);
                ASSERT_TRUE(got.chebyshev.has_value());
                EXPECT_GT(got.chebyshev->lanczos_steps, 0U); // bounds were estimated
                EXPECT_EQ(got.chebyshev->bounds, want.chebyshev->bounds);
                EXPECT_EQ(got.true_residual, relative_residual(problem.system, got.u, problem.b, 1, 1.001e-9));
            }
}

/// Runs of a number of iterations that no look falls on, too: each row has rounding of its length alone.
TEST_F(GpuChebyshev, HasTheProcessorsIteratesWithinRounding) {
    const Problem problem = make_problem("poisson3d:level=5");
    const auto& a = std::get<CompressedRows>(problem.system.matrix());
    std::vector<double> b(problem.b);
    double square = 0;
    for (const double x : b) square += x * x;
    for (double& x : b) x /= std::sqrt(square);
    const double diagonal = 1 / recurrence::inverse_diagonal(a, true).front();
    const std::vector<double> given{diagonal, 0.995 * diagonal}; // theta, delta
    for (const bool single : {false, true})
        for (const std::uint32_t passes : {1U, 31U, 32U, 50U, 64U}) {
            SCOPED_TRACE(std::string(single ? "float " : "double ") + std::to_string(passes));
            std::vector<double> got(b.size()), want(b.size());
            const auto here = recurrence::make_native_loops(recurrence::kChebyshev, a, single, 1, given)
                                  ->run(b, 0, passes, 9999, want);
            const auto there = gpu::make_device_recurrence(recurrence::kChebyshev, a, kPlainSell, single, given)
                                   ->run(b, 0, passes, 9999, got);
            EXPECT_EQ(here.iterations, passes);
            EXPECT_EQ(there.iterations, passes);
            EXPECT_EQ(to_string(there.end), "passes");
            double largest = 0, apart = 0;
            for (std::size_t i = 0; i < b.size(); ++i) {
                largest = std::max(largest, std::fabs(want[i]));
                apart = std::max(apart, std::fabs(got[i] - want[i]));
            }
            EXPECT_GT(largest, 0);
            // An iteration rounds a row's seven products and four sums and grows no error: its polynomials are below 1.
            EXPECT_LT(apart, 16.0 * passes * (single ? 0x1p-23 : 0x1p-52) * largest * passes);
        }
}

TEST_F(GpuChebyshev, TakesBoundsAndTheCommandsDouble) {
    SolveOptions o = by_chebyshev(false, 1e-8);
    o.spec = DatapathSpec(formats::kDouble); // as --engine gpu --format double has it
    const Problem problem = make_problem("poisson3d:level=4");
    const auto& a = std::get<CompressedRows>(problem.system.matrix());
    const double diagonal = 1 / recurrence::inverse_diagonal(a, true).front();
    o.bounds = SpectrumBounds{0.015 * diagonal, 2 * diagonal};
    const SolveResult r = solve(problem, *make_gpu_engine(), o);
    EXPECT_EQ(r.status, Status::converged) << r.detail;
    ASSERT_TRUE(r.native.has_value());
    EXPECT_EQ(r.native->plan, NativePlan::sparse_stream) << r.native->why;
    EXPECT_EQ(r.inner_iterations % 32, 0U); // where it looks
    // 1 / T_k(theta / delta) is 2 ((sqrt(c) - 1) / (sqrt(c) + 1))^k, c = 133: 1e-8 for k = 110.
    EXPECT_EQ(r.inner_iterations, 128U);
}

TEST_F(GpuChebyshev, BoundsBelowTheSpectrumAreNoConvergence) {
    SolveOptions o = by_chebyshev(false, 1e-8);
    const Problem problem = make_problem("poisson3d:level=4");
    const auto& a = std::get<CompressedRows>(problem.system.matrix());
    const double diagonal = 1 / recurrence::inverse_diagonal(a, true).front();
    o.bounds = SpectrumBounds{0.01 * diagonal, 0.5 * diagonal};
    o.max_iterations = 2000;
    const SolveResult r = solve(problem, *make_gpu_engine(), o);
    EXPECT_NE(r.status, Status::converged);
    EXPECT_LE(r.true_residual, 1);
}

} // namespace
} // namespace mantissa
