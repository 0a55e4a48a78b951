// The scalar unit against the contract's one definition of it (mantissa/scalar_unit.hpp), bit for bit: totals of every
// kind and size, ends, guards, RHO_STOP, writes by bytes, aborts, and the clocks that it says it takes.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "Vscalar_s16e8.h"
#include "Vscalar_s16e8_rne.h"
#include "Vscalar_s17e8.h"
#include "Vscalar_s20e8.h"
#include "Vscalar_s23e8.h"
#include "Vscalar_s30e9.h"
#include "Vscalar_s40e11.h"
#include "Vscalar_s52e11.h"
#include "Vscalar_s52e11_blocks.h"
#include "Vscalar_s6e6.h"
#include "mantissa/exact.hpp"
#include "mantissa/scalar_unit.hpp"
#include "mantissa/sim/latencies.hpp"
#include "operand_source.hpp"

namespace mantissa {
namespace {

using exact::detail::u128;

enum class Kind : std::uint8_t { integer, floating, outside };
// Addresses of the unit's memory.
enum Scalar : std::uint32_t { kAlpha, kBeta, kRho, kPq, kQq, kSigma, kRhoStop };
// scalar_top's totals.
constexpr std::array<int, 3> kWidth = {55, 70, 95}, kLsb = {-32, -37, -42};

/// A floating total: its class above its word.
u128 with_class(const Format& f, std::uint64_t word) {
    const double value = decode(f, word);
    const unsigned cls = std::isnan(value) ? 3U : std::isinf(value) ? 2U : value != 0 ? 1U : 0U;
    return (u128{cls} << f.width()) | word;
}

struct Case {
    std::array<u128, 3> bits{};      ///< of the totals at the ports
    std::array<double, 3> rounded{}; ///< into the scalar format
    bool over = false;
};

template <class Model> class ScalarUnit {
public:
    ScalarUnit(const char* scalar, const char* operand, Kind kind, const char* sum, int blocks)
        : f_(parse_format(scalar)), operand_(parse_format(operand)), sum_(parse_format(sum)), kind_(kind) {
        reset(1);
        settle();
        EXPECT_EQ(model_.clocks_o, static_cast<std::uint32_t>(sim::latency::scalar_clocks(
                                       kind == Kind::integer ? 1 : 0, kind == Kind::outside ? 1 : 0, f_.fraction_bits,
                                       f_.truncates() ? 0 : 1, blocks, sum_.fraction_bits)));
    }
    [[nodiscard]] const Format& format() const { return f_; }
    [[nodiscard]] const Format& sum() const { return sum_; }
    [[nodiscard]] Kind kind() const { return kind_; }

    void reset(int clocks) {
        model_.rst_ni = 0;
        for (int k = 0; k < clocks; ++k) clock();
        model_.rst_ni = 1;
    }
    void clock() {
        model_.clk_i = 0;
        model_.eval();
        model_.clk_i = 1;
        model_.eval();
    }
    std::uint64_t read(Scalar at) {
        model_.read_i = 1;
        model_.read_at_i = at;
        model_.clk_i = 0;
        model_.eval();
        const std::uint64_t word = model_.read_o;
        clock();
        model_.read_i = 0;
        return word;
    }
    /// Bytes of a scalar, from a word that stands in both halves.
    void set(Scalar at, std::uint32_t bytes, std::uint32_t word) {
        model_.set_i = static_cast<std::uint8_t>(bytes);
        model_.set_at_i = at;
        model_.set_word_i = word;
        clock();
        model_.set_i = 0;
    }
    void set(Scalar at, std::uint64_t word) {
        set(at, 0x0F, static_cast<std::uint32_t>(word));
        set(at, 0xF0, static_cast<std::uint32_t>(word >> 32));
        settle();
    }
    /// Until operands that the bus wrote have been formed.
    void settle() {
        for (int k = 0; k < 10; ++k) clock();
    }
    void put(const Case& c) {
        const auto spread = [](auto& port, u128 bits) {
            for (int k = 0; k < 3; ++k) port[k] = static_cast<std::uint32_t>(bits >> (32 * k));
        };
        spread(model_.rho_i, c.bits[0]);
        spread(model_.pq_i, c.bits[1]);
        spread(model_.qq_i, c.bits[2]);
        model_.over_i = c.over;
    }
    void abort_after(const Case& c, int clocks) {
        put(c);
        model_.start_i = 1;
        clock();
        model_.start_i = 0;
        for (int k = 0; k < clocks; ++k) clock();
        model_.abort_i = 1;
        clock();
        model_.abort_i = 0;
        for (int k = 0; k < 200; ++k) {
            clock();
            ASSERT_EQ(model_.done_o, 0) << "done after an abort";
        }
    }

    /// One pass. `reads`: the bus reads now and then meanwhile.
    ScalarStep pass(const Case& c, bool test, double rho_stop, bool reads, std::mt19937_64& random) {
        put(c);
        model_.test_i = test;
        model_.start_i = 1;
        clock();
        model_.start_i = 0;
        int clocks = 1;
        int subtracts = -1;
        for (; model_.done_o == 0 && clocks < 500; ++clocks) {
            if (reads && random() % 8 == 0) {
                model_.read_i = 1;
                model_.read_at_i = random() % 7;
            }
            if (model_.subtract_o != 0) { // the accumulator's total becomes the difference
                const std::uint64_t word =
                    (std::uint64_t{model_.minuend_o[1]} << 32 | model_.minuend_o[0]) &
                    (f_.width() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << f_.width()) - 1);
                Case now = c;
                now.bits[1] = with_class(f_, encode(f_, exact::sub(f_, decode(f_, word), c.rounded[1])));
                put(now);
                subtracts = sim::latency::accumulate_fold_latency(sum_.fraction_bits, sum_.fraction_bits) + 1;
            }
            model_.subtracted_i = subtracts == 1;
            if (subtracts > 0) --subtracts;
            clock();
            model_.read_i = 0;
        }
        EXPECT_EQ(model_.done_o, 1);
        ScalarStep want = scalar_step(f_, c.rounded[0], c.rounded[1], c.rounded[2], c.over);
        if (!reads && want.end == RunEnd::passes) {
            EXPECT_EQ(static_cast<std::uint32_t>(clocks), model_.clocks_o);
        }
        if (want.end == RunEnd::passes && test && want.scalars.rho < rho_stop) want.end = RunEnd::rho_reached;
        return want;
    }
    void expect(const ScalarStep& want) {
        EXPECT_EQ(static_cast<int>(model_.end_o), static_cast<int>(want.end));
        EXPECT_EQ(model_.guard_o != 0, want.sigma_guarded);
        for (int k = 0; k < 4; ++k) clock();
        const Scalars& s = want.scalars;
        const std::map<Scalar, double> all = {{kRho, s.rho},     {kPq, s.pq},       {kQq, s.qq},
                                              {kAlpha, s.alpha}, {kSigma, s.sigma}, {kBeta, s.beta}};
        for (const auto& [at, value] : all)
            EXPECT_EQ(read(at), encode(f_, value)) << "scalar " << at << ", " << bit_string(f_, value) << " is wanted";
        expect_operand(model_.alpha_o, s.alpha);
        expect_operand(model_.beta_o, s.beta);
    }
    template <class Port> void expect_operand(const Port& port, double scalar) {
        const double value = exact::convert(operand_, scalar);
        const unsigned cls = std::isnan(value) ? 3U : std::isinf(value) ? 2U : value != 0 ? 1U : 0U;
        EXPECT_EQ(port[2] & 3, cls);
        const std::uint64_t word = (std::uint64_t{port[1]} << 32) | port[0], want = encode(operand_, value);
        const std::uint64_t sign = std::uint64_t{1} << (operand_.width() - 1);
        if (cls == 1) EXPECT_EQ(word, want);
        else if (cls != 3) EXPECT_EQ(word & sign, want & sign);
    }
    Model& model() { return model_; }

private:
    Format f_, operand_, sum_;
    Kind kind_;
    Model model_;
};

/// Totals: integers of all lengths, or words of the sums' format with all that can be special; often such that a step
/// can be formed of them, by way of cancellation.
class Totals {
public:
    template <class Model>
    explicit Totals(const ScalarUnit<Model>& unit)
        : f_(unit.format()), sum_(unit.sum()), kind_(unit.kind()), source_(sum_, 11), random_(12) {}

