// Arrays of Float<F> into and out of the vector kernels, without a cast: the same bits as arrays of the carrier;
// formats and carriers that do not fit are refused.
#include "mantissa/float_kernels.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "expect_line.hpp"
#include "operands.hpp"

namespace mantissa {
namespace {

using namespace literals;
using Short = Float<"s17e8"_fmt>;
using Near = Float<"s17e8:rne"_fmt>;
using Half = Float<formats::kHalf>;
using Wide = Float<"s36e11"_fmt>;
using judge::Class;
using judge::Operands;

// What cannot be right does not compile: another carrier, formats mixed, a constant that the format does not hold.
template <class Unit, class A, class B, class Out>
concept Adds = requires(const Unit& unit, A a, B b, Out& out) {
    unit.add(a, b, out);
};
template <class X> using Vector = std::vector<X>;
static_assert(Adds<VectorUnit<float>, Vector<Short>, Vector<Short>, Vector<Short>>);
static_assert(Adds<VectorUnit<float>, std::span<const Short>, std::array<Short, 4>, std::span<Short>>);
static_assert(!Adds<VectorUnit<float>, Vector<Wide>, Vector<Wide>, Vector<Wide>>);
static_assert(!Adds<VectorUnit<double>, Vector<Short>, Vector<Short>, Vector<Short>>);
static_assert(!Adds<VectorUnit<float>, Vector<Short>, Vector<Near>, Vector<Short>>);
static_assert(!Adds<VectorUnit<float>, Vector<Short>, Vector<Short>, Vector<float>>);
static_assert(Adds<VectorUnit<Short>, Vector<Short>, Vector<Short>, Vector<Short>>);
static_assert(!Adds<VectorUnit<Short>, Vector<Near>, Vector<Near>, Vector<Near>>);
static_assert(!Adds<VectorUnit<Short>, Vector<float>, Vector<float>, Vector<float>>);

template <class X> class FloatArrays : public testing::Test {
protected:
    static constexpr std::size_t kN = 1037;
    FloatArrays() {
        Operands operands(X::format, 7);
        for (std::size_t i = 0; i < kN; ++i) {
            const auto x = operands.draw(judge::Op::fma, judge::kAllClasses[i % 6]); // none with subnormal operands
            a.push_back(X(x[0]));
            b.push_back(X(x[1]));
            c.push_back(X(x[2]));
            doubles.push_back(operands.draw(judge::Op::convert, judge::kAllClasses[i % 6])[0]);
        }
    }
    /// `out` against what the value type makes of each element.
    template <class Expected> void expect(const char* what, Expected expected) {
        for (std::size_t i = 0; i < kN; ++i) {
            const X want = expected(i);
            ASSERT_TRUE(isnan(want) ? isnan(out[i]) : out[i].bits() == want.bits())
                << what << " " << i << ": " << double(out[i]) << ", expected " << double(want);
        }
        std::fill(out.begin(), out.end(), X(7));
    }
    template <class Unit> void expect_all(const Unit& unit) {
        const X s = a[3];
        unit.add(a, b, out);
        expect("add", [&](auto i) { return a[i] + b[i]; });
        unit.sub(a, b, out);
        expect("sub", [&](auto i) { return a[i] - b[i]; });
        unit.mul(a, b, out);
        expect("mul", [&](auto i) { return a[i] * b[i]; });
        unit.div(a, b, out);
        expect("div", [&](auto i) { return a[i] / b[i]; });
        unit.sqrt(a, out);
        expect("sqrt", [&](auto i) { return sqrt(a[i]); });
        unit.fma(a, b, c, out);
        expect("fma", [&](auto i) { return fma(a[i], b[i], c[i]); });
        unit.scale(s, a, out);
        expect("scale", [&](auto i) { return s * a[i]; });
        unit.add_scaled(b, s, a, out);
        expect("add_scaled", [&](auto i) { return b[i] + s * a[i]; });
        unit.sub_scaled(b, 1.5, a, out);
        expect("sub_scaled", [&](auto i) { return b[i] - X(1.5) * a[i]; });
        unit.convert(doubles, out);
        expect("convert", [&](auto i) { return X(doubles[i]); });
        // In place, through spans, and a part of an array.
        std::vector<X> x = a;
        unit.add(std::span<const X>(x), b, std::span<X>(x));
        out = x;
        expect("add in place", [&](auto i) { return a[i] + b[i]; });
        unit.mul(std::span(a).subspan(5, 100), std::span(b).first(100), std::span(out).last(100));
        for (std::size_t i = 0; i < 100; ++i) {
            const X want = a[5 + i] * b[i], got = out[kN - 100 + i];
            ASSERT_TRUE(isnan(want) ? isnan(got) : got.bits() == want.bits());
        }
    }
    std::vector<X> a, b, c, out = std::vector<X>(kN);
    std::vector<double> doubles;
};
using Numbers = testing::Types<Short, Near, Half, Wide, Float<"s20e8:rne:sat"_fmt>, Float<"s30e11:rne"_fmt>,
                               Float<formats::kFloat>, Float<formats::kDouble>>;
TYPED_TEST_SUITE(FloatArrays, Numbers);

TYPED_TEST(FloatArrays, GoThroughTheKernels) {
    using T = typename TypeParam::carrier_type;
    this->expect_all(VectorUnit<TypeParam>());
    this->expect_all(VectorUnit<T>(TypeParam::format));
    this->expect_all(VectorUnit<TypeParam>(VectorUnit<TypeParam>::Path::portable));
}

TEST(FloatArrayRounding, FromAWiderFormatOfTheCarrier) {
    const VectorUnit<float> any("s23e8"_fmt);
    std::vector<Float<"s23e8"_fmt>> wide(1000);
    Operands operands("s23e8"_fmt, 3);
    for (auto& x : wide) x = Float<"s23e8"_fmt>(operands.draw(judge::Op::sqrt, Class::far_exponent)[0]);
    std::vector<Half> half(1000);
    VectorUnit<Half>().round(wide, half);
    for (std::size_t i = 0; i < wide.size(); ++i) ASSERT_EQ(half[i].bits(), Half(wide[i]).bits());
    std::vector<Near> near(1000);
    VectorUnit<float>(Near::format).round(wide, near);
    for (std::size_t i = 0; i < wide.size(); ++i) ASSERT_EQ(near[i].bits(), Near(wide[i]).bits());
    std::array<float, 3> values{0.1F, -1e-30F, 1e6F}, out{};
    VectorUnit<float>(formats::kHalf).round(values, out);
    EXPECT_EQ(out, (std::array<float, 3>{0x1.998p-4F, -0.0F, HUGE_VALF}));
}

TEST(FloatArrayRefusals, AreOneLine) {
    const VectorUnit<float> unit("s23e8"_fmt);
    std::vector<Short> x(4), y(4);
    std::vector<Short> longer(5);
    test::expect_line([&] { unit.add(x, y, y); }, "an array of s17e8 numbers, but the unit's format is s23e8");
    test::expect_line([&] { unit.sqrt(x, y); }, "make a VectorUnit of the array's format");
    test::expect_line([&] { unit.convert(std::vector<double>(4), y); }, "an array of s17e8 numbers");
    test::expect_line([&] { unit.round(std::vector<Near>(4), y); }, "an array of s17e8 numbers");
    test::expect_line([&] { VectorUnit<Short>().add(x, longer, y); }, "arrays of different lengths");
    test::expect_line([&] { VectorUnit<float>("s17e8"_fmt).fma(x, y, longer, y); }, "arrays of different lengths");
    // Policies that no operation can tell apart are one format.
    constexpr Format kSame{17, 8, Rounding::toward_zero, Subnormals::flush, Overflow::saturate};
    std::vector<Float<kSame>> z(4, Float<kSame>(2));
    VectorUnit<float>("s17e8"_fmt).add(z, z, z);
    EXPECT_EQ(z[3], 4);
}

} // namespace
} // namespace mantissa
