// Where a solve begins (--guess) and for how many right-hand sides (rhs=file: with columns).
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "expect_invalid.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/host/matrix_market.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"
#include "program.hpp"
#include "scratch.hpp"

namespace mantissa {
namespace {

using nlohmann::json;

SolveOptions options_of(std::string_view scheme) {
    SolveOptions o;
    set_scheme(o, scheme);
    o.keep_solution = true;
    if (!refines(o.scheme)) o.spec = DatapathSpec(formats::kDouble);
    return o;
}

/// A small matrix of sparse rows, so that every scheme takes it.
Problem sparse_problem() {
    Problem problem = make_problem("poisson3d:level=3");
    for (std::size_t i = 0; i < problem.b.size(); ++i) problem.b[i] = std::sin(static_cast<double>(7 * i + 1));
    problem.exact = {};
    return problem;
}

TEST(Guess, EverySchemeBeginsThere) {
    const Problem zero = sparse_problem();
    const auto engine = make_emulated_engine();
    for (const options::SchemeAxes& axes : options::schemes()) {
        const std::string scheme(axes.name);
        const SolveOptions options = options_of(scheme);
        const SolveResult cold = solve(zero, *engine, options);
        ASSERT_EQ(cold.status, Status::converged) << scheme;

        Problem solved = zero;
        solved.guess = cold.u;
        const SolveResult nothing = solve(solved, *engine, options);
        EXPECT_EQ(nothing.status, Status::converged) << scheme;
        EXPECT_EQ(nothing.inner_iterations, 0u) << scheme;
        EXPECT_EQ(nothing.u, cold.u) << scheme;

        Problem near = zero;
        near.guess = cold.u;
        for (std::size_t i = 0; i < near.guess.size(); ++i)
            near.guess[i] *= 1 + 1e-6 * std::cos(static_cast<double>(i));
        const SolveResult warm = solve(near, *engine, options);
        EXPECT_EQ(warm.status, Status::converged) << scheme << ": " << warm.detail;
        EXPECT_GT(warm.inner_iterations, 0u) << scheme;
        EXPECT_LT(warm.inner_iterations, cold.inner_iterations) << scheme;
    }
}

TEST(Guess, AFarOneIsMended) {
    Problem far = sparse_problem();
    const auto engine = make_emulated_engine();
    for (const double size : {1e3, 1e12, 1e30}) {
        far.guess.assign(far.b.size(), size);
        for (const std::string scheme : {"residual-guided", "direct", "jacobi-pcg"}) {
            const SolveResult result = solve(far, *engine, options_of(scheme));
            EXPECT_EQ(result.status, Status::converged) << scheme << " from " << size << ": " << result.detail;
            EXPECT_LT(result.true_residual, 1e-10) << scheme << " from " << size;
        }
    }
}

TEST(Guess, OneThatIsWorseThanZeroCostsNothing) {
    Problem far = make_problem("poisson2d:level=3");
    const auto engine = make_emulated_engine();
    const SolveResult zero = solve(far, *engine, SolveOptions{});
    far.guess.assign(far.b.size(), 1e12);
    EXPECT_EQ(solve(far, *engine, SolveOptions{}).inner_iterations, zero.inner_iterations);
}

TEST(Guess, TheLimitThatIsSaidIsOfAllRounds) {
    Problem near = make_problem("poisson2d:level=5");
    near.guess.assign(near.b.size(), 1);
    SolveOptions few;
    few.max_iterations = 15;
    EXPECT_EQ(solve(near, *make_emulated_engine(), few).detail, "the limit of 15 inner iterations is reached");
}

TEST(Starts, ARightHandSideAtADirichletNodeIsRefused) {
    for (const char* text : {"poisson2d:level=3", "diffusion2d:level=3"}) {
        Problem problem = make_problem(text);
        problem.b[80] = 1e-12;
        expect_invalid([&] { static_cast<void>(solve(problem, *make_emulated_engine(), SolveOptions{})); },
                       "right-hand side: element 81 is 1e-12 at a Dirichlet node, whose row is empty; give 0 there");
    }
}

/// A finite guess whose residual is not: said so, whether or not its quotient with b can be formed.
TEST(Guess, OneBeyondRangeIsRefused) {
    Problem far = sparse_problem();
    for (const double size : {1e307, 1e308}) {
        for (std::size_t i = 0; i < far.b.size(); ++i) {
            far.b[i] = 1e300;
            far.guess.resize(far.b.size());
            far.guess[i] = i % 2 == 0 ? size : -size;
        }
        for (const std::string scheme : {"residual-guided", "direct", "jacobi-pcg"})
            expect_invalid([&] { static_cast<void>(solve(far, *make_emulated_engine(), options_of(scheme))); },
                           "its residual leaves the range of double precision");
    }
}

TEST(Guess, HistoryIsRelativeToTheRightHandSide) {
    Problem problem = sparse_problem();
    const auto engine = make_emulated_engine();
    problem.guess = solve(problem, *engine, options_of("residual-guided")).u;
    for (double& value : problem.guess) value *= 1.001;
    SolveOptions options = options_of("residual-guided");
    options.history = true;
    const SolveResult result = solve(problem, *engine, options);
    ASSERT_GT(result.history.size(), 1u);
    EXPECT_NEAR(result.history.front().relative_defect, 1e-3, 1e-6); // A (1.001 x) - b is 0.001 b
    EXPECT_LT(result.history.back().relative_defect, 1e-10);
    EXPECT_EQ(result.history.back().inner_iterations, result.inner_iterations);
}

TEST(Guess, OfTheCommand) {
    const Scratch scratch;
    const std::string u = scratch.path("u.mtx"), base = "solve --threads 1 --problem poisson2d:level=5 ";
    ASSERT_EQ(run(base + "--solution " + u).code, 0);
    const Outcome again = run(base + "--json --guess " + u);
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(json::parse(again.out)["inner_iterations"], 0);
    EXPECT_NE(run(base + "--guess " + u).out.find("begins at      a guess\n"), std::string::npos);

    const auto refused = [&](const std::string& rest, const std::string& why) {
        const Outcome o = run(base + rest);
        EXPECT_EQ(o.code, 2) << rest;
        EXPECT_NE(o.err.find(why), std::string::npos) << o.err;
    };
    refused("--guess " + scratch.write("short", "1 2 3\n"), "the file ends after 3 numbers");
    refused("--guess " + scratch.path("absent"), "absent");
    const std::string banner = "%%MatrixMarket matrix ";
    refused("--guess " + scratch.write("pairs", banner + "coordinate real general\n1 1 1\n1 1 1\n"),
            "pairs:1: a coordinate file as guess: write it in array storage");
    refused("--guess " + scratch.write("halves", banner + "array real symmetric\n1 1\n1\n"),
            "a symmetric file as guess");
    refused("--guess " + scratch.write("tall", banner + "array real general\n3 1\n1\n2\n3\n"), "a guess of 3 x 1");
    refused("--guess " + u + " --parts 2 --scheme direct --format double", "begins at zero");
    refused("--guess " + u + " --advise", "--guess: it is of a solve, and --advise makes none; give --advise=solve");
    EXPECT_EQ(json::parse(again.out)["guess"], u);
    EXPECT_FALSE(json::parse(run(base + "--json").out).contains("guess"));
}

// --- several right-hand sides
// ------------------------------------------------------------------------------------------

/// A file of `columns` right-hand sides of poisson3d:level=2, and its matrix beside it.
struct Columns {
    Scratch scratch;
    std::size_t size = 0;
    std::vector<std::vector<double>> b;
    std::string matrix, right;

