// Native solves whose solver is wrong about its residual, by an engine that is made to be: the true one decides.
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
#include "mantissa/sparse/jacobi_pcg.hpp"

namespace mantissa {
namespace {

/// An engine whose native solver gains `gain` a run by its own word and is wrong by `wrong`: jacobi_pcg() of a matrix
/// that is not quite the system's.
class RoughEngine final : public Engine {
public:
    RoughEngine(double gain, double wrong) : gain_(gain), wrong_(wrong) {}
    [[nodiscard]] std::string name() const override { return "rough"; }
    [[nodiscard]] std::string description() const override { return "for tests"; }
    [[nodiscard]] std::string refusal(const DatapathSpec&, const System&, const SessionOptions&) const override {
        return "no sessions";
    }
    [[nodiscard]] std::unique_ptr<Session> load(const System&, const DatapathSpec&,
                                                const SessionOptions&) const override {
        throw InvalidInput("no sessions");
    }
    [[nodiscard]] bool has_native() const override { return true; }
    [[nodiscard]] std::string native_refusal(const DatapathSpec&, const System&, const NativeChoice&) const override {
        return {};
    }
    [[nodiscard]] std::unique_ptr<NativeSolver> native(const System& system, const DatapathSpec&,
                                                       const NativeChoice&) const override {
        return std::make_unique<Rough>(std::get<CompressedRows>(system.matrix()), gain_, wrong_);
    }

private:
    class Rough final : public NativeSolver {
    public:
        Rough(const CompressedRows& a, double gain, double wrong) : a_(a), gain_(gain), wrong_(wrong) {}
        [[nodiscard]] const PickedPlan& plan() const override { return plan_; }
        std::vector<NativeReport> solve(std::span<const std::vector<double>> b, const NativeRequest& request,
                                        std::vector<std::vector<double>>& x) override {
            PcgOptions o;
            o.tolerance = std::max(gain_, request.tolerance);
            o.max_iterations = request.max_iterations;
            x.assign(b.size(), {});
            const std::vector<PcgReport> reports = jacobi_pcg(a_, {b.begin(), b.end()}, x, o);
            for (std::vector<double>& v : x)
                for (double& value : v) value *= 1 - wrong_;
            std::vector<NativeReport> all;
            for (const PcgReport& one : reports)
                all.push_back({.end = PcgEnd::reached,
                               .iterations = one.iterations,
                               .outer = 0,
                               .seconds = 0.5,
                               .residual = std::abs(wrong_),
                               .layout = {}});
            return all;
        }

