// The grid solver over parts: its bits do not depend on how many there are, on their devices or on the plan.
#include "mantissa/gpu/parted_grid.hpp"

#include <array>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "device_test.hpp"
#include "mantissa/format.hpp"

namespace mantissa::gpu {
namespace {

System stencil(std::size_t columns, std::size_t rows, double ratio = 1.0) {
    const double centre = (1 + ratio) * 4 / 3, diagonal = -(1 + ratio) / 6;
    const double east = -(4 - 2 * ratio) / 6, north = -(4 * ratio - 2) / 6;
    return Stencil(columns, rows, {diagonal, north, diagonal, east, centre, east, diagonal, north, diagonal});
}

std::vector<double> bump(const System& s) {
    std::vector<double> b(s.size());
    for (std::size_t i = 0; i < s.size(); ++i)
        if (!s.on_edge(i)) b[i] = 1e-3 * (1 + std::sin(0.37 * static_cast<double>(i)));
    return b;
}

/// Several parts on one device, and on two where there are two.
std::vector<std::vector<int>> lists_of_devices() {
    std::vector<std::vector<int>> lists = {{0, 0}, {0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0}};
    int count = 0;
    check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    if (count > 1) lists.insert(lists.end(), {{0, 1}, {1, 0, 1}, {0, 0, 0, 0, 1, 1, 1, 1}});
    return lists;
}

struct Outcome {
    PartedReport report;
    std::vector<double> x;
};
Outcome solved(const System& system, std::span<const double> b, const std::vector<int>& devices,
               const PartedRequest& request) {
    Peers peers(devices);
    PartedGridSolver solver(peers, system);
    solver.set_rhs(b);
    Outcome o{solver.solve(request), std::vector<double>(system.size())};
    solver.solution(o.x);
    return o;
}

using PartedGridTest = mantissa::testing::DeviceTest;

TEST_F(PartedGridTest, SameBitsForAnyPartsAndPlans) {
    for (const auto& [columns, rows, ratio] :
         {std::tuple{65, 65, 1.0}, {130, 67, 1.0}, {67, 301, 1.5}, {257, 257, 1.0}, {513, 513, 1.0}}) {
        const System system = stencil(static_cast<std::size_t>(columns), static_cast<std::size_t>(rows), ratio);
        const std::vector<double> b = bump(system);
        for (const Arithmetic a :
             {Arithmetic::double_precision, Arithmetic::mixed_float, Arithmetic::single_precision}) {
            PartedRequest request;
            request.arithmetic = a;
            if (a == Arithmetic::single_precision) request.tolerance = 1e-4;
            request.plan = Plan::stream;
            const Outcome one = solved(system, b, {0}, request);
            if (a != Arithmetic::single_precision) {
                EXPECT_EQ(one.report.end, CgEnd::converged) << to_string(one.report.end);
                EXPECT_LT(one.report.true_residual, 1.001e-10);
            }
            GridSolver single(system);
            single.set_rhs(b);
            CgRequest same;
            same.arithmetic = a;
            same.tolerance = request.tolerance;
            same.plan = Plan::stream;
            const CgReport reference = single.solve(same);
            // With defects every 50 passes, a solve that just misses the tolerance takes up to 50 more.
            const double slack = a == Arithmetic::mixed_float ? 50 : 2;
            EXPECT_NEAR(one.report.passes, reference.passes, slack + 0.01 * reference.passes);
            for (const Plan plan : {Plan::stream, Plan::resident}) {
                request.plan = plan;
                for (const std::vector<int>& devices : lists_of_devices()) {
                    SCOPED_TRACE(std::to_string(columns) + " x " + std::to_string(rows) + " " + to_string(a) + " " +
                                 to_string(plan) + ", " + std::to_string(devices.size()) + " parts");
                    const Outcome parts = solved(system, b, devices, request);
                    EXPECT_EQ(parts.report.plan, plan);
                    EXPECT_EQ(parts.report.passes, one.report.passes);
                    ASSERT_TRUE(parts.x == one.x);
                }
            }
        }
    }
}

TEST_F(PartedGridTest, PassLimitZeroRightHandSideAndAgain) {
    const System system = stencil(65, 65);
    Peers peers({0, 0});
    PartedGridSolver solver(peers, system);
    solver.set_rhs(std::vector<double>(system.size(), 0.0));
    EXPECT_EQ(solver.solve({}).end, CgEnd::converged);
    solver.set_rhs(bump(system));
    for (const Plan plan : {Plan::resident, Plan::stream}) {
        PartedRequest request;
        request.tolerance = 0;
        request.max_passes = 7;
        request.plan = plan;
        const PartedReport report = solver.solve(request);
        EXPECT_EQ(report.end, CgEnd::passes);
        EXPECT_EQ(report.passes, 7U);
        const PartedShares& s = report.shares;
        EXPECT_NEAR(s.work + s.exchange + s.own_sum + s.parts_sum + s.scalars, 1, 1e-12);
    }
    // A solver may be used again, with the same bits.
    std::vector<double> first(system.size()), again(system.size());
    EXPECT_EQ(solver.solve({}).end, CgEnd::converged);
    solver.solution(first);
    EXPECT_EQ(solver.solve({}).end, CgEnd::converged);
    solver.solution(again);
    EXPECT_TRUE(first == again);
}

TEST_F(PartedGridTest, IndefiniteMatrixIsReported) {
    std::array<double, kBands> negative = std::get<Stencil>(stencil(65, 65).matrix()).coefficients();
    for (double& c : negative) c = -c;
    const System system = Stencil(65, 65, negative);
    EXPECT_EQ(solved(system, bump(system), {0, 0}, {}).report.end, CgEnd::indefinite);
}

TEST_F(PartedGridTest, RefusesWhatItCannotRun) {
    Peers peers({0, 0});
    EXPECT_THROW(PartedGridSolver(peers, CompressedRows({0, 1}, {0}, {1.0})), InvalidInput);
    std::array<double, kBands> skew = std::get<Stencil>(stencil(33, 33).matrix()).coefficients();
    skew[0] = -0.1;
    EXPECT_THROW(PartedGridSolver(peers, Stencil(33, 33, skew)), InvalidInput);
    EXPECT_THROW(PartedGridSolver(peers, stencil(9, 7)), InvalidInput);
    PartedGridSolver solver(peers, stencil(33, 33));
    EXPECT_THROW(solver.set_rhs(std::vector<double>(80)), InvalidInput);
    solver.set_rhs(bump(stencil(33, 33)));
    PartedRequest request;
    request.arithmetic = Arithmetic::late_float;
    EXPECT_THROW(static_cast<void>(solver.solve(request)), InvalidInput);
    request = {};
    request.replace = 1;
    EXPECT_THROW(static_cast<void>(solver.solve(request)), InvalidInput);
}

} // namespace
} // namespace mantissa::gpu
