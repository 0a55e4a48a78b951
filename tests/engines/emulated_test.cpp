// The emulated engine's loops against the reference pass, bit for bit: fused and general, every matrix kind, row
// orders, dot products, lanes, threads.
#include <random>

#include <gtest/gtest.h>

#include "engine_compare.hpp"
#include "mantissa/engine.hpp"
#include "session_owns.hpp"
#include "test_systems.hpp"

namespace mantissa {
namespace {

using testing::band_system;
using testing::scattered_system;
using testing::sparse_system;
using testing::stencil_system;

void expect_same(const Format& f, const char* what, std::size_t pass, std::size_t i, double got, double want) {
    ASSERT_EQ(encode(f, got), encode(f, want)) << what << "[" << i << "] after pass " << pass << ": got "
                                               << bit_string(f, got) << ", want " << bit_string(f, want);
}

void compare(const std::string& text, const System& system, EmulatedPath path, int threads, std::size_t passes) {
    testing::compare_with_reference(*make_emulated_engine(path), text, system, passes,
                                    testing::random_residual(system, parse_spec(text).r),
                                    {threads, Recurrence::pipelined});
}

class EmulatedSpec : public ::testing::TestWithParam<const char*> {};

TEST_P(EmulatedSpec, EqualsReferencePass) {
    for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general})
        for (const int threads : {1, 2}) {
            compare(GetParam(), stencil_system(17, 13), path, threads, 6);
            compare(GetParam(), band_system(9, 21, 3), path, threads, 6);
            compare(GetParam(), sparse_system(301, 5), path, threads, 6);
        }
}

// Sizes that do not divide by lanes or vector widths, longer than one chunk.
TEST_P(EmulatedSpec, OddSizesAndSeveralChunks) {
    compare(GetParam(), stencil_system(3, 3), EmulatedPath::fastest, 1, 2);
    compare(GetParam(), stencil_system(131, 79), EmulatedPath::fastest, 1, 3);
    compare(GetParam(), stencil_system(131, 79), EmulatedPath::fastest, 2, 3);
    compare(GetParam(), stencil_system(2051, 5), EmulatedPath::fastest, 2, 3);
    compare(GetParam(), band_system(67, 131, 9), EmulatedPath::fastest, 2, 3);
}

// What a Dirichlet node holds stays there: such a start diverges, and shows what is done on the edge.
TEST_P(EmulatedSpec, ValuesOnTheEdge) {
    const System system = stencil_system(17, 13);
    std::vector<double> start(system.size());
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = 0.1 + 0.01 * static_cast<double>(i % 11);
    for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general})
        testing::compare_with_reference(*make_emulated_engine(path), GetParam(), system, 3, start);
}

// The plain recurrence's fused loops against the general path, which goes operation by operation.
void compare_plain(const std::string& text, const System& system, int threads, std::size_t passes) {
    SCOPED_TRACE(text + " plain " + to_string(system.kind()) + " threads " + std::to_string(threads));
    const DatapathSpec spec = parse_spec(text);
    const auto fused = make_emulated_engine()->load(system, spec, {threads, Recurrence::plain});
    const auto general = make_emulated_engine(EmulatedPath::general)->load(system, spec, {1, Recurrence::plain});
    const std::vector<double> r0 = testing::random_residual(system, spec.r);
    std::vector<double> a(system.size()), b(system.size());
    fused->write(Vec::r, 0, r0);
    general->write(Vec::r, 0, r0);
    for (std::size_t pass = 1; pass <= passes; ++pass) {
        const RunReport got = fused->run({.passes = 1}), want = general->run({.passes = 1});
        for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) {
            fused->read(v, 0, a);
            general->read(v, 0, b);
            for (std::size_t i = 0; i < a.size(); ++i) expect_same(formats::kDouble, "vector", pass, i, a[i], b[i]);
        }
        const Scalars s = fused->scalars(), t = general->scalars();
        for (const auto field : {&Scalars::rho, &Scalars::pq, &Scalars::alpha, &Scalars::sigma, &Scalars::beta})
            expect_same(formats::kDouble, "scalar", pass, 0, s.*field, t.*field);
        ASSERT_EQ(got.end, want.end);
        ASSERT_EQ(want.end, RunEnd::passes) << "ended at pass " << pass;
    }
}

TEST_P(EmulatedSpec, PlainRecurrenceIsTheSameFusedAndGeneral) {
    for (const int threads : {1, 2}) {
        compare_plain(GetParam(), stencil_system(131, 43), threads, 3);
        compare_plain(GetParam(), band_system(67, 71, 9), threads, 3);
        compare_plain(GetParam(), sparse_system(4501, 5), threads, 3);
    }
}

// Longer than three of the chunks that passes go by and threads share, with entries that reach from any of them into
// any other.
TEST_P(EmulatedSpec, SparseRowsAcrossChunks) {
    const System system = scattered_system(3 * 4096 + 37, 6);
    for (const int threads : {1, 3}) compare(GetParam(), system, EmulatedPath::fastest, threads, 2);
    compare(GetParam(), system, EmulatedPath::general, 3, 2);
    for (const int threads : {1, 3}) compare_plain(GetParam(), system, threads, 2);
}

