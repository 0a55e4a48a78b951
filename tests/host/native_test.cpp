// Native solves on a machine without a GPU: which plan is picked, what is refused, what asks for one, and the
// processor's loops. (The GPU's kernels are tested in tests/gpu/native_test.cpp.)
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "expect_invalid.hpp"
#include "mantissa/host/native.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/point.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/recurrence/library.hpp"
#include "mantissa/sparse/jacobi_pcg.hpp"

namespace mantissa {
namespace {

NativeFacts facts(bool grid, bool fits, int parts = 1) {
    return {.grid = grid,
            .columns = 2047,
            .rows = 2047,
            .parts = parts,
            .fits_chip = fits,
            .why_not = fits ? "" : "too large for this test"};
}

TEST(NativePlans, AreNamed) {
    for (const NativePlan plan :
         {NativePlan::automatic, NativePlan::grid_resident, NativePlan::grid_stream, NativePlan::grid_parts,
          NativePlan::sparse_resident, NativePlan::sparse_stream, NativePlan::sparse_parts, NativePlan::processor}) {
        EXPECT_EQ(parse_native_plan(to_string(plan)), plan);
        EXPECT_NE(options::find("plan")->help.find(to_string(plan)), std::string_view::npos) << to_string(plan);
    }
    expect_invalid([] { static_cast<void>(parse_native_plan("fastest")); }, "plan 'fastest': write one of automatic");
}

TEST(NativePlans, ArePickedBySize) {
    const auto picked = [](const NativeFacts& f) { return pick_plan(f, NativePlan::automatic); };
    EXPECT_EQ(picked(facts(true, true)).plan, NativePlan::grid_resident);
    EXPECT_EQ(picked(facts(true, false)).plan, NativePlan::grid_stream);
    EXPECT_EQ(picked(facts(false, true)).plan, NativePlan::sparse_resident);
    EXPECT_EQ(picked(facts(false, false)).plan, NativePlan::sparse_stream);
    // Several GPUs: what one chip holds stays there.
    EXPECT_EQ(picked(facts(true, true, 2)).plan, NativePlan::grid_resident);
    EXPECT_EQ(picked(facts(true, false, 2)).plan, NativePlan::grid_parts);
    EXPECT_EQ(picked(facts(false, false, 4)).plan, NativePlan::sparse_parts);
    EXPECT_NE(picked(facts(true, false)).why.find("2047 x 2047 points is not kept on one GPU's chip"),
              std::string::npos);
    EXPECT_NE(picked(facts(false, false, 4)).why.find("4 parts share it"), std::string::npos);
}

TEST(NativePlans, AskedForAreTakenWhereTheyCanBe) {
    EXPECT_EQ(pick_plan(facts(true, true), NativePlan::grid_stream).plan, NativePlan::grid_stream);
    EXPECT_EQ(pick_plan(facts(false, true, 2), NativePlan::sparse_parts).plan, NativePlan::sparse_parts);
    const auto refused = [](const NativeFacts& f, NativePlan asked, const char* why) {
        expect_invalid([&] { static_cast<void>(pick_plan(f, asked)); }, why);
    };
    refused(facts(true, true), NativePlan::sparse_stream, "is a constant stencil; leave the plan out");
    refused(facts(false, true), NativePlan::grid_stream, "is no constant stencil");
    refused(facts(true, false), NativePlan::grid_resident, "too large for this test");
    refused(facts(true, false), NativePlan::grid_parts, "for several GPUs (--gpus, --devices)");
}

TEST(NativeDefault, IsTakenWhereNothingOfADatapathWasAskedFor) {
    const auto taken = [](const AskedFor& asked) {
        SolveOptions o;
        const SolveOptions before = o;
        const bool chosen = take_native_default(asked, o);
        EXPECT_EQ(chosen, !(o.spec == before.spec));
        return chosen ? to_string(o.scheme) + " " + to_string(o.spec) : std::string();
    };
    const std::string wide = "jacobi-pcg s52e11:rne:subnormals,sum=free",
                      narrow = "jacobi-pcg s23e8:rne:subnormals,sum=free";
    EXPECT_EQ(taken({.engine = "gpu", .format = ""}), wide);
    EXPECT_EQ(taken({.engine = "gpu", .format = "double"}), wide);
    EXPECT_EQ(taken({.engine = "gpu", .format = "float"}), narrow);
    // What was written so before keeps its datapath.
    for (const char* format : {"s52e11", "s23e8", "half", "s17e8", "fx18.16"})
        EXPECT_EQ(taken({.engine = "gpu", .format = format}), "") << format;
    EXPECT_EQ(taken({.engine = "gpu", .format = "double", .scheme = true}), "");
    EXPECT_EQ(taken({.engine = "gpu", .format = "double", .scheme = false, .datapath = true}), "");
    for (const char* engine : {"emulated", "hls", "systemc", "rtl"})
        EXPECT_EQ(taken({.engine = engine, .format = "double"}), "") << engine;
}

TEST(NativeDefault, FreeSumsHaveAScheme) {
    SolveOptions o;
    o.spec = native_spec();
    EXPECT_FALSE(take_native_default({.engine = "gpu", .format = "", .scheme = false, .datapath = true}, o));
    EXPECT_EQ(o.scheme, Scheme::jacobi_pcg);
    o.jacobi = true; // a scaled system is preconditioned
    EXPECT_TRUE(take_native_default({.engine = "gpu", .format = "double"}, o));
    EXPECT_EQ(o.scheme, Scheme::pipelined);
}

TEST(NativeDefault, IsBicgstabWhereTheMatrixIsNotSymmetric) {
    const Problem problem = make_problem("convection2d:n=5,peclet=10");
    SolveOptions o;
    ASSERT_TRUE(take_native_default({.engine = "gpu", .format = ""}, o));
    EXPECT_FALSE(take_native_recurrence(make_problem("poisson3d:level=2"), o));
    EXPECT_EQ(o.scheme, Scheme::jacobi_pcg);
    EXPECT_TRUE(take_native_recurrence(problem, o));
    EXPECT_EQ(o.scheme, Scheme::recurrence);
    EXPECT_EQ(o.recurrence, RecurrenceChoice::bicgstab);
    SolveOptions reduced; // (a datapath keeps what it was asked for)
    EXPECT_FALSE(take_native_recurrence(problem, reduced));
}

TEST(NativeLoops, AreTakenForARecurrenceByNameInDoubleOrFloat) {
    const Problem rows = make_problem("poisson3d:level=2"), grid = make_problem("poisson2d:level=3");
    const AskedFor asked{.engine = "emulated", .format = "double", .solver = true};
    SolveOptions cg;
    cg.scheme = Scheme::cg;
    cg.recurrence = RecurrenceChoice::cg;
    cg.spec = DatapathSpec(formats::kDouble);
    const auto taken = [&](AskedFor a, const Problem& problem, SolveOptions o) {
        return take_native_loops(a, problem, o) && o.spec == native_spec(a.format == "float");
    };
    EXPECT_TRUE(taken(asked, rows, cg));
    EXPECT_FALSE(taken(asked, grid, cg));
    AskedFor other = asked;
    other.format = "float";
    EXPECT_TRUE(taken(other, rows, cg));
    other.format = "s52e11"; // (a written form is a datapath)
    EXPECT_FALSE(taken(other, rows, cg));
    other = asked;
    other.datapath = true;
    EXPECT_FALSE(taken(other, rows, cg));
    other = asked;
    other.engine = "hls";
    EXPECT_FALSE(taken(other, rows, cg));
    SolveOptions o = cg;
    o.scheme = Scheme::defect_correction;
    EXPECT_FALSE(taken(asked, rows, o));
    o = cg;
    o.scheme = Scheme::recurrence;
    o.recurrence = RecurrenceChoice::flexible;
    EXPECT_FALSE(taken(asked, rows, o));
    o.recurrence = RecurrenceChoice::bicgstab;
    EXPECT_TRUE(taken(asked, rows, o));
}

TEST(NativeLoops, SolveToTheTrueResidual) {
    const auto emulated = make_emulated_engine();
    for (const char* text : {"poisson3d:level=3", "convection2d:n=31,peclet=40", "generated:kind=thermal,n=900"}) {
        Problem problem = make_problem(text);
        problem.more = {std::vector<double>(problem.b.size(), 1.0)};
        for (const RecurrenceChoice choice : {RecurrenceChoice::cg, RecurrenceChoice::bicgstab}) {
            if (choice == RecurrenceChoice::cg && !problem.symmetric) continue;
            for (const bool single : {false, true}) {
                for (const bool jacobi : {false, true}) {
                    SCOPED_TRACE(std::string(text) + " " + to_string(choice) + (single ? " float" : " double"));
                    SolveOptions o;
                    o.scheme = choice == RecurrenceChoice::cg ? Scheme::cg : Scheme::recurrence;
                    o.recurrence = choice;
                    o.spec = native_spec(single);
                    o.jacobi = jacobi;
                    o.keep_solution = true;
                    const std::vector<SolveResult> results = solve_all(problem, *emulated, o);
                    ASSERT_EQ(results.size(), 2u);
                    for (const SolveResult& r : results) {
                        EXPECT_EQ(r.status, Status::converged) << r.detail;
                        EXPECT_LT(r.true_residual, 1.001e-10);
                        ASSERT_TRUE(r.native);
                        EXPECT_EQ(r.native->plan, NativePlan::processor);
                    }
                }
            }
        }
    }
}

// In one run, with no sums but where it looks: bounds of the matrix as it is solved, estimated or given.
TEST(NativeLoops, ChebyshevReachesTheTrueResidual) {
    const auto emulated = make_emulated_engine();
    for (const char* text : {"poisson3d:level=3", "generated:kind=thermal,n=900"})
        for (const bool single : {false, true})
            for (const bool jacobi : {false, true}) {
                SCOPED_TRACE(std::string(text) + (single ? " float" : " double") + (jacobi ? " jacobi" : ""));
                SolveOptions o;
                o.scheme = Scheme::defect_correction;
                o.recurrence = RecurrenceChoice::chebyshev;
                o.spec = native_spec(single);
                o.jacobi = jacobi;
                const SolveResult r = solve(make_problem(text), *emulated, o);
                EXPECT_EQ(r.status, Status::converged) << r.detail;
                EXPECT_LT(r.true_residual, 1.001e-10);
                EXPECT_EQ(r.inner_iterations % 32, 0U);
                ASSERT_TRUE(r.native && r.chebyshev);
                EXPECT_EQ(r.native->plan, NativePlan::processor);
                EXPECT_GT(r.chebyshev->lanczos_steps, 0U);
                if (jacobi) continue;
                o.bounds = r.chebyshev->bounds;
                EXPECT_EQ(solve(make_problem(text), *emulated, o).inner_iterations, r.inner_iterations);
                o.bounds->high /= 4; // eigenvalues above it grow
                o.max_iterations = 500;
                const SolveResult grown = solve(make_problem(text), *emulated, o);
                EXPECT_NE(grown.status, Status::converged);
                if (grown.status == Status::breakdown) {
                    EXPECT_NE(grown.detail.find("lies above the bounds"), std::string::npos) << grown.detail;
                }
            }
}

TEST(NativeLoops, AskedForMoreThanThereIsGiveTheBestBack) {
    const Problem problem = make_problem("convection2d:n=31,peclet=1000,wind=recirculating");
    SolveOptions o;
    o.scheme = Scheme::recurrence;
    o.recurrence = RecurrenceChoice::bicgstab;
    o.spec = native_spec();
    o.tolerance = 1e-15;
    o.max_iterations = 3000;
    const SolveResult r = solve(problem, *make_emulated_engine(), o);
    EXPECT_LT(r.true_residual, 1e-13) << r.detail;
    o.max_iterations = 1; // no nearer than at the start: not farther either
    EXPECT_LE(solve(problem, *make_emulated_engine(), o).true_residual, 1);
}

// At the seam itself: a solve asks its listener only every 100 ms, which a quick machine needs for no solve of a test.
TEST(NativeLoops, SayWhereTheyAreAndCanBeStopped) {
    const Problem problem = make_problem("generated:kind=supply,n=2500");
    const std::vector<double> b(problem.system.size(), 1.0);
    for (const recurrence::Definition* definition : {&recurrence::kCg, &recurrence::kBicgstab}) {
        NativeChoice native;
        native.jacobi = false;
        native.recurrence = definition;
        const auto solver = make_emulated_engine()->native(problem.system, native_spec(), native);
        std::vector<std::uint64_t> seen;
        double last = 0;
        NativeRequest request{1e-12, 3000};
        request.watch = [&](std::uint64_t iterations, double residual) {
            seen.push_back(iterations);
            last = residual;
            return seen.size() < 2;
        };
        std::vector<std::vector<double>> x;
        const NativeReport report = solver->solve(std::span(&b, 1), request, x).front();
        EXPECT_EQ(report.end, PcgEnd::cancelled);
        ASSERT_EQ(seen.size(), 2U);
        EXPECT_LT(seen[0], seen[1]);
        EXPECT_EQ(report.iterations, seen[1]);
        EXPECT_LT(last, 1);
        EXPECT_GT(last, 1e-12);
        request.watch = {}; // (none of the last one's stays)
        EXPECT_EQ(solver->solve(std::span(&b, 1), request, x).front().end, PcgEnd::reached);
        EXPECT_EQ(seen.size(), 2U);
    }
}

TEST(NativeSolves, AreRefusedInOneLine) {
    const auto emulated = make_emulated_engine();
    const Problem problem = make_problem("poisson2d:level=3");
    SolveOptions o;
    o.spec = native_spec();
    // Named are those that go here, and where none does, why.
    o.scheme = Scheme::residual_guided;
    expect_invalid([&] { static_cast<void>(solve(make_problem("poisson3d:level=2"), *emulated, o)); },
                   "scheme residual-guided does not go with sums that are free in order; here go direct, pipelined, "
                   "bicgstab, defect-correction with the recurrence chebyshev");
    for (const Scheme scheme : {Scheme::residual_guided, Scheme::jacobi_pcg, Scheme::pipelined, Scheme::cg}) {
        o.scheme = scheme;
        expect_invalid([&] { static_cast<void>(solve(problem, *emulated, o)); },
                       "native loops on this processor take sparse rows");
    }
    o.scheme = Scheme::jacobi_pcg;
    expect_invalid([&] { static_cast<void>(solve(make_problem("poisson3d:level=2"), *emulated, o)); },
                   "scheme jacobi-pcg: it is native on this processor in double as it stands");
    EXPECT_NE(emulated->refusal(o.spec, problem.system, {}).find("leave sum=free out"), std::string::npos);
    SolveOptions planned;
    planned.plan = NativePlan::grid_stream;
    expect_invalid([&] { static_cast<void>(solve(problem, *emulated, planned)); },
                   "plan grid-stream: only a native solver has plans");
}

} // namespace
} // namespace mantissa
