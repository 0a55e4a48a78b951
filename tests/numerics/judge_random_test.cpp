// Random judgement of one format, JUDGE_M and JUDGE_E: at least a million pairs for each operation and class, each
// under every policy.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "operands.hpp"
#include "subjects.hpp"

namespace mantissa::judge {
namespace {

constexpr int kM = JUDGE_M, kE = JUDGE_E;
constexpr const auto& kPolicies = kDistinctPolicies<kM, kE>;
constexpr std::size_t kBlock = 4099; // no multiple of a vector's length

/// Blocks for each class: 245 make a million pairs. Fewer for repetitions on another instruction set.
std::size_t blocks() {
    const char* wanted = std::getenv("MANTISSA_JUDGE_BLOCKS");
    return wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : 245;
}

class RandomOperands : public testing::TestWithParam<Op> {};

TEST_P(RandomOperands, AgreeWithMpfr) {
    const Op op = GetParam();
    Court<kPolicies> court(kBlock, op == Op::convert ? 53 : kM + 1);
    auto& block = court.block();
    for (Class c : kAllClasses) {
        SCOPED_TRACE(std::string(name(c)));
        Operands operands(kPolicies[0], static_cast<std::uint64_t>(op) * 16 + static_cast<std::uint64_t>(c));
        for (std::size_t n = 0; n < blocks() && court.verdict().mismatches() == 0; ++n) {
            for (std::size_t i = 0; i < kBlock; ++i) {
                const auto x = operands.draw(op, c);
                block.a[i] = x[0], block.b[i] = x[1], block.c[i] = x[2];
            }
            // A conversion takes any double; an operation of a flushing format has no subnormal operands.
            court.judge(op, kBlock,
                        {.gradual_only = c == Class::subnormal_operands && op != Op::convert, .portable = n % 16 == 0});
        }
    }
    EXPECT_EQ(court.verdict().mismatches(), 0u);
    RecordProperty("compared", std::to_string(court.verdict().compared()));
}

INSTANTIATE_TEST_SUITE_P(Judge, RandomOperands, testing::ValuesIn(kAllOps),
                         [](const auto& test) { return std::string(name(test.param)); });

/// Truncation of a sum whose smaller operand lies wholly or nearly below the larger one's last bit. Rounding such a
/// sum to nearest in the carrier and dropping the bits after that gives another number.
TEST(FarExponentTruncatingAddition, AgreesWithMpfr) {
    constexpr Format kF = kPolicies[0];
    Court<kPolicies> court(kBlock, kM + 1);
    auto& block = court.block();
    Random random(7);
    Operands operands(kF, 11);
    std::size_t dropped_wrong = 0, opposite = 0;
    for (std::size_t n = 0; n < blocks() && court.verdict().mismatches() == 0; ++n) {
        for (std::size_t i = 0; i < kBlock; ++i) {
            // The larger operand at or near a power of two every other time: there a borrow changes the exponent.
            const auto drawn = operands.draw(Op::add, Class::far_exponent);
            double big = std::fabs(drawn[0]) >= std::fabs(drawn[1]) ? drawn[0] : drawn[1];
            if ((random() & 1) != 0) {
                const int reach =
                    random.between(std::min(kF.min_exponent() + kM + 2, kF.max_exponent()), kF.max_exponent());
                big = std::copysign(Format::power_of_two(reach), big);
            }
            const int least = std::max(kF.min_exponent(), std::ilogb(big) - kM - (kF.fits<float>() ? 40 : 80));
            const int greatest = std::max(kF.min_exponent(), std::ilogb(big) - kM + 2);
            const double fraction = 1.0 + kF.epsilon() * static_cast<double>(random() >> (64 - kM));
            const double small = std::ldexp(fraction, random.between(least, greatest));
            block.a[i] = big;
            block.b[i] = (random() & 1) != 0 ? small : -small;
            block.c[i] = 0;
        }
        court.judge(Op::add, kBlock, {.portable = n % 16 == 0});
        for (std::size_t i = 0; i < kBlock; ++i) {
            const double nearest_first =
                kF.fits<float>() ? static_cast<double>(static_cast<float>(block.a[i]) + static_cast<float>(block.b[i]))
                                 : block.a[i] + block.b[i];
            dropped_wrong += exact::convert(kF, nearest_first) != block.expected[0][i];
            opposite += std::signbit(block.a[i]) != std::signbit(block.b[i]);
        }
    }
    EXPECT_EQ(court.verdict().mismatches(), 0u);
    // The operands do tell the two apart: wherever the exponent range lets one operand lie far below the other.
    if (kE >= 8) {
        EXPECT_GT(dropped_wrong, opposite / 4);
    }
}

/// Operands of any format (whole doubles) into this one: what mixed-format datapaths ask of mantissa::exact.
TEST(WideOperands, AgreeWithMpfr) {
    Court<kPolicies> court(kBlock, 53);
    auto& block = court.block();
    for (Op op : kAllOps) {
        for (Class c : kAllClasses) {
            Operands operands(Format{52, kE},
                              1000 + static_cast<std::uint64_t>(op) * 16 + static_cast<std::uint64_t>(c));
            for (std::size_t n = 0; n < 12 && court.verdict().mismatches() == 0; ++n) {
                for (std::size_t i = 0; i < kBlock; ++i) {
                    const auto x = operands.draw(op, c);
                    block.a[i] = x[0], block.b[i] = x[1], block.c[i] = x[2];
                }
                court.judge(op, kBlock, {.exact_only = true});
            }
        }
    }
    EXPECT_EQ(court.verdict().mismatches(), 0u);
}

} // namespace
} // namespace mantissa::judge
