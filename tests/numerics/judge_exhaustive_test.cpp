// Exhaustive judgement of one small format, JUDGE_M and JUDGE_E: every pair of its bit patterns under every policy,
// and every triple for fused multiply-add where the format has at most six bits.
#include <string>

#include "subjects.hpp"

namespace mantissa::judge {
namespace {

constexpr int kM = JUDGE_M, kE = JUDGE_E;
constexpr Format kGradual = formats::ieee(kM, kE);
constexpr std::size_t kPatterns = std::size_t{1} << kGradual.width();
static_assert(kGradual.width() <= 8);

bool is_subnormal(double x) {
    return x != 0 && x > -kGradual.min_normal() && x < kGradual.min_normal();
}

/// All b for each a (and c): twice, the second time without subnormal numbers for the formats that flush.
void judge_rows(Op op, std::size_t cs) {
    Court<kAllPolicies<kM, kE>> court(kPatterns, kM + 1);
    auto& block = court.block();
    std::size_t formed = 0;
    for (bool gradual_only : {true, false}) {
        for (std::size_t k = 0; k < cs; ++k) {
            const double c = cs == 1 ? 0.0 : decode(kGradual, k);
            for (std::size_t i = 0; i < kPatterns; ++i) {
                std::size_t n = 0;
                for (std::size_t j = 0; j < kPatterns; ++j) {
                    const double a = decode(kGradual, i), b = decode(kGradual, j);
                    if (!gradual_only && (is_subnormal(a) || is_subnormal(b) || is_subnormal(c))) continue;
                    block.a[n] = a, block.b[n] = b, block.c[n] = c;
                    ++n;
                }
                if (court.verdict().mismatches() < 4) court.judge(op, n, {.gradual_only = gradual_only});
                formed += n;
            }
        }
    }
    EXPECT_EQ(court.verdict().mismatches(), 0u);
    EXPECT_GE(formed, kPatterns * kPatterns * cs);
}

class EveryPair : public testing::TestWithParam<Op> {};

TEST_P(EveryPair, AgreesWithMpfr) {
    judge_rows(GetParam(), 1);
}
INSTANTIATE_TEST_SUITE_P(Judge, EveryPair, testing::Values(Op::add, Op::sub, Op::mul, Op::div, Op::sqrt),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST(EveryTriple, FmaAgreesWithMpfr) {
    if (kGradual.width() <= 6) judge_rows(Op::fma, kPatterns);
    else judge_rows(Op::fma, 1);
}

/// Every number, tie and number beside a tie, and everything in between on a grid four bits finer, far beyond the
/// range.
TEST(EveryConversion, AgreesWithMpfr) {
    constexpr std::size_t kBlock = 4096;
    Court<kAllPolicies<kM, kE>> court(kBlock, 53);
    auto& block = court.block();
    std::size_t n = 0;
    for (int exponent = kGradual.min_exponent() - kM - 4; exponent <= kGradual.max_exponent() + 2; ++exponent)
        for (int units = 0; units < 1 << (kM + 4); ++units)
            for (double sign : {1.0, -1.0}) {
                block.a[n++] = sign * Format::power_of_two(exponent) * (1.0 + units * Format::power_of_two(-kM - 4));
                if (n == kBlock) court.judge(Op::convert, kBlock, {}), n = 0;
            }
    court.judge(Op::convert, n, {});
    EXPECT_EQ(court.verdict().mismatches(), 0u);
    EXPECT_GT(court.verdict().compared(), 0u);
}

} // namespace
} // namespace mantissa::judge
