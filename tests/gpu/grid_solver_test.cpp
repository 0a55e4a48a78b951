// The native grid solvers: solutions, plans, determinism, failures.
#include "mantissa/gpu/cg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "device_test.hpp"
#include "mantissa/format.hpp"

namespace mantissa::gpu {
namespace {

System stencil(std::size_t columns, std::size_t rows, double ratio = 1.0) {
    // Bilinear elements for -u_xx - ratio u_yy.
    const double centre = (1 + ratio) * 4 / 3, diagonal = -(1 + ratio) / 6;
    const double east = -(4 - 2 * ratio) / 6, north = -(4 * ratio - 2) / 6;
    return Stencil(columns, rows, {diagonal, north, diagonal, east, centre, east, diagonal, north, diagonal});
}

std::vector<double> bump(const System& s) {
    std::vector<double> b(s.size());
    for (std::size_t i = 0; i < s.size(); ++i)
        if (!s.on_edge(i)) b[i] = 1e-3 * (1 + std::sin(0.37 * static_cast<double>(i)));
    return b;
}

/// ||b - A x|| / ||b|| on the host.
double residual(const System& s, const std::vector<double>& b, const std::vector<double>& x) {
    double defect = 0, norm = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (s.on_edge(i)) continue;
        double d = b[i];
        for (int k = 0; k < kBands; ++k)
            d -= std::get<Stencil>(s.matrix()).coefficients()[static_cast<std::size_t>(k)] *
                 x[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) + band_offset(k, s.row_length()))];
        defect += d * d;
        norm += b[i] * b[i];
    }
    return std::sqrt(defect / norm);
}

/// What rounding may add to residual(): an element's defect is formed by eighteen operations on sums that stay below
/// eight times the largest element of x (the row sum of |coefficients| of the stencils here) and below b.
double rounding(const std::vector<double>& b, const std::vector<double>& x) {
    double largest = 0, norm = 0;
    for (const double v : x) largest = std::max(largest, 8 * std::abs(v));
    for (const double v : b) norm += v * v;
    return 18 * 0x1p-53 * (largest + 2e-3) * std::sqrt(static_cast<double>(b.size()) / norm);
}

using GridSolverTest = mantissa::testing::DeviceTest;

TEST_F(GridSolverTest, SolvesWithEveryArithmeticAndPlan) {
    for (const auto& [columns, rows, ratio] :
         {std::tuple{33, 33, 1.0}, {130, 67, 1.0}, {67, 300, 1.5}, {257, 257, 1.0}}) {
        const System system = stencil(static_cast<std::size_t>(columns), static_cast<std::size_t>(rows), ratio);
        const std::vector<double> b = bump(system);
        GridSolver solver(system);
        solver.set_rhs(b);
        std::vector<double> x(system.size());
        for (const Plan plan : {Plan::resident, Plan::stream})
            for (const Arithmetic arithmetic :
                 {Arithmetic::double_precision, Arithmetic::mixed_float, Arithmetic::late_float}) {
                if (plan == Plan::stream && arithmetic == Arithmetic::late_float) continue;
                SCOPED_TRACE(std::to_string(columns) + " x " + std::to_string(rows) + " " + to_string(arithmetic) +
                             " " + to_string(plan));
                CgRequest request;
                request.arithmetic = arithmetic;
                request.plan = plan;
                request.tolerance = 1e-10;
                const CgReport report = solver.solve(request);
                EXPECT_EQ(report.end, CgEnd::converged) << to_string(report.end);
                solver.solution(x);
                EXPECT_LT(report.true_residual, 1.001e-10);
                // The host's rows round: nine products of at most `largest`, 2^-53 of it for each operation.
                EXPECT_NEAR(report.true_residual, residual(system, b, x), rounding(b, x));
                EXPECT_EQ(x[0], 0.0);
            }
    }
}

TEST_F(GridSolverTest, DigitsAndPlainRestarts) {
    const System system = stencil(129, 129);
    const std::vector<double> b = bump(system);
    GridSolver solver(system);
    solver.set_rhs(b);
    for (const Plan plan : {Plan::resident, Plan::stream})
        for (const bool guided : {false, true})
            for (const std::uint32_t inner : {0u, 120u}) {
                CgRequest request;
                request.arithmetic = Arithmetic::mixed_float;
                request.plan = plan;
                request.guided = guided;
                request.inner = inner;
                request.digits = 2;
                const CgReport report = solver.solve(request);
                EXPECT_EQ(report.end, CgEnd::converged);
                EXPECT_LT(report.true_residual, 1.01e-10);
                EXPECT_GT(report.outer, 1U);
            }
}

