// Cycles in words: what is made for speed has the bits of the definition, for any number of threads; and the cycles
// solve Poisson's equation in the iterations that their words allow.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "../expect_line.hpp"
#include "defects.hpp"
#include "mantissa/multilevel/cycle.hpp"
#include "systems.hpp"

namespace mantissa {
namespace {

using test::expect_line, test::poisson, test::some_defect;

class CycleBits : public ::testing::TestWithParam<std::string> {};

TEST_P(CycleBits, TheFastPathHasTheDefinitionsBits) {
    const CycleSpec spec = parse_cycle_spec(GetParam());
    for (const std::size_t level : {1, 2, 3, 5, 7}) {
        const System system = poisson(level);
        const auto reference = make_reference_cycle(system, spec);
        std::vector<double> expected(system.size()), found(system.size());
        for (const std::uint64_t seed : {1, 2}) {
            const std::vector<double> d = some_defect(system, seed);
            reference->correct(d, expected);
            for (const int threads : {1, 2, 3}) {
                const auto cycle = make_cycle(system, spec, threads);
                cycle->correct(d, found);
                EXPECT_EQ(expected, found) << "level " << level << ", " << threads << " threads";
            }
        }
        EXPECT_GT(std::abs(expected[system.size() / 2]), 0);
    }
}
INSTANTIATE_TEST_SUITE_P(Specs, CycleBits,
                         ::testing::Values("b2,w=10", "b1,w=8", "b3,w=12", "b4,w=4", "b2,w=16,f=24,e=24,g=8",
                                           "b2,w=12/10/8,f=18/12,e=20/14,g=0", "v11,w=8,f=8,e=12",
                                           "v11,w=4,f=4,e=4,g=0", "v22,w=12", "v12,w=10,e=24", "v33,w=9,f=20",
                                           "v44,w=16,f=22,g=6", "v21,w=13,f=24,g=5"));

/// The hierarchy of rows and of bands, as words.
TEST(CycleOnRows, TheFastPathHasTheDefinitionsBits) {
    std::mt19937_64 random(3);
    const auto jumps = [&](auto...) { return std::pow(1e3, std::generate_canonical<double, 53>(random)); };
    const std::vector<System> systems{System(test::laplacian(40, 30, 1)),
                                      System(test::laplacian(12, 11, 10)),
                                      System(test::diffusion(60, 60, 1, {1, 1, 1}, jumps)),
                                      System(test::laplacian(9000, 1, 1)),
                                      System(test::laplacian(3, 3, 1)),
                                      System(test::bands_of_jumps(33))};
    for (const char* text : {"v22,w=10,c=10", "v11,w=8,f=8,e=12,c=8", "b2,w=10", "v21,w=12,c=12,g=2", "v22,w=16,c=16",
                             "v11,w=12/8,c=12/8,e=20", "v22,w=10,c=10,p=10", "v22,w=12/10,c=12,s=64",
                             "v12,w=16,c=15,p=16,s=64,f=24,e=24", "v11,w=8,c=4,p=16/12,e=24", "b2,w=10,c=6,p=4,s=64"})
        for (const System& system : systems) {
            const CycleSpec spec = parse_cycle_spec(text);
            const std::vector<double> d = some_defect(system, 7);
            std::vector<double> expected(system.size()), found(system.size());
            make_reference_cycle(system, spec)->correct(d, expected);
            for (const int threads : {1, 3}) {
                make_cycle(system, spec, threads)->correct(d, found);
                EXPECT_EQ(expected, found) << text << ", " << system.size() << " unknowns, " << threads << " threads";
            }
            EXPECT_TRUE(std::ranges::any_of(expected, [](double c) { return c != 0; }));
        }
}

/// Poisson's problem of the unit square with the solution x (1 - x) y (1 - y), to a true residual of 1e-10.
int cycles(const std::string& text, std::size_t level) {
    const System system = poisson(level);
    const std::size_t n = system.row_length();
    const double h = 1.0 / static_cast<double>(n - 1);
    std::vector<double> b(system.size()), u(b.size()), d, c(b.size());
    const auto squares = [](const std::vector<double>& v) {
        double sum = 0;
        for (const double x : v) sum += x * x;
        return sum;
    };
    const auto bump = [h](std::size_t i) { return static_cast<double>(i) * h * (1 - static_cast<double>(i) * h); };
    for (std::size_t j = 1; j + 1 < n; ++j)
        for (std::size_t i = 1; i + 1 < n; ++i) b[j * n + i] = 2 * h * h * (bump(i) + bump(j));
    d = b;
    const auto cycle = make_cycle(system, parse_cycle_spec(text), 2);
    for (int k = 1; k < 60; ++k) {
        cycle->correct(d, c);
        for (std::size_t i = 0; i < u.size(); ++i) u[i] += c[i];
        for (std::size_t j = 1; j + 1 < n; ++j)
            for (std::size_t i = j * n + 1; i + 1 < (j + 1) * n; ++i) {
                double others = 0;
                for (const std::size_t row : {i - n, i, i + n}) others += u[row - 1] + u[row] + u[row + 1];
                d[i] = b[i] - (9 * u[i] - others) / 3;
            }
        if (squares(d) < 1e-20 * squares(b)) return k;
    }
    return 60;
}

TEST(Cycle, SolvesPoissonInFewCycles) {
    EXPECT_LE(cycles("b2,w=10", 6), 15);
    EXPECT_LE(cycles("b2,w=10", 8), 17);
    EXPECT_LE(cycles("b2,w=8", 8), 20);
    EXPECT_LE(cycles("v22,w=12", 7), 12);
}

TEST(CycleSpecText, PrintsWhatItReads) {
    for (const char* text : {"b2,w=10", "v11,w=8,f=8,e=12,c=8", "v22,w=12/10/8", "v22,w=double", "b1,w=16,g=0",
                             "v22,w=12/10,c=10,p=10", "v11,w=10,p=16/12,s=64,g=2"})
        EXPECT_EQ(to_string(parse_cycle_spec(text)), text);
    EXPECT_EQ(parse_cycle_spec("b2").w, std::vector{10});
    EXPECT_EQ(parse_cycle_spec("b2,w=8/8").w, std::vector{8});
    EXPECT_EQ(parse_cycle_spec("v12,w=12/10").f, (std::vector{19, 17}));
    EXPECT_EQ(to_string(parse_cycle_spec("v11,w=8,c=9/8,p=14")), "v11,w=8,c=9/8"); // p is that anyway
    EXPECT_EQ(to_string(parse_cycle_spec("v11,w=8,c=16/8,p=16/14")), "v11,w=8,c=16/8");
    EXPECT_EQ(parse_cycle_spec("v11,c=16/8").interpolation(0), 16);
    EXPECT_EQ(parse_cycle_spec("v11,c=12").sums, 32);
    EXPECT_EQ(parse_cycle_spec("v11,c=10/13").sums, 64);
    EXPECT_EQ(parse_cycle_spec("v11,c=10/13,s=32").sums, 32);
    EXPECT_EQ(to_string(parse_cycle_spec("v11,w=8,c=13,s=32")), "v11,w=8,c=13,s=32");
    EXPECT_EQ(to_string(parse_cycle_spec("v11,w=8,c=13,s=64")), "v11,w=8,c=13");
    EXPECT_EQ(parse_cycle_spec("v11,c=16/8").interpolation(3), 14);
}

TEST(CycleSpecText, RefusesInOneLine) {
    for (const char* text :
         {"",        "b",     "b0",       "b5",     "v1",      "v10",         "w22",         "b2,w=3",
          "b2,w=17", "b2,w=", "b2,w=10/", "b2,x=3", "b2,w",    "b2,w=10,w=9", "b2,g=9",      "v22,w=double,e=12",
          "b2,c=-4", "b22",   "b2,p=17",  "b2,p=3", "b2,s=16", "b2,s=",       "b2,s=64,s=64"})
        expect_line([&] { static_cast<void>(parse_cycle_spec(text)); }, "cycle '");
}

} // namespace
} // namespace mantissa
