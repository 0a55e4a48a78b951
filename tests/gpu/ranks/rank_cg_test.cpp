// CG over parts whose vectors are on GPUs, in threads of one process: the bits of the host's loops.
#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "device_test.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/gpu/rank_cg.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/partition/cuts.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::gpu;

class RankCgTest : public mantissa::testing::DeviceTest {};

struct Solved {
    PcgReport report;
    std::vector<double> x;
    std::uint64_t synchronisations = 0;
};
Solved solve(const Problem& problem, std::uint32_t parts, PartedCgOptions options, const MakePartSolver& elsewhere) {
    options.elsewhere = elsewhere;
    options.history = true;
    options.exchange.counts = std::make_shared<ExchangeCounts>();
    Solved solved;
    solved.report = parted_cg(make_threads_space(parts), problem.system, problem.b, solved.x, options);
    solved.synchronisations = options.exchange.counts->synchronisations;
    return solved;
}
RankCgOptions on_devices(std::vector<int> device, RankExchange exchange = RankExchange::host) {
    RankCgOptions options;
    options.device = std::move(device);
    options.exchange = exchange;
    return options;
}
void expect_same(const Solved& got, const Solved& wanted, const std::string& what) {
    SCOPED_TRACE(what);
    EXPECT_EQ(got.report.end, wanted.report.end);
    EXPECT_EQ(got.report.iterations, wanted.report.iterations);
    EXPECT_EQ(got.report.recursive_residual, wanted.report.recursive_residual);
    EXPECT_EQ(got.report.true_residual, wanted.report.true_residual);
    EXPECT_EQ(got.report.history, wanted.report.history);
    EXPECT_TRUE(got.x == wanted.x);
}

TEST_F(RankCgTest, HasTheBitsOfTheHostForAnyNumberOfParts) {
    for (const char* text :
         {"poisson2d:level=5", "diffusion2d:level=5", "poisson3d:level=4", "generated:kind=thermal,n=3000",
          "generated:kind=power,n=2000", "generated:kind=elasticity,n=3000", "generated:kind=scattered,n=1500"}) {
        const Problem problem = make_problem(text);
        for (const bool jacobi : {false, true}) {
            PartedCgOptions options;
            options.jacobi = jacobi;
            options.max_iterations = 700;
            const Solved host = solve(problem, 1, options, {});
            EXPECT_GT(host.report.iterations, 0U);
            for (const std::uint32_t parts : {1, 2, 3, 5}) {
                options.method = parts == 3 ? CutMethod::cuthill_mckee : CutMethod::contiguous;
                const auto device = rank_cg(on_devices(std::vector<int>(parts, 0)));
                const Solved got = solve(problem, parts, options, device);
                expect_same(got, host, std::string(text) + ' ' + std::to_string(parts));
                // An exchange and two sums an iteration; a few at the beginning and where it is judged.
                EXPECT_GE(got.synchronisations, 3 * host.report.iterations);
            }
        }
    }
}

TEST_F(RankCgTest, EndsAsTheHostDoes) {
    PartedCgOptions options;
    const auto one = rank_cg(on_devices({0, 0}));
    const auto both = [&](const Problem& problem, const std::string& what) {
        const Solved host = solve(problem, 1, options, {});
        expect_same(solve(problem, 2, options, one), host, what);
        return host.report.end;
    };
    Problem problem = make_problem("poisson2d:level=4");
    options.max_iterations = 7;
    EXPECT_EQ(both(problem, "limit"), PcgEnd::limit);
    options.max_iterations = 5000;
    options.tolerance = 1e-18;
    EXPECT_EQ(both(problem, "stagnation"), PcgEnd::stagnated);
    options.tolerance = 1e-10;
    for (double& b : problem.b) b *= 1e300;
    EXPECT_EQ(both(problem, "range"), PcgEnd::not_finite);
    for (double& b : problem.b) b = 0;
    EXPECT_EQ(both(problem, "nothing to do"), PcgEnd::reached);
    const CompressedRows indefinite({0, 1, 2, 3, 4}, {0, 1, 2, 3}, {1, -3, 1, 1});
    problem.system = indefinite;
    problem.b = {1, 1, 1, 1};
    EXPECT_EQ(both(problem, "indefinite"), PcgEnd::indefinite);
}

