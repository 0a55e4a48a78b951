// GMRES(m) through solve(): alone and inside refinement, and what cannot stand beside it.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cyclic_shift.hpp"
#include "expect_invalid.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/host/fastest.hpp"
#include "mantissa/host/native.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/multilevel/cycle_spec.hpp"
#include "scratch.hpp"

namespace {

using namespace mantissa;

SolveOptions gmres(const char* spec, std::uint64_t restart = 30) {
    SolveOptions o;
    o.scheme = Scheme::recurrence;
    o.spec = parse_spec(spec);
    o.recurrence = RecurrenceChoice(RecurrenceChoice::gmres, restart);
    o.keep_solution = true;
    return o;
}

SolveResult run(const Problem& p, const SolveOptions& o) {
    return solve(p, *make_emulated_engine(), o);
}

TEST(GmresSolves, NonsymmetricSystemsInDoublePrecision) {
    for (const char* text :
         {"convection2d:n=31,peclet=100", "convection2d:n=31,peclet=30,difference=central",
          "convection2d:n=31,peclet=1000,wind=recirculating", "convection3d:n=11,peclet=200", "poisson2d:level=5"}) {
        const Problem p = make_problem(text);
        for (const bool jacobi : {false, true}) {
            SolveOptions o = gmres("double");
            o.jacobi = jacobi;
            const SolveResult r = run(p, o);
            EXPECT_EQ(r.status, Status::converged) << text << ": " << r.detail;
            EXPECT_LT(r.true_residual, 1e-10 * 1.001) << text;
            EXPECT_LT(*r.error, p.symmetric ? 1e-4 : 1e-8) << text; // (of differences, and of elements)
        }
    }
}

/// GMRES-IR: short formats inside, the true residual in double outside.
TEST(GmresSolves, RefinementReachesWhatAShortFormatCannot) {
    const Problem p = make_problem("convection2d:n=31,peclet=200,wind=recirculating");
    const SolveResult alone = run(p, gmres("s12e8"));
    EXPECT_NE(alone.status, Status::converged);
    EXPECT_GT(alone.true_residual, 1e-9);
    EXPECT_LT(alone.true_residual, 1e-1); // the best that it had
    for (const bool digits : {false, true}) {
        SolveOptions o = gmres("s12e8");
        o.scheme = Scheme::defect_correction;
        o.inner = 30;
        o.digits = digits ? 2 : 0;
        const SolveResult refined = run(p, o);
        EXPECT_EQ(refined.status, Status::converged) << refined.detail;
        EXPECT_LT(refined.true_residual, 1e-10 * 1.001);
        EXPECT_GT(refined.outer_iterations, 2u);
    }
}

/// A cycle shorter than the shift's order gains nothing, whatever is asked: no false "converged".
TEST(GmresSolves, SaysSoWhereItCannot) {
    constexpr std::uint32_t kOrder = 40;
    std::vector<double> b(kOrder, 0.0);
    b[0] = 1;
    const Problem shift{"shift", mantissa::testing::cyclic_shift(kOrder), b, {}, {}, {}, false};
    const SolveResult r = run(shift, gmres("double", 39));
    EXPECT_EQ(r.status, Status::stagnated) << r.detail;
    EXPECT_EQ(r.true_residual, 1.0);
    EXPECT_EQ(run(shift, gmres("double", kOrder)).status, Status::converged);
    SolveOptions limited = gmres("double", 39);
    limited.max_iterations = 60;
    const SolveResult ended = run(shift, limited);
    EXPECT_EQ(ended.status, Status::iteration_limit);
    EXPECT_EQ(ended.inner_iterations, 60u);
    // A singular matrix.
    const Problem singular{"singular", CompressedRows({0, 1, 2}, {1, 1}, {1, 0}), {1, 0}, {}, {}, {}, false};
    const SolveResult none = run(singular, gmres("double"));
    EXPECT_EQ(none.status, Status::breakdown);
    EXPECT_NE(none.detail.find("the matrix is singular"), std::string::npos) << none.detail;
}

TEST(GmresSolves, ThreadsChangeNothing) {
    const Problem p = make_problem("convection3d:n=19,peclet=50");
    SolveOptions o = gmres("s23e8", 12);
    o.tolerance = 1e-5;
    const SolveResult one = run(p, o);
    o.threads = 3;
    const SolveResult three = run(p, o);
    EXPECT_EQ(one.status, Status::converged);
    EXPECT_EQ(one.u, three.u);
    EXPECT_EQ(one.inner_iterations, three.inner_iterations);
}

SolveOptions asked(std::initializer_list<std::pair<const char*, options::Value>> given) {
    options::Request request;
    for (const auto& [name, value] : given) options::give(request, *options::find(name), value, name);
    return request.finish();
}

TEST(GmresSolves, ByItsNameInTheOptionTable) {
    using namespace std::string_literals;
    const SolveOptions alone = asked({{"recurrence", "gmres(12)"s}});
    EXPECT_EQ(alone.scheme, Scheme::recurrence);
    EXPECT_EQ(alone.recurrence, RecurrenceChoice(RecurrenceChoice::gmres, 12));
    EXPECT_EQ(iterated(asked({{"recurrence", "gmres"s}})).restart, kUsualRestart);
    const SolveOptions inner = asked({{"recurrence", "gmres(50)"s}, {"outer_loop", "defect-correction"s}});
    EXPECT_EQ(inner.scheme, Scheme::defect_correction);
    EXPECT_EQ(inner.recurrence, RecurrenceChoice(RecurrenceChoice::gmres, 50));
    EXPECT_EQ(options::key_text(asked({{"scheme", "gmres"s}})), options::key_text(asked({{"recurrence", "gmres"s}})));
    EXPECT_NE(options::key_text(inner).find(" recurrence=gmres(50)"), std::string::npos);
    expect_invalid([] { asked({{"recurrence", "gmres(0)"s}}); }, "recurrence 'gmres(0)': write gmres(M), with");
    expect_invalid([] { asked({{"recurrence", "gmres(12"s}}); }, "write gmres(M)");
    expect_invalid([] { asked({{"recurrence", "cg(12)"s}}); }, "write gmres(M)");
    expect_invalid(
        [] {
            asked({{"recurrence", "gmres(9)"s}, {"outer_loop", "residual-guided"s}});
        },
        "recurrence gmres(9): it does not go with the outer loop residual-guided; give --outer-loop");
}

TEST(GmresSolves, RefusedInOneLine) {
    const Problem p = make_problem("convection2d:n=5");
    const auto refused = [&](SolveOptions o, const char* part) { expect_invalid([&] { run(p, o); }, part); };
    SolveOptions o = gmres("s17e8");
    o.scheme = Scheme::residual_guided;
    refused(o, "recurrence gmres(30): the scheme residual-guided iterates pipelined; leave one of the two out");
    o = gmres("fx18.16");
    o.scheme = Scheme::defect_correction;
    refused(o, "gmres on fx18.16: the entries of a basis span many powers of two");
    o = gmres("s17e8", 1001);
    refused(o, "recurrence gmres(1001): give 1 to 1000 steps of a cycle");
}

/// Grcar's matrix: -1 below the diagonal, 1 on it and three times above; times `sign`.
std::string grcar(int n, int sign = 1) {
    std::string entries;
    int count = 0;
    for (int i = 1; i <= n; ++i)
        for (int j = std::max(i - 1, 1); j <= std::min(i + 3, n); ++j, ++count)
            entries += std::to_string(i) + ' ' + std::to_string(j) + ' ' + std::to_string(j < i ? -sign : sign) + '\n';
    return "%%MatrixMarket matrix coordinate real general\n" + std::to_string(n) + ' ' + std::to_string(n) + ' ' +
           std::to_string(count) + '\n' + entries;
}

/// Five points on n x n nodes with an upwind difference, by rows: nine_bands() sees a grid in it. With `turned` every
/// third row has the other sign.
std::string upwind(int n, bool turned = false) {
    std::string entries;
    int count = 0;
    const auto put = [&](int i, int j, double v) {
        entries += std::to_string(i + 1) + ' ' + std::to_string(j + 1) + ' ' +
                   std::to_string(turned && i % 3 == 0 ? -v : v) + '\n';
        ++count;
    };
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            const int i = y * n + x;
            put(i, i, 6);
            if (x > 0) put(i, i - 1, -3);
            if (x < n - 1) put(i, i + 1, -1);
            if (y > 0) put(i, i - n, -1);
            if (y < n - 1) put(i, i + n, -1);
        }
    return "%%MatrixMarket matrix coordinate real general\n" + std::to_string(n * n) + ' ' + std::to_string(n * n) +
           ' ' + std::to_string(count) + '\n' + entries;
}

