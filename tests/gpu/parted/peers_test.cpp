// Parts over devices: sums, flags, time-outs, refusals.
#include "mantissa/gpu/peers.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "device_test.hpp"
#include "mantissa/format.hpp"

namespace mantissa::gpu {
namespace {

using PeersTest = mantissa::testing::DeviceTest;

int devices() {
    int count = 0;
    check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    return count;
}

TEST_F(PeersTest, SumsOverPartsAreRight) {
    std::vector<std::vector<int>> lists = {{0}, {0, 0}, {0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0}};
    if (devices() > 1) lists.insert(lists.end(), {{0, 1}, {1, 0, 1}, {0, 0, 0, 0, 1, 1, 1, 1}});
    for (const std::vector<int>& list : lists) {
        Peers peers(list);
        EXPECT_EQ(peers.parts(), static_cast<int>(list.size()));
        EXPECT_EQ(measure_peers(peers, 300).wrong, 0U);
        // Rounds go on from launch to launch.
        EXPECT_EQ(measure_peers(peers, 301).wrong, 0U);
    }
}

// Who waits for a part that does not answer leaves, and says whom it waited for; the parts are of use again after
// that.
TEST_F(PeersTest, APartThatDoesNotAnswerEndsTheWait) {
    Peers peers(devices() > 1 ? std::vector{0, 1, 0} : std::vector{0, 0, 0});
    peers.set_timeout(0.2);
    try {
        static_cast<void>(measure_peers(peers, 100, 2));
        FAIL() << "no exception";
    } catch (const DeviceError& e) {
        EXPECT_NE(std::string(e.what()).find("waited 0.2 s for part 2"), std::string::npos) << e.what();
        EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    }
    EXPECT_EQ(measure_peers(peers, 100).wrong, 0U);
}

TEST_F(PeersTest, RefusesDevicesThatAreNotThere) {
    EXPECT_THROW(Peers({}), InvalidInput);
    EXPECT_THROW(Peers({0, devices()}), InvalidInput);
    EXPECT_THROW(Peers({-1}), InvalidInput);
    EXPECT_THROW(Peers(std::vector<int>(kMaxParts + 1, 0)), InvalidInput);
    EXPECT_THROW(static_cast<void>(Peers::spread(0)), InvalidInput);
    EXPECT_EQ(Peers::spread(kMaxParts).size(), static_cast<std::size_t>(kMaxParts));
}

TEST_F(PeersTest, TheCurrentDeviceStaysWhatItWas) {
    int before = 0, after = -1;
    check(cudaGetDevice(&before), "cudaGetDevice");
    Peers peers(Peers::spread(std::min(2, devices())));
    static_cast<void>(measure_peers(peers, 10));
    check(cudaGetDevice(&after), "cudaGetDevice");
    EXPECT_EQ(before, after);
}

} // namespace
} // namespace mantissa::gpu
