// The arithmetic of the gpu engine, on the host: what the kernels build from the processor's operations toward zero
// equals what MPFR says. The device's operations themselves are replaced by the contract's definitions here, so the
// expectations come from elsewhere: a unit that handed everything to those definitions would agree with them by itself.
#include "engine/engine_arithmetic.cuh"

#include <cmath>
#include <map>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "judge.hpp"
#include "mantissa/accumulate.hpp"

namespace mantissa::gpu {
namespace {

/// Values of f over its whole range, specials included.
double draw(const Format& f, std::mt19937_64& random) {
    switch (random() % 12) {
    case 0:
        return 0.0;
    case 1:
        return -0.0;
    case 2:
        return f.max();
    case 3:
        return -f.min_normal();
    case 4:
        return exact::detail::infinity(random() % 2 != 0);
    default: {
        const auto bits = random() & ((f.width() == 64 ? 0 : std::uint64_t{1} << f.width()) - 1);
        return decode(f, bits);
    }
    }
}

void expect_bits(const Format& f, double got, double want) {
    ASSERT_EQ(encode(f, got), encode(f, want)) << bit_string(f, got) << " for " << bit_string(f, want);
}

/// What MPFR says of op(a, b) in f.
class Expected {
public:
    explicit Expected(const Format& f, int operand_precision = 53) : f_(f), judge_(f, operand_precision) {}
    double operator()(judge::Op op, double a, double b = 0) {
        judge_.form(op, a, b, 0);
        return judge_.result(f_);
    }

private:
    Format f_;
    judge::Judge judge_;
};

template <class Unit> void compare(const Format& f) {
    SCOPED_TRACE(to_string(f));
    using T = typename Unit::Carrier;
    const Unit unit(f);
    Expected expected(f);
    std::mt19937_64 random(5);
    for (int i = 0; i < 20000; ++i) {
        const double a = draw(f, random), b = draw(f, random);
        const T x = static_cast<T>(a), y = static_cast<T>(b);
        expect_bits(f, static_cast<double>(unit.add(x, y)), expected(judge::Op::add, a, b));
        expect_bits(f, static_cast<double>(unit.mul(x, y)), expected(judge::Op::mul, a, b));
        const double wide = std::ldexp(std::bit_cast<double>((random() >> 12) | 0x3FF0000000000000ULL),
                                       static_cast<int>(random() % 400) - 200);
        expect_bits(f, static_cast<double>(unit.from_double(wide)), expected(judge::Op::convert, wide));
        if constexpr (std::is_base_of_v<DoubleUnit, Unit>)
            expect_bits(f, unit.div(x, y), expected(judge::Op::div, a, b));
    }
}

TEST(EngineArithmetic, FloatUnitEqualsTheContract) {
    for (const char* text : {"s2e8", "s7e8", "s10e8", "s17e8", "s20e8", "s22e8", "s23e8"}) {
        ASSERT_TRUE(float_unit_fits(parse_format(text)));
        compare<FloatUnit>(parse_format(text));
    }
    for (const char* text : {"float", "s23e8:rne", "s24e8", "s17e7", "s17e8:subnormals"})
        EXPECT_FALSE(float_unit_fits(parse_format(text))) << text;
}

// Which formats go which way is part of it: the definitions serve all of them, slowly, and would hide a wrong choice.
TEST(EngineArithmetic, DoubleUnitEqualsTheContract) {
    using Way = DoubleUnit::Way;
    const std::pair<const char*, Way> formats[] = {{"s17e8", Way::truncate},
                                                   {"s10e5", Way::truncate},
                                                   {"s4e3", Way::truncate},
                                                   {"s36e11", Way::truncate},
                                                   {"s52e11", Way::truncate},
                                                   {"s52e10", Way::truncate},
                                                   {"double", Way::native},
                                                   {"float", Way::integer},
                                                   {"half", Way::integer},
                                                   {"s17e8:rne", Way::integer},
                                                   {"s17e8:subnormals", Way::integer},
                                                   {"s12e6:rne:sat", Way::integer},
                                                   {"s52e11:rne", Way::integer}};
    for (const auto& [text, way] : formats) {
        const Format f = parse_format(text);
        EXPECT_EQ(DoubleUnit(f).way, way) << text;
        EXPECT_EQ(TruncatingUnit::fits(f), way == Way::truncate) << text;
        compare<DoubleUnit>(f);
        if (way == Way::truncate) compare<TruncatingUnit>(f);
    }
}

// A narrower format's product in a wider one's unit, as alpha p is.
TEST(EngineArithmetic, OperandsOfOtherFormats) {
    const Format wide = parse_format("s23e8"), narrow = parse_format("s9e8");
    const FloatUnit unit(narrow);
    Expected expected(narrow);
    std::mt19937_64 random(9);
    for (int i = 0; i < 20000; ++i) {
        const double a = draw(wide, random), b = draw(wide, random);
        expect_bits(narrow, unit.mul(static_cast<float>(a), static_cast<float>(b)), expected(judge::Op::mul, a, b));
        expect_bits(narrow, unit.add(static_cast<float>(a), static_cast<float>(b)), expected(judge::Op::add, a, b));
    }
}

TEST(EngineArithmetic, WindowUnitsEqualTheAccumulator) {
    std::mt19937_64 random(21);
    for (const FixedWindow window :
         {FixedWindow{13, -50}, FixedWindow{3, -40}, FixedWindow{-10, -60}, FixedWindow{40, 2}}) {
        const double unit = std::ldexp(1.0, -window.lsb), limit = std::ldexp(1.0, window.width() - 1);
        const Format f{23, 8};
        int outside = 0;
        for (int i = 0; i < 30000; ++i) {
            double a = draw(f, random), b = draw(f, random);
            if (i % 3 != 0 && std::isfinite(a) && std::isfinite(b)) { // near the window
                a = exact::convert(f,
                                   std::ldexp(a, -std::ilogb(a == 0 ? 1.0 : a) + static_cast<int>(random() % 40) - 20));
                b = exact::convert(f,
                                   std::ldexp(b, -std::ilogb(b == 0 ? 1.0 : b) + static_cast<int>(random() % 40) - 20));
            }
            bool want_fits = true, fits = true, fits_wide = true;
            const std::int64_t want = FixedAccumulator::product_units(window, a, b, want_fits);
            ASSERT_EQ(window_units(unit, limit, static_cast<float>(a), static_cast<float>(b), fits), want)
                << a << " " << b;
            ASSERT_EQ(window_units(window, a, b, fits_wide), want) << a << " " << b;
            ASSERT_EQ(fits, want_fits) << a << " " << b;
            ASSERT_EQ(fits_wide, want_fits) << a << " " << b;
            outside += want_fits ? 0 : 1;
        }
        EXPECT_GT(outside, 100);
    }
}

TEST(EngineArithmetic, UnitSumsEqualTheAccumulator) {
    std::mt19937_64 random(33);
    for (int round = 0; round < 200; ++round) {
        const FixedWindow window{13, -50};
        FixedAccumulator want(window);
        UnitSum blocks[3];
        const int terms = static_cast<int>(random() % 500);
        for (int i = 0; i < terms; ++i) {
            const auto units = static_cast<long long>(random()) >> (round % 60);
            want.add_units(units);
            blocks[random() % 3].add(units);
        }
        unsigned long long low = 0, high = 0;
        for (const UnitSum& b : blocks) {
            low += b.low;
            high += static_cast<unsigned long long>(b.high);
        }
        bool outside = false;
        const Format f = parse_format(round % 2 == 0 ? "s52e11" : "s23e8:rne");
        const double got = window_total(window, f, low, high, outside);
        ASSERT_EQ(outside, want.overflow());
        if (!outside) expect_bits(f, got, want.total(f));
    }
}

TEST(EngineArithmetic, RowSumsInBothOrders) {
    const Format f = parse_format("s11e8");
    const FloatUnit unit(f);
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (std::size_t terms = 0; terms < 40; ++terms) {
        std::vector<double> t(terms);
        for (double& x : t) x = exact::convert(f, uniform(random));
        RowSum<FloatUnit> chain(unit, false), tree(unit, true);
        double chained = terms == 0 ? 0 : t[0];
        for (std::size_t k = 0; k < terms; ++k) {
            chain.add(static_cast<float>(t[k]));
            tree.add(static_cast<float>(t[k]));
            if (k > 0) chained = exact::add(f, chained, t[k]);
        }
        while (t.size() > 1) {
            std::vector<double> next;
            for (std::size_t k = 0; k + 1 < t.size(); k += 2) next.push_back(exact::add(f, t[k], t[k + 1]));
            if (t.size() % 2 != 0) next.push_back(t.back());
            t = next;
        }
        expect_bits(f, chain.total(), chained);
        expect_bits(f, tree.total(), t.empty() ? 0.0 : t[0]);
    }
}

/// Eq. 5 and the tests that end a run, as engine.hpp states them, in MPFR's arithmetic.
struct WantedScalars {
    Scalars s;
    RunEnd end = RunEnd::passes;
    bool guarded = false;
};
WantedScalars wanted_scalars(Expected& expected, double rho, double pq, double qq, bool overflow) {
    using judge::Op;
    WantedScalars want;
    if (overflow) return {{}, RunEnd::window_overflow, false};
    want.s = {.rho = rho, .pq = pq, .qq = qq};
    if (!std::isfinite(rho) || !std::isfinite(pq) || !std::isfinite(qq)) want.end = RunEnd::not_finite;
    else if (rho == 0) want.end = RunEnd::exact;
    else if (!(pq > 0)) want.end = RunEnd::indefinite;
    if (want.end != RunEnd::passes) return want;
    const double alpha = expected(Op::div, rho, pq);
    double sigma = expected(Op::mul, alpha, expected(Op::sub, expected(Op::mul, alpha, qq), pq));
    want.guarded = !std::isnan(sigma) && std::signbit(sigma);
    if (want.guarded) sigma = 0;
    const double beta = expected(Op::div, sigma, rho);
    if (!std::isfinite(alpha) || !std::isfinite(sigma) || !std::isfinite(beta)) {
        want.end = RunEnd::not_finite;
        want.guarded = false;
        return want;
    }
    want.s.alpha = alpha;
    want.s.sigma = sigma;
    want.s.beta = beta;
    return want;
}

TEST(EngineArithmetic, ScalarsEqualTheScalarUnit) {
    std::mt19937_64 random(8);
    int late = 0; // ends that alpha, sigma or beta make
    for (const char* text : {"s52e11", "double", "s23e8", "s10e5", "s17e8:rne"}) {
        SCOPED_TRACE(text);
        const Format f = parse_format(text);
        const DoubleUnit unit(f);
        Expected expected(f);
        std::map<RunEnd, int> ends;
        int guards = 0;
        for (int i = 0; i < 20000; ++i) {
            double rho = draw(f, random), pq = draw(f, random), qq = draw(f, random);
            if (i % 4 != 0) { // a plausible triple
                rho = exact::convert(f, 1.0 + static_cast<double>(random() % 1000) / 100);
                pq = exact::convert(f, rho / 7 + static_cast<double>(random() % 100) / 1000);
                qq = exact::convert(f, pq * pq / rho * (static_cast<double>(random() % 300) / 100));
            }
            const bool overflow = i % 97 == 0;
            const WantedScalars want = wanted_scalars(expected, rho, pq, qq, overflow);
            Scalars s;
            RunEnd end = RunEnd::passes;
            ASSERT_EQ(engine_scalars(unit, rho, pq, qq, overflow, s, end), want.guarded);
            ASSERT_EQ(end, want.end);
            for (const auto field :
                 {&Scalars::rho, &Scalars::pq, &Scalars::qq, &Scalars::alpha, &Scalars::sigma, &Scalars::beta})
                expect_bits(f, s.*field, want.s.*field);
            ++ends[end];
            guards += want.guarded ? 1 : 0;
            late += end == RunEnd::not_finite && std::isfinite(rho) && std::isfinite(pq) && std::isfinite(qq) ? 1 : 0;
        }
        for (const RunEnd end :
             {RunEnd::passes, RunEnd::exact, RunEnd::indefinite, RunEnd::not_finite, RunEnd::window_overflow})
            EXPECT_GT(ends[end], 100) << to_string(end);
        EXPECT_GT(guards, 1000);
    }
    EXPECT_GT(late, 100);
}

} // namespace
} // namespace mantissa::gpu