/// As the command solves a matrix alone: no option says how.
SolveResult solved_alone(const Problem& problem, SolveOptions& o) {
    o.scheme = Scheme::jacobi_pcg;
    o.spec = DatapathSpec(formats::kDouble);
    EXPECT_TRUE(take_native_recurrence(problem, o));
    const auto engine = make_emulated_engine();
    std::vector<SolveResult> results = solve_all(problem, *engine, o);
    if (take_gmres_instead(results, *engine, o)) results = solve_all(problem, *engine, o);
    return results.front();
}

TEST(MatrixAlone, IsSolvedWhereAGridIsNotSymmetric) {
    const Scratch scratch;
    for (const bool turned : {false, true}) {
        const Problem problem = make_problem("mtx:" + scratch.write("upwind.mtx", upwind(20, turned)));
        ASSERT_EQ(problem.system.kind(), System::Kind::sparse) << "bands are for CG";
        SolveOptions o;
        const SolveResult result = solved_alone(problem, o);
        EXPECT_EQ(result.status, Status::converged) << result.detail;
        EXPECT_LT(result.true_residual, 1e-10);
        // A cycle is one on the symmetric part, of a grid's entries as of others.
        if (turned) continue;
        SolveOptions cycles;
        cycles.scheme = Scheme::recurrence;
        cycles.recurrence = RecurrenceChoice::bicgstab;
        cycles.spec = DatapathSpec(formats::kDouble);
        cycles.preconditioner = parse_cycle_spec("v22,w=double");
        EXPECT_EQ(solve(problem, *make_emulated_engine(), cycles).status, Status::converged);
    }
}

