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
        if (between(0, 2) == 0) return with_fixed_vectors();
        for (;;) {
            DatapathSpec s(format());
            for (Format* f : {&s.u, &s.r, &s.p, &s.q, &s.coefficient, &s.operand, &s.row, &s.scalar})
                if (chance()) *f = format();
            s.order = static_cast<RowOrder>(between(0, 3));
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

    /// Fixed vectors, perhaps with a floating u.
    DatapathSpec with_fixed_vectors() {
        DatapathSpec s(fixed());
        for (Format* f : {&s.u, &s.r, &s.p, &s.q, &s.coefficient})
            if (chance()) *f = fixed();
        if (between(0, 3) == 0) s.u = format();
        for (Format* f : {&s.operand, &s.scalar, &s.row}) // row= is not used
            if (chance()) *f = format();
        s.order = static_cast<RowOrder>(between(0, 3));
        s.lanes = 1 << between(0, 6);
        s.dot.fixed = chance();
        s.dot.exact = !s.dot.fixed;
        s.dot.window.lsb = between(-200, 40);
        s.dot.window.msb = s.dot.window.lsb + between(1, 63);
        if (chance()) s.dot.accumulator = format(); // nor are these
        if (chance()) s.dot.depth = 1 << between(0, 6);
        s.validate();
        return s;
    }

private:
    Format fixed() {
        return Format::fixed(between(2, 53), between(-64, 126), chance() ? Rounding::down : Rounding::nearest_up);
    }
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
    const std::string text = "fx18.16,u=fx36.21,q=fx19.16,point=moving";
    const DatapathSpec moving = parse_spec(text), still = parse_spec("fx18.16,u=fx36.21,q=fx19.16,point=still");
    EXPECT_TRUE(moving.moves());
    EXPECT_EQ(to_string(moving), text);
    EXPECT_FALSE(still.moves());
    EXPECT_EQ(to_string(still), "fx18.16,u=fx36.21,q=fx19.16");
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

TEST(SpecText, SumsThatAreFree) {
    for (const char* format : {"double", "float"}) {
        const DatapathSpec ordered = parse_spec(format), free = parse_spec(std::string(format) + ",sum=free");
        EXPECT_TRUE(free.sums_free());
        EXPECT_FALSE(ordered.sums_free());
        EXPECT_FALSE(free == ordered);
        EXPECT_EQ(to_string(free), to_string(ordered) + ",sum=free");
        EXPECT_EQ(parse_spec(to_string(free)), free);
        EXPECT_EQ(parse_spec(std::string(format) + ",sum=ordered"), ordered);
    }
}

TEST(SpecText, BlocksOfShortWords) {
    const DatapathSpec s = parse_spec("s23e8,r=s20e8,p=mxint8:floor/32,coef=mxfp8_e4m3:rceil/16,q=s17e8");
    EXPECT_TRUE(s.has_blocks());
    EXPECT_EQ(s.p_blocks.element, narrow::BlockElement::int8);
    EXPECT_EQ(s.coefficient_blocks.rule, narrow::ScaleRule::rceil);
    EXPECT_EQ(s.coefficient_blocks.length, 16);
    EXPECT_EQ(s.p, "s20e8"_fmt); // in which p is formed
    EXPECT_EQ(to_string(s),
              "s20e8,u=s23e8,p=mxint8,q=s17e8,coef=mxfp8_e4m3:rceil/16,operand=s23e8,row=s23e8,product=s23e8");
    EXPECT_EQ(parse_spec(to_string(s)), s);
    for (const char* text :
         {"s23e8,p=mxint8", "s52e11:rne,coef=mxfp4_e2m1:even", "s17e8,p=mxfp6_e3m2,coef=mxfp6_e2m3:ceil",
          "s23e8:rne,p=mxfp8_e5m2:rceil/4,order=flux,dot=fixed[13:-50],lanes=4"}) {
        EXPECT_EQ(to_string(parse_spec(text)), text);
        EXPECT_EQ(parse_spec(to_string(parse_spec(text))), parse_spec(text));
    }
    EXPECT_FALSE(parse_spec("s23e8").has_blocks());
    EXPECT_NE(parse_spec("s23e8,p=mxint8"), parse_spec("s23e8"));
    EXPECT_NE(parse_spec("s23e8,p=mxint8"), parse_spec("s23e8,coef=mxint8"));
    EXPECT_NE(parse_spec("s23e8,p=mxint8"), parse_spec("s23e8,p=mxint8:ceil"));
    EXPECT_NE(parse_spec("s23e8,p=mxint8"), parse_spec("s23e8,p=mxint8/64"));
    DatapathSpec other = parse_spec("s23e8,p=mxint8");
    other.p = "s10e8"_fmt;
    expect_line([&] { other.validate(); }, "p=mxint8: its format beside blocks is r's");
    other = parse_spec("s23e8,p=mxint8");
    other.p_blocks.length = 33;
    expect_line([&] { other.validate(); }, "p=: a block's length is a power of two in 1..65536");
}

TEST(SpecText, FaultsAreNamedInOneLine) {
    const auto faulty = [](const std::string& text, const std::string& phrase) {
        SCOPED_TRACE(text);
        expect_line([&] { (void)parse_spec(text); }, phrase);
    };
    faulty("", "it does not begin with s or fx or a known name");
    faulty("s17e88", "the exponent width is outside 2..11");
    faulty("u=s17e8", "it begins with the base format, as in s17e8,u=s23e8");
    faulty("s17e8,", "'' is not KEY=VALUE; the keys are u r p q coef");
    faulty("s17e8,s23e8", "'s23e8' is not KEY=VALUE");
    faulty("s17e8,u=s23e8,u=s23e8", "u= is given twice");
    faulty("s17e8,x=s23e8",
           "no field 'x'; the keys are u r p q coef operand row order point product dot scalar lanes sum");
    faulty("s17e8,u=s1e8", "the fraction width is outside 2..52");
    faulty("s17e8,u=", "it does not begin with s or fx or a known name");
    faulty("s17e8,order=random", "order is chain, tree, flux or second-difference");
    faulty("fx18.16,point=floating", "point is still or moving");
    faulty("double,sum=any", "sum is ordered or free");
    for (const char* text : {"s52e11,sum=free", "s17e8,sum=free", "fx18.16,sum=free", "double,lanes=2,sum=free",
                             "double,u=s23e8,sum=free"})
        faulty(text, "write double,sum=free or float,sum=free and nothing else");
    for (const char* text : {"mxint8", "mxfp8_e4m3,u=s23e8", "mxint8/64"})
        faulty(text, "p and coef alone take blocks of MX words: begin with a floating format, as in s23e8,p=mxint8");
    for (const char* key : {"u", "r", "q", "operand", "row", "scalar"})
        faulty(std::string("s23e8,") + key + "=mxint8", std::string(key) + "=mxint8: p and coef alone take blocks");
    faulty("s23e8,p=mxint9", "block format 'mxint9': the block formats are mxint8, mxfp8_e4m3");
    faulty("s23e8,coef=mxint8:round", "after the colon is the scale's rule: floor, ceil, even or rceil");
    faulty("s23e8,p=mxint8/33", "after the slash is a block's length, a power of two in 1..65536");
    faulty("fx18.16,p=mxint8", "p=mxint8 beside fixed vectors, whose words have one exponent for all");
    faulty("fx18.16,coef=mxint8", "coef=mxint8 beside fixed vectors");
    faulty("double,p=mxint8,sum=free", "write double,sum=free or float,sum=free and nothing else");
    faulty("s23e8,product=mxint8", "it does not begin with s or fx or a known name");
    faulty("s17e8,point=moving", "point=moving beside floating vectors");
    faulty("fx18.16,q=fx19.17,point=moving", "16 fraction bits in r and 17 in q: r, p and q share one point");
    faulty("fx18.16,p=fx18.15,point=moving", "16 fraction bits in r and 15 in p: r, p and q share one point");
    faulty("fx18.16,r=fx7.16,point=moving", "words of a moving point have at least 8 bits");
    faulty("fx18.16,dot=fixed[13:-50],point=moving", "write dot=exact");
    faulty("s17e8,product=most", "it does not begin with s or fx or a known name");
    faulty("s17e8,lanes=two", "lanes is a power of two in 1..64");
    faulty("s17e8,lanes=3", "lanes is a power of two in 1..64");
    faulty("s17e8,lanes=0", "lanes is a power of two in 1..64");
    faulty("s17e8,lanes=-2", "lanes is a power of two in 1..64");
    faulty("s17e8,lanes=128", "lanes is a power of two in 1..64");
    faulty("s17e8,lanes=99999999999", "lanes is a power of two in 1..64");
    faulty("s17e8,dot=s52e11/", "the depth after / is a power of two in 1..64");
    faulty("s17e8,dot=s52e11/x", "the depth after / is a power of two in 1..64");
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

TEST(SpecText, FixedBasesHaveDefaultsOfTheirOwn) {
    const DatapathSpec s = parse_spec("fx18.16");
    EXPECT_TRUE(s.fixed_vectors() && s.dot.exact && !s.dot.fixed);
    for (const Format& f : {s.r, s.p, s.q, s.coefficient}) EXPECT_EQ(f, "fx18.16"_fmt);
    EXPECT_EQ(s.u, "fx31.21"_fmt);
    EXPECT_EQ(parse_spec("fx30.28").u, "fx39.33"_fmt);
    EXPECT_EQ(parse_spec("fx53.50").u, "fx53.46"_fmt);
    EXPECT_EQ(parse_spec("fx18.16,point=moving").u, "fx36.21"_fmt);
    EXPECT_EQ(s.operand, "s16e11"_fmt);
    EXPECT_EQ(s.scalar, "s52e11"_fmt);
    EXPECT_EQ(s, DatapathSpec("fx18.16"_fmt));
    const DatapathSpec full = parse_spec(
        "fx18.16:floor,u=fx32.30,p=fx20.17,q=fx22.18,coef=fx18.17,operand=s11e8,order=flux,dot=fixed[13:-50],"
        "scalar=s40e11,lanes=4");
    EXPECT_EQ(full.r, "fx18.16:floor"_fmt);
    EXPECT_EQ(full.u, "fx32.30"_fmt);
    EXPECT_EQ(full.p, "fx20.17"_fmt);
    EXPECT_EQ(full.q, "fx22.18"_fmt);
    EXPECT_EQ(full.coefficient, "fx18.17"_fmt);
    EXPECT_EQ(full.operand, "s11e8"_fmt);
    EXPECT_EQ(full.order, RowOrder::flux);
    EXPECT_TRUE(full.dot.fixed && full.dot.exact_product && !full.dot.exact);
    EXPECT_EQ(parse_spec("fx18.16,u=double").u, formats::kDouble); // a floating u beside fixed vectors
    // One text for one datapath.
    EXPECT_EQ(to_string(s), "fx18.16");
    EXPECT_EQ(to_string(parse_spec("fx18.16:nearest,dot=exact,product=exact,operand=s16e11,order=chain,u=fx31.21")),
              "fx18.16");
    EXPECT_EQ(to_string(parse_spec("fx18.16,r=fx20.16")), "fx20.16,p=fx18.16,q=fx18.16,coef=fx18.16");
    EXPECT_EQ(to_string(parse_spec("fx18.16,dot=fixed[13:-50]")), "fx18.16,dot=fixed[13:-50]");
    EXPECT_NE(parse_spec("fx18.16"), parse_spec("fx18.16:floor"));
}

TEST(SpecText, FaultsOfFixedSpecsAreNamedInOneLine) {
    const auto faulty = [](const std::string& text, const std::string& phrase) {
        SCOPED_TRACE(text);
        expect_line([&] { (void)parse_spec(text); }, phrase);
    };
    faulty("fx18", "no point after the word width");
    faulty("fx65.3", "the word width is outside 2..64");
    faulty("fx18.16:rne", "the policy words of fixed formats are nearest and floor");
    faulty("fx54.50", "r=fx54.50: a datapath's words have at most 53 bits");
    faulty("fx18.16,u=fx64.62", "u=fx64.62: a datapath's words have at most 53 bits");
    faulty("fx18.16,p=s17e8", "p=s17e8 is floating beside fixed vectors: r, p, q and coef are of one kind");
    faulty("fx18.16,q=float", "q=s23e8:rne:subnormals is floating beside fixed vectors");
    faulty("fx18.16,coef=s17e8", "coef=s17e8 is floating beside fixed vectors");
    faulty("fx18.16,operand=fx18.16", "operand=fx18.16 is fixed: alpha and beta have an exponent");
    faulty("fx18.16,scalar=fx18.16", "scalar=fx18.16 is fixed");
    faulty("fx18.16,row=fx20.16", "row= has no meaning with fixed vectors: row sums are exact");
    faulty("fx18.16,row=s20e8", "row= has no meaning with fixed vectors");
    faulty("fx18.16,product=s17e8", "product= has no meaning with fixed vectors: their products are exact");
    faulty("fx18.16,dot=fixed[13:-50],product=s17e8", "product= has no meaning with fixed vectors");
    faulty("fx18.16,dot=s52e11", "floating accumulators beside fixed vectors: write dot=exact or dot=fixed[MSB:LSB]");
    faulty("fx18.16,dot=fixed[14:-50]", "LSB < MSB and at most 64 bits");
    faulty("fx18.16,order=products", "order is chain, tree, flux or second-difference");
    faulty("fx18.16,lanes=3", "lanes is a power of two in 1..64");
    faulty("fx18.16,r=s17e8,p=s17e8,q=s17e8,coef=s17e8,u=s17e8",
           "floating vectors under a fixed base: begin with the vectors' format");
    for (const char* field : {"u", "p", "q", "coef"})
        faulty(std::string("s17e8,") + field + "=fx18.16",
               std::string(field) + "=fx18.16 is fixed beside floating vectors");
    for (const char* field : {"operand", "row", "scalar"}) // (under fixed vectors they would be refused too)
        faulty(std::string("s17e8,") + field + "=fx18.16",
               std::string(field) + "=fx18.16 is fixed: it takes a floating format");
    faulty("s17e8,dot=exact", "dot=exact is for fixed vectors: write dot=fixed[MSB:LSB] or a floating format");
    faulty("s17e8,product=fx18.16", "product= is floating beside floating vectors, or exact");
    faulty("s17e8,dot=fx18.16", "dot= is a floating format, fixed[MSB:LSB] or exact");
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
    refused([](DatapathSpec& s) { s.u = Format::fixed(65, 3); }, "u= is no format");
    refused([](DatapathSpec& s) { s.p = Format::fixed(18, 16, Rounding::toward_zero); }, "p= is no format");
    refused([](DatapathSpec& s) { s.r.rounding = Rounding::nearest_up; }, "r= is no format");
}

} // namespace
} // namespace mantissa