    Case operator()() {
        Case c;
        c.over = random_() % 64 == 0;
        if (kind_ == Kind::integer) {
            for (std::size_t k = 0; k < 3; ++k) integer(c, k, length(k), k == 1 && random_() % 4 == 0);
            if (random_() % 2 == 0) near_cauchy_schwarz(c);
        } else {
            std::uint64_t near = (std::uint64_t{1} << (sum_.exponent_bits - 1)) - 1;
            for (std::size_t k = 0; k < 3; ++k) {
                std::uint64_t word = source_(near);
                near = source_.exponent_of(word);
                if (k == 0 || random_() % 4 != 0) word &= ~(std::uint64_t{1} << (sum_.width() - 1)); // rarely negative
                floating(c, k, word);
            }
            if (random_() % 2 == 0) {
                const double p = c.rounded[1], least = p * p / c.rounded[0];
                floating(c, 2,
                         encode(sum_, exact::convert(
                                          sum_, least * (1 + std::ldexp(1.0, -static_cast<int>(random_() % 60))))));
            }
        }
        return c;
    }

private:
    int length(std::size_t k) { return static_cast<int>(random_() % static_cast<unsigned>(kWidth[k])); }
    void integer(Case& c, std::size_t k, int bits, bool negative) {
        u128 magnitude = bits == 0 ? u128{0} : ((u128{random_()} << 64) | random_()) >> (128 - bits);
        switch (random_() % 8) {
        case 0: // a power of two, or one less
            magnitude = (u128{1} << bits) - (random_() & 1);
            break;
        case 1: // a short one, followed by zeros but for the last bit
            magnitude = (((magnitude >> (bits / 2)) << (bits / 2)) | (random_() & 1));
            break;
        default:
            break;
        }
        magnitude &= (u128{1} << (kWidth[k] - 1)) - 1;
        set(c, k, magnitude, negative);
    }
    void set(Case& c, std::size_t k, u128 magnitude, bool negative) {
        c.bits[k] = (negative ? ~magnitude + 1 : magnitude) & ((u128{1} << kWidth[k]) - 1);
        c.rounded[k] = exact::from_integer(f_, magnitude, negative, kLsb[k]);
    }
    /// qq a little above pq^2 / rho: alpha qq - pq cancels.
    void near_cauchy_schwarz(Case& c) {
        if (!(c.rounded[0] > 0 && c.rounded[1] > 0)) return;
        const double least =
            c.rounded[1] * c.rounded[1] / c.rounded[0] * (1 + std::ldexp(1.0, -static_cast<int>(random_() % 40)));
        const double units = std::ldexp(least, -kLsb[2]);
        if (units < std::ldexp(1.0, kWidth[2] - 2)) {
            const int e = units < 1 ? 0 : std::max(0, std::ilogb(units) - 50);
            set(c, 2, u128{static_cast<std::uint64_t>(std::ldexp(units, -e))} << e, false);
        }
    }
    void floating(Case& c, std::size_t k, std::uint64_t word) {
        c.bits[k] = with_class(sum_, word);
        c.rounded[k] = exact::convert(f_, decode(sum_, word));
    }
    Format f_, sum_;
    Kind kind_;
    test::OperandSource source_;
    std::mt19937_64 random_;
};

template <class Model>
void random_passes(const char* scalar, const char* operand, Kind kind, const char* sum, int blocks,
                   int passes = 60000) {
    ScalarUnit<Model> unit(scalar, operand, kind, sum, blocks);
    const Format& f = unit.format();
    Totals totals(unit);
    test::OperandSource source(f, 5);
    std::mt19937_64 random(6);
    std::map<RunEnd, int> ends;
    int guards = 0;
    double rho_stop = 0;
    for (int k = 0; k < passes && !testing::Test::HasFailure(); ++k) {
        const Case c = totals();
        if (k % 7 == 0) {
            const std::uint64_t word = random() % 3 == 0 ? source(random()) : encode(f, c.rounded[0]) + random() % 2;
            unit.set(kRhoStop, word);
            rho_stop = decode(f, word);
        }
        SCOPED_TRACE("pass " + std::to_string(k) + ": rho " + bit_string(f, c.rounded[0]) + " pq " +
                     bit_string(f, c.rounded[1]) + " qq " + bit_string(f, c.rounded[2]) + " stop " +
                     bit_string(f, rho_stop));
        const ScalarStep want = unit.pass(c, random() % 2 == 0, rho_stop, k % 5 == 0, random);
        // rho_stop is compared as the hardware has it: nothing is below a stop that is not above zero.
        unit.expect(want);
        ++ends[want.end];
        guards += want.sigma_guarded ? 1 : 0;
    }
    for (const RunEnd end : {RunEnd::passes, RunEnd::rho_reached, RunEnd::indefinite, RunEnd::window_overflow})
        EXPECT_GT(ends[end], passes / 200) << to_string(end);
    EXPECT_GT(ends[RunEnd::exact], 0);
    EXPECT_GT(guards, passes / 200);
    if (kind != Kind::integer) {
        EXPECT_GT(ends[RunEnd::not_finite], passes / 200);
    }
    ::testing::Test::RecordProperty("clocks", static_cast<int>(unit.model().clocks_o));
}

TEST(ScalarUnit, s16e8Integers) {
    random_passes<Vscalar_s16e8>("s16e8", "s13e8", Kind::integer, "s52e11", 1);
}
TEST(ScalarUnit, s16e8NearestEvenIntegers) {
    random_passes<Vscalar_s16e8_rne>("s16e8:rne", "s13e8:rne", Kind::integer, "s52e11", 1);
}
TEST(ScalarUnit, s17e8Integers) {
    random_passes<Vscalar_s17e8>("s17e8", "s17e8", Kind::integer, "s52e11", 0);
}
TEST(ScalarUnit, s20e8FloatingTotals) {
    random_passes<Vscalar_s20e8>("s20e8:rne", "s17e8", Kind::floating, "s52e11", 0);
}
TEST(ScalarUnit, s23e8Integers) {
    random_passes<Vscalar_s23e8>("s23e8:rne", "s16e8", Kind::integer, "s52e11", 1);
}
TEST(ScalarUnit, s30e9FloatingTotals) {
    random_passes<Vscalar_s30e9>("s30e9", "s11e8", Kind::floating, "s28e9", 0);
}
TEST(ScalarUnit, s52e11SubtractedOutside) {
    random_passes<Vscalar_s52e11>("s52e11", "s23e8", Kind::outside, "s52e11", 0);
}
// Significands of three and of four hard multipliers.
TEST(ScalarUnit, s40e11Integers) {
    random_passes<Vscalar_s40e11>("s40e11:rne", "s16e8", Kind::integer, "s52e11", 1);
}
TEST(ScalarUnit, s52e11Integers) {
    random_passes<Vscalar_s52e11_blocks>("s52e11", "s16e11", Kind::integer, "s52e11", 1);
}
TEST(ScalarUnit, s6e6Integers) {
    random_passes<Vscalar_s6e6>("s6e6", "s3e4", Kind::integer, "s52e11", 0);
}

// A reset of one clock clears what stood there, and a write after it, at the earliest that the bus allows, stays.
TEST(ScalarUnit, ResetAndWrites) {
    ScalarUnit<Vscalar_s23e8> unit("s23e8:rne", "s16e8", Kind::integer, "s52e11", 1);
    const Scalar seen[] = {kAlpha, kBeta, kRho, kPq, kQq, kSigma, kRhoStop};
    Totals totals(unit);
    std::mt19937_64 random(1);
    Case c = totals();
    while (c.over || scalar_step(unit.format(), c.rounded[0], c.rounded[1], c.rounded[2], false).end != RunEnd::passes)
        c = totals();
    for (const Scalar written : {kAlpha, kBeta, kRhoStop})
        for (int first = 0; first < 12; ++first) {
            unit.set(kRhoStop, 0x12345678);
            unit.pass(c, false, 0, false, random);
            unit.settle();
            unit.reset(1);
            for (int k = 0; k < 2; ++k) EXPECT_EQ(unit.read(seen[(first + k) % 7]), 0U) << first + k;
            unit.set(written, 0x04, 0x00AB0000);
            for (int k = 0; k < 12; ++k) {
                const Scalar at = seen[(first + k) % 7];
                EXPECT_EQ(unit.read(at), at == written ? 0x00AB0000U : 0U) << "scalar " << at << " clock " << k;
            }
            unit.settle();
            unit.expect_operand(unit.model().alpha_o, decode(unit.format(), written == kAlpha ? 0x00AB0000U : 0U));
            unit.expect_operand(unit.model().beta_o, decode(unit.format(), written == kBeta ? 0x00AB0000U : 0U));
        }
}

// Aborted at any clock, the unit is at rest, and the next pass is as any other.
TEST(ScalarUnit, Aborts) {
    ScalarUnit<Vscalar_s23e8> unit("s23e8:rne", "s16e8", Kind::integer, "s52e11", 1);
    Totals totals(unit);
    std::mt19937_64 random(2);
    for (int k = 0; k < 100; ++k) {
        unit.abort_after(totals(), k);
        const Case c = totals();
        unit.expect(unit.pass(c, false, 0, false, random));
    }
}

} // namespace
} // namespace mantissa