    explicit Columns(std::size_t columns) {
        const Problem problem = make_problem("poisson3d:level=2");
        const auto& rows = std::get<CompressedRows>(problem.system.matrix());
        size = rows.rows();
        std::string text =
            fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", size, size, rows.value().size());
        for (std::size_t i = 0; i < size; ++i)
            for (std::uint64_t k = rows.row_begin()[i]; k < rows.row_begin()[i + 1]; ++k)
                text += fmt::format("{} {} {}\n", i + 1, rows.column()[k] + 1, rows.value()[k]);
        matrix = scratch.write("a.mtx", text);
        text = fmt::format("%%MatrixMarket matrix array real general\n{} {}\n", size, columns);
        for (std::size_t c = 0; c < columns; ++c) {
            b.emplace_back();
            for (std::size_t i = 0; i < size; ++i) {
                b.back().push_back(std::sin(static_cast<double>(3 * i + 5 * c + 1)));
                text += fmt::format("{}\n", b.back().back());
            }
        }
        right = scratch.write("b.mtx", text);
    }
    [[nodiscard]] std::string problem() const { return "mtx:" + matrix + ",rhs=file:" + right; }
};

TEST(RightHandSides, HaveTheBitsOfEachAlone) {
    const Columns columns(3);
    const Problem all = make_problem_of_columns(columns.problem());
    EXPECT_EQ(all.b, columns.b[0]);
    ASSERT_EQ(all.more.size(), 2u);
    const auto engine = make_emulated_engine();
    for (const std::string scheme : {"residual-guided", "inexact-pcg", "direct", "jacobi-pcg"}) {
        const std::vector<SolveResult> results = solve_all(all, *engine, options_of(scheme));
        ASSERT_EQ(results.size(), 3u);
        for (std::size_t k = 0; k < 3; ++k) {
            Problem one = all;
            one.b = columns.b[k];
            one.more.clear();
            const SolveResult alone = solve(one, *engine, options_of(scheme));
            EXPECT_EQ(results[k].status, Status::converged);
            EXPECT_EQ(results[k].u, alone.u) << scheme << " " << k;
            EXPECT_EQ(results[k].inner_iterations, alone.inner_iterations);
        }
    }
}

TEST(RightHandSides, OfTheCommand) {
    const Columns columns(3);
    const std::string u = columns.scratch.path("u.mtx"), base = "solve --threads 1 --problem " + columns.problem();
    const Outcome text = run(base + " --solution " + u);
    ASSERT_EQ(text.code, 0) << text.err;
    EXPECT_NE(text.out.find("right-hand side  status"), std::string::npos) << text.out;
    const std::vector<std::vector<double>> x = read_columns(u, columns.size);
    ASSERT_EQ(x.size(), 3u);
    const json j = json::parse(run(base + " --json").out);
    ASSERT_EQ(j["right_hand_sides"].size(), 3u);
    for (const json& each : j["right_hand_sides"]) EXPECT_EQ(each["status"], "converged");
    EXPECT_FALSE(j.contains("status")); // (of which?)
    // One that does not converge is the whole answer's.
    EXPECT_EQ(run(base + " --max-iterations 3").code, 1);
}

TEST(RightHandSides, EachBeginsAtItsOwnGuess) {
    const Columns columns(3);
    const std::string u = columns.scratch.path("u.mtx"), base = "solve --threads 1 --problem " + columns.problem();
    for (const std::string way : {" --scheme residual-guided", " --scheme jacobi-pcg --format double", ""}) {
        ASSERT_EQ(run(base + way + " --solution " + u).code, 0) << way;
        const Outcome again = run(base + way + " --json --guess " + u);
        ASSERT_EQ(again.code, 0) << again.err;
        for (const json& each : json::parse(again.out)["right_hand_sides"])
            EXPECT_EQ(each["inner_iterations"], 0) << way;
    }
    const auto zeros = [&](std::size_t count) {
        std::string text = fmt::format("%%MatrixMarket matrix array real general\n{} {}\n", columns.size, count);
        for (std::size_t i = 0; i < count * columns.size; ++i) text += "0\n";
        return columns.scratch.write("z.mtx", text);
    };
    EXPECT_EQ(run(base + " --guess " + zeros(1)).code, 0);
    for (const auto& [count, why] :
         {std::pair(std::size_t{2}, "2 columns for 3 right-hand sides; give one, or as many"),
          {4, "needs 27 x 1 to 3"}}) {
        const Outcome o = run(base + " --guess " + zeros(count));
        EXPECT_EQ(o.code, 2) << o.out;
        EXPECT_NE(o.err.find(why), std::string::npos) << o.err;
    }
}

TEST(RightHandSides, WhereOneIsTakenSeveralAreRefused) {
    const Columns columns(2);
    const auto refused = [&](const std::string& command, const std::string& why) {
        const Outcome o = run(command);
        EXPECT_EQ(o.code, 2) << command << "\n" << o.out;
        EXPECT_NE(o.err.find(why), std::string::npos) << o.err;
    };
    const std::string base = "solve --threads 1 --problem " + columns.problem();
    refused(base + " --history -", "--history: it goes with one right-hand side, and the file has 2");
    refused(base + " --parts 2 --scheme direct --format double", "--parts: it goes with one right-hand side");
    refused(base + " --advise", "2 right-hand sides; a solve (mantissa solve without --advise");
    refused("bench --problem " + columns.problem(), "2 right-hand sides");
    const auto sized = [&](const char* size) {
        return "solve --problem mtx:" + columns.matrix + ",rhs=file:" +
               columns.scratch.write("w.mtx", fmt::format("%%MatrixMarket matrix array real general\n{}\n1\n", size));
    };
    refused(sized(fmt::format("{} 0", columns.size).c_str()), "the system needs");
    refused(sized(fmt::format("{} 5000", columns.size).c_str()), "the system needs");
    refused(sized("4 2"), "the system needs");
    refused(sized(fmt::format("{} 2", columns.size).c_str()), "the file ends after 1 numbers");
}

} // namespace
} // namespace mantissa
