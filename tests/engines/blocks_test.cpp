// Datapaths with blocks of MX words in p and in the matrix against the reference pass, whose blocks are exact fractions
// (tests/support/reference_blocks.hpp); which doors refuse them.
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine_compare.hpp"
#include "mantissa/bit_operations.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/fitted.hpp"
#include "mantissa/partition/parted_engine.hpp"
#include "mantissa/partition/space.hpp"
#include "mantissa/recurrence/gmres.hpp"
#include "mantissa/recurrence/interpreter.hpp"
#include "mantissa/recurrence/library.hpp"
#include "symmetric_systems.hpp"
#include "test_systems.hpp"

namespace mantissa {
namespace {

using testing::axis_stencil;
using testing::band_system;
using testing::sparse_system;
using testing::stencil_system;
using testing::symmetric_bands;
using testing::symmetric_stencil;

/// Every kind of matrix from which rows of this order are formed.
std::vector<System> systems(RowOrder order) {
    if (order == RowOrder::second_difference) return {axis_stencil(17, 13), axis_stencil(9, 7, 0.25)};
    if (order == RowOrder::flux)
        return {symmetric_bands(17, 13, 3, false), symmetric_bands(17, 13, 4, true),
                symmetric_bands(17, 13, 5, true).bands(), symmetric_stencil(9, 7), symmetric_stencil(9, 7, 0.25)};
    return {stencil_system(17, 13), band_system(9, 21, 3), sparse_system(301, 5), symmetric_bands(17, 13, 4, true)};
}

class BlockSpec : public ::testing::TestWithParam<const char*> {};

TEST_P(BlockSpec, EqualsReferencePass) {
    const DatapathSpec spec = parse_spec(GetParam());
    for (const System& system : systems(spec.order))
        for (const int threads : {1, 2})
            testing::compare_with_reference(*make_emulated_engine(), GetParam(), system, 3,
                                            testing::random_residual(system, spec.r), {.threads = threads});
}

INSTANTIATE_TEST_SUITE_P(Specs, BlockSpec,
                         ::testing::Values("s23e8,p=mxint8", "s23e8,p=mxfp8_e4m3:rceil,order=tree",
                                           "s17e8,p=mxfp8_e5m2:even/16,coef=mxint8:ceil", "s23e8:rne,coef=mxfp6_e2m3",
                                           "double,p=mxfp6_e3m2:ceil/64,coef=mxfp4_e2m1", "s10e5,p=mxint8/1,row=s23e8",
                                           "s23e8,p=mxint8:ceil/4096,coef=mxint8/8,order=flux",
                                           "s23e8,p=mxfp4_e2m1:rceil,coef=mxint8,order=second-difference",
                                           "s23e8,p=mxint8,coef=s10e8,dot=fixed[13:-50]",
                                           "s14e8,u=s23e8,q=s17e8,p=mxint8:ceil"),
                         [](const auto& test) { return testing::test_name(test.param); });

// Where p starts from values of its own, as restarts write it: whole blocks, each rounded when it is written.
TEST(Blocks, WritesOfP) {
    const DatapathSpec spec = parse_spec("s23e8,p=mxint8:ceil/16");
    const System system = sparse_system(301, 5);
    const auto session = make_emulated_engine()->load(system, spec, {});
    const std::vector<double> values = testing::random_residual(system, spec.r);
    const std::vector<double> want = testing::reference_blocks(spec.p_blocks, values);
    const std::span<const double> all(values);
    session->write(Vec::p, 0, all.first(32));
    session->write(Vec::p, 32, all.subspan(32));
    std::vector<double> got(system.size());
    session->read(Vec::p, 0, got);
    EXPECT_EQ(got, want);
    for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{8, 16}, {0, 24}, {288, 12}}) {
        try {
            session->write(Vec::p, first, all.subspan(first, count));
            ADD_FAILURE() << first;
        } catch (const InvalidInput& e) {
            EXPECT_NE(std::string(e.what()).find("write whole blocks"), std::string::npos) << e.what();
        }
    }
    session->read(Vec::p, 0, got);
    EXPECT_EQ(got, want);                         // what was refused changed nothing
    session->write(Vec::r, 8, all.subspan(8, 3)); // r has no blocks
}

