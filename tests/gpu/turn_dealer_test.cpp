// The dealing of a slice's entries to turns (gpu/src/turn_dealer.hpp), which needs no device.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "turn_dealer.hpp"

namespace mantissa::gpu {
namespace {

/// Every entry has one turn, a seat never two in a turn, and a class as many times two as it has entries beyond the
/// turns.
template <std::uint32_t kSeats> void deal_and_check(std::mt19937& random, std::uint32_t turns, std::uint32_t classes) {
    TurnDealer<kSeats> dealer;
    for (int again = 0; again < 20; ++again) { // one dealer for all: it forgets
        dealer.start(turns);
        std::vector<std::uint32_t> seat, its_class, count(kSeats, 0);
        for (std::uint32_t s = 0; s < kSeats; ++s) {
            const std::uint32_t has = again == 0 ? turns : static_cast<std::uint32_t>(random() % (turns + 1));
            for (std::uint32_t k = 0; k < has; ++k) {
                seat.push_back(s);
                its_class.push_back(static_cast<std::uint32_t>(random() % classes));
                ++count[its_class.back()];
                dealer.add(seat.back(), its_class.back());
            }
        }
        dealer.finish();
        std::vector<int> dealt(seat.size(), 0);
        std::vector<std::uint32_t> repeats(kSeats, 0);
        for (std::uint32_t t = 0; t < turns; ++t) {
            std::vector<std::uint32_t> of_class(kSeats, 0);
            for (std::uint32_t s = 0; s < kSeats; ++s) {
                const std::uint32_t e = dealer.entry(s, t);
                if (e == dealer.kNone) continue;
                ASSERT_LT(e, seat.size());
                EXPECT_EQ(seat[e], s);
                ++dealt[e];
                if (of_class[its_class[e]]++ != 0) ++repeats[its_class[e]];
            }
        }
        EXPECT_EQ(dealt, std::vector<int>(seat.size(), 1));
        for (std::uint32_t c = 0; c < kSeats; ++c) EXPECT_EQ(repeats[c], count[c] > turns ? count[c] - turns : 0) << c;
    }
}

TEST(TurnDealer, ClassesMeetOnlyWhereTheyMust) {
    std::mt19937 random(7);
    for (const std::uint32_t turns : {1U, 2U, 5U, 10U, 33U}) {
        SCOPED_TRACE("turns " + std::to_string(turns));
        deal_and_check<4>(random, turns, 4);
        deal_and_check<8>(random, turns, 8);
        deal_and_check<16>(random, turns, 16);
        deal_and_check<32>(random, turns, 32);
        deal_and_check<8>(random, turns, 3); // far more of a class than turns
    }
}

} // namespace
} // namespace mantissa::gpu
