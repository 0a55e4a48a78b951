// Which GPU each rank of mpirun takes, from what the ranks say they have: no GPU is needed for it.
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "command/parts/rank_gpus.hpp"
#include "mantissa/errors.hpp"

namespace {

using mantissa::InvalidInput;
using mantissa::cli::GpuExchange;
using mantissa::cli::GpuPlaces;
using mantissa::cli::place_ranks;
using mantissa::cli::RankGpus;

/// A rank on machine `machine` that sees these GPUs.
RankGpus rank_on(const std::string& machine, const std::vector<std::string>& devices) {
    return {"boot-" + machine, machine, devices, "", ""};
}

void expect_refusal(const std::vector<RankGpus>& ranks, const std::vector<int>& devices,
                    std::optional<GpuExchange> asked, const std::string& part) {
    try {
        static_cast<void>(place_ranks(ranks, devices, asked));
        FAIL() << "not refused: " << part;
    } catch (const InvalidInput& fault) {
        EXPECT_NE(std::string(fault.what()).find(part), std::string::npos) << fault.what();
        EXPECT_EQ(std::string(fault.what()).find('\n'), std::string::npos);
    }
}

const std::vector<std::string> kTwo = {"a", "b"};

TEST(RankPlaces, RanksOfAMachineTakeItsGpusInTurn) {
    const GpuPlaces one = place_ranks({rank_on("x", kTwo), rank_on("x", kTwo)}, {}, {});
    EXPECT_EQ(one.device, (std::vector<int>{0, 1}));
    EXPECT_EQ(one.exchange, GpuExchange::nccl);
    EXPECT_EQ(one.why, "");
    // Two machines whose ranks alternate. (Their GPUs have other numbers.)
    const std::vector<std::string> others = {"c", "d"};
    const GpuPlaces two =
        place_ranks({rank_on("x", kTwo), rank_on("y", others), rank_on("x", kTwo), rank_on("y", others)}, {}, {});
    EXPECT_EQ(two.device, (std::vector<int>{0, 0, 1, 1}));
    EXPECT_EQ(two.exchange, GpuExchange::nccl);
    EXPECT_EQ(place_ranks({rank_on("x", kTwo), rank_on("x", kTwo)}, {1, 0}, {}).device, (std::vector<int>{1, 0}));
    EXPECT_EQ(place_ranks({rank_on("x", kTwo), rank_on("x", kTwo)}, {}, GpuExchange::mpi).exchange, GpuExchange::mpi);
}

TEST(RankPlaces, RanksThatSeeOneGpuEachTakeIt) {
    const GpuPlaces places = place_ranks({rank_on("x", {"a"}), rank_on("x", {"b"}), rank_on("x", {"c"})}, {}, {});
    EXPECT_EQ(places.device, (std::vector<int>{0, 0, 0}));
    EXPECT_EQ(places.exchange, GpuExchange::nccl);
}

TEST(RankPlaces, ASharedGpuExchangesByMpi) {
    const std::vector<RankGpus> three(3, rank_on("x", kTwo));
    const GpuPlaces places = place_ranks(three, {0, 1, 0}, {});
    EXPECT_EQ(places.device, (std::vector<int>{0, 1, 0}));
    EXPECT_EQ(places.exchange, GpuExchange::mpi);
    EXPECT_EQ(places.why, "ranks 0 and 2 share GPU 0 of machine x, and NCCL wants one for each");
    EXPECT_EQ(place_ranks(three, {0, 1, 0}, GpuExchange::mpi).why, "");
    expect_refusal(three, {0, 1, 0}, GpuExchange::nccl, "ranks 0 and 2 share GPU 0 of machine x");
}

TEST(RankPlaces, NcclWantsItsLibraryOnEveryRank) {
    std::vector<RankGpus> ranks = {rank_on("x", kTwo), rank_on("x", kTwo)};
    ranks[1].no_nccl = "loading libnccl.so.2 failed";
    EXPECT_EQ(place_ranks(ranks, {}, {}).exchange, GpuExchange::mpi);
    EXPECT_EQ(place_ranks(ranks, {}, {}).why, "rank 1: loading libnccl.so.2 failed");
    expect_refusal(ranks, {}, GpuExchange::nccl, "rank 1: loading libnccl.so.2 failed; take --exchange mpi");
}

TEST(RankPlaces, RefusesWhatThereIsNot) {
    expect_refusal(std::vector<RankGpus>(3, rank_on("x", kTwo)), {}, {}, "3 ranks on machine x, which has 2 GPUs");
    expect_refusal(std::vector<RankGpus>(2, rank_on("x", {"a"})), {}, {}, "2 ranks on machine x, which has 1 GPU;");
    expect_refusal(std::vector<RankGpus>(2, rank_on("x", kTwo)), {0}, {}, "it names 1 GPU, and machine x has 2 ranks");
    expect_refusal(std::vector<RankGpus>(2, rank_on("x", kTwo)), {0, 2}, {}, "there is no GPU 2 on machine x");
    std::vector<RankGpus> ranks = {rank_on("x", kTwo), rank_on("y", {})};
    ranks[1].missing = "no GPU: none found";
    expect_refusal(ranks, {}, {}, "rank 1 on machine y: no GPU: none found");
}

} // namespace