TEST(MatrixAlone, IsSolvedWhereTheDiagonalIsNotAboveZero) {
    const Scratch scratch;
    const std::string head = "%%MatrixMarket matrix coordinate real symmetric\n";
    for (const char* entries :
         {"3 3 4\n1 1 2\n2 2 3\n3 1 1\n3 2 1\n", "2 2 1\n2 1 1\n", "2 2 3\n1 1 -4\n2 1 1\n2 2 -3\n"}) {
        const Problem problem = make_problem("mtx:" + scratch.write("kkt.mtx", head + entries));
        EXPECT_TRUE(problem.symmetric);
        EXPECT_FALSE(problem.suits_cg());
        SolveOptions o;
        const SolveResult result = solved_alone(problem, o);
        EXPECT_EQ(result.status, Status::converged) << entries << result.detail;
        EXPECT_LT(result.true_residual, 1e-10);
        SolveOptions cg;
        cg.scheme = Scheme::jacobi_pcg;
        cg.spec = DatapathSpec(formats::kDouble);
        expect_invalid([&] { solve(problem, *make_emulated_engine(), cg); },
                       "a positive definite matrix has a positive diagonal; take the recurrence bicgstab or gmres");
    }
}

/// Where BiCGStab's half step leaves nothing, the solve is at its end.
TEST(MatrixAlone, IsSolvedByHalfAStep) {
    const Scratch scratch;
    const std::string head = "%%MatrixMarket matrix coordinate real general\n";
    for (const char* entries : {"1 1 1\n1 1 3\n", "2 2 3\n1 1 2\n1 2 1\n2 2 3\n"})
        for (const bool single : {false, true}) {
            const Problem problem = make_problem("mtx:" + scratch.write("half.mtx", head + entries));
            SolveOptions o;
            o.scheme = Scheme::recurrence;
            o.recurrence = RecurrenceChoice::bicgstab;
            o.spec = native_spec(single);
            o.tolerance = single ? 1e-5 : 1e-10;
            const SolveResult result = solve(problem, *make_emulated_engine(), o);
            EXPECT_EQ(result.status, Status::converged) << entries << result.detail;
        }
}

TEST(GmresSolves, ComeAfterBicgstabWhereNobodyNamedARecurrence) {
    const Scratch scratch;
    const Problem problem = make_problem("mtx:" + scratch.write("grcar.mtx", grcar(300)));
    SolveOptions o;
    o.scheme = Scheme::jacobi_pcg;
    o.spec = native_spec();
    o.jacobi = true;
    o.tolerance = 1e-8;
    ASSERT_TRUE(take_native_recurrence(problem, o));
    const auto engine = make_emulated_engine();
    std::vector<SolveResult> results = solve_all(problem, *engine, o);
    ASSERT_EQ(results.front().status, Status::stagnated);
    ASSERT_TRUE(take_gmres_instead(results, *engine, o));
    EXPECT_EQ(o.recurrence, RecurrenceChoice::gmres);
    results = solve_all(problem, *engine, o);
    EXPECT_EQ(results.front().status, Status::converged);
    EXPECT_LE(results.front().true_residual, 1e-8);
    EXPECT_FALSE(take_gmres_instead(results, *engine, o));
}

/// The iterations of both are one count under one limit; and the sign of the diagonal is nothing to GMRES.
TEST(GmresSolves, GoOnWithWhatIsLeft) {
    const Scratch scratch;
    const Problem problem = make_problem("mtx:" + scratch.write("minus.mtx", grcar(300, -1)));
    const auto run = [&](std::uint64_t most) {
        SolveOptions o;
        o.scheme = Scheme::jacobi_pcg;
        o.spec = DatapathSpec(formats::kDouble);
        o.tolerance = 1e-8;
        o.max_iterations = most;
        EXPECT_TRUE(take_native_recurrence(problem, o));
        return solve_fastest(problem, *make_emulated_engine(), o, {}, [](const std::string&) {}).front();
    };
    const SolveResult all = run(0);
    EXPECT_EQ(all.status, Status::converged) << all.detail;
    EXPECT_GT(all.inner_iterations, 400U) << "BiCGStab's are among them";
    const SolveResult limited = run(all.inner_iterations - 100);
    EXPECT_EQ(limited.status, Status::iteration_limit);
    EXPECT_LE(limited.inner_iterations, all.inner_iterations - 100);
}

} // namespace
