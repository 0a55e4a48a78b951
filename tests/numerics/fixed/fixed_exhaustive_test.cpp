// Fixed-point formats of at most eight bits, exhaustively: every pair of words in every operation, both roundings, with
// the point in the middle, at either end, and beyond both. Fused multiply-adds of every triple up to five bits.
#include <array>
#include <utility>

#include "fixed_subjects.hpp"

namespace mantissa::judge {
namespace {

constexpr int kPoints = 5;
constexpr int point(int w, int k) {
    const int points[kPoints] = {0, w / 2, w, w + 3, -2};
    return points[k];
}

/// Every a for each b and c, a block each.
template <Format F> void hear_all(FixedOp op, std::vector<fixed::Word> cs, FixedCourt<Int128>& court) {
    const fixed::Word least = fixed::min_word(F), greatest = fixed::max_word(F);
    std::vector<FixedCase> cases;
    for (const fixed::Word c : cs)
        for (fixed::Word b = least; b <= greatest && court.mismatches() < 4; ++b) {
            cases.clear();
            for (fixed::Word a = least; a <= greatest; ++a) cases.push_back({a, b, c, {}, static_cast<int>(b) % 24});
            court.template hear<F>(op, cases);
        }
}

/// Factors of up to five bits with their sign, every shift that leaves something, and more either way.
template <Format F> void hear_scaled(FixedCourt<Int128>& court) {
    const fixed::Word least = fixed::min_word(F), greatest = fixed::max_word(F);
    std::vector<FixedCase> cases;
    for (int significand = -9; significand <= 9; ++significand)
        for (int exponent = -16; exponent <= 10; ++exponent)
            for (const FixedOp op : {FixedOp::scale, FixedOp::add_scaled, FixedOp::sub_scaled}) {
                if (court.mismatches() >= 4) return;
                cases.clear();
                for (fixed::Word a = least; a <= greatest; ++a)
                    for (const fixed::Word b :
                         {least, least / 2, fixed::Word{-1}, fixed::Word{0}, fixed::Word{1}, greatest})
                        cases.push_back({a, b, 0, {significand, exponent}, 0});
                court.template hear<F>(op, cases);
            }
}

template <Format F> void hear_format() {
    SCOPED_TRACE(to_string(F));
    FixedCourt<Int128> court(F);
    for (const FixedOp op : {FixedOp::add, FixedOp::sub, FixedOp::mul, FixedOp::div, FixedOp::ldexp})
        hear_all<F>(op, {0}, court);
    const fixed::Word least = fixed::min_word(F), greatest = fixed::max_word(F);
    std::vector<fixed::Word> cs = {least, least / 3, -1, 0, 1, greatest / 2, greatest};
    if (F.word_bits <= 5) {
        cs.clear();
        for (fixed::Word c = least; c <= greatest; ++c) cs.push_back(c);
    }
    hear_all<F>(FixedOp::fma, cs, court);
    hear_scaled<F>(court);
    EXPECT_EQ(court.mismatches(), 0u);
}

template <int W, std::size_t... K> void hear_points(std::index_sequence<K...>) {
    (hear_format<Format::fixed(W, point(W, K))>(), ...);
    (hear_format<Format::fixed(W, point(W, K), Rounding::down)>(), ...);
}

template <class W> class FixedExhaustive : public testing::Test {};
template <int W> using Width = std::integral_constant<int, W>;
using Widths = testing::Types<Width<2>, Width<3>, Width<4>, Width<5>, Width<6>, Width<7>, Width<8>>;
TYPED_TEST_SUITE(FixedExhaustive, Widths);

TYPED_TEST(FixedExhaustive, AgreesWithExactIntegers) {
    hear_points<TypeParam::value>(std::make_index_sequence<kPoints>());
}

/// Rounding to a grid and the word that stays, of every x and shift that decide something, at either end of 128 bits.
TEST(FixedWords, ShiftsRoundTheExactQuotient) {
    std::vector<Int128> numbers;
    for (int bit = 0; bit < 127; ++bit)
        for (int near = -2; near <= 2; ++near)
            for (int sign : {1, -1}) numbers.push_back(sign * (Int128{1} << bit) + near);
    const Int128 greatest = ~(Int128{1} << 127);
    for (int near = 0; near < 3; ++near) numbers.insert(numbers.end(), {greatest - near, -greatest - 1 + near});
    for (const Rounding rounding : {Rounding::nearest_up, Rounding::down})
        for (const Int128 x : numbers)
            for (int shift = 0; shift <= 300; ++shift) {
                WideInteger over = x, under = 1;
                under <<= shift < 200 ? shift : 200; // 2^-200 and less leave the sign alone
                if (rounding == Rounding::nearest_up) over = 2 * over + under, under *= 2;
                WideInteger whole = over / under;
                if (whole * under > over) --whole;
                ASSERT_EQ(WideInteger(fixed::shift_round(x, shift, rounding)), whole)
                    << WideInteger(x) << " " << shift << " " << static_cast<int>(rounding);
            }
    EXPECT_EQ(fixed::shift_round(-3, -2, Rounding::down), -12);
    EXPECT_EQ(fixed::shift_round(0, -500, Rounding::down), 0);
    EXPECT_EQ(fixed::bits_of(0), 1);
    EXPECT_EQ(fixed::bits_of(-1), 1);
    EXPECT_EQ(fixed::bits_of(-2), 2);
    EXPECT_EQ(fixed::bits_of(3), 3);
    EXPECT_EQ(fixed::bits_of(INT64_MIN), 64);
}

} // namespace
} // namespace mantissa::judge