TEST_F(GridSolverTest, ALateFloatTailTakesNoMorePasses) {
    const System system = stencil(257, 257);
    GridSolver solver(system);
    solver.set_rhs(bump(system));
    const CgReport whole = solver.solve({});
    EXPECT_EQ(whole.double_passes, whole.passes);
    CgRequest request;
    request.arithmetic = Arithmetic::late_float;
    request.inner = 0;
    request.digits = 3;
    const CgReport late = solver.solve(request);
    EXPECT_EQ(late.end, CgEnd::converged);
    EXPECT_LT(late.true_residual, 1.01e-10);
    EXPECT_GT(late.double_passes, 0U);
    EXPECT_LT(late.double_passes, late.passes);
    EXPECT_LE(late.passes, whole.passes + whole.passes / 50);
    // Nothing is left for float, and nothing for double.
    request.late = 1e-12;
    const CgReport head = solver.solve(request);
    EXPECT_EQ(head.end, CgEnd::converged);
    EXPECT_EQ(head.double_passes, head.passes);
    request.late = 1;
    const CgReport tail = solver.solve(request);
    EXPECT_EQ(tail.end, CgEnd::converged);
    EXPECT_LT(tail.true_residual, 1.01e-10);
    request.late = 0;
    EXPECT_THROW(static_cast<void>(solver.solve(request)), InvalidInput);
    request.late = 2e-3;
    request.plan = Plan::stream;
    EXPECT_THROW(static_cast<void>(solver.solve(request)), InvalidInput);
    // The pass limit may fall into either part.
    request.plan = Plan::automatic;
    for (const std::uint32_t limit : {7U, late.double_passes + 5}) {
        request.max_passes = limit;
        const CgReport cut = solver.solve(request);
        EXPECT_EQ(cut.end, CgEnd::passes);
        EXPECT_EQ(cut.passes, limit);
    }
}

// The recurrence's residual of a large grid reaches the tolerance where the true one is well above it.
TEST_F(GridSolverTest, TheTrueResidualDecides) {
    for (const auto& [level, plan] : {std::pair{10, Plan::resident}, {10, Plan::stream}, {11, Plan::stream}}) {
        SCOPED_TRACE(std::to_string(level) + " " + to_string(plan));
        const std::size_t side = (std::size_t{1} << level) + 1;
        const System system = stencil(side, side);
        std::vector<double> b(system.size());
        const double h = 1.0 / static_cast<double>(side - 1);
        for (std::size_t i = 0; i < b.size(); ++i) {
            const double x = h * static_cast<double>(i % side), y = h * static_cast<double>(i / side);
            b[i] = system.on_edge(i) ? 0 : h * h * 2 * (x * (1 - x) + y * (1 - y));
        }
        GridSolver solver(system);
        solver.set_rhs(b);
        CgRequest request;
        request.plan = plan;
        const CgReport replaced = solver.solve(request);
        EXPECT_EQ(replaced.end, CgEnd::converged) << to_string(replaced.end);
        EXPECT_LT(replaced.true_residual, 1.001e-10);
        EXPECT_GE(replaced.outer, 2U);
        request.replace = 0;
        const CgReport direct = solver.solve(request);
        EXPECT_EQ(direct.outer, 0U);
        EXPECT_GT(direct.true_residual, 1.5e-10);
        EXPECT_EQ(direct.end, CgEnd::stagnated) << to_string(direct.end);
        // Replacement itself costs no passes; but CG's residual rises and falls, and the next time that the true one is
        // below the tolerance may be a tenth of the passes later.
        EXPECT_LE(replaced.passes, direct.passes + direct.passes / 8);
        // What double cannot represent is not said to be reached.
        request.replace = 1e-5;
        request.tolerance = 1e-14;
        const CgReport beyond = solver.solve(request);
        EXPECT_EQ(beyond.end, CgEnd::stagnated) << to_string(beyond.end);
        EXPECT_GT(beyond.true_residual, 1e-14);
        request.replace = 1;
        EXPECT_THROW(static_cast<void>(solver.solve(request)), InvalidInput);
    }
}

