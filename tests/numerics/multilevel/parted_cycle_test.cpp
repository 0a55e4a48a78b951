// Cycles over parts: the bits of the whole, for any number of parts and any cut.
#include "mantissa/partition/parted_engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "defects.hpp"
#include "mantissa/multilevel/cycle.hpp"
#include "mantissa/partition/cuts.hpp"
#include "systems.hpp"

namespace mantissa {
namespace {

void expect_the_whole_cycles_bits(const System& system, const CycleSpec& spec, CutMethod method, ExchangeWay way) {
    const auto whole = make_cycle(system, spec, 2);
    std::vector<double> expected(system.size()), found(system.size());
    for (const std::uint32_t parts : {1U, 2U, 3U, 8U}) {
        const auto space = make_threads_space(parts);
        const ExchangeOptions exchange{way, std::make_shared<ExchangeCounts>()};
        const auto cycle = make_parted_engine(space, method, exchange)->cycle(system, spec, 1);
        for (const std::uint64_t seed : {1, 2}) {
            const std::vector<double> d = test::some_defect(system, seed);
            whole->correct(d, expected);
            cycle->correct(d, found);
            EXPECT_EQ(expected, found) << to_string(spec) << ", " << system.size() << " unknowns, " << parts
                                       << " parts";
            EXPECT_TRUE(std::ranges::any_of(expected, [](double c) { return c != 0; }));
        }
        // (Words that only the definition's own loops hold are worked out whole.)
        if (parts == 1 || whole->description().ends_with("the reference")) continue;
        EXPECT_NE(cycle->description().find("parts"), std::string::npos) << cycle->description();
        EXPECT_EQ(exchange.counts->iterations, 2U);
        EXPECT_GT(exchange.counts->elements, 0U);
    }
}

TEST(PartedCycle, HasTheBitsOfTheWhole) {
    std::mt19937_64 random(3);
    const auto jumps = [&](auto...) { return std::pow(1e3, std::generate_canonical<double, 53>(random)); };
    const System systems[] = {test::poisson(7),
                              test::poisson(8),
                              System(test::laplacian(90, 80, 1)),
                              System(test::laplacian(20, 19, 18)),
                              System(test::diffusion(80, 70, 1, {1, 1, 1}, jumps)),
                              System(test::diffusion(19, 18, 17, {1, 1, 4}, [](auto...) { return 1.0; })),
                              System(test::laplacian(9000, 1, 1)),
                              System(test::bands_of_jumps(129))};
    std::size_t turn = 0;
    for (const char* const text :
         {"b2,w=10", "b1,w=8", "b3,w=12,c=8", "b2,w=12/10/8,f=18/12,e=20/14,g=0", "v11,w=8,f=8,e=12",
          "v11,w=12/8,c=12/8,e=20", "v12,w=10,c=10,e=20", "v21,w=12,c=12,g=2", "v22,w=10,c=10", "v22,w=16,c=16",
          "v22,w=10,c=10,p=10", "v33,w=9,c=10,f=20"})
        for (const System& system : systems) {
            const bool rows = system.kind() == System::Kind::sparse;
            const auto method = static_cast<CutMethod>(rows ? ++turn % (has_metis() ? 3 : 2) : 0);
            const ExchangeWay way = ++turn % 2 == 0 ? ExchangeWay::neighbours : ExchangeWay::host;
            expect_the_whole_cycles_bits(system, parse_cycle_spec(text), method, way);
        }
}

TEST(PartedCycle, WhatIsNotSharedOutIsTheSameEverywhere) {
    for (const char* const text :
         {"v22,w=double", "v22,w=10", "v44,w=16,f=22,g=6"}) { // in double; and of small levels alone
        const System system(test::laplacian(12, 11, 10));
        const CycleSpec spec = parse_cycle_spec(text);
        const std::vector<double> d = test::some_defect(system, 5);
        std::vector<double> expected(d.size()), found(d.size());
        make_cycle(system, spec, 1)->correct(d, expected);
        const auto space = make_threads_space(3);
        make_parted_engine(space, CutMethod::contiguous)->cycle(system, spec, 1)->correct(d, found);
        EXPECT_EQ(expected, found);
    }
}

TEST(PartedCycle, ADefectOfZeroIsCorrectedByZero) {
    const System system = test::poisson(7);
    const auto cycle = make_parted_engine(make_threads_space(2), CutMethod::contiguous)
                           ->cycle(system, parse_cycle_spec("v22,w=10"), 1);
    std::vector<double> d(system.size(), 0.0), c(d.size(), 1.0);
    cycle->correct(d, c);
    EXPECT_EQ(c, d);
    d[system.row_length() + 1] = 1; // of one part alone
    cycle->correct(d, c);
    EXPECT_NE(c[system.row_length() + 1], 0);
}

} // namespace
} // namespace mantissa
