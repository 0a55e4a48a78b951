// BiCGStab and GMRES on the device: nonsymmetric systems reach the tolerance by the true residual, with the processor's
// count of iterations; what breaks down is not called converged. No bits are compared: sums have no order.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../device_test.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/engine.hpp"
#include "mantissa/host/native.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/recurrence/gmres.hpp"
#include "mantissa/recurrence/library.hpp"
#include "mantissa/recurrence/native.hpp"
#include "mantissa/recurrence/native_solver.hpp"
#include "native/native.hpp"

namespace mantissa {
namespace {

class GpuRecurrence : public testing::DeviceTest {};

SolveOptions iterated_by(const char* recurrence, double tolerance = 1e-8, bool single = false) {
    SolveOptions o;
    o.scheme = Scheme::recurrence;
    o.recurrence = parse_recurrence_choice(recurrence);
    o.spec = DatapathSpec(single ? formats::kFloat : formats::kDouble);
    o.tolerance = tolerance;
    o.keep_solution = true;
    return o;
}

SolveOptions bicgstab(double tolerance = 1e-8, bool single = false) {
    return iterated_by("bicgstab", tolerance, single);
}

const char* const kProblems[] = {
    "convection2d:n=63,peclet=10",
    "convection2d:n=127,peclet=100",
    "convection2d:n=63,peclet=60,difference=central",
    "convection2d:n=63,peclet=100,wind=recirculating",
    "convection3d:n=20,peclet=100",
    "convection3d:n=20,peclet=300,wind=recirculating",
};

TEST_F(GpuRecurrence, NonsymmetricSystemsReachTheTolerance) {
    const auto engine = make_gpu_engine();
    for (const char* const name : kProblems)
        for (const char* const way : {"bicgstab", "bicgstab float", "gmres(30)", "gmres(60) float"}) {
            SCOPED_TRACE(std::string(name) + " by " + way);
            const std::string words(way);
            const bool single = words.ends_with("float");
            const Problem problem = make_problem(name);
            const SolveOptions o = iterated_by(words.substr(0, words.find(' ')).c_str(), 1e-8, single);
            const SolveResult r = solve(problem, *engine, o);
            EXPECT_EQ(r.status, Status::converged) << r.detail;
            ASSERT_TRUE(r.native.has_value());
            EXPECT_EQ(r.native->plan, NativePlan::sparse_stream) << r.native->why;
            EXPECT_GT(r.native->seconds, 0);
            EXPECT_EQ(r.true_residual, relative_residual(problem.system, r.u, problem.b, 1, o.tolerance * 1.001));
            EXPECT_GE(r.outer_iterations, single ? 1U : 0U); // in float each round gains a few digits
        }
}

double square_of(const std::vector<double>& b) {
    double square = 0;
    for (const double x : b) square += x * x;
    return square;
}

CompressedRows with_unit_diagonal(const CompressedRows& a) {
    return recurrence::with_columns_scaled(a, recurrence::inverse_diagonal(a, true));
}

/// Iterations of the processor's loop on A D^-1.
std::uint64_t on_the_processor(const CompressedRows& a, const std::vector<double>& b, double tolerance) {
    const CompressedRows scaled = with_unit_diagonal(a);
    const double square = square_of(b);
    const recurrence::NativeRows<double> rows(scaled);
    recurrence::Native<recurrence::kBicgstab> loops(rows);
    loops.start(b);
    return loops.run({.passes = 20000, .rho_stop = tolerance * tolerance * square}).passes;
}

TEST_F(GpuRecurrence, TakesTheProcessorsIterations) {
    const auto engine = make_gpu_engine();
    for (const char* const name : kProblems) {
        const Problem problem = make_problem(name);
        const auto want =
            static_cast<double>(on_the_processor(std::get<CompressedRows>(problem.system.matrix()), problem.b, 1e-8));
        const SolveResult r = solve(problem, *engine, bicgstab());
        EXPECT_NEAR(static_cast<double>(r.inner_iterations), want, 0.1 * want + 1) << name;
    }
}

/// The processor's basis is by modified Gram-Schmidt, the device's by the classical one, twice where it matters.
TEST_F(GpuRecurrence, GmresTakesTheProcessorsIterations) {
    const auto engine = make_gpu_engine();
    for (const char* const name : kProblems)
        for (const std::size_t restart : {std::size_t{1}, std::size_t{8}, std::size_t{30}, std::size_t{200}}) {
            if (restart == 1 && name != kProblems[0]) continue; // (steepest descent comes to nothing on most)
            const Problem problem = make_problem(name);
            const double tolerance = restart == 1 ? 1e-2 : 1e-8;
            GmresSolver reference(System(with_unit_diagonal(std::get<CompressedRows>(problem.system.matrix()))),
                                  DatapathSpec(formats::kDouble), restart, 2);
            reference.start(problem.b);
            const auto want = static_cast<double>(
                reference.run({.passes = 20000, .rho_stop = tolerance * tolerance * square_of(problem.b)}).passes);
            SolveOptions o = iterated_by(("gmres(" + std::to_string(restart) + ")").c_str(), tolerance);
            o.max_iterations = 40000;
            const SolveResult r = solve(problem, *engine, o);
            EXPECT_EQ(r.status, Status::converged) << name << " " << restart << ": " << r.detail;
            EXPECT_NEAR(static_cast<double>(r.inner_iterations), want, 0.1 * want + 1) << name << " " << restart;
        }
}

TEST_F(GpuRecurrence, GmresStopsWhereACycleGainsNothing) { // a cyclic shift: b is orthogonal to A b, A A b, ...
    std::vector<std::uint64_t> begin(101);
    std::vector<std::uint32_t> column(100);
    for (std::uint32_t i = 0; i < 100; ++i) {
        begin[i + 1] = i + 1;
        column[i] = (i + 1) % 100;
    }
    Problem problem = make_problem("convection2d:n=10,peclet=10");
    problem.system = System(CompressedRows(std::move(begin), std::move(column), std::vector<double>(100, 1.0)));
    problem.exact = nullptr;
    problem.b.assign(100, 0.0);
    problem.b[0] = 1;
    const SolveResult in_vain = solve(problem, *make_gpu_engine(), iterated_by("gmres(20)"));
    EXPECT_EQ(in_vain.status, Status::stagnated);
    EXPECT_EQ(in_vain.true_residual, 1);
    const SolveResult whole = solve(problem, *make_gpu_engine(), iterated_by("gmres(100)"));
    EXPECT_EQ(whole.status, Status::converged) << whole.detail;
    EXPECT_EQ(whole.inner_iterations, 100U);
}

/// Diagonally dominant and not symmetric, with rows of all of the unknowns at the end, as they come in circuits.
CompressedRows with_long_rows(std::uint32_t n, std::uint32_t long_rows) {
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t i = 0; i < n; ++i) {
        const bool is_long = i >= n - long_rows;
        for (std::uint32_t j = 0; j < n; ++j) {
            const bool near = j + 1 == i || j == (i + 7) % n;
            if (j != i && !is_long && !near) continue;
            column.push_back(j);
            value.push_back(j == i ? 4 + 0.25 * (i % 5) : is_long ? 1.0 / n : j < i ? -1.5 : -0.5);
        }
        begin.push_back(column.size());
    }
    return {std::move(begin), std::move(column), std::move(value)};
}

TEST_F(GpuRecurrence, RowsInPiecesHaveTheirSums) {
    const CompressedRows a = with_long_rows(5000, 3);
    ASSERT_EQ(gpu::stream_format(a), SparseFormat::sell_lengths);
    const System system(a);
    std::vector<std::vector<double>> b(2, std::vector<double>(a.rows())), x;
    for (std::size_t i = 0; i < a.rows(); ++i) {
        b[0][i] = std::cos(0.37 * static_cast<double>(i));
        b[1][i] = 1e-100 * std::sin(0.11 * static_cast<double>(i + 1));
    }
    for (const bool single : {false, true}) {
        const auto solver = make_gpu_engine()->native(system, native_spec(single),
                                                      {NativePlan::automatic, true, &recurrence::kBicgstab});
        const auto reports = solver->solve(b, {1e-9, 500}, x);
        for (std::size_t s = 0; s < b.size(); ++s) {
            EXPECT_LT(relative_residual(system, x[s], b[s], 1, 1e-12), single ? 1.1e-5 : 1.01e-9);
        }
        const auto want = static_cast<double>(on_the_processor(a, b[0], single ? 1e-5 : 1e-9));
        EXPECT_NEAR(static_cast<double>(reports[0].iterations), want, 0.1 * want + 1);
    }
}

TEST_F(GpuRecurrence, GoesOnFromTheTrueResidual) { // which the recurrence's has left long before
    SolveOptions o = bicgstab(3e-13);
    const SolveResult r =
        solve(make_problem("convection2d:n=127,peclet=300,wind=recirculating"), *make_gpu_engine(), o);
    EXPECT_EQ(r.status, Status::converged) << r.detail;
    EXPECT_LT(r.true_residual, 3.003e-13);
    EXPECT_GE(r.outer_iterations, 1U);
}

TEST_F(GpuRecurrence, GoesOnAfterABreakdown) {
    // r.h is 1e-16 ||r|| ||h|| here for hundreds of iterations, and now and then just zero.
    const Problem problem = make_problem("convection2d:n=1023,peclet=100");
    const SolveResult r = solve(problem, *make_gpu_engine(), bicgstab());
    EXPECT_EQ(r.status, Status::converged) << r.detail;
    EXPECT_LT(r.true_residual, 1.001e-8);
}

TEST_F(GpuRecurrence, ABreakdownIsNotCalledConverged) { // h.v = r.A r is zero at once
    const CompressedRows turn({0, 1, 2, 3, 4}, {1, 0, 3, 2}, {1, -1, 2, -2});
    Problem problem = make_problem("convection2d:n=2,peclet=10");
    problem.system = System(turn);
    problem.exact = nullptr;
    problem.b = {1, 2, 3, 4};
    const SolveResult r = solve(problem, *make_gpu_engine(), bicgstab());
    EXPECT_EQ(r.status, Status::stagnated);
    EXPECT_EQ(r.true_residual, 1);
}

TEST_F(GpuRecurrence, TheLimitEndsItWithTheBestIterate) {
    SolveOptions o = bicgstab();
    o.max_iterations = 70;
    const SolveResult r =
        solve(make_problem("convection2d:n=127,peclet=1000,wind=recirculating"), *make_gpu_engine(), o);
    EXPECT_EQ(r.status, Status::iteration_limit);
    EXPECT_EQ(r.inner_iterations, 70U);
    EXPECT_LE(r.true_residual, 1);
}

TEST_F(GpuRecurrence, IsChosenWhereTheMatrixIsNotSymmetric) {
    SolveOptions o;
    const Problem problem = make_problem("convection2d:n=31,peclet=100");
    ASSERT_TRUE(take_native_default({.engine = "gpu", .format = ""}, o));
    EXPECT_TRUE(take_native_recurrence(problem, o));
    EXPECT_EQ(solve(problem, *make_gpu_engine(), o).status, Status::converged);
    ASSERT_TRUE(take_native_default({.engine = "gpu", .format = ""}, o));
    EXPECT_FALSE(take_native_recurrence(make_problem("poisson3d:level=3"), o));
    EXPECT_EQ(o.scheme, Scheme::jacobi_pcg);
}

TEST(GpuRecurrenceRefusals, SayWhy) { // (no device is asked)
    const auto why = [](const char* problem, const recurrence::Definition& definition) {
        return gpu::native_refusal(native_spec(), make_problem(problem).system,
                                   {NativePlan::automatic, true, &definition});
    };
    EXPECT_EQ(why("convection2d:n=7,peclet=10", recurrence::kBicgstab), "");
    EXPECT_NE(why("convection2d:n=7,peclet=10", recurrence::kFlexible).find("no native kernels"), std::string::npos);
    EXPECT_NE(why("poisson2d:level=4", recurrence::kBicgstab).find("a constant stencil"), std::string::npos);
    NativeChoice gmres;
    gmres.restart = 30;
    EXPECT_EQ(gpu::native_refusal(native_spec(), make_problem("convection2d:n=7,peclet=10").system, gmres), "");
}

} // namespace
} // namespace mantissa
