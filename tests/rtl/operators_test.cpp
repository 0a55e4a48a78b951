// Every RTL operator against mantissa::exact, bit for bit and at its documented latency: a million random and corner
// vectors per operator and format, and all pairs at small formats.
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "Vnarrowing.h"
#include "Vs17e8.h"
#include "Vs20e8.h"
#include "Vs23e8.h"
#include "Vs28e11.h"
#include "Vs3e3.h"
#include "Vs4e2.h"
#include "Vs52e11.h"
#include "Vserial_s17e8.h"
#include "Vserial_s20e8.h"
#include "Vserial_s23e8.h"
#include "Vserial_s28e11.h"
#include "Vserial_s3e3.h"
#include "Vserial_s52e11.h"
#include "Vwidening.h"
#include "mantissa/exact.hpp"
#include "operand_source.hpp"

namespace mantissa {
namespace {

constexpr std::uint64_t kVectors = 1'000'000;
constexpr int kMsb = 13, kLsb = -50; // operators_top's defaults

Format rounded(const Format& f, int rne) {
    return f.with(rne != 0 ? Rounding::nearest_even : Rounding::toward_zero);
}

/// A product truncated to the window by integers alone: an independent statement of fp_to_fixed.
struct FixedTerm {
    std::uint64_t magnitude = 0;
    bool negative = false, over = false;
};
FixedTerm fixed_term(double a, double b) {
    using namespace exact::detail;
    const Operand x = unpack(a), y = unpack(b);
    FixedTerm t;
    if (x.kind == Kind::nan || y.kind == Kind::nan || x.kind == Kind::infinite || y.kind == Kind::infinite) {
        t.over = true;
        return t;
    }
    if (x.kind == Kind::zero || y.kind == Kind::zero) return t;
    t.negative = x.negative != y.negative;
    const u128 product = static_cast<u128>(x.significand) * y.significand; // times 2^(ex + ey - 126)
    const int shift = x.exponent + y.exponent - 126 - kLsb;
    if (shift > 0) {
        t.over = true; // the product's top bit is 126 or 127, the window has 64
        return t;
    }
    const u128 grid = shift <= -128 ? 0 : product >> -shift;
    const u128 limit = u128{1} << (kMsb - kLsb);
    t.over = t.negative ? grid > limit : grid >= limit;
    t.magnitude = static_cast<std::uint64_t>(grid);
    return t;
}

template <class Model> class PipelinedCheck {
public:
    PipelinedCheck(const Format& a, const Format& b, const Format& o) : a_(a), b_(b), o_(o) {}

    /// Clocks one pair in and compares everything that falls due.
    void step(std::uint64_t a, std::uint64_t b) {
        inputs_.push_front({a, b});
        if (inputs_.size() > 32) inputs_.pop_back();
        model_.en_i = 1;
        model_.a_i = a;
        model_.b_i = b;
        model_.clk_i = 0;
        model_.eval();
        model_.clk_i = 1;
        model_.eval();
        for (int r = 0; r < 2; ++r) {
            const Format f = rounded(o_, r);
            check("add", r, model_.latency_o[0], model_.add_o[r],
                  [&](double x, double y) { return exact::add(f, x, y); });
            check("sub", r, model_.latency_o[0], model_.sub_o[r],
                  [&](double x, double y) { return exact::sub(f, x, y); });
            for (int s = 0; s < 3; ++s)
                check("mul", r + 2 * s, model_.latency_o[1], model_.mul_o[r + 2 * s],
                      [&](double x, double y) { return exact::mul(f, x, y); });
            if (model_.latency_o[2] > 0)
                check("convert", r, model_.latency_o[2], model_.convert_o[r],
                      [&](double x, double) { return exact::convert(f, x); });
        }
        if (inputs_.size() >= model_.latency_o[3]) {
            const auto& in = inputs_[model_.latency_o[3] - 1];
            const FixedTerm t = fixed_term(decode(a_, in.a), decode(b_, in.b));
            ASSERT_EQ(model_.fixed_flags_o & 1, t.over) << describe("fixed", 0, in);
            if (t.over) return;
            ASSERT_EQ(model_.fixed_mag_o, t.magnitude) << describe("fixed", 0, in);
            if (t.magnitude != 0) {
                ASSERT_EQ(model_.fixed_flags_o >> 1, t.negative) << describe("fixed", 0, in);
            }
        }
    }

private:
    struct Input {
        std::uint64_t a, b;
    };
    template <class Reference>
    void check(const char* name, int variant, std::uint32_t latency, std::uint64_t seen, Reference reference) {
        if (inputs_.size() < latency) return;
        const Input& in = inputs_[latency - 1];
        const std::uint64_t expected = encode(o_, reference(decode(a_, in.a), decode(b_, in.b)));
        ASSERT_EQ(seen, expected) << describe(name, variant, in) << " gave " << bit_string(o_, decode(o_, seen))
                                  << ", expected " << bit_string(o_, decode(o_, expected));
    }
    std::string describe(const char* name, int variant, const Input& in) const {
        return std::string(name) + " variant " + std::to_string(variant) + " of " + bit_string(a_, decode(a_, in.a)) +
               " and " + bit_string(b_, decode(b_, in.b));
    }

    Format a_, b_, o_;
    Model model_;
    std::deque<Input> inputs_; // newest first
};

template <class Model> void random_pairs(const char* a, const char* b, const char* o) {
    const Format fa = parse_format(a), fb = parse_format(b);
    PipelinedCheck<Model> check(fa, fb, parse_format(o));
    test::OperandSource source_a(fa, 1), source_b(fb, 2);
    std::uint64_t word_a = 0;
    for (std::uint64_t i = 0; i < kVectors && !testing::Test::HasFatalFailure(); ++i) {
        const int rebias = fb.bias() - fa.bias(); // "near" means near in value
        const std::uint64_t word_b = source_b(source_a.exponent_of(word_a) + static_cast<std::uint64_t>(rebias));
        check.step(word_a, word_b);
        word_a = source_a(source_b.exponent_of(word_b) - static_cast<std::uint64_t>(rebias));
    }
}

template <class Model> void all_pairs(const char* format) {
    const Format f = parse_format(format);
    PipelinedCheck<Model> check(f, f, f);
    const std::uint64_t n = std::uint64_t{1} << f.width();
    for (std::uint64_t a = 0; a < n; ++a)
        for (std::uint64_t b = 0; b < n && !testing::Test::HasFatalFailure(); ++b) check.step(a, b);
    for (int i = 0; i < 16; ++i) check.step(0, 0);
}

TEST(Operators, s17e8) {
    random_pairs<Vs17e8>("s17e8", "s17e8", "s17e8");
}
TEST(Operators, s20e8) {
    random_pairs<Vs20e8>("s20e8", "s20e8", "s20e8");
}
TEST(Operators, s23e8) {
    random_pairs<Vs23e8>("s23e8", "s23e8", "s23e8");
}
TEST(Operators, s28e11) {
    random_pairs<Vs28e11>("s28e11", "s28e11", "s28e11");
}
TEST(Operators, s52e11) {
    random_pairs<Vs52e11>("s52e11", "s52e11", "s52e11");
}
TEST(Operators, Narrowing) {
    random_pairs<Vnarrowing>("s23e8", "s17e8", "s14e5");
}
TEST(Operators, Widening) {
    random_pairs<Vwidening>("s14e5", "s20e8", "s52e11");
}
TEST(Operators, AllPairsOf_s3e3) {
    all_pairs<Vs3e3>("s3e3");
}
TEST(Operators, AllPairsOf_s4e2) {
    all_pairs<Vs4e2>("s4e2");
}

template <class Model> class SerialCheck {
public:
    explicit SerialCheck(const char* format) : f_(parse_format(format)) {
        clock(false);
        model_.rst_ni = 1;
    }

    void step(std::uint64_t a, std::uint64_t b, std::uint64_t low, std::uint32_t high) {
        model_.a_i = a;
        model_.b_i = b;
        model_.fixed_i[0] = static_cast<std::uint32_t>(low);
        model_.fixed_i[1] = static_cast<std::uint32_t>(low >> 32);
        model_.fixed_i[2] = high;
        int seen[3] = {0, 0, 0};
        clock(true);
        for (int t = 1; t < 200 && (seen[0] == 0 || seen[1] == 0 || seen[2] == 0); ++t) {
            for (int k = 0; k < 3; ++k)
                if (((model_.done_o >> k) & 1) != 0) seen[k] = t;
            clock(false);
        }
        ASSERT_EQ(seen[0], static_cast<int>(model_.latency_o[0]));
        ASSERT_EQ(seen[1], static_cast<int>(model_.latency_o[1]));
        ASSERT_GT(seen[2], 0);
        ASSERT_LE(seen[2], 96 / 8 + 11);
        const bool negative = (high >> 31) != 0;
        exact::detail::u128 magnitude = (static_cast<exact::detail::u128>(high) << 64) | low;
        if (negative) magnitude = (exact::detail::u128{1} << 96) - magnitude;
        for (int r = 0; r < 2; ++r) {
            const Format f = rounded(f_, r);
            const double x = decode(f_, a), y = decode(f_, b);
            ASSERT_EQ(model_.div_o[r], encode(f, exact::div(f, x, y))) << bit_string(f, x) << " / " << bit_string(f, y);
            ASSERT_EQ(model_.mul_o[r], encode(f, exact::mul(f, x, y))) << bit_string(f, x) << " * " << bit_string(f, y);
            ASSERT_EQ(model_.float_o[r], encode(f, exact::from_integer(f, magnitude, negative, -50)))
                << "fixed " << high << " " << low;
        }
    }

private:
    void clock(bool start) {
        model_.start_i = start;
        model_.clk_i = 0;
        model_.eval();
        model_.clk_i = 1;
        model_.eval();
        model_.start_i = 0;
    }
    Format f_;
    Model model_;
};

template <class Model> void random_serial(const char* format, std::uint64_t vectors = kVectors) {
    const Format f = parse_format(format);
    SerialCheck<Model> check(format);
    test::OperandSource source(f, 3);
    std::mt19937_64 random(4);
    for (std::uint64_t i = 0; i < vectors && !testing::Test::HasFatalFailure(); ++i) {
        const std::uint64_t a = source(i), b = source(source.exponent_of(a));
        // All widths of fixed-point numbers, both signs, zero now and then.
        const unsigned drop = static_cast<unsigned>(random() % 97);
        const auto wide = ((static_cast<exact::detail::u128>(random()) << 64) | random()) >> 32;
        const auto value = drop == 96 ? exact::detail::u128{0} : wide >> drop;
        const auto fixed = (random() & 1) != 0 ? value : exact::detail::u128{0} - value;
        check.step(a, b, static_cast<std::uint64_t>(fixed), static_cast<std::uint32_t>(fixed >> 64));
    }
}

TEST(SerialOperators, s17e8) {
    random_serial<Vserial_s17e8>("s17e8");
}
TEST(SerialOperators, s20e8) {
    random_serial<Vserial_s20e8>("s20e8");
}
TEST(SerialOperators, s23e8) {
    random_serial<Vserial_s23e8>("s23e8");
}
TEST(SerialOperators, s28e11) {
    random_serial<Vserial_s28e11>("s28e11");
}
TEST(SerialOperators, s52e11) {
    random_serial<Vserial_s52e11>("s52e11");
}
TEST(SerialOperators, AllPairsOf_s3e3) {
    SerialCheck<Vserial_s3e3> check("s3e3");
    for (std::uint64_t a = 0; a < 128; ++a)
        for (std::uint64_t b = 0; b < 128 && !HasFatalFailure(); ++b) check.step(a, b, a * b, 0);
}

} // namespace
} // namespace mantissa
