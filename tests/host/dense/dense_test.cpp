#include "mantissa/host/dense.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "dense/verdict.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/registry.hpp"

namespace mantissa {
namespace {

DenseResult solved(const std::string& problem, const std::string& spec, DenseRefinement refinement, int threads = 2) {
    DenseOptions o;
    o.spec = parse_lu_spec(spec);
    o.refinement = refinement;
    o.threads = threads;
    return solve_dense(make_dense_problem(problem), o);
}

/// Ten-bit factors in a fixed window give double accuracy in at most 12 steps (the specification's floor is for n =
/// 1024, where `mantissa solve --dense n=1024` takes 9; here a quarter of it).
TEST(Dense, TenBitFactorsReachDoubleAccuracy) {
    const DenseResult r = solved("n=256", "lu:s10e5,acc=fixed[15:-34]", DenseRefinement::gmres_ir);
    EXPECT_EQ(r.status, DenseStatus::converged);
    EXPECT_LE(r.krylov_steps, 12U);
    EXPECT_LE(r.backward_error, 256 * 0x1p-53);
    EXPECT_LT(r.hpl_residual, 16);
    // The forward error is at most the condition times the backward one.
    EXPECT_LE(r.forward_error, 4 * r.condition * 256 * 0x1p-53);
}

TEST(Dense, NoForwardErrorWhereTheSolutionIsNotKnown) {
    DenseProblem own = make_dense_problem("n=20");
    own.each = 0; // as of rhs=file:
    const DenseResult r = solve_dense(own, {});
    EXPECT_EQ(r.status, DenseStatus::converged);
    EXPECT_TRUE(std::isnan(r.forward_error));
}

TEST(Dense, EveryKindIsSolvedByFloatFactors) {
    for (const char* problem :
         {"n=90,kind=uniform,seed=4", "n=90,kind=dominant", "n=90,kind=graded", "n=90,kind=randsvd,kappa=1e4"})
        for (const DenseRefinement refinement : {DenseRefinement::ir, DenseRefinement::gmres_ir}) {
            const DenseResult r = solved(problem, "lu:s23e8", refinement);
            EXPECT_EQ(r.status, DenseStatus::converged) << problem << ", " << to_string(refinement);
        }
}

/// The inverse takes the factors' place, in refinement and as GMRES's preconditioner.
TEST(Dense, AnInverseByGaussJordanSolvesToo) {
    for (const DenseRefinement refinement : {DenseRefinement::ir, DenseRefinement::gmres_ir}) {
        DenseOptions o;
        o.spec = parse_lu_spec("lu:s14e8,acc=fixed[20:-34]");
        o.method = DenseMethod::gauss_jordan;
        o.refinement = refinement;
        const DenseResult r = solve_dense(make_dense_problem("n=100,seed=3"), o);
        EXPECT_EQ(r.status, DenseStatus::converged) << to_string(refinement);
        EXPECT_LE(r.backward_error, 100 * 0x1p-53);
        EXPECT_GT(r.condition, 100);
        EXPECT_LT(r.factor_error, 0x1p-10);
        EXPECT_GT(r.factor_error, 0);
    }
    DenseOptions o;
    o.spec = parse_lu_spec("lu:s23e8");
    o.method = DenseMethod::gauss_jordan;
    o.factor = [](const LuSpec& spec, const DenseMatrix& a) { return factor(spec, a, 1); };
    EXPECT_THROW((void)solve_dense(make_dense_problem("n=4"), o), InvalidInput);
}

TEST(Dense, RandsvdHasItsCondition) {
    const DenseResult r = solved("n=64,kind=randsvd,kappa=1e5", "lu:double", DenseRefinement::none);
    // kappa_1 lies within a factor n of kappa_2, and Hager's estimate within 3 of kappa_1 but in made-up cases.
    EXPECT_GT(r.condition, 1e5 / 192);
    EXPECT_LT(r.condition, 1e5 * 64);
}

/// Truncation at every step throws away log2(0.21 n) bits; an exact accumulator keeps them.
TEST(Dense, AnExactAccumulatorKeepsWhatRoundingThrowsAway) {
    const double rounded = solved("n=256", "lu:s10e5", DenseRefinement::none).factor_error;
    const double exact = solved("n=256", "lu:s10e5,acc=fixed[15:-34]", DenseRefinement::none).factor_error;
    EXPECT_GT(rounded, 8 * exact);
}

TEST(Dense, ThreadsChangeNothing) {
    const DenseResult one = solved("n=120", "lu:s10e5,acc=s23e8,order=blocked:32", DenseRefinement::gmres_ir, 1);
    const DenseResult three = solved("n=120", "lu:s10e5,acc=s23e8,order=blocked:32", DenseRefinement::gmres_ir, 3);
    EXPECT_EQ(one.x, three.x);
    EXPECT_EQ(one.krylov_steps, three.krylov_steps);
}

TEST(Dense, SmallestSizes) {
    EXPECT_EQ(solved("n=1", "lu:s10e5", DenseRefinement::gmres_ir).status, DenseStatus::converged);
    EXPECT_THROW((void)make_dense_problem("n=0"), InvalidInput);
}

/// What cannot be factored ends with a status and a column, whatever the method; so does what is not finite.
TEST(Dense, FaultsHaveAStatus) {
    DenseProblem singular{"ones", DenseMatrix(3, std::vector<double>(9, 1.0)), std::vector<double>(3, 3.0)};
    DenseProblem infinite = singular;
    infinite.a(2, 1) = HUGE_VAL;
    for (const DenseMethod method : {DenseMethod::lu, DenseMethod::gauss_jordan}) {
        DenseOptions o;
        o.spec = parse_lu_spec("lu:s10e5,acc=fixed[15:-34]");
        o.method = method;
        EXPECT_EQ(solve_dense(singular, o).end, LuEnd::singular);
        EXPECT_EQ(solve_dense(singular, o).at, 1U);
        EXPECT_EQ(solve_dense(infinite, o).end, LuEnd::not_finite);
        EXPECT_EQ(solve_dense(infinite, o).status, DenseStatus::failed);
        EXPECT_TRUE(std::isnan(solve_dense(infinite, o).backward_error));
        o.spec = parse_lu_spec("lu:s10e5,acc=fixed[1:-30]");
        EXPECT_EQ(solve_dense(make_dense_problem("n=60"), o).end, LuEnd::overflow);
    }
}

TEST(Dense, AHopelessFormatIsSaidToStagnate) {
    const DenseResult r = solved("n=128,kind=randsvd,kappa=1e12", "lu:s4e8", DenseRefinement::ir);
    EXPECT_EQ(r.end, LuEnd::factored);
    EXPECT_EQ(r.status, DenseStatus::stagnated);
}

TEST(Dense, AConditionThatFactorsCannotTellIsOutOfSight) {
    EXPECT_TRUE(dense::condition_in_sight(solved("n=128,kind=randsvd,kappa=1e2", "lu:s23e8", DenseRefinement::ir)));
    EXPECT_FALSE(dense::condition_in_sight(solved("n=128,kind=randsvd,kappa=1e12", "lu:s4e8", DenseRefinement::ir)));
}

/// Factors that fail, or lead nowhere, give way to those of the arithmetic named for it; a singular matrix does not.
TEST(Dense, BeginsAgainInAnotherArithmetic) {
    const auto begun_again = [](const char* problem, const char* spec) {
        DenseOptions o;
        o.spec = parse_lu_spec(spec);
        o.instead = parse_lu_spec("lu:double");
        o.refinement = DenseRefinement::ir;
        return solve_dense(make_dense_problem(problem), o);
    };
    for (const char* spec : {"lu:s10e5,acc=fixed[1:-30]", "lu:half,pivot=none"}) {
        const DenseResult r = begun_again("n=60", spec);
        EXPECT_EQ(r.status, DenseStatus::converged) << spec;
        EXPECT_EQ(to_string(r.spec), to_string(parse_lu_spec("lu:double"))) << spec;
    }
    EXPECT_NE(begun_again("n=60", "lu:s10e5,acc=fixed[1:-30]").gave_up.find("overflow"), std::string::npos);
    EXPECT_NE(begun_again("n=128,kind=randsvd,kappa=1e12", "lu:s4e8").gave_up.find("stagnated"), std::string::npos);
    const DenseResult well = begun_again("n=60", "lu:float");
    EXPECT_EQ(to_string(well.spec), to_string(parse_lu_spec("lu:float")));
    EXPECT_TRUE(well.gave_up.empty());
    DenseOptions o;
    o.instead = parse_lu_spec("lu:float");
    const DenseProblem ones{"ones", DenseMatrix(3, std::vector<double>(9, 1.0)), std::vector<double>(3, 3.0)};
    EXPECT_TRUE(solve_dense(ones, o).singular);
    EXPECT_TRUE(solve_dense(ones, o).gave_up.empty());
}

/// Arithmetic of a device's own is a value of the specification; who has to return bits refuses it.
TEST(Dense, ADevicesOwnArithmeticIsNoneOfThisProcessors) {
    for (const char* text : {"lu:double,sum=free", "lu:float,sum=free,pivot=none", "tensor:half-pair"}) {
        const LuSpec spec = parse_lu_spec(text);
        EXPECT_EQ(parse_lu_spec(to_string(spec)), spec) << text;
        EXPECT_FALSE(spec == parse_lu_spec("lu:float")) << text;
        DenseOptions o;
        o.spec = spec;
        EXPECT_THROW((void)solve_dense(make_dense_problem("n=4"), o), InvalidInput) << text;
        EXPECT_THROW((void)factor(spec, DenseMatrix::identity(3)), InvalidInput) << text;
    }
    EXPECT_EQ(to_string(parse_lu_spec("lu:double,sum=ordered")), to_string(parse_lu_spec("lu:double")));
    EXPECT_FALSE(make_native_lu("emulated"));
    EXPECT_THROW((void)make_native_lu("abacus"), InvalidInput);
    for (const std::size_t n : {0U, 100U, 600U, 5000U}) { // every choice is one that can be
        DenseOptions o;
        take_native_dense(n, o);
        EXPECT_NE(o.spec.native, LuNative::none);
        o.refinement = DenseRefinement::none;
        take_native_dense(n, o);
        EXPECT_FALSE(o.spec.tensor()) << n;
    }
}

TEST(Dense, RefusesInOneLine) {
    for (const char* text :
         {"", "n=-1", "n=x", "n=20000", "kind=uniform", "n=4,kind=hilbret", "n=4,kappa=3", "n=4,kind=randsvd,kappa=0.5",
          "n=4,n=5", "n=4,file=x.mtx", "file=/nowhere/x.mtx", "n=99999999999999999999", "n=4,kind=randsvd,kappa=1e400",
          "n=4,kind=randsvd,kappa=nan", "n=65,kind=bubbles", "n=64,kind=bubbles,phi=0.5", "n=64,kind=uniform,phi=0.01",
          "n=4,kind=hilbert,seed=2", "file="})
        EXPECT_THROW((void)make_dense_problem(text), InvalidInput) << text;
}

TEST(Dense, FactorsByAnEngineOfThatName) {
    const DenseProblem problem = make_dense_problem("n=60");
    const LuSpec spec = parse_lu_spec("lu:s10e5,acc=fixed[15:-34]");
    double seconds = -1;
    EXPECT_EQ(make_lu_factor("emulated", 2, &seconds)(spec, problem.a).lu, factor(spec, problem.a, 1).lu);
    EXPECT_GE(seconds, 0);
    for (const char* name : {"rtl", "", "cpu"}) EXPECT_THROW((void)make_lu_factor(name), InvalidInput) << name;
}

} // namespace
} // namespace mantissa
