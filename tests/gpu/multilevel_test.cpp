// CG with the multilevel preconditioner on the device: the processor's iterations and solution, the same bits in every
// run, ends and refusals.
#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>
#include <vector>

#include "device_test.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/multilevel.hpp"
#include "mantissa/host/mesh.hpp"
#include "mantissa/host/mesh_systems.hpp"
#include "mantissa/sparse/multilevel.hpp"

namespace mantissa::gpu {
namespace {

class MultilevelTest : public mantissa::testing::DeviceTest {
protected:
    void make(const TriangleMesh& mesh, LscmWeight weight = LscmWeight::area) {
        system_.emplace(make_lscm(mesh, {.weight = weight}));
        points_.clear();
        for (std::size_t k = 0; k < b().size(); k += 2) points_.push_back(mesh.points[system_->built.free()[k] / 2]);
    }
    const CompressedRows& a() const { return std::get<CompressedRows>(system_->built.system().matrix()); }
    const std::vector<double>& b() const { return system_->built.b(); }
    std::optional<LscmSystem> system_;
    std::vector<Point3> points_;
};

TEST_F(MultilevelTest, IsTheProcessorsSolverUpToRounding) {
    for (const std::size_t rows : {std::size_t{12}, std::size_t{20}, std::size_t{90}, std::size_t{150}})
        for (const LscmWeight weight : {LscmWeight::area, LscmWeight::opennl}) {
            make(make_hemisphere(rows), weight);
            std::vector<double> x, here;
            const MultilevelReport report = multilevel_solve(a(), points_, b(), {.tolerance = 1e-9}, &x);
            PcgOptions options;
            options.tolerance = 1e-9;
            const PcgReport on_host = multilevel_pcg(a(), points_, b(), here, options);
            EXPECT_EQ(report.end, CgEnd::converged);
            EXPECT_LE(report.true_residual, 1e-9 * 1.001);
            EXPECT_NEAR(static_cast<double>(report.iterations), static_cast<double>(on_host.iterations),
                        2 + 0.05 * static_cast<double>(on_host.iterations));
            for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], here[i], 1e-4);
        }
}

TEST_F(MultilevelTest, RepeatsItsBits) {
    make(make_plane(200, 0.25));
    std::vector<double> one, other;
    const MultilevelReport first = multilevel_solve(a(), points_, b(), {.tolerance = 1e-8, .threads = 1}, &one);
    const MultilevelReport second = multilevel_solve(a(), points_, b(), {.tolerance = 1e-8, .threads = 4}, &other);
    EXPECT_EQ(first.iterations, second.iterations);
    EXPECT_EQ(one, other);
    EXPECT_GE(first.unknowns.size(), 3U);
}

TEST_F(MultilevelTest, EndsAtTheLimitAndOnZero) {
    make(make_plane(60, 0.2));
    const MultilevelReport all = multilevel_solve(a(), points_, b(), {.tolerance = 1e-9});
    ASSERT_GT(all.iterations, 6U);
    std::vector<double> x;
    const MultilevelReport some = multilevel_solve(a(), points_, b(), {.tolerance = 1e-9, .max_iterations = 5}, &x);
    EXPECT_EQ(some.end, CgEnd::passes);
    EXPECT_EQ(some.iterations, 5U);
    EXPECT_TRUE(std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); }));
    const std::vector<double> none(b().size(), 0.0);
    EXPECT_EQ(multilevel_solve(a(), points_, none, {}, &x).end, CgEnd::converged);
    EXPECT_EQ(x, none);
    EXPECT_THROW(multilevel_solve(a(), std::span(points_).subspan(1), b(), {}), InvalidInput);
}

} // namespace
} // namespace mantissa::gpu
