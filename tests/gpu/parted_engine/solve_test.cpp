// Whole solves over several parts, the outer loop's vectors beside them, against the emulated engine and the host's
// outer loop, bit for bit.
#include <bit>

#include "device_test.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/engine.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"

namespace mantissa {
namespace {

using PartedGpuSolve = testing::DeviceTest;

std::vector<std::uint64_t> bits(const std::vector<double>& values) {
    std::vector<std::uint64_t> result;
    for (const double x : values) result.push_back(std::bit_cast<std::uint64_t>(x));
    return result;
}

void compare(const Engine& parted, const Problem& problem, const SolveOptions& options) {
    SCOPED_TRACE(problem.name + " " + to_string(options.spec) + " by " + parted.description());
    const SolveResult device = solve(problem, parted, options), host = solve(problem, *make_emulated_engine(), options);
    EXPECT_EQ(device.status, host.status);
    EXPECT_EQ(device.inner_iterations, host.inner_iterations);
    EXPECT_EQ(device.outer_iterations, host.outer_iterations);
    EXPECT_EQ(device.overflows, host.overflows);
    EXPECT_EQ(device.words, host.words);
    std::vector<double> got, want;
    for (const HistoryPoint& h : device.history) got.push_back(h.relative_defect);
    for (const HistoryPoint& h : host.history) want.push_back(h.relative_defect);
    EXPECT_EQ(bits(got), bits(want));
    EXPECT_TRUE(bits(device.u) == bits(host.u)) << "u";
}

TEST_F(PartedGpuSolve, RefinementHasTheBitsOfTheHost) {
    for (const int parts : {1, 2, 3, 8}) {
        for (const CutMethod method : {CutMethod::contiguous, CutMethod::cuthill_mckee}) {
            const auto parted = make_parted_gpu_engine(spread_devices(parts), method);
            for (const char* name : {"poisson2d:level=7", "poisson3d:level=4", "diffusion2d:level=6"}) {
                const Problem problem = make_problem(name);
                // (Grids have one cut, symmetric bands keep the outer loop on the host.)
                if (method != CutMethod::contiguous && problem.system.kind() != System::Kind::sparse) continue;
                for (const char* spec : {"fx20.16", "s17e8,dot=fixed[13:-50]", "s7e8,u=s23e8,dot=fixed[20:-40]"})
                    for (const Scheme scheme : {Scheme::residual_guided, Scheme::defect_correction}) {
                        SolveOptions options;
                        options.spec = parse_spec(spec);
                        options.scheme = scheme;
                        options.max_iterations = 300;
                        options.keep_solution = options.history = true;
                        compare(*parted, problem, options);
                    }
            }
        }
    }
}

TEST_F(PartedGpuSolve, StagesOfASchedule) {
    SolveOptions options;
    options.scheme = Scheme::residual_guided;
    options.schedule = {{1, parse_spec("fx16.13")}, {1e-3, parse_spec("s17e8,dot=fixed[13:-50]")}};
    options.spec = options.schedule.front().spec;
    options.keep_solution = options.history = true;
    compare(*make_parted_gpu_engine({0, 0}), make_problem("poisson2d:level=6"), options);
}

/// By multilevel cycles, over parts as on one device; what parts have no cycles for is refused in one line.
TEST_F(PartedGpuSolve, CyclesInWords) {
    SolveOptions options;
    options.scheme = Scheme::defect_correction;
    options.preconditioner = parse_cycle_spec("b2,w=10,f=16");
    options.keep_solution = options.history = true;
    const Problem problem = make_problem("poisson2d:level=8");
    const SolveResult one = solve(problem, *make_gpu_engine(), options);
    EXPECT_EQ(one.status, Status::converged);
    for (const int parts : {2, 3, 8}) {
        const SolveResult several = solve(problem, *make_parted_gpu_engine(spread_devices(parts)), options);
        EXPECT_EQ(several.status, one.status);
        EXPECT_EQ(several.inner_iterations, one.inner_iterations);
        EXPECT_TRUE(bits(several.u) == bits(one.u)) << parts << " parts";
    }
    const auto two = make_parted_gpu_engine({0, 0});
    const CycleSpec& spec = *options.preconditioner;
    const CycleLoop loop{formats::kDouble, true, 1};
    EXPECT_NE(
        two->cycles_refusal(make_problem("poisson3d:level=4").system, spec, loop).find("too few for cycles over 2"),
        std::string::npos);
    EXPECT_NE(two->cycles_refusal(make_problem("poisson2d:level=4").system, spec, {}).find("at most 1 GPU"),
              std::string::npos);
}

// The next engine works as if nothing had been.
TEST_F(PartedGpuSolve, ADeviceOutOfMemoryIsOneLine) {
    const Problem problem = make_problem("poisson2d:level=10");
    const auto parted = make_parted_gpu_engine({0, 0});
    SolveOptions options;
    options.spec = parse_spec("fx18.16");
    options.max_iterations = 10;
    {
        std::vector<gpu::Buffer<std::byte>> hoard;
        for (std::size_t size = std::size_t{1} << 36; size >= std::size_t{1} << 20;) {
            try {
                hoard.emplace_back(size);
            } catch (const gpu::DeviceError&) {
                size /= 2;
            }
        }
        try {
            static_cast<void>(solve(problem, *parted, options));
            ADD_FAILURE() << "there was no memory, and yet it solved";
        } catch (const gpu::DeviceError& e) {
            EXPECT_NE(std::string(e.what()).find("out of memory"), std::string::npos) << e.what();
            EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
        }
    }
    EXPECT_EQ(solve(problem, *parted, options).inner_iterations, 10U);
}

} // namespace
} // namespace mantissa
