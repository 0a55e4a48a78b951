// Dense solves: the findings drawn from them, and their section of the page.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "findings/dense.hpp"
#include "mantissa/host/store.hpp"
#include "mantissa/host/sweep.hpp"
#include "report/page/page.hpp"
#include "scratch.hpp"
#include "sqlite.hpp"

namespace {

using namespace mantissa;
using findings::DenseSolve;
using findings::DenseSums;

DenseSolve solve_of(const std::string& problem, std::uint64_t n, const std::string& spec, bool converged = true,
                    double units = 1) {
    DenseSolve s = findings::dense_solve(problem, n, spec).value();
    s.refinement = "gmres-ir";
    s.converged = converged;
    s.krylov_steps = 10;
    s.factor_error = std::ldexp(units, -s.spec.u.fraction_bits);
    return s;
}

std::string uniform(std::uint64_t n, int seed = 1) {
    return "n=" + std::to_string(n) + ",kind=uniform,seed=" + std::to_string(seed);
}

TEST(DenseFindings, TheLawIsFittedFromRandomMatrices) {
    std::vector<DenseSolve> solves;
    for (const std::uint64_t n : {64, 256, 1024}) {
        for (const char* spec : {"lu:s23e8", "lu:s17e8"})
            solves.push_back(solve_of(uniform(n), n, spec, true, 0.25 * static_cast<double>(n)));
        solves.push_back(solves.back()); // one factor, two refinements
        solves.back().refinement = "ir";
        solves.push_back(
            solve_of(uniform(n), n, "lu:s10e5,acc=fixed[15:-34]", true, 0.5 * std::sqrt(static_cast<double>(n))));
        // None of these is of a law: another matrix, another pivoting, panels summed first.
        solves.push_back(solve_of("n=64,kind=dominant,seed=1", n, "lu:s10e5", true, 1e6));
        solves.push_back(solve_of(uniform(n), n, "lu:s10e5,pivot=full", true, 1e6));
        solves.push_back(solve_of(uniform(n), n, "lu:s10e5,order=blocked:8", true, 1e6));
    }
    solves.push_back(solve_of(uniform(64), 64, "lu:s10e5:rne", true, 3)); // one size is no law
    solves.push_back(solve_of(uniform(1024), 1024, "lu:s4e8", true, 4));  // nothing is left of such a factor
    const auto laws = findings::factor_laws(solves);
    ASSERT_EQ(laws.size(), 2U);
    EXPECT_EQ(laws[0].sums, DenseSums::truncated);
    EXPECT_NEAR(laws[0].factor, 0.25, 1e-9);
    EXPECT_NEAR(laws[0].exponent, 1, 1e-9);
    EXPECT_NEAR(laws[0].per_row, 0.25, 1e-9);
    EXPECT_EQ(laws[0].solves, 6U);
    EXPECT_EQ(laws[0].most_n, 1024U);
    EXPECT_EQ(laws[1].sums, DenseSums::window);
    EXPECT_NEAR(laws[1].exponent, 0.5, 1e-9);
    EXPECT_NE(findings::dense_sentences(solves).at(0).find("costs 0.25 n units of the last fraction bit, 256 at n = "
                                                           "1024 or 8.0 bits"),
              std::string::npos);
}

TEST(DenseFindings, AFormatSufficesWhenAllItsSolvesConverge) {
    std::vector<DenseSolve> solves;
    for (const int seed : {1, 2}) {
        solves.push_back(solve_of(uniform(64, seed), 64, "lu:s4e8", seed == 1));
        solves.push_back(solve_of(uniform(64, seed), 64, "lu:s7e8"));
        solves.push_back(solve_of(uniform(64, seed), 64, "lu:s10e5"));
    }
    const auto list = findings::sufficient_formats(solves);
    ASSERT_EQ(list.size(), 1U); // seeds are one setting
    EXPECT_EQ(to_string(list[0].shortest.value()), "s7e8");
    EXPECT_EQ(list[0].formats, 3U);
    EXPECT_EQ(list[0].steps, 10);
}

TEST(DenseReport, HasItsSectionFiguresAndFindings) {
    const Scratch scratch;
    const Sweep sweep = parse_sweep("[[dense]]\nn = [16, 24, 32]\nformat = [\"s10e5\", \"s7e8\"]\n"
                                    "acc = [\"same\", \"fixed[15:-34]\"]\n",
                                    "x.toml");
    const std::string path = scratch.path("s.sqlite");
    {
        Store store(path);
        solve_points(std::span(sweep.dense), 1, [&](std::size_t i, const DenseOutcome& o) {
            store.put(sweep.dense[i], o.result, o.unknowns, current_provenance("mantissa sweep x.toml"));
        });
    }
    const report::Report made = report::make_report({{path}, MANTISSA_PAPER, "T", {}}, current_provenance("test"));
    EXPECT_EQ(made.findings.size(), 2U); // the law, and the shortest formats
    EXPECT_GE(made.charts, 3U);
    const auto has = [&](const char* part) { return made.html.find(part) != std::string::npos; };
    EXPECT_TRUE(has("id=\"figure-dense-error\""));
    EXPECT_TRUE(has("id=\"figure-dense-steps-32\""));
    EXPECT_TRUE(has("s0/dense/1/factor_error"));
    EXPECT_FALSE(has("<section id=\"designs\"")); // nothing but dense solves is there

    execute(path, "UPDATE dense SET status = 'fine' WHERE id = 2");
    const report::Report rest = report::make_report({{path}, MANTISSA_PAPER, "T", {}}, current_provenance("test"));
    ASSERT_EQ(rest.notes.size(), 1U);
    EXPECT_NE(rest.notes.front().find("column status of row 2 of table dense"), std::string::npos);
}

} // namespace
