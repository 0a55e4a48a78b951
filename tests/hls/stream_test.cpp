// The stream class, and the operators' integer arithmetic against the contract, operation by operation.
#include <random>

#include <gtest/gtest.h>

#include "mantissa/exact.hpp"
#include "mantissa/hls/kernel.hpp"
#include "mantissa_hls/operators.hpp"
#include "mantissa_hls/stream.hpp"

namespace {

TEST(HlsStream, KeepsOrderAndKnowsItsDepth) {
    mantissa_hls::stream<int, 3> s;
    EXPECT_TRUE(s.empty());
    for (int turn = 0; turn < 5; ++turn) { // wraps
        s.write(turn);
        s << turn + 100;
        EXPECT_EQ(s.size(), 2);
        EXPECT_TRUE(s.write_nb(turn + 200));
        EXPECT_TRUE(s.full());
        EXPECT_FALSE(s.write_nb(0));
        int x = 0;
        EXPECT_EQ(s.read(), turn);
        s >> x;
        EXPECT_EQ(x, turn + 100);
        EXPECT_TRUE(s.read_nb(x));
        EXPECT_EQ(x, turn + 200);
        EXPECT_FALSE(s.read_nb(x));
    }
}

template <mantissa_hls::Fmt F> mantissa::Format contract() {
    mantissa::Format f{F.m, F.e};
    if (F.nearest) f.rounding = mantissa::Rounding::nearest_even;
    if (F.saturate) f.overflow = mantissa::Overflow::saturate;
    return f;
}

/// Values whose results round, cancel, underflow and overflow: exponents near each other or near the ends, specials.
class Source {
public:
    explicit Source(const mantissa::Format& f) : f_(f) {}
    double next() {
        const int kind = static_cast<int>(random_() % 16);
        if (kind == 0) return (random_() & 1) != 0 ? 0.0 : -0.0;
        if (kind == 1) return mantissa::exact::detail::infinity((random_() & 1) != 0);
        if (kind == 2) return mantissa::exact::detail::kNaN;
        std::uint64_t field = random_() % (std::uint64_t{1} << f_.exponent_bits);
        if (kind < 12) field = static_cast<std::uint64_t>(f_.bias() - 3) + random_() % 7;
        const std::uint64_t limit = (std::uint64_t{1} << f_.exponent_bits) - 1;
        field = std::min(std::max<std::uint64_t>(field, 1), limit - 1);
        std::uint64_t fraction = random_() & ((std::uint64_t{1} << f_.fraction_bits) - 1);
        if (kind == 4 || kind == 13) fraction = 0;
        if (kind == 5 || kind == 14) fraction = (std::uint64_t{1} << f_.fraction_bits) - 1;
        return mantissa::decode(f_, ((random_() & 1) << (f_.exponent_bits + f_.fraction_bits)) |
                                        (field << f_.fraction_bits) | fraction);
    }

private:
    mantissa::Format f_;
    std::mt19937_64 random_{7};
};

template <mantissa_hls::Fmt FO, mantissa_hls::Fmt FA, mantissa_hls::Fmt FB> void check(int samples = 200000) {
    using namespace mantissa_hls;
    const mantissa::Format o = contract<FO>(), a = contract<FA>(), b = contract<FB>();
    Source left(a), right(b);
    for (int k = 0; k < samples; ++k) {
        const double x = left.next();
        const double y = k % 8 == 0 && FA == FB ? mantissa::exact::negate(x) : right.next();
        const auto nx = unpack<FA>(static_cast<Word<FA>>(mantissa::encode(a, x)));
        const auto ny = unpack<FB>(static_cast<Word<FB>>(mantissa::encode(b, y)));
        const auto same = [&](const char* what, std::uint64_t got, double want) {
            ASSERT_EQ(got, mantissa::encode(o, want))
                << what << " of " << mantissa::bit_string(a, x) << " and " << mantissa::bit_string(b, y) << " in "
                << to_string(o) << ": got " << mantissa::bit_string(o, mantissa::decode(o, got)) << ", want "
                << mantissa::bit_string(o, want);
        };
        same("product", pack(multiply<FO>(nx, ny)), mantissa::exact::mul(o, x, y));
        same("sum", pack(add<FO>(nx, ny)), mantissa::exact::add(o, x, y));
        same("difference", pack(add<FO, true>(nx, ny)), mantissa::exact::sub(o, x, y));
        same("conversion", pack(convert<FO>(nx)), mantissa::exact::convert(o, x));
        if constexpr (FA == FO && FB == FO) same("quotient", pack(divide<FO>(nx, ny)), mantissa::exact::div(o, x, y));
        if (::testing::Test::HasFatalFailure()) return;
    }
}

TEST(HlsOperators, EqualTheContract) {
    using F = mantissa_hls::Fmt;
    constexpr F s17{17, 8}, s23{23, 8}, s52{52, 11}, n23{23, 8, true}, n52{52, 11, true}, n23s{23, 8, true, true};
    constexpr F s7{7, 8}, s28{28, 11}, s4{4, 3}, n4{4, 3, true}, s13{13, 8}, s10{10, 5}, s2{2, 2}, n27{27, 6, true};
    check<s17, s17, s17>();
    check<s23, s23, s23>();
    check<n23, n23, n23>();
    check<n23s, n23s, n23s>();
    check<s52, s52, s52>();
    check<n52, n52, n52>();
    check<s28, s28, s28>();
    check<n27, n27, n27>();
    check<s4, s4, s4>();
    check<n4, n4, n4>();
    check<s2, s2, s2>();
    check<s13, s7, s17>();
    check<s17, s13, s7>();
    check<s52, s17, s23>();
    check<s23, s52, s17>();
    check<n23, s28, s17>();
    check<s23, s10, s17>();
    check<s10, s23, s17>();
    check<n4, s52, s7>();
    check<s52, s10, s23>();
}

// Exhaustive where it can be: all pairs of a small format.
template <mantissa_hls::Fmt FO, mantissa_hls::Fmt F> void exhaust() {
    using namespace mantissa_hls;
    const mantissa::Format o = contract<FO>(), f = contract<F>();
    const std::uint64_t count = std::uint64_t{1} << F.width();
    for (std::uint64_t i = 0; i < count; ++i)
        for (std::uint64_t j = 0; j < count; ++j) {
            const double x = mantissa::decode(f, i), y = mantissa::decode(f, j);
            const auto nx = unpack<F>(static_cast<Word<F>>(mantissa::encode(f, x)));
            const auto ny = unpack<F>(static_cast<Word<F>>(mantissa::encode(f, y)));
            ASSERT_EQ(pack(multiply<FO>(nx, ny)), mantissa::encode(o, mantissa::exact::mul(o, x, y))) << x << " " << y;
            ASSERT_EQ(pack(add<FO>(nx, ny)), mantissa::encode(o, mantissa::exact::add(o, x, y))) << x << " " << y;
        }
}

TEST(HlsOperators, EqualTheContractOnAllPairs) {
    using F = mantissa_hls::Fmt;
    exhaust<F{4, 4}, F{4, 4}>();
    exhaust<F{4, 4, true}, F{4, 4, true}>();
    exhaust<F{2, 4}, F{5, 3}>();
    exhaust<F{3, 3, true}, F{5, 3, true}>();
}

TEST(HlsWords, RoundTrip) {
    for (const mantissa::Format f : {mantissa::Format{17, 8}, mantissa::Format{52, 11}, mantissa::Format{4, 3}}) {
        Source source(f);
        for (int k = 0; k < 1000; ++k) {
            const double x = source.next();
            EXPECT_EQ(mantissa::hls::to_word(f, x), mantissa::encode(f, x));
            EXPECT_EQ(mantissa::encode(f, mantissa::hls::from_word(f, mantissa::encode(f, x))), mantissa::encode(f, x));
        }
    }
}

} // namespace