// CG that ends exactly leaves the second launch nothing to go on with.
TEST_F(GridSolverTest, OneUnknown) {
    const System system = stencil(3, 3);
    GridSolver solver(system);
    solver.set_rhs(bump(system));
    for (const Plan plan : {Plan::resident, Plan::stream})
        for (const Arithmetic arithmetic : {Arithmetic::double_precision, Arithmetic::late_float}) {
            if (plan == Plan::stream && arithmetic == Arithmetic::late_float) continue;
            CgRequest request;
            request.plan = plan;
            request.arithmetic = arithmetic;
            const CgReport report = solver.solve(request);
            EXPECT_EQ(report.end, CgEnd::converged) << to_string(report.end);
            EXPECT_LT(report.true_residual, 1e-10);
        }
}

TEST_F(GridSolverTest, SameBitsEveryTime) {
    const System system = stencil(300, 200);
    const std::vector<double> b = bump(system);
    std::vector<double> first(system.size()), again(system.size());
    for (const Plan plan : {Plan::resident, Plan::stream})
        for (const Arithmetic arithmetic :
             {Arithmetic::double_precision, Arithmetic::mixed_float, Arithmetic::late_float}) {
            if (plan == Plan::stream && arithmetic == Arithmetic::late_float) continue;
            for (int run = 0; run < 5; ++run) {
                GridSolver solver(system);
                solver.set_rhs(b);
                CgRequest request;
                request.arithmetic = arithmetic;
                request.plan = plan;
                static_cast<void>(solver.solve(request));
                solver.solution(run == 0 ? first : again);
                if (run > 0) {
                    ASSERT_EQ(first, again);
                }
            }
        }
}

TEST_F(GridSolverTest, PassLimitAndZeroRightHandSide) {
    const System system = stencil(65, 65);
    GridSolver solver(system);
    solver.set_rhs(std::vector<double>(system.size(), 0.0));
    EXPECT_EQ(solver.solve({}).end, CgEnd::converged);
    solver.set_rhs(bump(system));
    for (const Plan plan : {Plan::resident, Plan::stream}) {
        CgRequest request;
        request.tolerance = 0;
        request.max_passes = 7;
        request.plan = plan;
        const CgReport report = solver.solve(request);
        EXPECT_EQ(report.end, CgEnd::passes);
        EXPECT_EQ(report.passes, 7U);
    }
}

TEST_F(GridSolverTest, IndefiniteMatrixIsReported) {
    std::array<double, kBands> negative = std::get<Stencil>(stencil(65, 65).matrix()).coefficients();
    for (double& c : negative) c = -c;
    const System system = Stencil(65, 65, negative);
    GridSolver solver(system);
    solver.set_rhs(bump(system));
    EXPECT_EQ(solver.solve({}).end, CgEnd::indefinite);
}

TEST_F(GridSolverTest, RefusesWhatItCannotRun) {
    EXPECT_THROW(GridSolver{CompressedRows({0, 1}, {0}, {1.0})}, InvalidInput);
    std::array<double, kBands> skew = std::get<Stencil>(stencil(9, 9).matrix()).coefficients();
    skew[0] = -0.1;
    EXPECT_THROW(GridSolver{Stencil(9, 9, skew)}, InvalidInput);
    GridSolver solver(stencil(9, 9));
    EXPECT_THROW(solver.set_rhs(std::vector<double>(80)), InvalidInput);
}

// An allocation beyond the device's memory: an exception that names the call, and nothing kept.
TEST_F(GridSolverTest, OutOfMemoryIsAnExceptionAndFreesWhatItHeld) {
    std::size_t before = 0, after = 0, total = 0;
    check(cudaMemGetInfo(&before, &total), "cudaMemGetInfo");
    try {
        Buffer<double> fits(total / 2 / sizeof(double));
        Buffer<double> no(total / 2 / sizeof(double));
        Buffer<double> never(total / 2 / sizeof(double));
        FAIL() << "no exception";
    } catch (const DeviceError& e) {
        EXPECT_EQ(e.code(), cudaErrorMemoryAllocation);
        EXPECT_NE(std::string(e.what()).find("cudaMalloc of"), std::string::npos) << e.what();
    }
    check(cudaMemGetInfo(&after, &total), "cudaMemGetInfo");
    EXPECT_EQ(before, after);
    // The device is usable after it.
    GridSolver solver(stencil(33, 33));
    solver.set_rhs(bump(stencil(33, 33)));
    EXPECT_EQ(solver.solve({}).end, CgEnd::converged);
}

} // namespace
} // namespace mantissa::gpu
