// The native grid solvers: solutions, plans, determinism, failures.
#include "mantissa/gpu/cg.hpp"

#include <cmath>
#include <vector>

#include "device_test.hpp"
#include "mantissa/format.hpp"

namespace mantissa::gpu {
namespace {

System stencil(std::size_t columns, std::size_t rows, double ratio = 1.0) {
    // Bilinear elements for -u_xx - ratio u_yy.
    const double centre = (1 + ratio) * 4 / 3, diagonal = -(1 + ratio) / 6;
    const double east = -(4 - 2 * ratio) / 6, north = -(4 * ratio - 2) / 6;
    return System::from_stencil(
        {columns, rows, {diagonal, north, diagonal, east, centre, east, diagonal, north, diagonal}});
}

std::vector<double> bump(const System& s) {
    std::vector<double> b(s.size);
    for (std::size_t i = 0; i < s.size; ++i)
        if (!s.on_edge(i)) b[i] = 1e-3 * (1 + std::sin(0.37 * static_cast<double>(i)));
    return b;
}

/// ||b - A x|| / ||b|| on the host.
double residual(const System& s, const std::vector<double>& b, const std::vector<double>& x) {
    double defect = 0, norm = 0;
    for (std::size_t i = 0; i < s.size; ++i) {
        if (s.on_edge(i)) continue;
        double d = b[i];
        for (int k = 0; k < kBands; ++k)
            d -= s.stencil.coefficients[static_cast<std::size_t>(k)] *
                 x[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) + System::offset(k, s.row_length()))];
        defect += d * d;
        norm += b[i] * b[i];
    }
    return std::sqrt(defect / norm);
}

using GridSolverTest = mantissa::testing::DeviceTest;

TEST_F(GridSolverTest, SolvesWithEveryArithmeticAndPlan) {
    for (const auto& [columns, rows, ratio] :
         {std::tuple{33, 33, 1.0}, {130, 67, 1.0}, {67, 300, 1.5}, {257, 257, 1.0}}) {
        const System system = stencil(static_cast<std::size_t>(columns), static_cast<std::size_t>(rows), ratio);
        const std::vector<double> b = bump(system);
        GridSolver solver(system);
        solver.set_rhs(b);
        std::vector<double> x(system.size);
        for (const Plan plan : {Plan::resident, Plan::stream})
            for (const Arithmetic arithmetic : {Arithmetic::double_precision, Arithmetic::mixed_float,
                                                Arithmetic::mixed_s31, Arithmetic::mixed_s39, Arithmetic::late_float}) {
                if (plan == Plan::stream && arithmetic == Arithmetic::late_float) continue;
                if (plan == Plan::resident &&
                    (arithmetic == Arithmetic::mixed_s31 || arithmetic == Arithmetic::mixed_s39))
                    continue;
                SCOPED_TRACE(std::to_string(columns) + " x " + std::to_string(rows) + " " + to_string(arithmetic) +
                             " " + to_string(plan));
                CgRequest request;
                request.arithmetic = arithmetic;
                request.plan = plan;
                request.tolerance = 1e-10;
                const CgReport report = solver.solve(request);
                EXPECT_EQ(report.end, CgEnd::converged) << to_string(report.end);
                solver.solution(x);
                EXPECT_LT(residual(system, b, x), 2e-10);
                EXPECT_NEAR(report.true_residual, residual(system, b, x), 1e-13);
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

TEST_F(GridSolverTest, SameBitsEveryTime) {
    const System system = stencil(300, 200);
    const std::vector<double> b = bump(system);
    std::vector<double> first(system.size), again(system.size);
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
    solver.set_rhs(std::vector<double>(system.size, 0.0));
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
    System system = stencil(65, 65);
    for (double& c : system.stencil.coefficients) c = -c;
    GridSolver solver(system);
    solver.set_rhs(bump(system));
    EXPECT_EQ(solver.solve({}).end, CgEnd::indefinite);
}

TEST_F(GridSolverTest, RefusesWhatItCannotRun) {
    SparseRows rows;
    rows.row_begin = {0, 1};
    rows.column = {0};
    rows.value = {1.0};
    EXPECT_THROW(GridSolver{System::from_rows(rows)}, InvalidInput);
    System skew = stencil(9, 9);
    skew.stencil.coefficients[0] = -0.1;
    EXPECT_THROW(GridSolver{skew}, InvalidInput);
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
    // The device is usable behind it.
    GridSolver solver(stencil(33, 33));
    solver.set_rhs(bump(stencil(33, 33)));
    EXPECT_EQ(solver.solve({}).end, CgEnd::converged);
}

} // namespace
} // namespace mantissa::gpu
