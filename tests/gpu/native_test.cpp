// Native solves through solve(): every plan reaches the tolerance by the true residual, goes on where its own residual
// was wrong, and says what it was. No bits are compared: sums have no order.
#include <algorithm>
#include <cmath>

#include "device_test.hpp"
#include "mantissa/gpu/engine.hpp"
#include "mantissa/host/fastest.hpp"
#include "mantissa/host/native.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/host/solve.hpp"

namespace mantissa {
namespace {

class GpuNative : public testing::DeviceTest {};

SolveOptions native_options(NativePlan plan = NativePlan::automatic, bool single = false) {
    SolveOptions o;
    o.scheme = Scheme::jacobi_pcg;
    o.spec = native_spec(single);
    o.plan = plan;
    o.keep_solution = true;
    return o;
}

void expect_solved(const Problem& problem, const Engine& engine, const SolveOptions& options, NativePlan plan) {
    SCOPED_TRACE(problem.name + " " + to_string(plan));
    const SolveResult r = solve(problem, engine, options);
    EXPECT_EQ(r.status, Status::converged) << r.detail;
    ASSERT_TRUE(r.native.has_value());
    EXPECT_EQ(r.native->plan, plan) << r.native->why;
    EXPECT_FALSE(r.native->why.empty());
    EXPECT_GT(r.native->seconds, 0);
    EXPECT_GT(r.inner_iterations, 0U);
    EXPECT_EQ(r.true_residual, relative_residual(problem.system, r.u, problem.b, 1, options.tolerance * 1.001));
}

TEST_F(GpuNative, EveryPlanReachesTheTolerance) {
    const auto engine = make_gpu_engine();
    const Problem grid = make_problem("poisson2d:level=7"), rows = make_problem("poisson3d:level=4"),
                  bands = make_problem("diffusion2d:level=6,contrast=10");
    for (const bool single : {false, true}) {
        expect_solved(grid, *engine, native_options(NativePlan::automatic, single), NativePlan::grid_resident);
        expect_solved(grid, *engine, native_options(NativePlan::grid_stream, single), NativePlan::grid_stream);
        for (const Problem* p : {&rows, &bands}) {
            expect_solved(*p, *engine, native_options(NativePlan::automatic, single), NativePlan::sparse_resident);
            expect_solved(*p, *engine, native_options(NativePlan::sparse_stream, single), NativePlan::sparse_stream);
        }
    }
}

/// A solve that is one kernel shows how far it is, without another bit of its solution, and ends where it is told to.
void expect_seen_and_stopped(const Problem& problem, const Engine& engine, NativePlan plan, bool single) {
    SCOPED_TRACE(problem.name + " " + to_string(plan) + (single ? ", float" : ", double"));
    NativeChoice choice;
    choice.plan = plan;
    const auto solver = engine.native(problem.system, native_spec(single), choice);
    std::vector<std::vector<double>> whole, watched, stopped;
    constexpr std::uint64_t kPasses = 400'000; // a second and more
    const NativeRequest plain{.tolerance = 1e-9, .max_iterations = kPasses};
    EXPECT_EQ(solver->solve(std::span(&problem.b, 1), plain, whole).front().end, PcgEnd::reached);

    std::vector<std::uint64_t> seen;
    NativeRequest request = plain;
    request.watch = [&](std::uint64_t passes, double residual) {
        seen.push_back(passes);
        EXPECT_TRUE(residual > 0 && residual < 1e6) << residual;
        return true;
    };
    const NativeReport report = solver->solve(std::span(&problem.b, 1), request, watched).front();
    EXPECT_EQ(report.end, PcgEnd::reached);
    EXPECT_EQ(watched, whole) << "a look changes no bit";
    ASSERT_FALSE(seen.empty());
    EXPECT_TRUE(std::ranges::is_sorted(seen));
    EXPECT_LE(seen.back(), report.iterations);

    request.tolerance = 0; // runs all passes
    request.watch = [](std::uint64_t passes, double) { return passes < 500; };
    const NativeReport early = solver->solve(std::span(&problem.b, 1), request, stopped).front();
    EXPECT_EQ(early.end, PcgEnd::cancelled);
    EXPECT_GE(early.iterations, 500U);
    EXPECT_LT(early.iterations, kPasses);
}

TEST_F(GpuNative, AGridsKernelIsSeenAndStopped) {
    const auto engine = make_gpu_engine();
    const Problem grid = make_problem("poisson2d:level=9");
    for (const NativePlan plan : {NativePlan::grid_resident, NativePlan::grid_stream})
        for (const bool single : {false, true}) expect_seen_and_stopped(grid, *engine, plan, single);
}

TEST_F(GpuNative, KernelsOverPartsAreSeenAndStopped) {
    const auto engine = make_parted_gpu_engine(spread_devices(2));
    for (const bool single : {false, true}) {
        expect_seen_and_stopped(make_problem("poisson2d:level=9"), *engine, NativePlan::grid_parts, single);
        // (by passes over memory)
        expect_seen_and_stopped(make_problem("poisson2d:level=11"), *engine, NativePlan::grid_parts, single);
    }
    // Enough iterations that one is seen.
    expect_seen_and_stopped(make_problem("diffusion2d:level=9,contrast=100"), *engine, NativePlan::sparse_parts, false);
}

TEST_F(GpuNative, PipelinedIsWithoutAPreconditioner) {
    SolveOptions o = native_options();
    o.scheme = Scheme::pipelined;
    const auto engine = make_gpu_engine();
    expect_solved(make_problem("poisson3d:level=4"), *engine, o, NativePlan::sparse_stream);
    o.jacobi = true;
    expect_solved(make_problem("diffusion2d:level=6,contrast=100"), *engine, o, NativePlan::sparse_stream);
}

TEST_F(GpuNative, SeveralParts) {
    const auto engine = make_parted_gpu_engine({0, 0});
    expect_solved(make_problem("poisson2d:level=7"), *engine, native_options(NativePlan::grid_parts),
                  NativePlan::grid_parts);
    expect_solved(make_problem("poisson3d:level=4"), *engine, native_options(NativePlan::sparse_parts),
                  NativePlan::sparse_parts);
    expect_solved(make_problem("poisson2d:level=7"), *engine, native_options(), NativePlan::grid_resident);
}

TEST_F(GpuNative, RightHandSidesGoTogether) {
    const auto engine = make_gpu_engine();
    Problem problem = make_problem("poisson3d:level=4");
    for (const double shift : {1.0, -0.5, 3.0}) {
        problem.more.push_back(problem.b);
        for (std::size_t i = 0; i < problem.b.size(); ++i) problem.more.back()[i] += shift * std::cos(0.1 * double(i));
    }
    const SolveOptions o = native_options(NativePlan::sparse_stream);
    const std::vector<SolveResult> all = solve_all(problem, *engine, o);
    ASSERT_EQ(all.size(), 4U);
    Problem one = problem;
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (k != 0) one.b = problem.more[k - 1];
        EXPECT_EQ(all[k].status, Status::converged) << all[k].detail;
        EXPECT_LT(relative_residual(one.system, all[k].u, one.b, 1), 1.001e-10);
        ASSERT_TRUE(all[k].native);
        EXPECT_EQ(all[k].native->plan, NativePlan::sparse_stream);
        EXPECT_EQ(all[k].seconds, all[0].seconds) << "of all";
        EXPECT_GT(all[k].inner_iterations, 0U);
    }
}

TEST_F(GpuNative, GoesOnWhereItsOwnResidualWasWrong) { // in float each round gains a few digits
    const SolveResult r =
        solve(make_problem("poisson3d:level=4"), *make_gpu_engine(), native_options(NativePlan::sparse_stream, true));
    EXPECT_EQ(r.status, Status::converged) << r.detail;
    EXPECT_GE(r.outer_iterations, 1U);
    EXPECT_LT(r.true_residual, 1.001e-10);
}

TEST_F(GpuNative, SaysStagnatedWhereNothingMoreIsToBeHad) {
    SolveOptions o = native_options();
    o.tolerance = 1e-18;
    const SolveResult r = solve(make_problem("poisson2d:level=6"), *make_gpu_engine(), o);
    EXPECT_EQ(r.status, Status::stagnated);
    EXPECT_NE(r.detail.find("rounding in double precision leaves about"), std::string::npos) << r.detail;
}

TEST_F(GpuNative, TheLimitEndsIt) {
    SolveOptions o = native_options();
    o.max_iterations = 20;
    const SolveResult r = solve(make_problem("poisson2d:level=7"), *make_gpu_engine(), o);
    EXPECT_EQ(r.status, Status::iteration_limit);
    EXPECT_LE(r.inner_iterations, 20U);
}

TEST_F(GpuNative, TakesTheSchemeOfTheProcessor) { // jacobi-pcg in double is native there without sum=free
    SolveOptions o = native_options();
    o.spec = DatapathSpec(formats::kDouble);
    expect_solved(make_problem("poisson3d:level=4"), *make_gpu_engine(), o, NativePlan::sparse_resident);
}

TEST_F(GpuNative, RefusesPlansThatCannotBe) {
    const auto engine = make_gpu_engine();
    const auto faulty = [&](const char* problem, NativePlan plan, const char* why) {
        try {
            static_cast<void>(solve(make_problem(problem), *engine, native_options(plan)));
            ADD_FAILURE() << problem << " " << to_string(plan);
        } catch (const InvalidInput& e) {
            EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
        }
    };
    faulty("poisson2d:level=6", NativePlan::sparse_stream, "is a constant stencil");
    faulty("poisson3d:level=3", NativePlan::grid_stream, "no constant stencil");
    faulty("poisson2d:level=6", NativePlan::grid_parts, "for several GPUs");
    faulty("poisson2d:level=11", NativePlan::grid_resident, "is not kept on one GPU's chip");
}

/// As `--engine gpu` alone has it.
SolveOptions nobodys_wish() {
    SolveOptions o;
    EXPECT_TRUE(take_native_default({.engine = "gpu", .format = ""}, o));
    o.tolerance = 1e-8;
    o.keep_solution = true;
    return o;
}

TEST_F(GpuNative, StreamedRowsAreWatched) {
    const auto engine = make_gpu_engine();
    const Problem problem = make_problem("generated:kind=thermal,n=1200000");
    SolveOptions o = nobodys_wish();
    o.plan = NativePlan::sparse_stream;
    const SolveResult all = solve(problem, *engine, o);
    ASSERT_EQ(all.status, Status::converged) << all.detail;
    ASSERT_GT(all.inner_iterations, 200U);
    const SolveResult stopped = solve(problem, *engine, o, [](const HistoryPoint&) { return false; });
    EXPECT_EQ(stopped.status, Status::iteration_limit);
    EXPECT_LT(stopped.inner_iterations, all.inner_iterations);
    EXPECT_EQ(stopped.inner_iterations % 32, 0U) << "a look after each graph of iterations, ten times a second";
}

TEST_F(GpuNative, RowsBeginWithCycles) {
    const auto engine = make_gpu_engine();
    Problem problem = make_problem("generated:kind=thermal,n=400000");
    std::string lines;
    const Say say = [&](const std::string& line) { lines += line; };
    SolveOptions o = nobodys_wish();
    const std::vector<SolveResult> one = solve_fastest(problem, *engine, o, {}, say);
    EXPECT_NE(lines.find("CG in double around multilevel cycles, v22,w=double;"), std::string::npos) << lines;
    EXPECT_EQ(o.scheme, Scheme::inexact_pcg);
    EXPECT_EQ(one.front().status, Status::converged) << one.front().detail;
    EXPECT_LT(one.front().inner_iterations, 100U);
    EXPECT_LT(relative_residual(problem.system, one.front().u, problem.b, 2), 1.001e-8);
    problem.more.assign(1, problem.b);
    o = nobodys_wish();
    for (const SolveResult& r : solve_fastest(problem, *engine, o, {}, say)) {
        EXPECT_EQ(r.status, Status::converged) << r.detail;
        EXPECT_LT(relative_residual(problem.system, r.u, problem.b, 2), 1.001e-8);
    }
}

/// A x = ones, a_ij = by_distance[|i - j|].
Problem banded(std::uint32_t size, const std::vector<double>& by_distance) {
    const auto reach = static_cast<std::uint32_t>(by_distance.size() - 1);
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t i = 0; i < size; ++i) {
        for (std::uint32_t j = i < reach ? 0 : i - reach; j <= std::min(i + reach, size - 1); ++j) {
            column.push_back(j);
            value.push_back(by_distance[i > j ? i - j : j - i]);
        }
        begin.push_back(column.size());
    }
    Problem problem = make_problem("poisson2d:level=2");
    problem.system = System(CompressedRows(begin, column, value));
    problem.b.assign(size, 1.0);
    problem.exact = {};
    return problem;
}