TEST_F(RankCgTest, EndsOnRequest) {
    const Problem problem = make_problem("poisson2d:level=5");
    PartedCgOptions options;
    options.progress = [](std::uint64_t iterations, double) { return iterations < 30; };
    for (const std::uint32_t parts : {1U, 3U}) {
        const Solved got = solve(problem, parts, options, rank_cg(on_devices(std::vector<int>(parts, 0))));
        EXPECT_EQ(got.report.end, PcgEnd::cancelled);
        PartedCgOptions limited; // (the host asks once a batch of iterations)
        limited.max_iterations = got.report.iterations;
        const Solved same = solve(problem, 1, limited, {});
        EXPECT_EQ(same.report.end, PcgEnd::limit);
        EXPECT_GE(got.report.iterations, 30U);
        EXPECT_TRUE(got.x == same.x) << parts;
    }
}

TEST_F(RankCgTest, RefusesInOneLine) {
    const Problem problem = make_problem("poisson2d:level=4");
    EXPECT_THROW(solve(problem, 2, {}, rank_cg(on_devices({0}))), InvalidInput);
    EXPECT_THROW(solve(problem, 1, {}, rank_cg(on_devices({99}))), DeviceError);
    PartedCgOptions through_array;
    through_array.exchange.way = ExchangeWay::host;
    EXPECT_THROW(solve(problem, 1, through_array, rank_cg(on_devices({0}))), InvalidInput);
}

TEST_F(RankCgTest, NcclHasTheSameBits) {
    if (const std::string missing = nccl_missing(); !missing.empty()) GTEST_SKIP() << missing;
    const auto devices = static_cast<std::uint32_t>(visible_devices().size());
    if (devices < 2) GTEST_SKIP() << "one GPU: NCCL wants one for each part";
    for (const char* text : {"poisson2d:level=6", "generated:kind=thermal,n=20000", "generated:kind=scattered,n=5000"})
        for (std::uint32_t parts = 2; parts <= devices; ++parts) {
            const Problem problem = make_problem(text);
            PartedCgOptions options;
            options.jacobi = true;
            std::vector<int> device;
            for (std::uint32_t k = 0; k < parts; ++k) device.push_back(static_cast<int>(k));
            const Solved host = solve(problem, 1, options, {});
            expect_same(solve(problem, parts, options, rank_cg(on_devices(device, RankExchange::nccl))), host,
                        std::string(text) + ' ' + std::to_string(parts));
        }
}

/// A part that says what the others need to begin, and then nothing.
class Silent final : public PartSolver {
public:
    explicit Silent(const PartToSolve& of) : of_(of) {}
    PcgReport run() override {
        const std::vector<std::byte> mine(128); // an identifier of NCCL's, which the first part's replaces
        std::vector<std::byte> all(mine.size() * of_.space->parts());
        of_.space->gather(of_.part, mine, all);
        return {};
    }
    [[nodiscard]] std::span<const double> solution() const override { return {}; }
    [[nodiscard]] std::size_t held() const override { return 0; }

private:
    PartToSolve of_;
};

TEST_F(RankCgTest, ASilentPartEndsTheWaitForNccl) {
    if (const std::string missing = nccl_missing(); !missing.empty()) GTEST_SKIP() << missing;
    RankCgOptions options = on_devices({0, 0}, RankExchange::nccl);
    options.wait = 2;
    int told = 0;
    options.silent = [&] { ++told; };
    const auto speaking = rank_cg(options);
    const auto start = std::chrono::steady_clock::now();
    try {
        solve(make_problem("poisson2d:level=4"), 2, {}, [&](const PartToSolve& of) -> std::unique_ptr<PartSolver> {
            if (of.part == 0) return speaking(of);
            return std::make_unique<Silent>(of);
        });
        FAIL() << "nobody was missed";
    } catch (const DeviceError& fault) {
        EXPECT_NE(std::string(fault.what()).find("another rank has not answered for 2 s"), std::string::npos)
            << fault.what();
    }
    EXPECT_EQ(told, 1);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

} // namespace
