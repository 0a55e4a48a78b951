// FixedUnit as a C++ type: arrays of words and of Fixed<F>, in place and in part; which overflow is reported; what is
// refused. Its arithmetic stands before the judge.
#include "mantissa/fixed_kernels.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "expect_line.hpp"
#include "mantissa/fixed.hpp"

namespace mantissa {
namespace {

using namespace literals;
using Short = Fixed<"fx18.16"_fmt>;
using Floor = Fixed<"fx18.16:floor"_fmt>;
using Wide = Fixed<"fx40.30"_fmt>;
using fixed::Scalar;

// What cannot be right does not compile.
template <class Unit, class A, class B, class Out>
concept Adds = requires(const Unit& unit, A a, B b, Out& out) {
    unit.add(a, b, out);
};
template <class X> using Vector = std::vector<X>;
static_assert(Adds<FixedUnit<std::int32_t>, Vector<std::int32_t>, Vector<std::int32_t>, Vector<std::int32_t>>);
static_assert(!Adds<FixedUnit<std::int32_t>, Vector<std::int64_t>, Vector<std::int64_t>, Vector<std::int64_t>>);
static_assert(Adds<FixedUnit<std::int32_t>, Vector<Short>, std::span<const Short>, std::array<Short, 4>>);
static_assert(!Adds<FixedUnit<std::int32_t>, Vector<Short>, Vector<Floor>, Vector<Short>>);
static_assert(!Adds<FixedUnit<std::int32_t>, Vector<Wide>, Vector<Wide>, Vector<Wide>>);
static_assert(Adds<FixedUnit<Short>, Vector<Short>, Vector<Short>, Vector<Short>>);
static_assert(!Adds<FixedUnit<Short>, Vector<Floor>, Vector<Floor>, Vector<Floor>>);
static_assert(!Adds<FixedUnit<Short>, Vector<std::int32_t>, Vector<std::int32_t>, Vector<std::int32_t>>);

TEST(FixedScalar, IsTheDouble) {
    EXPECT_EQ(Scalar::of(0), Scalar());
    EXPECT_EQ(Scalar::of(-0.375), (Scalar{-3, -3}));
    EXPECT_EQ(Scalar::of(0x1p60), (Scalar{1, 60}));
    EXPECT_EQ(Scalar::of(-0x1.fffffffffffffp1023), (Scalar{-((std::int64_t{1} << 53) - 1), 971}));
    EXPECT_EQ(Scalar::of(0x1p-1074), (Scalar{1, -1074}));
    EXPECT_EQ(Scalar::of(0x3p-1074), (Scalar{3, -1074}));
    for (double x = 0.1; x < 1e300; x *= -7.3e5) {
        const Scalar s = Scalar::of(x);
        EXPECT_EQ(std::ldexp(static_cast<double>(s.significand), s.exponent), x);
        if (x < 0) continue;
    }
    static_assert(Scalar::of(1.5) == Scalar{3, -1});
}

template <class X> class FixedArrays : public testing::Test {};
using Numbers = testing::Types<Short, Floor, Wide, Fixed<"fx32.31"_fmt>, Fixed<"fx64.62"_fmt>, Fixed<"fx12.-3"_fmt>>;
TYPED_TEST_SUITE(FixedArrays, Numbers);

TYPED_TEST(FixedArrays, OfNumbersGoThroughTheKernels) {
    using X = TypeParam;
    using Word = typename X::word_type;
    constexpr std::size_t kN = 1037;
    std::vector<X> a, b, c, out(kN);
    std::vector<double> doubles;
    const double top = X::format.max() / 4;
    for (std::size_t i = 0; i < kN; ++i) {
        const auto at = static_cast<double>(i) / kN;
        doubles.push_back(top * std::sin(40 * at));
        a.push_back(X(doubles.back()));
        b.push_back(X(top * std::cos(70 * at)));
        c.push_back(X(top * at));
    }
    const auto expect = [&](const char* what, bool lost, auto definition) {
        bool want_lost = false;
        for (std::size_t i = 0; i < kN; ++i) {
            const fixed::Rounded want = definition(i);
            want_lost |= want.overflow;
            ASSERT_EQ(out[i].word(), want.word) << what << " " << i;
        }
        ASSERT_EQ(lost, want_lost) << what;
        std::fill(out.begin(), out.end(), X::from_word(1));
    };
    const Scalar s = Scalar::of(-0.37);
    const auto expect_all = [&](const auto& unit) {
        expect("add", unit.add(a, b, out), [&](auto i) { return fixed::add(X::format, a[i].word(), b[i].word()); });
        expect("sub", unit.sub(a, b, out), [&](auto i) { return fixed::sub(X::format, a[i].word(), b[i].word()); });
        expect("mul", unit.mul(a, b, out), [&](auto i) { return fixed::mul(X::format, a[i].word(), b[i].word()); });
        expect("fma", unit.fma(a, b, c, out),
               [&](auto i) { return fixed::fma(X::format, a[i].word(), b[i].word(), c[i].word()); });
        expect("scale", unit.scale(s, a, out),
               [&](auto i) { return fixed::scale(X::format, s, X::format, a[i].word()); });
        expect("add_scaled", unit.add_scaled(b, s, a, out),
               [&](auto i) { return fixed::add_scaled(X::format, b[i].word(), s, X::format, a[i].word()); });
        expect("sub_scaled", unit.sub_scaled(b, s, a, out),
               [&](auto i) { return fixed::sub_scaled(X::format, b[i].word(), s, X::format, a[i].word()); });
        expect("convert", unit.convert(doubles, out),
               [&](auto i) { return fixed::from_double(X::format, doubles[i]); });
        const std::vector<Fixed<"fx20.7"_fmt>> other(kN, 2.5);
        expect("round", unit.round(other, out),
               [&](auto i) { return fixed::convert(X::format, "fx20.7"_fmt, other[i].word()); });
        std::vector<double> values(kN);
        unit.to_doubles(a, values);
        for (std::size_t i = 0; i < kN; ++i) ASSERT_EQ(values[i], double(a[i]));
        // In place, through spans, and a part of an array.
        out = a;
        expect("in place", unit.add(std::span<const X>(out), b, std::span<X>(out)),
               [&](auto i) { return fixed::add(X::format, a[i].word(), b[i].word()); });
        ASSERT_FALSE(unit.sub(std::span<const X>(a).subspan(5, 100), std::span<const X>(b).first(100),
                              std::span<X>(out).last(100)));
        for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(out[kN - 100 + i], a[5 + i] - b[i]);
        ASSERT_EQ(out[0].word(), 1);
        std::vector<X> none;
        ASSERT_FALSE(unit.mul(none, none, none));
    };
    expect_all(FixedUnit<X>());
    expect_all(FixedUnit<Word>(X::format));
    expect_all(FixedUnit<X>(FixedUnit<X>::Path::portable));
}

/// One element that overflows, at any place of arrays of any length, by any operation.
TYPED_TEST(FixedArrays, NoOverflowIsLost) {
    using X = TypeParam;
    using Word = typename X::word_type;
    const FixedUnit<Word> unit(X::format);
    const auto greatest = static_cast<Word>(fixed::max_word(X::format));
    const Scalar two = Scalar::of(2);
    for (std::size_t n : {1, 2, 7, 16, 33, 70})
        for (std::size_t at = 0; at < n; ++at) {
            std::vector<Word> a(n, 0), b(n, 1), out(n);
            const auto all = [&] {
                return std::array{unit.add(a, b, out),
                                  unit.sub(b, a, out),
                                  unit.mul(a, a, out),
                                  unit.fma(a, a, b, out),
                                  unit.scale(two, a, out),
                                  unit.add_scaled(b, two, a, out),
                                  unit.sub_scaled(b, two, a, out)};
            };
            for (const bool lost : all()) ASSERT_FALSE(lost);
            a[at] = greatest;
            auto found = all();
            ASSERT_TRUE(found[0]);
            a[at] = -greatest - 1;
            const auto below = all();
            ASSERT_TRUE(below[1]);
            const bool products = X::format.fraction_bits < X::format.word_bits - 1; // (-2^(W-1-F))^2 is a number else
            for (std::size_t i = 2; i < found.size(); ++i)
                ASSERT_TRUE(below[i] || (i < 4 && !products)) << i << " " << n << " " << at;
        }
}

TEST(FixedArrayRefusals, AreOneLine) {
    using test::expect_line;
    const FixedUnit<std::int32_t> unit("fx20.10"_fmt);
    std::vector<Short> x(4), y(4), longer(5);
    std::vector<std::int64_t> words(4);
    std::vector<std::int32_t> out(4);
    expect_line([&] { (void)unit.add(x, y, y); }, "an array of fx18.16 numbers, but the unit's format is fx20.10");
    expect_line([&] { (void)unit.convert(std::vector<double>(4), y); }, "make a FixedUnit of the array's format");
    expect_line([&] { (void)unit.round(x, y); }, "an array of fx18.16 numbers");
    expect_line([&] { unit.to_doubles(x, std::span<double>()); }, "an array of fx18.16 numbers");
    expect_line([&] { (void)FixedUnit<Short>().add(x, longer, y); }, "arrays of different lengths");
    expect_line([&] { (void)FixedUnit<Short>().fma(x, y, longer, y); }, "arrays of different lengths");
    expect_line([&] { (void)FixedUnit<Short>().convert(std::vector<double>(3), y); }, "arrays of different lengths");
    expect_line([&] { (void)FixedUnit<Short>().round(longer, y); }, "arrays of different lengths");
    expect_line([&] { FixedUnit<Short>().to_doubles(x, std::span<double>()); }, "arrays of different lengths");
    expect_line([&] { (void)unit.round("s17e8"_fmt, words, out); }, "s17e8 is no fixed-point format of 64-bit words");
    expect_line([&] { (void)unit.round("fx40.3"_fmt, out, out); }, "fx40.3 is no fixed-point format of 32-bit words");
    expect_line([] { FixedUnit<std::int32_t>("fx33.3"_fmt); },
                "words of fx33.3 do not fit 32 bits: use FixedUnit<std::int64_t>");
    expect_line([] { FixedUnit<std::int32_t>("s17e8"_fmt); }, "s17e8 is a floating format");
    expect_line([] { VectorUnit<float>("fx18.16"_fmt); }, "fx18.16 is a fixed-point format");
}

} // namespace
} // namespace mantissa