    private:
        const CompressedRows& a_;
        double gain_, wrong_;
        PickedPlan plan_{NativePlan::sparse_stream, "for tests"};
    };
    double gain_, wrong_;
};

SolveResult rough(double gain, double wrong, double tolerance = 1e-10, std::uint64_t most = 0) {
    SolveOptions o;
    o.spec = native_spec();
    o.scheme = Scheme::jacobi_pcg;
    o.tolerance = tolerance;
    o.max_iterations = most;
    o.keep_solution = o.history = true;
    return solve(make_problem("poisson3d:level=3"), RoughEngine(gain, wrong), o);
}

TEST(NativeSolves, TakeARecurrenceInPlainDoubleOrFloat) {
    const RoughEngine engine(1e-4, 0);
    SolveOptions o;
    o.scheme = Scheme::recurrence;
    o.recurrence = RecurrenceChoice::bicgstab;
    SolveOptions chebyshev;
    chebyshev.scheme = Scheme::defect_correction;
    chebyshev.recurrence = RecurrenceChoice::chebyshev;
    for (const Format format : {formats::kDouble, formats::kFloat})
        for (SolveOptions* each : {&o, &chebyshev}) {
            each->spec = DatapathSpec(format);
            EXPECT_TRUE(solves_natively(*each, engine));
            EXPECT_FALSE(solves_natively(*each, *make_emulated_engine()));
        }
    chebyshev.scheme = Scheme::inexact_pcg; // an outer loop's inner solver
    EXPECT_FALSE(solves_natively(chebyshev, engine));
    EXPECT_TRUE(solve(make_problem("poisson3d:level=3"), engine, o).native.has_value());
    o.jacobi = true;
    expect_invalid([&] { static_cast<void>(solve(make_problem("poisson3d:level=3"), engine, o)); },
                   "bicgstab divides by the diagonal itself: leave jacobi out");
    o.jacobi = false;
    o.spec = DatapathSpec(Format{17, 8});
    expect_invalid([&] { static_cast<void>(solve(make_problem("poisson3d:level=3"), engine, o)); },
                   "use that engine, unchecked, or --format double");
}

TEST(NativeSolves, GoOnWhereTheSolversResidualWasWrong) {
    const SolveResult r = rough(1e-4, 0);
    EXPECT_EQ(r.status, Status::converged) << r.detail;
    EXPECT_LT(r.true_residual, 1.001e-10);
    EXPECT_GE(r.outer_iterations, 2U); // four digits a run
    ASSERT_TRUE(r.native.has_value());
    EXPECT_EQ(r.native->plan, NativePlan::sparse_stream);
    EXPECT_EQ(r.native->seconds, 0.5 * static_cast<double>(1 + r.outer_iterations));
    ASSERT_EQ(r.history.size(), 2U);
    EXPECT_EQ(r.history.back().relative_defect, r.true_residual);
    const SolveResult wrong = rough(1e-12, 1e-3); // x is a thousandth too short, each time
    EXPECT_EQ(wrong.status, Status::converged) << wrong.detail;
    EXPECT_GE(wrong.outer_iterations, 2U);
}

/// A device takes them in one call; what that leaves, each goes on with alone.
TEST(NativeSolves, RightHandSidesGoTogether) {
    Problem problem = make_problem("poisson3d:level=3");
    problem.more.assign(2, problem.b);
    for (std::size_t i = 0; i < problem.b.size(); ++i) {
        problem.more[0][i] += std::cos(0.1 * static_cast<double>(i));
        problem.more[1][i] = 1e-3 * static_cast<double>(i % 7);
    }
    SolveOptions o;
    o.scheme = Scheme::jacobi_pcg;
    o.spec = DatapathSpec(formats::kDouble);
    o.keep_solution = o.history = true;
    const auto judged = [&](const SolveResult& r, std::size_t k) {
        SCOPED_TRACE(k);
        EXPECT_EQ(r.status, Status::converged) << r.detail;
        const std::vector<double>& b = k == 0 ? problem.b : problem.more[k - 1];
        EXPECT_LT(relative_residual(problem.system, r.u, b, 1), 1.001e-10);
        ASSERT_TRUE(r.native);
        EXPECT_EQ(r.native->why, "for tests");
        EXPECT_EQ(r.history.back().relative_defect, r.true_residual);
    };
    const std::vector<SolveResult> once = solve_all(problem, RoughEngine(1e-12, 0), o);
    ASSERT_EQ(once.size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) {
        judged(once[k], k);
        EXPECT_EQ(once[k].outer_iterations, 0U);
        EXPECT_EQ(once[k].native->seconds, 0.5) << "one call";
    }
    const std::vector<SolveResult> again = solve_all(problem, RoughEngine(1e-4, 0), o);
    for (std::size_t k = 0; k < 3; ++k) {
        judged(again[k], k);
        EXPECT_GE(again[k].native->seconds, 1.0) << "others after it";
    }
    o.max_iterations = 3;
    for (const SolveResult& r : solve_all(problem, RoughEngine(1e-12, 0), o)) {
        EXPECT_EQ(r.status, Status::iteration_limit);
        EXPECT_LE(r.inner_iterations, 3U);
    }
    o.max_iterations = 0;
    for (const SolveResult& r : solve_all(problem, RoughEngine(1e-12, 1e6), o)) EXPECT_EQ(r.status, Status::diverged);
}

TEST(NativeSolves, SayStagnatedWhereGoingOnGainsNothing) {
    const SolveResult r = rough(1e-12, 0.95); // a run leaves 95 % of the defect: not worth another
    EXPECT_EQ(r.status, Status::stagnated);
    EXPECT_NE(r.detail.find("that of the problem as given stays at"), std::string::npos) << r.detail;
    EXPECT_GT(r.true_residual, 0.5);
}

TEST(NativeSolves, KeepNothingOfARunThatDiverged) {
    const SolveResult r = rough(1e-12, 1e6);
    EXPECT_EQ(r.status, Status::diverged);
    EXPECT_NE(r.detail.find("grew beyond 10^4 times"), std::string::npos) << r.detail;
    EXPECT_EQ(r.true_residual, 1); // of u = 0
    EXPECT_GT(r.inner_iterations, 0U);
}

TEST(NativeSolves, EndAtTheLimit) {
    const SolveResult r = rough(1e-12, 0, 1e-10, 3);
    EXPECT_NE(r.status, Status::converged);
    EXPECT_LE(r.inner_iterations, 3U);
}

TEST(NativeSolves, HaveAKeyOfTheirOwn) {
    Point ordered{"poisson2d:level=8", "gpu", {}};
    ordered.options.spec = DatapathSpec(formats::kDouble);
    ordered.options.scheme = Scheme::jacobi_pcg;
    Point free = ordered;
    free.options.spec = native_spec();
    EXPECT_NE(point_key(ordered), point_key(free));
    EXPECT_EQ(point_key(ordered).find("sum="), std::string::npos);
    EXPECT_NE(point_key(free).find("sum=free"), std::string::npos);
    Point planned = free;
    planned.options.plan = NativePlan::grid_stream;
    EXPECT_EQ(point_key(planned), point_key(free) + " plan=grid-stream");
}

} // namespace
} // namespace mantissa
