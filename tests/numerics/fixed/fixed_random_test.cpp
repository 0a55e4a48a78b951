// Random judgement of fixed-point formats from 12 to 64 bits: a million operands for each width, class and operation,
// half of them under each rounding, and fewer with the point elsewhere. MANTISSA_JUDGE_BLOCKS in the environment asks
// for so many blocks of 4099 each (245 make a million).
#include <climits>
#include <cstdlib>
#include <type_traits>

#include "fixed_operands.hpp"
#include "fixed_subjects.hpp"

namespace mantissa::judge {
namespace {

constexpr std::size_t kBlock = 4099; // no multiple of a vector's length
/// Cases that share a factor: calls of kernels on arrays of every length.
constexpr std::size_t kShared = 61;

std::size_t blocks() {
    const char* wanted = std::getenv("MANTISSA_JUDGE_BLOCKS");
    return wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : 245;
}

template <Format F> void hear_random(std::size_t count) {
    SCOPED_TRACE(to_string(F));
    using Integer = std::conditional_t<(F.word_bits > 48), WideInteger, Int128>;
    FixedCourt<Integer> court(F);
    std::vector<FixedCase> cases;
    for (const FixedOp op : kFixedOps)
        for (const FixedClass c : kFixedClasses) {
            FixedOperands operands(F, 1 + static_cast<std::uint64_t>(op) * 16 + static_cast<std::uint64_t>(c));
            const std::size_t calls = is_scaled(op) ? count * kBlock / kShared + 1 : count;
            for (std::size_t n = 0; n < calls && court.mismatches() < 4; ++n) {
                cases.clear();
                for (std::size_t i = 0; i < (is_scaled(op) ? kShared : kBlock); ++i)
                    cases.push_back(operands.draw(op, c));
                if (is_scaled(op)) {
                    const fixed::Scalar s = operands.factor(c, cases.front().a);
                    for (FixedCase& x : cases) x.s = s;
                }
                court.template hear<F>(op, cases);
            }
        }
    EXPECT_EQ(court.mismatches(), 0u);
}

template <class W> class FixedRandom : public testing::Test {};
template <int W> using Width = std::integral_constant<int, W>;
using Widths = testing::Types<Width<12>, Width<18>, Width<22>, Width<32>, Width<48>, Width<64>>;
TYPED_TEST_SUITE(FixedRandom, Widths);

TYPED_TEST(FixedRandom, AgreesWithExactIntegers) {
    constexpr int kW = TypeParam::value;
    const std::size_t all = blocks();
    hear_random<Format::fixed(kW, kW - 2)>((all + 1) / 2);
    hear_random<Format::fixed(kW, kW - 2, Rounding::down)>((all + 1) / 2);
    hear_random<Format::fixed(kW, kW / 2)>((all + 63) / 64);
    hear_random<Format::fixed(kW, kW + 3, Rounding::down)>((all + 63) / 64);
    hear_random<Format::fixed(kW, kW + 3)>((all + 63) / 64);
    hear_random<Format::fixed(kW, -2)>((all + 63) / 64);
    hear_random<Format::fixed(kW, 0, Rounding::down)>((all + 63) / 64);
}

/// Factors and exponents that shift words far beyond either end.
template <Format F> void hear_far() {
    SCOPED_TRACE(to_string(F));
    FixedCourt<boost::multiprecision::cpp_int> court(F);
    FixedOperands operands(F, 77);
    std::vector<FixedCase> cases;
    for (const FixedOp op : {FixedOp::ldexp, FixedOp::scale, FixedOp::add_scaled, FixedOp::sub_scaled})
        for (int exponent = -270; exponent <= 270; ++exponent) {
            if (op != FixedOp::ldexp && court.mismatches() < 4) {
                cases.assign(1, {1, 0, 0, {1, exponent}, 0}); // the word that is left over at last
                court.template hear<F>(op, cases);
            }
            cases.clear();
            for (int i = 0; i < 40; ++i) {
                cases.push_back(operands.draw(FixedOp::add, kFixedClasses[i % 5]));
                cases.back().exponent = exponent;
                cases.back().s = {exponent % 3 == 0 ? 1 : 3 * exponent, exponent};
            }
            if (court.mismatches() < 4) court.template hear<F>(op, cases);
        }
    EXPECT_EQ(court.mismatches(), 0u);
}

TEST(FixedShifts, OfAnyLengthAgreeWithExactIntegers) {
    hear_far<Format::fixed(8, 4)>();
    hear_far<Format::fixed(18, 16, Rounding::down)>();
    hear_far<Format::fixed(32, 30)>();
    hear_far<Format::fixed(64, 126)>();
    hear_far<Format::fixed(64, -64, Rounding::down)>();
    // Beyond what any power of two can be.
    for (const Rounding r : {Rounding::nearest_up, Rounding::down}) {
        const Format f = Format::fixed(18, 16, r);
        for (const int far : {100000, INT_MAX}) {
            EXPECT_EQ(fixed::ldexp(f, -5, -far), (fixed::Rounded{r == Rounding::down ? -1 : 0, false}));
            EXPECT_EQ(fixed::ldexp(f, -5, far), (fixed::Rounded{0, true}));
            EXPECT_EQ(fixed::scale(f, {3, -far}, f, -5), (fixed::Rounded{r == Rounding::down ? -1 : 0, false}));
            EXPECT_EQ(fixed::scale(f, {3, far}, f, -5), (fixed::Rounded{0, true}));
            EXPECT_EQ(fixed::scale(f, {0, far}, f, -5), fixed::Rounded());
        }
        EXPECT_EQ(fixed::scale(f, {3, INT_MIN}, f, 5), fixed::Rounded());
    }
}

} // namespace
} // namespace mantissa::judge