// The interpreter has the engines' bits, with blocks too.
TEST(Blocks, TheInterpretedRecurrenceIsTheSame) {
    const System system = sparse_system(301, 5);
    for (const char* text : {"s23e8,p=mxint8:ceil", "s17e8,p=mxfp8_e4m3/8,coef=mxint8"}) {
        const DatapathSpec spec = parse_spec(text);
        const std::vector<double> r = testing::random_residual(system, spec.r);
        for (const auto& [definition, recurrence] : {std::pair{&recurrence::kPipelined, Recurrence::pipelined},
                                                     std::pair{&recurrence::kCg, Recurrence::plain}}) {
            const auto session = make_emulated_engine()->load(system, spec, {1, recurrence});
            recurrence::Interpreter interpreter(system, spec, *definition);
            session->write(Vec::r, 0, r);
            interpreter.start(r);
            EXPECT_EQ(session->run({.passes = 4}).end, interpreter.run({.passes = 4}).end) << text;
            std::vector<double> got(system.size()), want(system.size());
            for (const auto& [v, vector] : {std::pair{Vec::u, "u"}, {Vec::r, "r"}, {Vec::p, "p"}, {Vec::q, "q"}}) {
                session->read(v, 0, want);
                interpreter.read(vector, 0, got);
                EXPECT_EQ(got, want) << text << " " << vector;
            }
            EXPECT_EQ(interpreter.scalar("alpha"), session->scalars().alpha) << text;
        }
    }
}

// (8/3, -1/3) in eight bits would have another row sum, and an indefinite matrix; (8, -1) is exact.
TEST(Blocks, AStencilKeepsItsRowSum) {
    std::array<double, kBands> c{};
    c.fill(-1.0 / 3);
    c[4] = 8.0 / 3;
    const System system = Stencil(17, 17, c);
    for (const char* text : {"s23e8,coef=mxint8", "s23e8,coef=mxfp8_e4m3:ceil,order=tree", "s23e8,coef=mxfp8_e5m2",
                             "s23e8,coef=mxint8,order=second-difference"}) {
        const auto fit = fitted(system, parse_spec(text));
        ASSERT_TRUE(fit.has_value()) << text;
        EXPECT_EQ(fit->scale, 3) << text;
        EXPECT_EQ(std::get<Stencil>(fit->system.matrix()).coefficients()[4], 8) << text;
    }
    EXPECT_FALSE(fitted(system, parse_spec("s23e8,p=mxint8")).has_value());
    EXPECT_FALSE(fitted(system, parse_spec("s23e8,coef=mxint8,order=flux")).has_value());
}

// Eight times eight bits a product of streamed coefficients where floating ones have 24 times 24.
TEST(Blocks, CountAsShortFactors) {
    const System system = sparse_system(301, 5);
    const auto entries = std::get<CompressedRows>(system.matrix()).nonzeros();
    const auto of = [&](const char* text) { return bit_operations(parse_spec(text), system).multiplied; };
    EXPECT_EQ(of("s23e8") - of("s23e8,coef=mxint8"), entries * 24 * (24 - 8));
    EXPECT_EQ(of("s23e8,coef=mxint8") - of("s23e8,coef=mxfp8_e4m3"), entries * 24 * (8 - 4));
    // p meets alpha, beta, q and the coefficients
    EXPECT_EQ(of("s23e8") - of("s23e8,p=mxint8"), (entries + 3 * system.size()) * 24 * (24 - 8));
    std::array<double, kBands> c{};
    c.fill(-1);
    c[4] = 8;
    const System stencil = Stencil(17, 17, c);
    EXPECT_EQ(bit_operations(parse_spec("s23e8"), stencil),
              bit_operations(parse_spec("s23e8,coef=mxint8"), stencil)); // the same constants
}

TEST(Blocks, RefusedElsewhereInOneLine) {
    const auto refused = [](const std::string& line, const std::string& phrase) {
        EXPECT_NE(line.find(phrase), std::string::npos) << line;
        EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    };
    const System system = stencil_system(17, 13);
    const auto parted = make_parted_engine(make_threads_space(2));
    for (const char* text : {"s23e8,p=mxint8,dot=fixed[13:-50]", "s23e8,coef=mxint8,dot=fixed[13:-50]"})
        refused(parted->refusal(parse_spec(text), system, {}), "over 2 parts: blocks of MX words would be cut");
    refused(GmresSolver::refusal(parse_spec("s23e8,p=mxint8:ceil")), "gmres with p=mxint8:ceil");
    EXPECT_EQ(GmresSolver::refusal(parse_spec("s23e8,coef=mxint8")), "");
    EXPECT_EQ(blocks_refusal(parse_spec("s23e8"), "engine x"), "");
    EXPECT_EQ(blocks_refusal(parse_spec("s23e8,coef=mxint8,p=mxfp8_e4m3"), "engine x"),
              "engine x: p=mxfp8_e4m3: blocks of MX words are the emulated engine's alone; leave them out or use "
              "--engine emulated");
}

} // namespace
} // namespace mantissa
