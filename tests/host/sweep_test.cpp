#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

#include "expect_invalid.hpp"
#include "mantissa/host/sweep.hpp"

namespace {

using namespace mantissa;

Sweep parse(const std::string& text, std::size_t limit = kMaxSweepPoints) {
    return parse_sweep(text, "s.toml", limit);
}
void refuse(const std::string& text, const std::string& part, std::size_t limit = kMaxSweepPoints) {
    expect_invalid([&] { parse(text, limit); }, part);
}

TEST(SweepFile, CrossProductInTheFilesOrder) {
    const Sweep s = parse("store = \"out.sqlite\"\n"
                          "[[grid]]\n"
                          "problem = [\"poisson2d:level=3\", \"poisson2d:level=4\"]\n"
                          "format = [\"s10e8\", \"s17e8\"]\n"
                          "inner = [10, 20, 30]\n");
    EXPECT_EQ(s.store, "out.sqlite");
    ASSERT_EQ(s.points.size(), 12u);
    EXPECT_EQ(s.points[0].problem, "poisson2d:level=3");
    EXPECT_EQ(s.points[1].options.inner, 20u);
    EXPECT_EQ(to_string(s.points[3].options.spec), "s17e8");
    EXPECT_EQ(s.points[11].problem, "poisson2d:level=4");
    std::set<std::string> keys;
    for (const Point& p : s.points) keys.insert(point_key(p));
    EXPECT_EQ(keys.size(), 12u);
}

TEST(SweepFile, ZippedListsGoTogether) {
    const Sweep s = parse("[[grid]]\nzip = [[\"format\", \"row\"]]\nproblem = \"poisson2d:level=3\"\n"
                          "format = [\"s14e8\", \"s17e8\"]\nrow = [\"s20e8\", \"s23e8\"]\nu = [\"same\", \"s23e8\"]\n");
    ASSERT_EQ(s.points.size(), 4u);
    EXPECT_EQ(to_string(s.points[0].options.spec), "s14e8,row=s20e8");
    EXPECT_EQ(to_string(s.points[1].options.spec), "s14e8,u=s23e8,row=s20e8");
    EXPECT_EQ(to_string(s.points[3].options.spec), "s17e8,u=s23e8,row=s23e8");
}

TEST(SweepFile, EveryFieldReachesItsPlace) {
    const Sweep s =
        parse("[defaults]\nengine = \"emulated\"\nscheme = \"defect-correction\"\ntolerance = 1e-8\n"
              "max_iterations = 500\njacobi = true\nhistory = true\nrecurrence = \"cg\"\n"
              "middle = \"s36e11,s23e8\"\nmiddle_digits = 3\nstop = \"digits=2.5\"\n"
              "[[grid]]\nproblem = \"poisson2d:level=03\"\nformat = \"s14e8\"\nu = \"s23e8\"\nvectors = \"+1\"\n"
              "coef = \"s16e8\"\noperand = \"s18e8\"\nrow = \"+6\"\norder = \"tree\"\nproduct = \"s21e8\"\n"
              "dot = \"s30e11/8\"\nscalar = \"s40e11\"\nlanes = 4\n");
    ASSERT_EQ(s.points.size(), 1u);
    const Point& p = s.points[0];
    const SolveOptions& o = p.options;
    EXPECT_EQ(p.problem, "poisson2d:level=3");
    EXPECT_EQ(o.scheme, Scheme::defect_correction);
    EXPECT_EQ(o.tolerance, 1e-8);
    EXPECT_EQ(o.max_iterations, 500u);
    EXPECT_TRUE(o.jacobi && o.history);
    EXPECT_EQ(o.recurrence, RecurrenceChoice::cg);
    EXPECT_EQ(o.middle, (std::vector<Format>{parse_format("s36e11"), parse_format("s23e8")}));
    EXPECT_EQ(o.middle_digits, 3.0);
    EXPECT_EQ(o.digits, 2.5);
    EXPECT_EQ(o.spec, parse_spec("s15e8,u=s23e8,coef=s16e8,operand=s18e8,row=s20e8,order=tree,product=s21e8,"
                                 "dot=s30e11/8,scalar=s40e11,lanes=4"));
}

TEST(SweepFile, SchedulesAreOneOrSeveral) {
    const std::string grid = "[[grid]]\nproblem = \"poisson2d:level=3\"\n"; // further keys begin on line 3
    const Sweep one = parse(grid + "schedule = [[1, \"s52e11\"], [2e-3, \"s23e8,row=s29e8\"]]\n");
    ASSERT_EQ(one.points.size(), 1u);
    const SolveOptions& o = one.points[0].options;
    EXPECT_EQ(o.schedule,
              (std::vector<ScheduleStage>{{1, parse_spec("s52e11")}, {2e-3, parse_spec("s23e8,row=s29e8")}}));
    EXPECT_EQ(o.spec, parse_spec("s52e11"));
    EXPECT_NE(point_key(one.points[0]).find(" schedule=1:s52e11;0.002:s23e8,row=s29e8"), std::string::npos);
    const Sweep two = parse(grid + "schedule = [[[1, \"s52e11\"]],\n [[1, \"s52e11\"], [0.5, \"fx18.16\"]]]\n");
    ASSERT_EQ(two.points.size(), 2u);
    EXPECT_EQ(two.points[0].options.schedule.size(), 1u);
    EXPECT_EQ(two.points[1].options.schedule.size(), 2u);
    EXPECT_NE(point_key(two.points[0]), point_key(two.points[1]));
    refuse(grid + "schedule = \"s17e8\"\n", "s.toml:3: schedule must list pairs of a defect and a datapath");
    refuse(grid + "schedule = [1, \"s17e8\"]\n", "s.toml:3: schedule must list pairs");
    refuse(grid + "schedule = [[1, \"s17e8\", 2]]\n", "s.toml:3: schedule must list pairs");
    refuse(grid + "schedule = [[1, \"s17e8\"], [2, \"s17e8\"]]\n", "s.toml:3: schedule: stage '2:s17e8'");
    refuse(grid + "schedule = [[1, \"s1e8\"]]\n", "s.toml:3: ");
    refuse(grid + "spec = \"s17e8\"\nschedule = [[1, \"s17e8\"]]\n", "exclude each other");
    refuse(grid + "u = \"s17e8\"\nschedule = [[1, \"s17e8\"]]\n", "exclude each other");
}

TEST(SweepFile, AStopMayBeOfTheWholeSolve) {
    const Sweep sweep =
        parse("[[grid]]\nproblem = \"poisson2d:level=3\"\nbound = true\n"
              "stop = [\"inner=5\", \"energy=1e-6\", \"inner=7,energy=1e-3\", \"digits=2,residual=1e-4\"]\n");
    ASSERT_EQ(sweep.points.size(), 4u);
    const auto options = [&](std::size_t k) -> const SolveOptions& { return sweep.points[k].options; };
    EXPECT_EQ(options(0).energy, std::nullopt);
    EXPECT_EQ(options(1).energy, 1e-6);
    EXPECT_EQ(options(1).inner, 10u);
    EXPECT_EQ(options(2).energy, 1e-3);
    EXPECT_EQ(options(2).inner, 7u);
    EXPECT_EQ(options(3).energy, std::nullopt);
    EXPECT_EQ(options(3).tolerance, 1e-4);
    EXPECT_TRUE(options(3).bound);
    EXPECT_NE(point_key(sweep.points[2]).find(" stop=energy=0.001 bound"), std::string::npos)
        << point_key(sweep.points[2]);
}

TEST(SweepFile, ResidentPointsAreOthers) {
    const Sweep s = parse_sweep("[[grid]]\nproblem = \"poisson2d:level=4\"\nspec = \"fx18.16\"\n"
                                "outer = \"fx64.54\"\nresident = [false, true]\n",
                                "resident.toml");
    ASSERT_EQ(s.points.size(), 2U);
    EXPECT_FALSE(s.points[0].options.resident);
    EXPECT_TRUE(s.points[1].options.resident);
    EXPECT_EQ(point_key(s.points[1]), point_key(s.points[0]) + " resident");
    solve_points(s.points, 1, [&](std::size_t index, const PointOutcome& outcome) {
        EXPECT_EQ(outcome.refused, "");
        EXPECT_EQ(outcome.result.status, Status::converged);
        EXPECT_EQ(outcome.result.resident.has_value(), index == 1);
    });
}

TEST(SweepFile, GridsOverrideDefaultsAlsoByTheirRivals) {
    const Sweep s = parse("[defaults]\nproblem = \"poisson2d:level=3\"\ninner = 10\nformat = \"s17e8\"\nrow = \"+2\"\n"
                          "[[grid]]\n[[grid]]\ninner = 20\n[[grid]]\ndigits = 2\nspec = \"s9e8,u=s23e8\"\n");
    ASSERT_EQ(s.points.size(), 3u);
    EXPECT_EQ(s.points[0].options.inner, 10u);
    EXPECT_EQ(s.points[1].options.inner, 20u);
    EXPECT_EQ(s.points[2].options.digits, 2.0);
    EXPECT_EQ(to_string(s.points[2].options.spec), "s9e8,u=s23e8");
}

TEST(SweepFile, EqualPointsAreKeptOnce) {
    const Sweep s = parse("[[grid]]\nproblem = [\"poisson2d:level=3\", \"poisson2d:level=3\"]\nformat = \"s17e8\"\n"
                          "[[grid]]\nproblem = \"poisson2d:level=3\"\nspec = \"s17e8\"\n");
    EXPECT_EQ(s.points.size(), 1u);
}

TEST(SweepFile, FaultsNameFileLineAndMend) {
    const std::string grid = "[[grid]]\nproblem = \"poisson2d:level=3\"\n"; // further keys begin on line 3
    refuse("", "s.toml:1: no [[grid]]: give at least one");
    refuse("[[grid]]\nproblem = \n", "s.toml:2: ");
    refuse("\n[[grid]\n", "s.toml:2: ");
    refuse("\n[[grid]]\ninner = 3\n", "s.toml:2: a grid without problem");
    refuse("stores = 1\n" + grid, "s.toml:1: no key 'stores' here; the top level holds store, [defaults] and [[grid]]");
    refuse("store = 1\n" + grid, "s.toml:1: store must be a file name");
    refuse("[grid]\nproblem = \"poisson2d:level=3\"\n", "s.toml:1: grid must be tables: write [[grid]]");
    refuse(grid + "colour = 3\n", "s.toml:3: no key 'colour'; the keys are problem, engine");
    refuse(grid + "inner = []\n", "s.toml:3: inner is an empty list");
    refuse(grid + "inner = [10,\n [20]]\n", "s.toml:4: a value of inner is no text, number or boolean");
    refuse(grid + "inner = \"10\"\n", "s.toml:3: inner must be a whole number from 1 on");
    refuse(grid + "inner = [10,\n 0]\n", "s.toml:4: inner must be a whole number from 1 on");
    refuse(grid + "digits = -1\n", "s.toml:3: digits -1: give a number from 0.1 to 15");
    refuse(grid + "digits = 0\n", "s.toml:3: digits 0: give a number from 0.1 to 15");
    refuse(grid + "middle_digits = 16\n", "s.toml:3: middle_digits 16: give a number from 0.1 to 15");
    refuse(grid + "digits = nan\n", "s.toml:3: digits must be a finite number");
    refuse(grid + "tolerance = 1\n", "s.toml:3: tolerance must be a number above 0 and below 1");
    refuse(grid + "jacobi = 1\n", "s.toml:3: jacobi must be true or false");
    refuse(grid + "inner = 10\ndigits = 2\n", "digits and inner exclude each other: keep one");
    refuse(grid + "spec = \"s17e8\"\nu = \"s23e8\"\n", "exclude each other");
    refuse(grid + "vectors = \"s17e8\"\np = \"s23e8\"\n", "exclude each other");
    refuse(grid + "stop = \"fixed10\"\n",
           "s.toml:3: stop 'fixed10': write inner=10 or digits=2, energy=1e-6 or two of them as "
           "inner=10,energy=1e-6");
    refuse(grid + "format = \"s1e8\"\n", "s.toml:3: ");
    refuse(grid + "format = [\"s17e8\",\n\"q\"]\n", "s.toml:4: ");
    refuse(grid + "row = \"+44\"\n", "s.toml:3: row = \"+44\": a format, same, or + and the guard bits");
    refuse(grid + "row = \"+-4\"\n", "s.toml:3: row = \"+-4\"");
    refuse(grid + "lanes = 3\n", "s.toml:3: ");
    refuse(grid + "dot = \"fixed[2:-90]\"\n", "s.toml:3: ");
    refuse(grid + "scheme = \"magic\"\n", "s.toml:3: ");
    refuse(grid + "engine = \"abacus\"\n", "s.toml:3: engine 'abacus': no such engine");
    refuse("[[grid]]\nproblem = [\"poisson2d:level=3\",\n\"poisson2d:level=33\"]\n",
           "s.toml:3: problem 'poisson2d:level=33'");
    refuse("[[grid]]\nproblem = \"poisson2d:\\nlevel=3\"\n", "s.toml:2: problem 'poisson2d:\\nlevel=3'");
    // (The first value of the list is refused by the solve, the second one would have no effect.)
    refuse(grid + "preconditioner = \"multilevel\"\nformat = [\"s14e8\", \"s17e8\"]\n",
           "s.toml:4: preconditioner multilevel: a cycle is the inner solver itself and has words of its own");
    refuse("[defaults]\nzip = [[\"inner\"]]\n" + grid, "s.toml:2: zip is of one grid");
    refuse(grid + "zip = \"inner\"\n", "s.toml:3: zip must list lists of keys");
    refuse(grid + "zip = [[\"inner\"]]\n", "s.toml:3: zip names inner, which the grid does not set");
    refuse(grid + "zip = [[\"inner\", \"inner\"]]\ninner = [1, 2]\n", "s.toml:3: zip names inner twice");
    refuse(grid + "zip = [[\"inner\", \"tolerance\"]]\ninner = [1, 2]\ntolerance = [0.1, 0.2, 0.3]\n",
           "s.toml:5: zipped lists of different lengths: inner has 2 values, tolerance has 3");
}

TEST(SweepFile, TooManyPointsAreRefusedBeforeTheyAreMade) {
    std::string list = "[1";
    for (int i = 2; i <= 100; ++i) list += ", " + std::to_string(i);
    list += "]\n";
    const std::string text = "[[grid]]\nproblem = \"poisson2d:level=3\"\ninner = " + list + "max_iterations = " + list;
    EXPECT_EQ(parse(text).points.size(), 10000u);
    refuse(text, "s.toml:1: this grid has more than 9999 points: split the sweep", 9999);
}

TEST(SolvePoints, EveryPointOnceAndTheSameOnAnyNumberOfThreads) {
    const Sweep s =
        parse("[[grid]]\nproblem = [\"poisson2d:level=3\", \"poisson2d:level=4\", \"diffusion2d:level=3\"]\n"
              "format = [\"s14e8\", \"s17e8\", \"double\"]\n");
    std::vector<std::vector<std::uint64_t>> counts;
    for (const int threads : {1, 3, 20}) {
        std::vector<std::uint64_t> count(s.points.size(), 0);
        solve_points(s.points, threads, [&](std::size_t i, const PointOutcome& o) {
            EXPECT_EQ(o.refused, "");
            EXPECT_EQ(count[i], 0u);
            EXPECT_EQ(o.result.status, Status::converged) << point_key(s.points[i]);
            count[i] = o.result.inner_iterations;
        });
        for (const auto c : count) EXPECT_GT(c, 0u);
        counts.push_back(count);
    }
    EXPECT_EQ(counts[0], counts[1]);
    EXPECT_EQ(counts[0], counts[2]);
}

TEST(SolvePoints, RefusalsComeBackAndFaultsOfTheCallerPassOn) {
    std::vector<Point> points(3);
    for (Point& p : points) p.problem = "mtx:/no/such/file.mtx";
    std::size_t refused = 0;
    solve_points(points, 2, [&](std::size_t, const PointOutcome& o) { refused += !o.refused.empty(); });
    EXPECT_EQ(refused, 3u);
    EXPECT_THROW(solve_points(points, 2, [](std::size_t, const PointOutcome&) { throw std::runtime_error("full"); }),
                 std::runtime_error);
}

} // namespace
