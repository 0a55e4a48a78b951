// `mpirun ... mantissa solve --engine gpu`: the answer of one process without a GPU, in every bit.
#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "device_test.hpp"
#include "mantissa/gpu/rank_cg.hpp"
#include "rank_runs.hpp"

namespace {

using nlohmann::json;

class RankGpuSolves : public mantissa::testing::DeviceTest {};

json answer(const Outcome& o) {
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.err, "");
    json j = json::parse(o.out);
    for (const char* own : {"parts", "seconds", "exchange", "engine", "key"}) j.erase(own);
    return j;
}

std::string ranks(int count) {
    return kRanks + "-np " + std::to_string(count);
}

// Several ranks on one GPU, by MPI; ranks on as many GPUs as there are, both ways.
TEST_F(RankGpuSolves, HaveTheBitsOfOneProcess) {
    const auto devices = static_cast<int>(mantissa::gpu::visible_devices().size());
    for (const std::string request : {"solve --json --format double --scheme direct --problem poisson2d:level=6",
                                      "solve --json --format double --scheme jacobi-pcg --problem "
                                      "generated:kind=thermal,n=8000"}) {
        const Scratch scratch;
        const auto to = [&](const char* name) { return " --solution " + scratch.path(name); };
        const json one = answer(run_alone(request + " --parts 1" + to("one.mtx")));
        // Threads of one process in place of ranks.
        EXPECT_EQ(answer(run_alone(request + " --engine gpu --parts 3 --devices 0,0,0")), one);
        const auto expect_same = [&](int count, const std::string& options) {
            SCOPED_TRACE(request + options + " on " + std::to_string(count) + " ranks");
            EXPECT_EQ(answer(run(request + " --engine gpu" + options + to("ranks.mtx"), ranks(count))), one);
            const auto numbers = [&](const char* name) { // without the comments, which name the command
                const std::string text = scratch.read(name);
                return text.substr(text.find("\n", text.rfind("%")) + 1);
            };
            EXPECT_EQ(numbers("ranks.mtx"), numbers("one.mtx"));
        };
        expect_same(2, " --devices 0,0");
        expect_same(3, " --devices 0,0,0 --exchange mpi");
        if (devices < 2) continue;
        expect_same(devices, " --exchange mpi");
        if (mantissa::gpu::nccl_missing().empty()) expect_same(devices, " --exchange nccl");
    }
}

TEST_F(RankGpuSolves, RefuseWhatThereIsNot) {
    const auto devices = static_cast<int>(mantissa::gpu::visible_devices().size());
    const std::string request = "solve --format double --scheme direct --problem poisson2d:level=4 --engine gpu";
    expect_one_line(run(request, ranks(devices + 1)), "start fewer there, or give several ranks a GPU");
    expect_one_line(run(request + " --devices 0,99", ranks(2)), "there is no GPU 99");
    expect_one_line(run(request + " --devices 0,0 --exchange nccl", ranks(2)), "take --exchange mpi");
}

// A rank that is stopped inside a solve by NCCL: its kernels on the other GPU never end by themselves.
TEST_F(RankGpuSolves, AStoppedRankEndsTheOthersWithOneLine) {
    const auto devices = mantissa::gpu::visible_devices().size();
    std::vector<std::string> ways = {" --exchange mpi --devices 0,0"};
    if (devices > 1 && mantissa::gpu::nccl_missing().empty()) ways.emplace_back(" --exchange nccl");
    for (const std::string& way : ways) {
        SCOPED_TRACE(way);
        const Scratch scratch;
        Background solve(
            "MANTISSA_TEST_GPU_STOPPED",
            "solve --format double --scheme direct --problem poisson2d:level=11 --engine gpu --rank-wait 3 "
            "--tolerance 1e-300 --max-iterations 100000000 --solution " +
                scratch.path("u.mtx") + way);
        int process = -1;
        for (int tries = 0; process < 0 && tries < 2000; ++tries) {
            ::usleep(5000);
            process = solve.rank(1);
        }
        ASSERT_GT(process, 0);
        ::usleep(5000000); // into its iterations
        ASSERT_EQ(::kill(process, SIGSTOP), 0);
        const Outcome o = solve.wait();
        EXPECT_EQ(o.code, 2) << o.out;
        EXPECT_NE(o.out.find("has not answered for 3 s"), std::string::npos) << o.out;
        EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 1) << o.out;
        EXPECT_EQ(solve.living(), 0U);
        EXPECT_FALSE(std::filesystem::exists(scratch.path("u.mtx")));
    }
}

} // namespace
