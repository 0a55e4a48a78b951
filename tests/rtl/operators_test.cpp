// The RTL's arithmetic operators against mantissa::exact, bit for bit and at their documented latency: a million random
// and corner vectors per operator and format, and all pairs at small formats. (The accumulators are judged by the tests
// of the core.)
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
#include "mantissa/sim/latencies.hpp"
#include "operand_source.hpp"

namespace mantissa {
namespace {

constexpr std::uint64_t kVectors = 1'000'000;
constexpr int kMsb = 13, kLsb = -50; // operators_top's defaults

Format rounded(const Format& f, int rne) {
    return f.with(rne != 0 ? Rounding::nearest_even : Rounding::toward_zero);
}

/// A product truncated to the window, straight from the two words: nothing of the library's decoding, classes or
/// rounding is in it, so that fp_product and fp_to_fixed are judged by a statement of their own.
struct FixedTerm {
    std::uint64_t magnitude = 0;
    bool negative = false, over = false;
};
struct Fields {
    bool negative;
    std::uint64_t exponent, fraction;
};
Fields fields_of(const Format& f, std::uint64_t word) {
    return {((word >> (f.exponent_bits + f.fraction_bits)) & 1) != 0,
            (word >> f.fraction_bits) & ((std::uint64_t{1} << f.exponent_bits) - 1),
            word & ((std::uint64_t{1} << f.fraction_bits) - 1)};
}
FixedTerm fixed_term(const Format& fa, std::uint64_t word_a, const Format& fb, std::uint64_t word_b) {
    const Fields a = fields_of(fa, word_a), b = fields_of(fb, word_b);
    FixedTerm t;
    t.negative = a.negative != b.negative;
    const auto all_ones = [](const Format& f) { return (std::uint64_t{1} << f.exponent_bits) - 1; };
    if (a.exponent == all_ones(fa) || b.exponent == all_ones(fb)) { // an infinity, a NaN or their product
        t.over = true;
        return t;
    }
    if (a.exponent == 0 || b.exponent == 0) return t; // a zero, and what the flush reads as one
    unsigned __int128 grid = (std::uint64_t{1} << fa.fraction_bits) | a.fraction;
    grid *= (std::uint64_t{1} << fb.fraction_bits) | b.fraction;
    // The product is grid 2^(power + kLsb).
    const int bias_a = (1 << (fa.exponent_bits - 1)) - 1, bias_b = (1 << (fb.exponent_bits - 1)) - 1;
    const int power = static_cast<int>(a.exponent) - bias_a - fa.fraction_bits + static_cast<int>(b.exponent) - bias_b -
                      fb.fraction_bits - kLsb;
    constexpr unsigned __int128 kLimit = static_cast<unsigned __int128>(1) << (kMsb - kLsb);
    for (int k = 0; k < power && grid <= kLimit; ++k) grid *= 2; // what passes the limit stays above it
    for (int k = 0; k > power && grid != 0; --k) grid /= 2;
    t.over = t.negative ? grid > kLimit : grid >= kLimit;
    t.magnitude = static_cast<std::uint64_t>(grid);
    return t;
}

template <class Model> class PipelinedCheck {
public:
    PipelinedCheck(const Format& a, const Format& b, const Format& o) : a_(a), b_(b), o_(o) {
        // What C++ reckons with is what the RTL has.
        using namespace sim::latency;
        const int ma = a.fraction_bits, mb = b.fraction_bits, mo = o.fraction_bits;
        model_.eval();
        EXPECT_EQ(model_.latency_o[0], static_cast<std::uint32_t>(add_latency(ma, mb, mo)));
        EXPECT_EQ(model_.latency_o[1], static_cast<std::uint32_t>(mul_latency(ma, mb)));
        EXPECT_EQ(model_.latency_o[2],
                  static_cast<std::uint32_t>(convert_latency(a.exponent_bits, ma, o.exponent_bits, mo)));
        EXPECT_EQ(model_.latency_o[3], static_cast<std::uint32_t>(product_latency(ma, mb) + to_fixed_latency() + 1));
    }

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
            const FixedTerm t = fixed_term(a_, in.a, b_, in.b);
            ASSERT_EQ(model_.fixed_flags_o & 1, t.over) << describe("fixed", 0, in);
            if (t.over) return;
            inside_ += t.magnitude != 0 ? 1 : 0;
            ASSERT_EQ(model_.fixed_mag_o, t.magnitude) << describe("fixed", 0, in);
            if (t.magnitude != 0) {
                ASSERT_EQ(model_.fixed_flags_o >> 1, t.negative) << describe("fixed", 0, in);
            }
        }
    }

    /// Products that left something in the window so far.
    [[nodiscard]] std::uint64_t inside() const { return inside_; }

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
    std::uint64_t inside_ = 0;
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
    EXPECT_GT(check.inside(), kVectors / 200); // the window was not merely missed
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
        EXPECT_EQ(model_.latency_o[0], static_cast<std::uint32_t>(sim::latency::div_latency(f_.fraction_bits)));
        EXPECT_EQ(model_.latency_o[1], static_cast<std::uint32_t>(sim::latency::mul_serial_latency(f_.fraction_bits)));
    }

    void step(std::uint64_t a, std::uint64_t b) {
        model_.a_i = a;
        model_.b_i = b;
        int seen[2] = {0, 0};
        clock(true);
        for (int t = 1; t < 200 && (seen[0] == 0 || seen[1] == 0); ++t) {
            for (int k = 0; k < 2; ++k)
                if (((model_.done_o >> k) & 1) != 0) seen[k] = t;
            clock(false);
        }
        ASSERT_EQ(seen[0], static_cast<int>(model_.latency_o[0]));
        ASSERT_EQ(seen[1], static_cast<int>(model_.latency_o[1]));
        for (int r = 0; r < 2; ++r) {
            const Format f = rounded(f_, r);
            const double x = decode(f_, a), y = decode(f_, b);
            ASSERT_EQ(model_.div_o[r], encode(f, exact::div(f, x, y))) << bit_string(f, x) << " / " << bit_string(f, y);
            ASSERT_EQ(model_.mul_o[r], encode(f, exact::mul(f, x, y))) << bit_string(f, x) << " * " << bit_string(f, y);
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
    for (std::uint64_t i = 0; i < vectors && !testing::Test::HasFatalFailure(); ++i) {
        const std::uint64_t a = source(i), b = source(source.exponent_of(a));
        check.step(a, b);
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
        for (std::uint64_t b = 0; b < 128 && !HasFatalFailure(); ++b) check.step(a, b);
}

} // namespace
} // namespace mantissa
