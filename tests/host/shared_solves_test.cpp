// Whole solves over parts of one process: result, history and solution have the bits of the whole, and no part holds
// whole vectors outside.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/partition/parted_engine.hpp"

namespace mantissa {
namespace {

void expect_same(const SolveResult& got, const SolveResult& want) {
    EXPECT_EQ(got.status, want.status);
    EXPECT_EQ(got.detail, want.detail);
    EXPECT_EQ(got.inner_iterations, want.inner_iterations);
    EXPECT_EQ(got.outer_iterations, want.outer_iterations);
    EXPECT_EQ(got.true_residual, want.true_residual);
    EXPECT_EQ(got.error, want.error);
    EXPECT_EQ(got.words, want.words);
    EXPECT_EQ(got.overflows, want.overflows);
    EXPECT_EQ(got.u, want.u);
    ASSERT_EQ(got.history.size(), want.history.size());
    for (std::size_t k = 0; k < want.history.size(); ++k)
        EXPECT_EQ(got.history[k].relative_defect, want.history[k].relative_defect) << k;
}

/// A residual-guided solve whole and over 1, 2, 3 and 5 parts. `shared`: are the vectors outside shared out to the end?
void expect_bits_of_the_whole(const std::string& name, const SolveOptions& given, CutMethod method, bool shared) {
    SCOPED_TRACE(name + ", " + to_string(given.spec));
    const Problem problem = make_problem(name);
    SolveOptions options = given;
    options.history = options.keep_solution = true;
    const SolveResult want = solve(problem, *make_emulated_engine(), options);
    EXPECT_GT(want.outer_iterations, 1U);
    EXPECT_EQ(want.held, 0U);
    for (const std::uint32_t parts : {1U, 2U, 3U, 5U}) {
        SCOPED_TRACE(std::to_string(parts) + " parts");
        const SolveResult got = solve(problem, *make_parted_engine(make_threads_space(parts), method), options);
        expect_same(got, want);
        if (shared) {
            EXPECT_GE(got.held, 3 * problem.system.size() / parts);
        } else {
            EXPECT_EQ(got.held, 0U);
        }
    }
}

SolveOptions options_of(const std::string& spec) {
    SolveOptions o;
    o.spec = parse_spec(spec);
    return o;
}

TEST(SharedSolves, ResidualGuided) {
    const auto few = [](const char* spec) {
        SolveOptions o = options_of(spec);
        o.max_iterations = 30;
        return o;
    };
    // 66049 unknowns: two blocks of a projection.
    expect_bits_of_the_whole("poisson2d:level=8", few("fx18.16"), CutMethod::contiguous, true);
    for (const CutMethod method : {CutMethod::contiguous, CutMethod::cuthill_mckee})
        for (const char* spec : {"s23e8,dot=fixed[20:-40]", "fx24.20"})
            expect_bits_of_the_whole("generated:kind=band,n=3000", few(spec), method, true);
    expect_bits_of_the_whole("diffusion2d:level=5", few("s23e8,order=flux,dot=fixed[20:-40]"), CutMethod::contiguous,
                             true);
}

// A scaled system's verdict is formed from whole vectors, as is a schedule's change of datapath.
TEST(SharedSolves, VectorsThatComeTogether) {
    SolveOptions scaled = options_of("s23e8,dot=fixed[20:-40]");
    scaled.jacobi = true;
    expect_bits_of_the_whole("generated:kind=band,n=3000", scaled, CutMethod::contiguous, false);
    SolveOptions schedule = options_of("s12e8,dot=fixed[20:-40]");
    schedule.schedule = {{1, schedule.spec}, {1e-3, parse_spec("s23e8,dot=fixed[20:-40]")}};
    expect_bits_of_the_whole("poisson2d:level=5", schedule, CutMethod::contiguous, true);
    expect_bits_of_the_whole("poisson2d:level=5", options_of("fx20.18,point=moving"), CutMethod::contiguous, false);
}

TEST(SharedSolves, EndsWithoutSuccess) {
    SolveOptions limit = options_of("fx18.16");
    limit.max_iterations = 20;
    expect_bits_of_the_whole("poisson2d:level=5", limit, CutMethod::contiguous, true);
    SolveOptions beyond = options_of("fx18.16"); // below what double precision can tell
    beyond.tolerance = 1e-17;
    beyond.max_iterations = 60;
    expect_bits_of_the_whole("poisson2d:level=4", beyond, CutMethod::contiguous, true);
}

// Other schemes keep whole vectors outside; the bits are the same there, too.
TEST(SharedSolves, SchemesWithWholeVectors) {
    for (const Scheme scheme : {Scheme::defect_correction, Scheme::inexact_pcg}) {
        SolveOptions o = options_of("fx18.16");
        o.scheme = scheme;
        o.inner = 30;
        expect_bits_of_the_whole("poisson2d:level=4", o, CutMethod::contiguous, false);
    }
}

// Cycles alone and CG around them; with the outer loop in words every process holds whole vectors.
TEST(SharedSolves, Cycles) {
    SolveOptions o;
    o.preconditioner = parse_cycle_spec("v22,w=10,c=10");
    for (const char* const name : {"poisson2d:level=7", "poisson3d:level=4", "diffusion2d:level=7"})
        for (const Scheme scheme : {Scheme::defect_correction, Scheme::inexact_pcg}) {
            o.scheme = scheme;
            for (const std::uint64_t most : {3, 60}) {
                o.max_iterations = most;
                expect_bits_of_the_whole(name, o, CutMethod::contiguous, true);
            }
        }
    o.preconditioner = parse_cycle_spec("v22,w=double"); // worked out whole by every process
    expect_bits_of_the_whole("generated:kind=circuit,n=5000", o, CutMethod::cuthill_mckee, true);
    o.preconditioner = parse_cycle_spec("b2,w=10");
    o.scheme = Scheme::defect_correction;
    o.max_iterations = 0;
    o.outer = Format::fixed(64, 52);
    o.tolerance = 1e-9;
    expect_bits_of_the_whole("poisson2d:level=7", o, CutMethod::contiguous, false);
}

} // namespace
} // namespace mantissa