TEST_F(GpuNative, GmresTakesOverFromCgThatBreaksDown) {
    const Problem problem = banded(50, {1, -3}); // eigenvalues of both signs
    SolveOptions o = nobodys_wish();
    std::string lines;
    const SolveResult r =
        solve_fastest(problem, *make_gpu_engine(), o, {}, [&](const std::string& line) { lines += line; }).front();
    EXPECT_NE(lines.find("CG by the diagonal: breakdown"), std::string::npos) << lines;
    EXPECT_EQ(r.status, Status::converged) << r.detail;
    EXPECT_LT(relative_residual(problem.system, r.u, problem.b, 1), 1.001e-8);
}

TEST_F(GpuNative, CgGoesOnWhereCyclesDoNotPay) { // a beam of fourth differences, whose near kernel is not constant
    const Problem problem = banded(400, {6, -4, 1});
    SolveOptions o = nobodys_wish();
    o.tolerance = 1e-6;
    std::string lines;
    const SolveResult r =
        solve_fastest(problem, *make_gpu_engine(), o, {}, [&](const std::string& line) { lines += line; }).front();
    EXPECT_NE(lines.find("CG preconditioned by the diagonal goes on"), std::string::npos) << lines;
    EXPECT_EQ(o.scheme, Scheme::jacobi_pcg);
    EXPECT_EQ(r.status, Status::converged) << r.detail;
    EXPECT_LT(relative_residual(problem.system, r.u, problem.b, 1), 1.001e-6);
}

