// Cycles on rows on the device: in words they have the definition's bits; CG around them takes the processor's
// iterations and ends with a true residual below the tolerance.
#include <cmath>
#include <random>

#include "../device_test.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/engine.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/multilevel/cycle.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"
#include "systems.hpp"

namespace mantissa {
namespace {

class GpuRowCycles : public testing::DeviceTest {};

const char* const kSpecs[] = {"v22,w=10,c=10",
                              "v11,w=8,f=8,e=12,c=8",
                              "b2,w=10",
                              "v21,w=12,c=12,g=2",
                              "v22,w=16,c=16",
                              "v11,w=12/8,c=12/8,e=20",
                              "b1,w=8",
                              "v44,w=16,f=22,g=6",
                              "v12,w=10,e=24",
                              "v33,w=9,f=20,c=9",
                              "b4,w=4,c=4",
                              "v11,w=4,f=4,e=4,g=0,c=6",
                              "v22,w=10,c=10,p=10",
                              "v22,w=12/10,c=12,s=64",
                              "v12,w=16,c=15,p=16,s=64,f=24,e=24"};

std::vector<System> systems() {
    std::mt19937_64 random(3);
    const auto jumps = [&](auto...) { return std::pow(1e3, std::generate_canonical<double, 53>(random)); };
    std::vector<System> all;
    all.emplace_back(test::laplacian(40, 30, 1));
    all.emplace_back(test::laplacian(12, 11, 10));
    all.emplace_back(test::diffusion(60, 60, 1, {1, 1, 1}, jumps));
    all.emplace_back(test::laplacian(9000, 1, 1));
    all.emplace_back(test::laplacian(3, 3, 1)); // one level
    all.emplace_back(test::circuit(150, 3));
    all.push_back(make_problem("diffusion2d:level=5,contrast=100").system);
    all.push_back(make_problem("poisson3d:level=4").system);
    return all;
}

std::vector<double> some_defect(const System& system, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<double> d(system.size());
    for (double& x : d) {
        const double unit = 2 * std::generate_canonical<double, 53>(random) - 1;
        x = unit * unit * unit * std::ldexp(1.0, static_cast<int>(random() % 7) - 40);
    }
    for (std::size_t i = 0; i < d.size(); ++i)
        if (system.on_edge(i)) d[i] = 0;
    return d;
}

/// One cycle alone from u = 0 leaves u = c.
std::vector<double> correction(const System& system, const CycleSpec& spec, const std::vector<double>& d) {
    std::vector<double> c;
    const auto solver = make_gpu_engine()->cycles(system, spec, {formats::kDouble, false, 2});
    EXPECT_EQ(solver->solve(d, 1e-30, 1, c).cycles, 1U);
    return c;
}

TEST_F(GpuRowCycles, ACycleHasTheDefinitionsBits) {
    for (const System& system : systems())
        for (const char* const text : kSpecs) {
            SCOPED_TRACE(std::string(text) + ", " + std::to_string(system.size()) + " unknowns");
            const CycleSpec spec = parse_cycle_spec(text);
            const std::vector<double> d = some_defect(system, 7);
            std::vector<double> expected(system.size());
            make_reference_cycle(system, spec)->correct(d, expected);
            EXPECT_TRUE(std::ranges::any_of(expected, [](double c) { return c != 0; }));
            EXPECT_EQ(correction(system, spec, d), expected);
        }
}

/// On a device each where there are as many, else on one.
std::unique_ptr<CycleSolver> over(int parts, const System& system, const CycleSpec& spec, bool cg, int directions = 1) {
    return make_parted_gpu_engine(spread_devices(parts))->cycles(system, spec, {formats::kDouble, cg, 2, directions});
}

/// Integers have no order: r -= A c, u += c are those of one device, whoever computes which row.
TEST_F(GpuRowCycles, OverPartsTheyHaveTheSameBits) {
    std::mt19937_64 random(3);
    const auto jumps = [&](auto...) { return std::pow(1e3, std::generate_canonical<double, 53>(random)); };
    std::vector<System> all;
    all.emplace_back(test::laplacian(40, 30, 29));
    all.emplace_back(test::diffusion(190, 190, 1, {1, 1, 1}, jumps));
    all.emplace_back(test::circuit(190, 3));
    all.push_back(make_problem("diffusion2d:level=8,contrast=100").system);
    for (const System& system : all)
        for (const char* const text : kSpecs) {
            const CycleSpec spec = parse_cycle_spec(text);
            const std::vector<double> d = some_defect(system, 5);
            std::vector<double> one, several;
            const CycleSolveReport expected =
                make_gpu_engine()->cycles(system, spec, {formats::kDouble, false, 2})->solve(d, 1e-10, 4, one);
            for (const int parts : {2, 3, 8}) {
                SCOPED_TRACE(std::string(text) + ", " + std::to_string(system.size()) + " unknowns, " +
                             std::to_string(parts) + " parts");
                const auto solver = over(parts, system, spec, false);
                for (int again = 0; again < 2; ++again) {
                    const CycleSolveReport found = solver->solve(d, 1e-10, 4, several);
                    EXPECT_EQ(found.cycles, expected.cycles);
                    EXPECT_EQ(found.end, expected.end);
                    ASSERT_TRUE(one == several);
                }
            }
        }
}

/// Two levels are shared out here. In double rows of a strip are added up in another order than those of the whole.
TEST_F(GpuRowCycles, OverPartsCgTakesAsManyIterations) {
    const System system(test::laplacian(150, 150, 150));
    std::vector<double> b(system.size()), one, several, repeated;
    defect(system, std::vector<double>(system.size(), 1.0), b, b, 2);
    for (double& x : b) x = -x;
    for (const auto& [text, directions] : {std::pair("v22,w=10,c=10", 1), std::pair("v22,w=10,c=10", 3),
                                           std::pair("v12,w=double", 2), std::pair("v21,w=double", 1)}) {
        const CycleSpec spec = parse_cycle_spec(text);
        const CycleSolveReport expected =
            make_gpu_engine()->cycles(system, spec, {formats::kDouble, true, 2, directions})->solve(b, 1e-9, 100, one);
        for (const int parts : {2, 3}) {
            SCOPED_TRACE(std::string(text) + ", " + std::to_string(parts) + " parts");
            const auto solver = over(parts, system, spec, true, directions);
            const CycleSolveReport found = solver->solve(b, 1e-9, 100, several);
            // Sums have one order: who reads what another part has changed already would show.
            for (int again = 0; again < 3; ++again) {
                static_cast<void>(solver->solve(b, 1e-9, 100, repeated));
                EXPECT_TRUE(several == repeated);
            }
            EXPECT_EQ(found.end, CycleSolveEnd::reached);
            EXPECT_NEAR(static_cast<double>(found.cycles), static_cast<double>(expected.cycles), 1);
            EXPECT_LT(relative_residual(system, several, b, 2), 1.01e-9);
        }
        if (spec.in_double) continue;
        const auto alone = make_gpu_engine()->cycles(system, spec, {formats::kDouble, false, 2});
        static_cast<void>(alone->solve(b, 1e-9, 3, one));
        static_cast<void>(over(3, system, spec, false)->solve(b, 1e-9, 3, several));
        EXPECT_TRUE(one == several);
    }
}

TEST_F(GpuRowCycles, TooFewRowsForParts) {
    const System system(test::laplacian(30, 30, 1));
    const CycleLoop loop{formats::kDouble, true, 1};
    const auto two = make_parted_gpu_engine(spread_devices(2));
    EXPECT_NE(two->cycles_refusal(system, parse_cycle_spec("v22,w=10"), loop).find("900 unknowns are too few"),
              std::string::npos);
    EXPECT_EQ(make_gpu_engine()->cycles_refusal(system, parse_cycle_spec("v22,w=10"), {formats::kDouble, true, 1, 4}),
              "directions 4: give 1 to 3");
}

/// A slip into the processor's set-up would change no bit.
TEST_F(GpuRowCycles, LevelsOfSymmetricRowsAreMadeOnTheDevice) {
    const auto levels = [](const System& system, const char* spec) {
        return make_gpu_engine()->cycles(system, parse_cycle_spec(spec), {formats::kDouble, true, 2})->description();
    };
    for (const char* const spec : {"v22,w=10", "v22,w=double"}) {
        const CompressedRows a = test::circuit(100, 1);
        EXPECT_NE(levels(System(a), spec).find("made on the device"), std::string::npos);
        std::vector<double> value = a.value();
        value[1] = std::nextafter(value[1], 0);
        EXPECT_EQ(levels(System(a.with_values(std::move(value))), spec).find("made on the device"), std::string::npos);
    }
}

/// A constant stencil's levels as rows, where CG stands around them: the first step is along the correction.
TEST_F(GpuRowCycles, AStencilsCycleUnderCgHasThem) {
    const Problem problem = make_problem("poisson2d:level=7");
    const CycleSpec spec = parse_cycle_spec("v11,w=8,f=8,e=12");
    std::vector<double> c(problem.system.size()), u;
    make_reference_cycle(problem.system, spec)->correct(problem.b, c);
    const auto solver = make_gpu_engine()->cycles(problem.system, spec, {formats::kDouble, true, 2});
    static_cast<void>(solver->solve(problem.b, 1e-30, 1, u));
    double alpha = 0;
    for (std::size_t i = 0; i < c.size() && alpha == 0; ++i)
        if (c[i] != 0) alpha = u[i] / c[i];
    // Each u is alpha c rounded once; this alpha is within an ulp and a half of the device's.
    for (std::size_t i = 0; i < c.size(); ++i) ASSERT_NEAR(u[i], alpha * c[i], 0x1p-51 * std::abs(alpha * c[i])) << i;
}

/// Where ten bits' roundings are many: more directions take iterations off, and the device's are the processor's.
TEST_F(GpuRowCycles, MoreDirectionsTakeIterationsOff) {
    const System system(test::circuit(250, 4));
    Problem problem{.name = "rows", .system = system, .b = {}, .exact = {}};
    std::vector<double> zero(system.size());
    problem.b.resize(system.size());
    defect(system, std::vector<double>(system.size(), 1.0), zero, problem.b, 2);
    for (double& x : problem.b) x = -x;
    SolveOptions o;
    o.scheme = Scheme::inexact_pcg;
    o.preconditioner = parse_cycle_spec("v22,w=10,c=10");
    const SolveResult three = solve(problem, *make_gpu_engine(), o),
                      three_here = solve(problem, *make_emulated_engine(), o);
    o.directions = 1;
    const SolveResult one = solve(problem, *make_gpu_engine(), o),
                      one_here = solve(problem, *make_emulated_engine(), o);
    EXPECT_EQ(three.status, Status::converged);
    EXPECT_LT(three.inner_iterations, one.inner_iterations);
    EXPECT_NEAR(static_cast<double>(three.inner_iterations), static_cast<double>(three_here.inner_iterations), 1);
    EXPECT_NEAR(static_cast<double>(one.inner_iterations), static_cast<double>(one_here.inner_iterations), 1);
}

TEST_F(GpuRowCycles, CgTakesTheProcessorsIterations) {
    const auto here = make_emulated_engine(), there = make_gpu_engine();
    for (const char* const name : {"poisson3d:level=5", "diffusion2d:level=7,contrast=100", "poisson2d:level=8"})
        for (const char* const text : {"v22,w=10,c=10", "v11,w=8,f=8,e=12,c=8", "v22,w=double", "b2,w=10"}) {
            SCOPED_TRACE(std::string(name) + " " + text);
            const Problem problem = make_problem(name);
            SolveOptions o;
            o.scheme = Scheme::inexact_pcg;
            o.preconditioner = parse_cycle_spec(text);
            o.keep_solution = true;
            const SolveResult expected = solve(problem, *here, o), found = solve(problem, *there, o);
            EXPECT_EQ(found.status, Status::converged) << found.detail;
            EXPECT_EQ(expected.status, Status::converged) << expected.detail;
            // Sums of another order: an iteration more or less where the residual ends near the tolerance.
            EXPECT_NEAR(static_cast<double>(found.inner_iterations), static_cast<double>(expected.inner_iterations), 1);
            EXPECT_EQ(found.true_residual,
                      relative_residual(problem.system, found.u, problem.b, 1, o.tolerance * 1.001));
            EXPECT_GT(found.device_seconds.value_or(0), 0);
            ASSERT_TRUE(found.levels && expected.levels);
            EXPECT_NE(found.levels->text.find(" levels"), std::string::npos) << found.levels->text;
        }
}

TEST_F(GpuRowCycles, CyclesAloneSolve) {
    for (const char* const text : {"b2,w=10", "v22,w=10", "v22,w=double"}) {
        const Problem problem = make_problem("poisson3d:level=5");
        SolveOptions o;
        o.scheme = Scheme::defect_correction;
        o.preconditioner = parse_cycle_spec(text);
        const SolveResult r = solve(problem, *make_gpu_engine(), o);
        EXPECT_EQ(r.status, Status::converged) << text << ": " << r.detail;
        EXPECT_EQ(r.inner_iterations, solve(problem, *make_emulated_engine(), o).inner_iterations) << text;
    }
}

TEST_F(GpuRowCycles, EndsAreSaid) {
    const Problem problem = make_problem("poisson3d:level=4");
    const auto engine = make_gpu_engine();
    const CycleSpec spec = parse_cycle_spec("v22,w=10");
    std::vector<double> u;
    const CycleSolveReport limit =
        engine->cycles(problem.system, spec, {formats::kDouble, true, 1})->solve(problem.b, 1e-10, 2, u);
    EXPECT_EQ(limit.end, CycleSolveEnd::limit);
    EXPECT_EQ(limit.cycles, 2U);
    EXPECT_EQ(limit.history.size(), 3U);
    // What one step in words of four bits does on jumps of 1e4 makes an error larger.
    SolveOptions o;
    o.scheme = Scheme::defect_correction;
    o.preconditioner = parse_cycle_spec("b1,w=4,f=4,e=4,g=0,c=4");
    EXPECT_EQ(to_string(solve(make_problem("diffusion2d:level=6,contrast=10000"), *engine, o).status), "diverged");
    // The recurrence's residual falls for ever, the true one of this solution, which double does not hold, does not.
    o.preconditioner = spec;
    o.tolerance = 1e-17;
    EXPECT_EQ(to_string(solve(make_problem("diffusion2d:level=6,contrast=10"), *engine, o).status), "stagnated");
    EXPECT_NE(engine->cycles_refusal(problem.system, spec, {}).find("leave outer out"), std::string::npos);
}

} // namespace
} // namespace mantissa
