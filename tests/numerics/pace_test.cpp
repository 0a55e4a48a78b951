// When a solve changes to another way (mantissa/pace.hpp), on residuals that are made up.
#include "mantissa/pace.hpp"

#include <cmath>
#include <cstdint>
#include <functional>

#include <gtest/gtest.h>

namespace mantissa {
namespace {

using Residual = std::function<double(double)>; ///< after so many iterations

/// The iteration at which a solve to 1e-8 changes, or 0 where it ends by itself. It is asked every `step` iterations.
std::uint64_t changes_at(std::uint64_t cost, const Residual& residual, std::uint64_t step = 1) {
    Pace pace(cost, 1e-8);
    for (std::uint64_t k = step; k < 100000; k += step) {
        const double now = residual(static_cast<double>(k));
        if (now <= 1e-8) return 0;
        if (!pace.go_on(k, now)) return k;
    }
    ADD_FAILURE() << "neither ended nor changed";
    return 0;
}

/// Falls evenly, to 1e-8 after `all` iterations.
Residual even(double all) {
    return [all](double k) { return std::pow(10.0, -8 * k / all); };
}

TEST(Pace, NeverChangesWhereTheOtherWayHasNoCostGiven) {
    EXPECT_EQ(changes_at(0, even(50000)), 0U);
}

TEST(Pace, LeavesAloneWhatEndsBeforeItIsKnown) {
    for (const double all : {10.0, 50.0, 99.0}) EXPECT_EQ(changes_at(400, even(all)), 0U) << all;
}

TEST(Pace, AnEvenFallIsJudgedByWhatIsLeft) {
    EXPECT_EQ(changes_at(400, even(450)), 0U);     // less than the cost to go at every look
    EXPECT_EQ(changes_at(400, even(650)), 200U);   // 450 to go at half the cost
    EXPECT_EQ(changes_at(400, even(2000)), 100U);  // 1900 to go at a quarter
    EXPECT_EQ(changes_at(400, even(20000)), 200U); // has not halved at a quarter: its rate is not known yet
    EXPECT_EQ(changes_at(400, even(2000), 32), 128U);
}

TEST(Pace, TheLaterRateCountsWhereItIsTheFaster) {
    // Nothing for 150 iterations, then a digit every ten.
    const auto late = [](double k) { return k < 150 ? 1.0 : std::pow(10.0, -(k - 150) / 10); };
    EXPECT_EQ(changes_at(400, late), 0U);
    // Where nothing has fallen at all by half the cost, it changes.
    EXPECT_EQ(changes_at(400, [](double) { return 1.0; }), 200U);
}

TEST(Pace, APeakIsNoFall) {
    // CG's residual goes up and down; what counts is the lowest so far.
    const auto rough = [](double k) { return std::pow(10.0, -8 * k / 300) * (1 + 50 * std::pow(std::sin(k), 2)); };
    EXPECT_EQ(changes_at(400, rough), 0U);
    const auto grows = [](double k) { return 1 + k; };
    EXPECT_EQ(changes_at(400, grows), 200U);
}

TEST(Pace, ToGoIsWhatARateSays) {
    Pace pace(1000, 1e-8);
    EXPECT_TRUE(std::isinf(pace.to_go()));
    for (std::uint64_t k = 1; k <= 200; ++k) EXPECT_TRUE(pace.go_on(k, std::pow(10.0, -0.01 * static_cast<double>(k))));
    EXPECT_NEAR(pace.to_go(), 600, 1);
}

} // namespace
} // namespace mantissa
