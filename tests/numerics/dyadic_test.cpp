// Sums in whole numbers beside MPFR with more bits than any of them has.
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <mpfr.h>

#include "mantissa/dyadic.hpp"
#include "mantissa/errors.hpp"

namespace {

using mantissa::Dyadic;

constexpr mpfr_prec_t kBits = 9000; // two products of doubles from end to end, squared

struct Long {
    mpfr_t x;
    Long() {
        mpfr_init2(x, kBits);
        mpfr_set_zero(x, 1);
    }
    Long(const Long&) = delete;
    Long& operator=(const Long&) = delete;
    ~Long() { mpfr_clear(x); }
    void add_product(double a, double b) {
        Long product;
        mpfr_set_d(product.x, a, MPFR_RNDN);
        ASSERT_EQ(mpfr_mul_d(product.x, product.x, b, MPFR_RNDN), 0);
        ASSERT_EQ(mpfr_add(x, x, product.x, MPFR_RNDN), 0);
    }
};

/// Doubles of all exponents, subnormal ones too.
double anywhere(std::mt19937_64& random, int low, int high) {
    const double fraction = std::uniform_real_distribution<double>(-2, 2)(random);
    return std::ldexp(fraction, std::uniform_int_distribution<int>(low, high)(random));
}

TEST(Dyadic, SumsOfProductsAreExactAndRoundOnce) {
    std::mt19937_64 random(1);
    const std::pair<int, int> ranges[] = {{-3, 3}, {-60, 60}, {-540, -500}, {-1074, 1022}, {-545, -530}};
    for (const auto& [low, high] : ranges)
        for (int k = 0; k < 400; ++k) {
            Dyadic sum;
            Long want;
            for (int terms = 1 + static_cast<int>(random() % 6); terms > 0; --terms) {
                const double a = anywhere(random, low, high), b = anywhere(random, low, high);
                sum.add_product(a, b);
                want.add_product(a, b);
                if (random() % 3 == 0) { // most of it cancels
                    sum.add_product(-a, std::nextafter(b, 0.0));
                    want.add_product(-a, std::nextafter(b, 0.0));
                }
            }
            EXPECT_EQ(sum.rounded(), mpfr_get_d(want.x, MPFR_RNDN)) << low << ' ' << k;
            EXPECT_EQ(sum.sign(), mpfr_sgn(want.x) > 0 ? 1 : mpfr_sgn(want.x) < 0 ? -1 : 0);
        }
}

TEST(Dyadic, TiesGoToEven) {
    EXPECT_EQ(Dyadic(1).add(0x1p-53).rounded(), 1);
    EXPECT_EQ(Dyadic(1).add(0x1p-53).add(0x1p-1074).rounded(), std::nextafter(1.0, 2.0));
    EXPECT_EQ(Dyadic(std::nextafter(1.0, 2.0)).add(0x1p-53).rounded(), 1 + 0x1p-51);
    EXPECT_EQ(Dyadic().add_product(0x1p-1074, 0.5).rounded(), 0);
    EXPECT_EQ(Dyadic().add_product(0x1p-1074, 0.5).add_product(0x1p-1074, 0x1p-1000).rounded(), 0x1p-1074);
    EXPECT_EQ(Dyadic().add_product(0x1p-1074, 0x1p-1000).rounded(), 0);
    EXPECT_EQ(Dyadic(-0x1p1023).add(-0x1p1023).rounded(), -std::numeric_limits<double>::infinity());
    const double most = std::numeric_limits<double>::max();
    EXPECT_EQ(Dyadic(most).add(0x1p969).rounded(), most);
    EXPECT_EQ(Dyadic(most).add(0x1p970).rounded(), std::numeric_limits<double>::infinity());
}

TEST(Dyadic, RootsOfQuotientsBeyondDouble) {
    std::mt19937_64 random(2);
    for (int k = 0; k < 500; ++k) {
        const int shift = static_cast<int>(random() % 2000) - 1000;
        const double a = std::abs(anywhere(random, -30, 30)), b = std::abs(anywhere(random, -30, 30));
        Dyadic top(a), bottom(b);
        top = top.times(Dyadic(std::ldexp(1.0, shift)));
        bottom = bottom.times(Dyadic(std::ldexp(1.0, shift)));
        EXPECT_NEAR(top.root_of_quotient(bottom) / std::sqrt(a / b), 1, 0x1p-50);
        EXPECT_EQ(std::is_lt(top.compare(bottom)), a < b);
    }
    EXPECT_EQ(Dyadic().root_of_quotient(Dyadic(3)), 0);
}

TEST(Dyadic, WhatIsNotFiniteIsRefused) {
    for (const double x : {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
        EXPECT_THROW(Dyadic{x}, mantissa::InvalidInput);
        EXPECT_THROW(Dyadic().add_product(1, x), mantissa::InvalidInput);
        EXPECT_THROW(Dyadic().add_product(x, 0), mantissa::InvalidInput);
    }
}

} // namespace