TEST_F(GpuNative, ConstantStencilsBeginWithCyclesInWords) {
    const auto engine = make_gpu_engine();
    SolveOptions o = nobodys_wish();
    o.tolerance = 1e-10;
    const Problem problem = make_problem("poisson2d:level=9");
    ASSERT_TRUE(first_cycles(problem, *engine, o));
    EXPECT_FALSE(first_cycles(make_problem("poisson2d:level=6"), *engine, o)); // (CG on the chip is as fast)
    const SolveResult r = solve_fastest(problem, *engine, o, {}, [](const std::string&) {}).front();
    EXPECT_EQ(r.status, Status::converged) << r.detail;
    EXPECT_EQ(o.scheme, Scheme::defect_correction);
    EXPECT_LE(r.inner_iterations, 12U);
    EXPECT_LT(relative_residual(problem.system, r.u, problem.b, 2), 1.001e-10);
    // What double cannot hold CG is not asked for either.
    o = nobodys_wish();
    o.tolerance = 1e-14;
    std::string lines;
    const SolveResult beyond =
        solve_fastest(problem, *engine, o, {}, [&](const std::string& line) { lines += line; }).front();
    EXPECT_EQ(lines.find("goes on"), std::string::npos) << lines;
    EXPECT_EQ(beyond.status == Status::converged, beyond.true_residual < 1.001e-14);
}

TEST_F(GpuNative, SessionsHaveNoFreeSums) {
    const Problem problem = make_problem("poisson2d:level=4");
    EXPECT_NE(make_gpu_engine()->refusal(native_spec(), problem.system, {}).find("sum=free"), std::string::npos);
}

} // namespace
} // namespace mantissa
