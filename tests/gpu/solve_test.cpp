// Whole solves on the gpu engine, whose outer loop stays on the device, against the emulated engine and the host's
// outer loop: the same iterations and the same solution, bit for bit.
#include <bit>

#include "device_test.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/gpu/engine.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"

namespace mantissa {
namespace {

class GpuSolve : public testing::DeviceTest, public ::testing::WithParamInterface<const char*> {};

void compare(const Problem& problem, const char* spec, const std::function<void(SolveOptions&)>& change = {}) {
    SolveOptions options;
    options.spec = parse_spec(spec);
    options.scheme = Scheme::residual_guided;
    options.inner = 25;
    options.keep_solution = options.history = true;
    if (change) change(options);
    const SolveResult device = solve(problem, *make_gpu_engine(), options);
    const SolveResult host = solve(problem, *make_emulated_engine(), options);
    EXPECT_EQ(device.status, host.status);
    EXPECT_EQ(device.inner_iterations, host.inner_iterations);
    EXPECT_EQ(device.outer_iterations, host.outer_iterations);
    EXPECT_EQ(device.sigma_guards, host.sigma_guards);
    EXPECT_EQ(device.overflows, host.overflows);
    EXPECT_EQ(device.words, host.words);
    ASSERT_EQ(device.history.size(), host.history.size());
    for (std::size_t i = 0; i < host.history.size(); ++i)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(device.history[i].relative_defect),
                  std::bit_cast<std::uint64_t>(host.history[i].relative_defect))
            << "outer step " << i;
    ASSERT_EQ(device.u.size(), host.u.size());
    for (std::size_t i = 0; i < host.u.size(); ++i)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(device.u[i]), std::bit_cast<std::uint64_t>(host.u[i]))
            << "u[" << i << "]";
}

TEST_P(GpuSolve, EqualsTheHosts) {
    for (const char* problem : {"poisson2d:level=7", "diffusion2d:level=6", "poisson3d:level=4"}) {
        SCOPED_TRACE(problem);
        compare(make_problem(problem), GetParam());
    }
}

INSTANTIATE_TEST_SUITE_P(Specs, GpuSolve,
                         ::testing::Values("s17e8", "s7e8,u=s23e8", "s23e8,dot=fixed[13:-50]", "s30e9:rne"));

TEST_F(GpuSolve, RowsOfDifferences) {
    for (const char* spec : {"s17e8,order=second-difference", "s14e8,u=s23e8,order=flux,dot=fixed[13:-50]"})
        compare(make_problem("poisson2d:level=7"), spec);
    compare(make_problem("diffusion2d:level=6"), "s17e8,order=flux");
}

// Ten steps, so that words have bits to spare; two of these overflow and begin again with a smaller scale.
TEST_F(GpuSolve, FixedPointWords) {
    const auto ten = [](SolveOptions& o) { o.inner = 10; };
    for (const char* spec : {"fx18.16", "fx20.18,operand=s13e8,scalar=s20e8", "fx24.22,coef=fx18.16"}) {
        SCOPED_TRACE(spec);
        compare(make_problem("poisson2d:level=7"), spec, ten);
        compare(make_problem("diffusion2d:level=6"), spec, ten);
        compare(make_problem("poisson3d:level=4"), spec, ten);
    }
    compare(make_problem("poisson2d:level=7"), "fx22.20:floor", [](SolveOptions& o) { o.inner = 60; });
    compare(make_problem("poisson2d:level=6"), "fx20.18,u=s23e8", [](SolveOptions& o) {
        o.inner = 20;
        o.scheme = Scheme::defect_correction;
    });
}

TEST_F(GpuSolve, SumsOfManyParts) { // five of a projection, 65 of a norm, none a whole number
    compare(make_problem("poisson2d:level=9"), "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]",
            [](SolveOptions& o) { o.max_iterations = 200; });
}

TEST_F(GpuSolve, RefinementByRestartsAndDigits) {
    const Problem problem = make_problem("poisson2d:level=6");
    compare(problem, "s17e8", [](SolveOptions& o) { o.scheme = Scheme::defect_correction; });
    compare(problem, "s17e8", [](SolveOptions& o) { o.digits = 1; });
}

} // namespace
} // namespace mantissa
