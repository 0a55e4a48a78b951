// The assignment of a slice's entries to turns (gpu/src/sparse/bank_schedule.hpp), which needs no device.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sparse/bank_schedule.hpp"

namespace mantissa::gpu {
namespace {

/// Every entry has one turn, a lane never two in a turn, and a bank as many times two as it has entries beyond the
/// turns.
template <std::uint32_t kLanes> void fill_and_check(std::mt19937& random, std::uint32_t turns, std::uint32_t banks) {
    BankSchedule<kLanes> schedule;
    for (int again = 0; again < 20; ++again) { // one schedule for all: it forgets
        schedule.start(turns);
        std::vector<std::uint32_t> lane, bank, count(kLanes, 0);
        for (std::uint32_t s = 0; s < kLanes; ++s) {
            const std::uint32_t has = again == 0 ? turns : static_cast<std::uint32_t>(random() % (turns + 1));
            for (std::uint32_t k = 0; k < has; ++k) {
                lane.push_back(s);
                bank.push_back(static_cast<std::uint32_t>(random() % banks));
                ++count[bank.back()];
                schedule.add(lane.back(), bank.back());
            }
        }
        schedule.finish();
        std::vector<int> seen(lane.size(), 0);
        std::vector<std::uint32_t> repeats(kLanes, 0);
        for (std::uint32_t t = 0; t < turns; ++t) {
            std::vector<std::uint32_t> of_bank(kLanes, 0);
            for (std::uint32_t s = 0; s < kLanes; ++s) {
                const std::uint32_t e = schedule.entry(s, t);
                if (e == schedule.kNone) continue;
                ASSERT_LT(e, lane.size());
                EXPECT_EQ(lane[e], s);
                ++seen[e];
                if (of_bank[bank[e]]++ != 0) ++repeats[bank[e]];
            }
        }
        EXPECT_EQ(seen, std::vector<int>(lane.size(), 1));
        for (std::uint32_t c = 0; c < kLanes; ++c) EXPECT_EQ(repeats[c], count[c] > turns ? count[c] - turns : 0) << c;
    }
}

TEST(BankSchedule, BanksMeetOnlyWhereTheyMust) {
    std::mt19937 random(7);
    for (const std::uint32_t turns : {1U, 2U, 5U, 10U, 33U}) {
        SCOPED_TRACE("turns " + std::to_string(turns));
        fill_and_check<4>(random, turns, 4);
        fill_and_check<8>(random, turns, 8);
        fill_and_check<16>(random, turns, 16);
        fill_and_check<32>(random, turns, 32);
        fill_and_check<8>(random, turns, 3); // far more of a bank than turns
    }
}

} // namespace
} // namespace mantissa::gpu
