// What the judge does not ask of the vector kernels: scaled forms, aliased outputs, lengths, refusals, and that the
// caller's rounding mode comes back.
#include "mantissa/kernels.hpp"

#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "expect_line.hpp"
#include "mantissa/exact.hpp"
#include "operands.hpp"

namespace mantissa {
namespace {

using namespace literals;
using judge::Class;
using judge::Operands;

constexpr Format kFormats[] = {
    "s17e8"_fmt,           "s23e8"_fmt,     "s10e5"_fmt,    "s7e8:rne"_fmt,   "s23e8:rne"_fmt,
    "s20e8:rne:sat"_fmt,   "s22e8:rne"_fmt, formats::kHalf, formats::kFloat,  "s17e8:subnormals"_fmt,
    "s17e6:rne:sat"_fmt,   "s36e11"_fmt,    "s52e11"_fmt,   "s36e11:rne"_fmt, formats::kDouble,
    "s30e9:subnormals"_fmt};

template <class T> struct Arrays {
    std::vector<T> a, b, out;
    Arrays(const Format& f, std::size_t n, unsigned seed) : a(n), b(n), out(n) {
        Operands operands(f, seed);
        for (std::size_t i = 0; i < n; ++i) {
            const Class c = judge::kAllClasses[i % 6]; // none with subnormal operands
            const auto x = operands.draw(judge::Op::mul, c);
            a[i] = static_cast<T>(x[0]);
            b[i] = static_cast<T>(x[1]);
        }
    }
};

template <class T> void expect_same(const Format& f, T got, double want, const char* what) {
    ASSERT_TRUE(got == static_cast<T>(want) ? std::signbit(got) == std::signbit(want) : got != got && want != want)
        << to_string(f) << " " << what << ": " << bit_string(f, static_cast<double>(got)) << ", expected "
        << bit_string(f, want);
}

template <class T> void check_scaled(const Format& f, typename VectorUnit<T>::Path path) {
    const VectorUnit<T> unit(f, path);
    for (std::size_t n : {0, 1, 3, 15, 16, 17, 33, 1000}) {
        Arrays<T> v(f, n, static_cast<unsigned>(n));
        Operands scales(f, 5);
        for (Class c : {Class::ordinary, Class::far_exponent, Class::near_overflow, Class::specials}) {
            const T s = static_cast<T>(scales.draw(judge::Op::sqrt, c)[0]);
            const auto product = [&](std::size_t i) { return exact::mul(f, s, v.a[i]); };
            unit.scale(s, v.a, v.out);
            for (std::size_t i = 0; i < n; ++i) expect_same(f, v.out[i], product(i), "scale");
            unit.add_scaled(v.b, s, v.a, v.out);
            for (std::size_t i = 0; i < n; ++i)
                expect_same(f, v.out[i], exact::add(f, v.b[i], product(i)), "add_scaled");
            unit.sub_scaled(v.b, s, v.a, v.out);
            for (std::size_t i = 0; i < n; ++i)
                expect_same(f, v.out[i], exact::sub(f, v.b[i], product(i)), "sub_scaled");
        }
    }
}

TEST(Kernels, ScaledFormsRoundTwice) {
    for (const Format& f : kFormats)
        for (auto portable : {false, true}) {
            if (f.fits<float>())
                check_scaled<float>(f, portable ? VectorUnit<float>::Path::portable : VectorUnit<float>::Path::fastest);
            check_scaled<double>(f, portable ? VectorUnit<double>::Path::portable : VectorUnit<double>::Path::fastest);
        }
}

template <class T> void check_aliases(const Format& f) {
    const VectorUnit<T> unit(f);
    const Arrays<T> v(f, 1037, 3);
    const std::size_t n = v.a.size();
    const auto equal = [&](const std::vector<T>& got, const std::vector<T>& want, const char* what) {
        for (std::size_t i = 0; i < n; ++i) expect_same(f, got[i], static_cast<double>(want[i]), what);
    };
    std::vector<T> want(n), x;
    const auto both = [&](auto op, const char* what) {
        op(v.a, v.b, want);
        op(x = v.a, v.b, x);
        equal(x, want, what);
        op(v.a, x = v.b, x);
        equal(x, want, what);
    };
    both([&](auto& a, auto& b, auto& out) { unit.add(a, b, out); }, "add in place");
    both([&](auto& a, auto& b, auto& out) { unit.sub(a, b, out); }, "sub in place");
    both([&](auto& a, auto& b, auto& out) { unit.mul(a, b, out); }, "mul in place");
    both([&](auto& a, auto& b, auto& out) { unit.div(a, b, out); }, "div in place");
    both([&](auto& a, auto& b, auto& out) { unit.add_scaled(a, T(1.5), b, out); }, "add_scaled in place");
    both([&](auto& a, auto& b, auto& out) { unit.sub_scaled(a, T(1.5), b, out); }, "sub_scaled in place");
    x = v.a;
    unit.add(x, x, x);
    for (std::size_t i = 0; i < n; ++i) expect_same(f, x[i], exact::add(f, v.a[i], v.a[i]), "x = x + x");
}

TEST(Kernels, OutputMayBeAnInput) {
    for (const Format& f : kFormats) {
        if (f.fits<float>()) check_aliases<float>(f);
        check_aliases<double>(f);
    }
}

TEST(Kernels, CallersRoundingModeComesBack) {
    const int before = std::fegetround();
    std::vector<float> a(100, 1.0F), b(100, 0x1p-30F), out(100);
    for (int mode : {FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO, FE_DOWNWARD}) {
        ASSERT_EQ(std::fesetround(mode), 0);
        VectorUnit<float>("s17e8"_fmt).add(a, b, out);
        EXPECT_EQ(std::fegetround(), mode);
        EXPECT_EQ(out[99], 1.0F);
        VectorUnit<float>("s23e8:rne"_fmt).sub(a, b, out);
        EXPECT_EQ(std::fegetround(), mode);
        EXPECT_EQ(out[99], 1.0F); // nearest, whatever the caller's mode
        VectorUnit<float>("s17e8:rne"_fmt).sub(a, b, out);
        EXPECT_EQ(out[99], 1.0F);
        VectorUnit<float>(formats::kFloat).sub(a, b, out);
        EXPECT_EQ(out[99], 1.0F);
    }
    std::fesetround(before);
    // And its subnormal numbers: half the smallest normal number is no zero afterwards.
    VectorUnit<float>("s17e8"_fmt).mul(a, b, out);
    volatile float tiny = std::numeric_limits<float>::min();
    EXPECT_GT(tiny / 2, 0.0F);
}

TEST(Kernels, PathsAreThoseDocumented) {
#if defined(__x86_64__)
    EXPECT_EQ(VectorUnit<float>("s17e8"_fmt).path(), "hardware");
    EXPECT_EQ(VectorUnit<double>("s36e11"_fmt).path(), "hardware");
    EXPECT_EQ(VectorUnit<float>(formats::kFloat).path(), "native");
    EXPECT_EQ(VectorUnit<float>("s17e8:rne"_fmt).path(), "double");
    EXPECT_EQ(VectorUnit<float>("s17e8:subnormals"_fmt).path(), "hardware");
    EXPECT_EQ(VectorUnit<double>("s30e11:rne"_fmt).path(), "directed");
    EXPECT_EQ(VectorUnit<double>("s30e9:subnormals"_fmt).path(), "directed");
#endif
    EXPECT_EQ(VectorUnit<float>("s17e8"_fmt, VectorUnit<float>::Path::portable).path(), "portable");
}

TEST(Kernels, RefusalsAreOneLine) {
    test::expect_line([] { VectorUnit<float> unit("s24e8"_fmt); }, "does not fit a 32-bit carrier");
    test::expect_line([] { VectorUnit<float> unit("s10e9"_fmt); }, "does not fit a 32-bit carrier");
    std::vector<float> a(3), b(4);
    const VectorUnit<float> unit("s17e8"_fmt);
    test::expect_line([&] { unit.add(a, b, b); }, "arrays of different lengths");
    test::expect_line([&] { unit.scale(1, a, b); }, "arrays of different lengths");
    test::expect_line([&] { unit.sqrt(a, b); }, "arrays of different lengths");
    test::expect_line([&] { unit.fma(a, a, b, a); }, "arrays of different lengths");
}

// In double, operands need not be values of the format: a sum just above a tie is not rounded to the tie first.
TEST(Kernels, DoublesOfAnyLengthRoundOnce) {
    const std::vector<double> a(33, 1 + 0x1p-21), b(33, 0x1p-80);
    std::vector<double> out(33);
    for (const Format& f : {"s20e8:rne"_fmt, "s20e10:rne:subnormals"_fmt, "s20e11:rne"_fmt}) {
        VectorUnit<double>(f).add(a, b, out);
        for (const double x : out) EXPECT_EQ(x, 1 + 0x1p-20);
    }
}

// The instruction set is chosen once in a process: each refusal has one of its own.
TEST(KernelsDeathTest, InstructionSetsAreRefusedInOneLine) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    const auto refused = [](const char* isa, const char* phrase) {
        setenv("MANTISSA_ISA", isa, 1);
        EXPECT_EXIT(
            {
                test::expect_line([] { kernel_isa(); }, phrase);
                test::expect_line([] { VectorUnit<float> unit("s17e8"_fmt); }, phrase);
                std::exit(testing::Test::HasFailure() ? 1 : 0);
            },
            testing::ExitedWithCode(0), "");
        unsetenv("MANTISSA_ISA");
    };
    refused("bogus", "MANTISSA_ISA=bogus: no such instruction set; write baseline, avx2 or avx512");
    refused("AVX2", "no such instruction set");
#if !defined(__x86_64__)
    refused("avx2", "this processor has no more than baseline");
#elif defined(__GNUC__)
    if (!__builtin_cpu_supports("avx512dq")) refused("avx512", "this processor has no more than");
#endif
}

} // namespace
} // namespace mantissa
