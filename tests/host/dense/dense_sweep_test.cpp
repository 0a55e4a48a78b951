// Sweeps of dense systems: their files, keys and store.
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "../expect_invalid.hpp"
#include "../scratch.hpp"
#include "mantissa/host/store.hpp"
#include "mantissa/host/sweep.hpp"

namespace mantissa {
namespace {

constexpr const char* kGrid = R"(
[defaults]
refine = "ir"
[[dense]]
n = [16, 24]
kind = "randsvd"
kappa = [1e2, 1e4]
format = ["s10e5", "s7e8"]
acc = ["same", "fixed[15:-34]"]
[[dense]]
problem = ["n=16", "kind=uniform,n=16,seed=1"]
lu = "lu:s23e8,pivot=tournament:4:8"
refine = ["gmres-ir", "none"]
krylov = 5
scale = false
)";

TEST(DenseSweep, TakesEveryCombinationOnce) {
    const Sweep sweep = parse_sweep(kGrid, "x.toml");
    EXPECT_TRUE(sweep.points.empty());
    ASSERT_EQ(sweep.dense.size(), 16U + 2U); // both texts name one problem
    std::set<std::string> keys;
    for (const DensePoint& p : sweep.dense) {
        EXPECT_TRUE(keys.insert(point_key(p)).second);
        EXPECT_GT(estimated_work(p), 0);
    }
    EXPECT_EQ(point_key(sweep.dense[0]),
              "dense n=16,kind=randsvd,kappa=100,seed=1 engine=emulated spec=lu:s10e5 refine=ir steps=50");
    EXPECT_EQ(point_key(sweep.dense[16]), "dense n=16,kind=uniform,seed=1 engine=emulated "
                                          "spec=lu:s23e8,pivot=tournament:4:8 refine=gmres-ir steps=50 krylov=5 "
                                          "krylov-tolerance=0.0001 unscaled");
    EXPECT_EQ(to_string(sweep.dense[1].options.spec), "lu:s10e5,acc=fixed[15:-34]");
}

TEST(DenseSweep, TakesTheNamesOfTheCommandAndTheEarlierOnes) {
    const auto point = [](const std::string& text) { return point_key(parse_sweep(text, "x.toml").dense.at(0)); };
    EXPECT_EQ(point("[[dense]]\nn = 8\nrefine_steps = 3\ngmres_steps = 4\ngmres_tolerance = 1e-3\n"),
              point("[[dense]]\nn = 8\nsteps = 3\nkrylov = 4\nkrylov_tolerance = 1e-3\n"));
}

TEST(DenseSweep, IsRefusedWithALine) {
    const auto refused = [](const std::string& text, const std::string& part) {
        expect_invalid([&] { (void)parse_sweep(text, "x.toml"); }, part);
    };
    refused("[[dense]]\nformat = \"s10e5\"\n", "x.toml:1: a dense grid without a system");
    refused("[[dense]]\nn = 8\nkind = \"hilbret\"\n", "kind=hilbret");
    refused("[[dense]]\nn = 8\nkappa = 4.0\n", "kappa= is of kind=randsvd");
    refused("[[dense]]\nn = 8\nproblem = \"n=8\"\n", "exclude each other");
    refused("[[dense]]\nn = 8\nlu = \"lu:s10e5\"\nacc = \"s23e8\"\n", "exclude each other");
    refused("[[dense]]\nn = 8\nformat = \"s10\"\n", "x.toml:3:");
    refused("[[dense]]\nn = 8\npivot = \"rook\"\n", "x.toml:3:");
    refused("[[dense]]\nn = 8\nscheme = \"direct\"\n", "no key 'scheme'");
    refused("[[dense]]\nn = 99999\n", "x.toml:2:");
    refused("[[dense]]\nn = 8\nkrylov = 0\n", "krylov must be");
    refused("[[dense]]\nn = 8\nkrylov = 4\ngmres_steps = 4\n", "exclude each other");
    refused("[[dense]]\nn = 8\nmethod = \"gauss-jordan\"\n", "no key 'method'");
    refused("[[dense]]\nn = 8\nengine = \"rtl\"\n", "x.toml:3: engine 'rtl': it has no dense systems");
    refused("[[dense]]\nfile = \"/nowhere/a.mtx\"\n", "x.toml:2:");
    refused("[[dense]]\nn = 8\n[[grid]]\nproblem = \"poisson2d:level=3\"\n", "not both");
    expect_invalid([] { (void)parse_sweep(kGrid, "x.toml", 9); }, "more than 9 points");
}

DensePoint small_point() {
    DensePoint p;
    p.problem = "n=24,kind=uniform,seed=1";
    p.options.spec = parse_lu_spec("lu:s10e5");
    return p;
}

/// A store that holds iterative solves only, as every store of before dense systems, takes dense ones beside them.
TEST(DenseSweep, StandBesideIterativeSolvesInAStore) {
    const Scratch scratch;
    const std::string path = scratch.path("a.sqlite");
    Point iterative;
    SolveResult solved;
    solved.status = Status::converged;
    solved.inner_iterations = 7;
    DensePoint p = small_point();
    const DenseResult r = solve_dense(make_dense_problem(p.problem), p.options);
    ASSERT_EQ(r.status, DenseStatus::converged);
    {
        Store store(path);
        store.put(iterative, solved, 4, current_provenance("test"));
        EXPECT_FALSE(store.contains(p));
        EXPECT_FALSE(store.find(p));
        store.export_csv(scratch.path("none.csv"), StoredPoints::dense);
        EXPECT_EQ(scratch.read("none.csv"), "");
        store.put(p, r, 24, current_provenance("test"));
    }
    const Store store(path);
    EXPECT_TRUE(store.contains(p));
    EXPECT_EQ(store.find(iterative)->inner_iterations, 7U);
    const DenseResult back = store.find(p).value();
    EXPECT_EQ(back.status, r.status);
    EXPECT_EQ(back.end, r.end);
    EXPECT_EQ(back.krylov_steps, r.krylov_steps);
    EXPECT_EQ(back.backward_error, r.backward_error);
    EXPECT_EQ(back.factor_error, r.factor_error);
    EXPECT_EQ(back.growth, r.growth);
    EXPECT_EQ(back.condition, r.condition);
    ASSERT_EQ(back.history.size(), r.history.size());
    EXPECT_EQ(back.history.back().residual, r.history.back().residual);
    store.export_csv(scratch.path("a.csv"), StoredPoints::dense);
    EXPECT_NE(scratch.read("a.csv").find("\"n=24,kind=uniform,seed=1\",24,emulated,lu:s10e5,gmres-ir"),
              std::string::npos);
    store.export_json_lines(scratch.path("a.jsonl"), StoredPoints::dense);
    EXPECT_NE(scratch.read("a.jsonl").find("\"scaled\":true,\"status\":\"converged\""), std::string::npos);
}

/// What has no factors is a result too: it is stored with the reason, and not asked for again.
TEST(DenseSweep, FailedFactorsAreStoredWithTheirReason) {
    const Scratch scratch;
    DensePoint p = small_point();
    p.problem = "n=24,kind=wilkinson";
    p.options.spec = parse_lu_spec("lu:s10e5,acc=fixed[8:-30]");
    std::size_t seen = 0;
    Store store(scratch.path("a.sqlite"));
    solve_points(std::vector{p}, 1, [&](std::size_t index, const DenseOutcome& o) {
        EXPECT_EQ(index, 0U);
        EXPECT_EQ(o.refused, "");
        EXPECT_EQ(o.result.end, LuEnd::overflow);
        store.put(p, o.result, o.unknowns, current_provenance("test"));
        ++seen;
    });
    EXPECT_EQ(seen, 1U);
    EXPECT_EQ(store.find(p)->end, LuEnd::overflow);
    EXPECT_EQ(store.find(p)->status, DenseStatus::failed);
}

} // namespace
} // namespace mantissa
