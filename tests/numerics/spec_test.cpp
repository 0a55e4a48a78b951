#include "mantissa/spec.hpp"

#include <map>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "expect_line.hpp"

namespace mantissa {
namespace {

using namespace literals;
using test::expect_line;

class RandomSpec {
public:
    explicit RandomSpec(unsigned seed) : random_(seed) {}

    DatapathSpec operator()() {
        for (;;) {
            DatapathSpec s(format());
            for (Format* f : {&s.u, &s.r, &s.p, &s.q, &s.coefficient, &s.operand, &s.row, &s.scalar})
                if (chance()) *f = format();
            s.order = chance() ? RowOrder::tree : RowOrder::chain;
            s.lanes = 1 << between(0, 6);
            s.dot.fixed = chance();
            if (s.dot.fixed) {
                s.dot.window.lsb = between(-200, 40);
                s.dot.window.msb = s.dot.window.lsb + between(1, 63);
            }
            if (chance()) s.dot.accumulator = format();
            if (chance()) s.dot.depth = 1 << between(0, 6);
            s.dot.exact_product = chance();
            if (chance()) s.dot.product = format();
            try {
                s.validate();
                return s;
            } catch (const InvalidInput&) { // exact products too wide for the accumulator: draw again
            }
        }
    }

private:
    int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    bool chance() { return between(0, 1) != 0; }
    Format format() {
        Format f{between(2, 52), between(2, 11)};
        if (chance()) f.rounding = Rounding::nearest_even;
        if (chance()) f.subnormals = Subnormals::gradual;
        if (chance()) f.overflow = Overflow::saturate;
        return f.canonical();
    }
    std::mt19937 random_;
};

TEST(SpecText, RandomSpecsRoundTrip) {
    RandomSpec draw(1);
    for (int i = 0; i < 20000; ++i) {
        const DatapathSpec spec = draw();
        const std::string text = to_string(spec);
        const DatapathSpec back = parse_spec(text);
        ASSERT_EQ(back, spec) << text;
        ASSERT_EQ(to_string(back), text);
    }
}

TEST(SpecText, MovingPoint) {
    const std::string text = "fx18.16,u=fx31.21,q=fx19.16,point=moving";
    const DatapathSpec moving = parse_spec(text), still = parse_spec("fx18.16,u=fx31.21,q=fx19.16,point=still");
    EXPECT_TRUE(moving.moves());
    EXPECT_EQ(to_string(moving), text);
    EXPECT_FALSE(still.moves());
    EXPECT_EQ(to_string(still), "fx18.16,u=fx31.21,q=fx19.16");
    EXPECT_FALSE(moving == still);
}

TEST(SpecText, OneTextForOneDatapath) {
    RandomSpec draw(2);
    std::map<std::string, DatapathSpec> seen;
    for (int i = 0; i < 2000; ++i) {
        const DatapathSpec spec = draw();
        const auto [at, fresh] = seen.emplace(to_string(spec), spec);
        if (!fresh) {
            EXPECT_EQ(at->second, spec);
        }
    }
    // Defaults that are spelled out, in any order, and fields that the chosen accumulator does not use.
    EXPECT_EQ(to_string(parse_spec("s17e8,lanes=1,order=chain,q=s17e8:rz,dot=s52e11/16,scalar=s52e11,product=s17e8")),
              "s17e8");
    EXPECT_EQ(parse_spec("s14e8,row=s20e8,u=s23e8,dot=fixed[13:-50]"),
              parse_spec("s14e8,u=s23e8,dot=fixed[13:-50],product=exact,row=s20e8"));
    DatapathSpec a = parse_spec("s17e8,dot=fixed[13:-50]"), b = a;
    b.dot.depth = 4;
    b.dot.accumulator = "s23e8"_fmt;
    b.dot.product = "s3e4"_fmt; // exact products have no format
    EXPECT_EQ(a, b);
    EXPECT_EQ(to_string(a), to_string(b));
}

TEST(SpecText, DefaultsComeFromTheBase) {
    const DatapathSpec s = parse_spec("s17e8");
    for (const Format& f : {s.u, s.r, s.p, s.q, s.coefficient, s.operand, s.row, s.dot.product})
        EXPECT_EQ(f, "s17e8"_fmt);
    EXPECT_EQ(s.scalar, "s52e11"_fmt);
    EXPECT_EQ(s.dot.accumulator, "s52e11"_fmt);
    EXPECT_FALSE(s.dot.fixed);
    EXPECT_FALSE(s.dot.exact_product);
    EXPECT_EQ(s.partials(), 16);
    EXPECT_EQ(parse_spec("float").scalar, formats::kDouble);
    EXPECT_EQ(parse_spec("s23e8:rne").dot.accumulator, "s52e11:rne"_fmt);
    EXPECT_EQ(DatapathSpec(), parse_spec("double"));
}

TEST(SpecText, EveryFieldIsRead) {
    const DatapathSpec s =
        parse_spec("s23e8:rne,u=s30e9,r=s11e8,p=s12e8,q=s13e8,coef=s14e8,operand=s15e8,row=s20e8,order=tree,"
                   "product=s26e9,dot=s40e11:rne/8,scalar=s44e11,lanes=2");
    EXPECT_EQ(s.u, "s30e9"_fmt);
    EXPECT_EQ(s.r, "s11e8"_fmt);
    EXPECT_EQ(s.p, "s12e8"_fmt);
    EXPECT_EQ(s.q, "s13e8"_fmt);
    EXPECT_EQ(s.coefficient, "s14e8"_fmt);
    EXPECT_EQ(s.operand, "s15e8"_fmt);
    EXPECT_EQ(s.row, "s20e8"_fmt);
    EXPECT_EQ(s.order, RowOrder::tree);
    EXPECT_EQ(s.dot.product, "s26e9"_fmt);
    EXPECT_EQ(s.dot.accumulator, "s40e11:rne"_fmt);
    EXPECT_EQ(s.dot.depth, 8);
    EXPECT_EQ(s.scalar, "s44e11"_fmt);
    EXPECT_EQ(s.lanes, 2);
    EXPECT_EQ(s.partials(), 16);
    const DatapathSpec fixed = parse_spec("s14e8,dot=fixed[13:-50]");
    EXPECT_TRUE(fixed.dot.fixed && fixed.dot.exact_product);
    EXPECT_EQ(fixed.dot.window, (FixedWindow{13, -50}));
    EXPECT_EQ(fixed.dot.window.width(), 64);
    EXPECT_FALSE(parse_spec("s14e8,dot=fixed[13:-50],product=s14e8").dot.exact_product);
}

TEST(SpecText, FaultsAreNamedInOneLine) {
    const auto faulty = [](const std::string& text, const std::string& phrase) {
        SCOPED_TRACE(text);
        expect_line([&] { (void)parse_spec(text); }, phrase);
    };
    faulty("", "it does not begin with s or a known name");
    faulty("s17e88", "the exponent width is outside 2..11");
    faulty("u=s17e8", "it begins with the base format, as in s17e8,u=s23e8");
    faulty("s17e8,", "'' is not KEY=VALUE; the keys are u r p q coef");
    faulty("s17e8,s23e8", "'s23e8' is not KEY=VALUE");
    faulty("s17e8,u=s23e8,u=s23e8", "u= is given twice");
    faulty("s17e8,x=s23e8", "no field 'x'; the keys are u r p q coef operand row order point product dot scalar lanes");
    faulty("s17e8,u=s1e8", "the fraction width is outside 2..52");
    faulty("s17e8,u=", "it does not begin with s or a known name");
    faulty("s17e8,order=random", "order is chain or tree");
    faulty("fx18.16,point=floating", "point is still or moving");
    faulty("s17e8,point=moving", "point=moving beside floating vectors");
    faulty("fx18.16,q=fx19.17,point=moving", "16 fraction bits in r and 17 in q: r, p and q share one point");
    faulty("fx18.16,p=fx18.15,point=moving", "16 fraction bits in r and 15 in p: r, p and q share one point");
    faulty("fx18.16,r=fx7.16,point=moving", "words of a moving point have at least 8 bits");
    faulty("fx18.16,dot=fixed[13:-50],point=moving", "write dot=exact");
    faulty("s17e8,product=most", "it does not begin with s or a known name");
    faulty("s17e8,lanes=two", "lanes is a power of two in 1..64");
    faulty("s17e8,lanes=3", "lanes is a power of two in 1..64");
    faulty("s17e8,lanes=0", "lanes is a power of two in 1..64");
    faulty("s17e8,lanes=-2", "lanes is a power of two in 1..64");
    faulty("s17e8,lanes=128", "lanes is a power of two in 1..64");
    faulty("s17e8,lanes=99999999999", "lanes is a power of two in 1..64");
    faulty("s17e8,dot=s52e11/", "the depth behind / is a power of two in 1..64");
    faulty("s17e8,dot=s52e11/x", "the depth behind / is a power of two in 1..64");
    faulty("s17e8,dot=s52e11/12", "the accumulator depth is a power of two in 1..64");
    faulty("s17e8,dot=s52e11/128", "the accumulator depth is a power of two in 1..64");
    faulty("s17e8,dot=fixed", "write fixed[MSB:LSB], as in fixed[13:-50]");
    faulty("s17e8,dot=fixed[13,-50]", "write fixed[MSB:LSB], as in fixed[13:-50]");
    faulty("s17e8,dot=fixed[13:-50", "write fixed[MSB:LSB], as in fixed[13:-50]");
    faulty("s17e8,dot=fixed[a:b]", "write fixed[MSB:LSB] with whole numbers");
    faulty("s17e8,dot=fixed[13:99999999999]", "write fixed[MSB:LSB] with whole numbers");
    faulty("s17e8,dot=fixed[13:13]", "a fixed window is fixed[MSB:LSB] with LSB < MSB and at most 64 bits");
    faulty("s17e8,dot=fixed[-50:13]", "LSB < MSB and at most 64 bits");
    faulty("s17e8,dot=fixed[14:-50]", "LSB < MSB and at most 64 bits");
    faulty("s17e8,dot=fixed[-1060:-1075]", "LSB < MSB and at most 64 bits");
    faulty("s17e8,dot=fixed[1024:1000]", "LSB < MSB and at most 64 bits");
    faulty("s28e11,product=exact", "exact products have up to 58 bits and the accumulator 53");
    faulty("s17e8,dot=s34e11,product=exact", "exact products have up to 36 bits and the accumulator 35");
    EXPECT_EQ(parse_spec("s17e8,dot=s35e11,product=exact").dot.accumulator.precision(), 36);
}

TEST(Spec, HandMadeNonsenseIsRefused) {
    const auto refused = [](auto spoil, const std::string& phrase) {
        DatapathSpec s("s17e8"_fmt);
        spoil(s);
        expect_line([&] { s.validate(); }, phrase);
    };
    refused([](DatapathSpec& s) { s.u.fraction_bits = 0; }, "u= is no format");
    refused([](DatapathSpec& s) { s.operand.exponent_bits = 12; }, "operand= is no format");
    refused([](DatapathSpec& s) { s.scalar.fraction_bits = 60; }, "scalar= is no format");
    refused([](DatapathSpec& s) { s.dot.accumulator.fraction_bits = 60; },
            "the dot product's accumulator is no format");
    refused([](DatapathSpec& s) { s.dot.product.exponent_bits = 1; }, "product= is no format");
}

} // namespace
} // namespace mantissa
