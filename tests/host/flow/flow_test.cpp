// The bubbly flow: cells whose answer is known, and the conserved density.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "mantissa/errors.hpp"
#include "mantissa/host/flow.hpp"

namespace mantissa {
namespace {

BubbleCell cell_of(std::vector<Point2> centres, double fraction, std::uint32_t points, Point2 drive) {
    BubbleCell c;
    c.radius = bubble_radius(centres.size(), fraction);
    c.centres = std::move(centres);
    c.points = points;
    c.drive = drive;
    return c;
}

std::vector<double> potential(const BubbleCell& cell, bool own_circle = false) {
    const DenseProblem p = bubble_system(cell, own_circle);
    const LuFactors factors = factor(parse_lu_spec("lu:double"), p.a, 1);
    EXPECT_EQ(factors.end, LuEnd::factored);
    return substitute(factors, p.b);
}

/// q = -a v.n, with the own circle's term as well, because v.n has no mean; and u = phi v.
TEST(Flow, OneBubbleIsExact) {
    for (const bool own : {false, true}) {
        const BubbleCell cell = cell_of({{0.4, 0.6}}, 0.05, 24, {0.3, -1.1});
        const std::vector<double> q = potential(cell, own);
        for (std::size_t j = 0; j < q.size(); ++j) {
            const double angle = 2 * std::numbers::pi * static_cast<double>(j) / 24;
            EXPECT_NEAR(q[j], -cell.radius * (0.3 * std::cos(angle) - 1.1 * std::sin(angle)), 1e-16);
        }
        const Point2 u = mean_flow(cell, q);
        EXPECT_NEAR(u[0], 0.05 * 0.3, 1e-16);
        EXPECT_NEAR(u[1], 0.05 * -1.1, 1e-16);
    }
}

/// u = phi v + O(phi^2): a quarter of phi leaves a sixteenth of the difference, or so.
TEST(Flow, FewBubblesMoveTheFluidInProportion) {
    const std::vector<Point2> centres = bubble_centres(6, 11);
    const auto difference = [&](double phi) {
        const BubbleCell cell = cell_of(centres, phi, 16, {0, 1});
        const Point2 u = mean_flow(cell, potential(cell));
        return std::hypot(u[0], u[1] - phi);
    };
    const double wide = difference(0.016), quarter = difference(0.004);
    EXPECT_GT(wide, 1e-6);
    EXPECT_NEAR(quarter / wide, 1.0 / 16, 0.015);
}

/// A square arrangement has the square's symmetry: what flows follows v, alike in both directions.
TEST(Flow, ASquareArrangementFavoursNoDirection) {
    const auto flow = [](Point2 drive) {
        const BubbleCell cell = cell_of(square_centres(9), 0.1, 16, drive);
        return mean_flow(cell, potential(cell));
    };
    const Point2 east = flow({1, 0}), north = flow({0, 1});
    EXPECT_NEAR(east[0], north[1], 1e-15);
    EXPECT_NEAR(east[1], 0, 1e-15);
    EXPECT_NEAR(north[0], 0, 1e-15);
    EXPECT_GT(std::fabs(east[0] - 0.1), 1e-4); // the bubbles do see each other
}

/// The own circle's term is a constant for each bubble, which reaches no other bubble and not u.
TEST(Flow, TheOwnCirclesTermDoesNotMatter) {
    const BubbleCell cell = cell_of(bubble_centres(5, 3), 0.1, 32, {0.5, 1});
    const Point2 without = mean_flow(cell, potential(cell)), with = mean_flow(cell, potential(cell, true));
    EXPECT_NEAR(without[0], with[0], 1e-12);
    EXPECT_NEAR(without[1], with[1], 1e-12);
}

/// Around one bubble the fluid has the potential of a dipole, - a^2 v.d / |d|^2.
TEST(Flow, ThePotentialOfOneBubbleIsADipoles) {
    const BubbleCell cell = cell_of({{0.4, 0.5}}, 0.05, 96, {1, 2});
    const std::vector<double> q = potential(cell);
    const double a = cell.radius;
    for (const double angle : {0.1, 1.7, 4.0}) {
        const Point2 d{1.5 * a * std::cos(angle), 1.5 * a * std::sin(angle)};
        EXPECT_NEAR(bubble_potential(cell, q, {0.4 + d[0], 0.5 + d[1]}),
                    -a * a * (d[0] + 2 * d[1]) / (d[0] * d[0] + d[1] * d[1]), 1e-14);
    }
}

TEST(Flow, CentresKeepTheirDistance) {
    const std::vector<Point2> centres = bubble_centres(32, 5);
    ASSERT_EQ(centres.size(), 32U);
    EXPECT_EQ(centres, bubble_centres(32, 5));
    EXPECT_NE(centres, bubble_centres(32, 6));
    for (std::size_t i = 0; i < 32; ++i)
        for (std::size_t j = 0; j < i; ++j)
            EXPECT_GE(std::hypot(centres[i][0] - centres[j][0], centres[i][1] - centres[j][1]),
                      0.5 * 0.7 / std::sqrt(32.0));
}

FlowOptions small_flow() {
    FlowOptions o;
    o.columns = 6;
    o.rows = 5;
    o.unknowns = 48;
    o.bubbles = 4;
    return o;
}

std::unique_ptr<CellSolver> cells(const char* spec, bool refine = false, int threads = 2) {
    return make_emulated_cells(parse_lu_spec(spec), refine, threads);
}

TEST(Flow, TheDensityIsConserved) {
    const auto solver = cells("lu:double");
    BubblyFlow flow(small_flow(), *solver);
    const std::vector<double> before(flow.density().begin(), flow.density().end());
    const double mean = flow.mean_density();
    EXPECT_NEAR(mean, 0.03, 1e-16);
    for (int step = 0; step < 12; ++step) flow.step();
    EXPECT_LE(std::fabs(flow.mean_density() - mean), flow.rounding_bound());
    EXPECT_LT(flow.rounding_bound(), 1e-15);
    double moved = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        moved = std::max(moved, std::fabs(flow.density()[i] - before[i]));
        EXPECT_GT(flow.density()[i], 0);
    }
    EXPECT_GT(moved, 0.1 * 0.03); // it has flowed
    EXPECT_LT(solver->backward_error(), 1e-13);
}

TEST(Flow, ThreadsChangeNothing) {
    const auto run = [](int threads) {
        const auto solver = cells("lu:s23e8", false, threads);
        BubblyFlow flow(small_flow(), *solver);
        for (int step = 0; step < 3; ++step) flow.step();
        return std::vector<double>(flow.density().begin(), flow.density().end());
    };
    EXPECT_EQ(run(1), run(3));
}

/// Short factors and refinement give double's flow: the velocities agree to what the systems' condition allows.
TEST(Flow, ShortFactorsGiveDoublesFlow) {
    const auto exact = cells("lu:double"), ten = cells("lu:s10e5,acc=fixed[15:-34]", true),
               four = cells("lu:s4e8,acc=fixed[15:-34]", true);
    const BubblyFlow reference(small_flow(), *exact);
    for (CellSolver* const solver : {ten.get(), four.get()}) {
        const BubblyFlow flow(small_flow(), *solver);
        EXPECT_LE(solver->backward_error(), 48 * 0x1p-53);
        for (std::size_t i = 0; i < flow.velocity().size(); ++i)
            for (std::size_t c = 0; c < 2; ++c) EXPECT_NEAR(flow.velocity()[i][c], reference.velocity()[i][c], 1e-14);
    }
}

TEST(Flow, WhatCannotBeIsRefused) {
    const auto refused = [](auto change) {
        FlowOptions o = small_flow();
        change(o);
        EXPECT_THROW(o.validate(), InvalidInput);
    };
    refused([](FlowOptions& o) { o.columns = 0; });
    refused([](FlowOptions& o) { o.unknowns = 50; });
    refused([](FlowOptions& o) { o.unknowns = 8; });
    refused([](FlowOptions& o) { o.courant = 0.51; });
    refused([](FlowOptions& o) { o.fraction = 0; });
    refused([](FlowOptions& o) { o.refreshed = 1.5; });
    refused([](FlowOptions& o) {
        o.arrangement = BubbleArrangement::square;
        o.bubbles = 3;
    });
    const auto solver = cells("lu:double");
    FlowOptions crowded = small_flow();
    crowded.fraction = 0.6;
    EXPECT_THROW(BubblyFlow(crowded, *solver), InvalidInput);
    // Three bits cannot be refined to double accuracy here; the cell says so.
    const auto coarse = cells("lu:s2e8", true);
    FlowOptions dense = small_flow();
    dense.fraction = 0.15;
    dense.contrast = 0;
    EXPECT_THROW(BubblyFlow(dense, *coarse), InvalidInput);
    EXPECT_THROW(bubble_system(cell_of({{0.5, 0.5}, {0.55, 0.5}}, 0.2, 8, {0, 1})), InvalidInput);
}

TEST(Flow, ThePictureIsWhole) {
    const auto solver = cells("lu:double");
    const BubblyFlow flow(small_flow(), *solver);
    const std::vector<FlowFrame> frames{{0, 0, {flow.density().begin(), flow.density().end()}}};
    const BubbleCell cell = flow.cell(7);
    const std::string svg = flow_picture(flow.options(), frames, cell, potential(cell));
    EXPECT_EQ(svg.rfind("<svg", 0), 0U);
    EXPECT_NE(svg.find("step 0"), std::string::npos);
    EXPECT_NE(svg.find("4 bubbles, 48 unknowns"), std::string::npos);
    EXPECT_EQ(svg, flow_picture(flow.options(), frames, cell, potential(cell)));
}

} // namespace
} // namespace mantissa