// Rows of very different lengths, empty ones among them, over several windows of the sorted rows.
TEST_P(EmulatedSpec, RaggedSparseRows) {
    std::mt19937_64 random(8);
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    constexpr std::size_t kSize = 2600;
    for (std::size_t i = 0; i < kSize; ++i) {
        const std::size_t step = random() % 9 == 0 ? 1 + random() % 40 : 1 + random() % kSize;
        for (std::size_t j = i % step; j < kSize && random() % 50 != 0; j += step) {
            column.push_back(static_cast<std::uint32_t>(j));
            value.push_back(i == j ? 3.0 : std::ldexp(static_cast<double>(random() % 1000) - 500, -16));
        }
        row_begin.push_back(value.size());
    }
    const System system = CompressedRows(std::move(row_begin), std::move(column), std::move(value));
    for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general})
        compare(GetParam(), system, path, 2, 2);
}

INSTANTIATE_TEST_SUITE_P(
    Specs, EmulatedSpec,
    ::testing::Values("s17e8", "s23e8", "s10e8,lanes=4", "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]",
                      "s7e8,u=s17e8,row=s13e8", "s23e8:rne", "s52e11", "s52e11:rne", "float", "double",
                      "s17e8,order=tree", "s36e11,lanes=2", "s17e8,dot=s52e11/4", "s17e8,dot=s52e11/64,lanes=8",
                      "s17e8,product=exact", "s52e11,dot=fixed[13:-50]", "double,dot=fixed[13:-50]",
                      "s23e8,dot=fixed[8:-40],product=s23e8", "s17e8,row=s30e8,scalar=s23e8", "s10e5,row=s12e5",
                      "s17e8:rne", "s12e8:rne:subnormals,order=tree", "s20e8,coef=s10e8,operand=s12e8",
                      "s17e8,dot=s23e8/32", "s28e11:rne", "s23e8:rne,row=s10e8:rne", "s7e8:rne,q=s36e11:rne",
                      "s17e8:rne:subnormals,coef=s40e11,operand=s30e9:rne"),
    [](const auto& test) { return testing::test_name(test.param); });

TEST(EmulatedEngine, SessionsOwnTheirSystem) {
    for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general})
        for (const Recurrence recurrence : {Recurrence::pipelined, Recurrence::plain})
            for (const char* spec : {"s17e8", "s17e8,order=tree", "s28e11"})
                for (const System& system : {stencil_system(17, 13), band_system(9, 21, 3), sparse_system(301, 5)})
                    session_test::expect_session_owns_its_system(*make_emulated_engine(path), system, parse_spec(spec),
                                                                 {1, recurrence});
}

// A window too small for the sums: reported, and scalars are +0.
TEST(EmulatedEngine, WindowOverflowEndsTheRun) {
    const System system = stencil_system(9, 9);
    std::vector<double> r0(system.size(), 0.5);
    for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general}) {
        const auto session = make_emulated_engine(path)->load(system, parse_spec("s17e8,dot=fixed[3:-40]"), {});
        session->write(Vec::r, 0, r0);
        const RunReport report = session->run({.passes = 5});
        EXPECT_EQ(report.end, RunEnd::window_overflow);
        EXPECT_EQ(report.passes, 1U);
        EXPECT_EQ(session->scalars().rho, 0.0);
        EXPECT_EQ(session->scalars().alpha, 0.0);
    }
}

TEST(EmulatedEngine, EndsOnZeroResidualAndIndefiniteMatrix) {
    const System system = stencil_system(9, 9);
    const auto engine = make_emulated_engine();
    const auto session = engine->load(system, parse_spec("s17e8"), {});
    EXPECT_EQ(session->run({.passes = 3}).end, RunEnd::exact);
    const System negative = Stencil(9, 9, {0, 0, 0, 0, -1, 0, 0, 0, 0});
    const auto other = engine->load(negative, parse_spec("s17e8"), {});
    other->write(Vec::r, 0, std::vector<double>(81, 0.5));
    EXPECT_EQ(other->run({.passes = 3}).end, RunEnd::indefinite);
}

TEST(EmulatedEngine, ManyPassesEqualOneByOne) {
    const System system = stencil_system(33, 33);
    std::vector<double> r0(system.size(), 0.01), a(system.size()), b(system.size());
    for (std::size_t i = 0; i < system.size(); ++i)
        if (system.on_edge(i)) r0[i] = 0;
    for (const Recurrence recurrence : {Recurrence::pipelined, Recurrence::plain}) {
        const auto one = make_emulated_engine()->load(system, parse_spec("s17e8"), {1, recurrence});
        const auto two = make_emulated_engine()->load(system, parse_spec("s17e8"), {2, recurrence});
        one->write(Vec::r, 0, r0);
        two->write(Vec::r, 0, r0);
        one->run({.passes = 12});
        for (int k = 0; k < 12; ++k) two->run({.passes = 1});
        one->read(Vec::u, 0, a);
        two->read(Vec::u, 0, b);
        EXPECT_EQ(a, b);
        EXPECT_EQ(one->scalars().rho, two->scalars().rho);
    }
}

} // namespace
} // namespace mantissa
