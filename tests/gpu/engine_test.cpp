// The gpu engine against the emulated one, bit for bit: every matrix kind, row order and form of dot product.
#include "mantissa/gpu/engine.hpp"

#include <cctype>
#include <cmath>
#include <cstring>
#include <random>

#include "device_test.hpp"
#include "mantissa/engine.hpp"
#include "session_owns.hpp"
#include "symmetric_systems.hpp"
#include "test_systems.hpp"

namespace mantissa {
namespace {

using testing::band_system;
using testing::scattered_system;
using testing::sparse_system;
using testing::stencil_system;

void expect_same(const Format& f, const char* what, std::size_t i, double got, double want) {
    ASSERT_EQ(encode(f, got), encode(f, want))
        << what << "[" << i << "]: got " << bit_string(f, got) << ", want " << bit_string(f, want);
}

void compare(const std::string& text, const System& system, std::vector<std::uint64_t> runs) {
    SCOPED_TRACE(text + " " + to_string(system.kind()) + " size " + std::to_string(system.size()));
    const DatapathSpec spec = parse_spec(text);
    const auto device = make_gpu_engine()->load(system, spec, {});
    const auto host = make_emulated_engine()->load(system, spec, {2, Recurrence::pipelined});
    const std::vector<double> r0 = testing::random_residual(system, spec.r);
    device->write(Vec::r, 0, r0);
    host->write(Vec::r, 0, r0);
    const Format formats[] = {spec.u, spec.r, spec.p, spec.q};
    const char* names[] = {"u", "r", "p", "q"};
    std::vector<double> got(system.size()), want(system.size());
    for (const std::uint64_t passes : runs) {
        const RunReport a = device->run({.passes = passes}), b = host->run({.passes = passes});
        ASSERT_EQ(a.end, b.end) << to_string(a.end) << " against " << to_string(b.end);
        ASSERT_EQ(a.passes, b.passes);
        ASSERT_EQ(a.passes, passes) << "a run that ends early compares less than it says";
        ASSERT_EQ(a.sigma_guards, b.sigma_guards);
        for (int k = 0; k < 4; ++k) {
            device->read(static_cast<Vec>(k), 0, got);
            host->read(static_cast<Vec>(k), 0, want);
            for (std::size_t i = 0; i < system.size(); ++i) expect_same(formats[k], names[k], i, got[i], want[i]);
        }
        const Scalars s = device->scalars(), t = host->scalars();
        expect_same(spec.scalar, "rho", 0, s.rho, t.rho);
        expect_same(spec.scalar, "pq", 0, s.pq, t.pq);
        expect_same(spec.scalar, "qq", 0, s.qq, t.qq);
        expect_same(spec.scalar, "alpha", 0, s.alpha, t.alpha);
        expect_same(spec.scalar, "sigma", 0, s.sigma, t.sigma);
        expect_same(spec.scalar, "beta", 0, s.beta, t.beta);
    }
}

class GpuSpec : public testing::DeviceTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(GpuSpec, EqualsEmulated) {
    compare(GetParam(), stencil_system(17, 13), {1, 1, 4});
    compare(GetParam(), stencil_system(131, 79), {1, 9});
    compare(GetParam(), band_system(9, 21, 3), {1, 5});
    compare(GetParam(), band_system(67, 131, 9), {3});
    compare(GetParam(), sparse_system(301, 5), {1, 5});
    compare(GetParam(), sparse_system(5003, 7), {4});
    compare(GetParam(), scattered_system(3 * 4096 + 37, 6), {1, 3});
}

INSTANTIATE_TEST_SUITE_P(Specs, GpuSpec,
                         ::testing::Values("s17e8", "s23e8", "s20e8", "s10e8,lanes=4",
                                           "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]", "s7e8,u=s17e8,row=s13e8",
                                           "s7e8,dot=fixed[13:-50]", "s4e8,u=s23e8,dot=fixed[13:-50]", "s23e8:rne",
                                           "s52e11", "s52e11:rne", "float", "double", "s17e8,order=tree",
                                           "s36e11,lanes=2", "s17e8,dot=s52e11/4", "s17e8,dot=s52e11/64,lanes=8",
                                           "s17e8,product=exact", "s17e8,dot=fixed[13:-50]", "s23e8,dot=fixed[13:-50]",
                                           "s52e11,dot=fixed[13:-50]", "double,dot=fixed[13:-50]",
                                           "s23e8,dot=fixed[8:-40],product=s23e8", "s17e8,row=s30e8,scalar=s23e8",
                                           "s10e5,row=s12e5", "s17e8:rne", "s12e8:rne:subnormals,order=tree",
                                           "s20e8,coef=s10e8,operand=s12e8", "s17e8,dot=s23e8/32", "s28e11:rne"),
                         [](const auto& test) {
                             std::string name = test.param;
                             for (char& c : name)
                                 if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                             return name;
                         });

class GpuDifferences : public testing::DeviceTest, public ::testing::WithParamInterface<const char*> {};

std::string named(const ::testing::TestParamInfo<const char*>& test) {
    std::string name = test.param;
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
}

TEST_P(GpuDifferences, EqualEmulated) {
    const std::string spec = GetParam();
    compare(spec, testing::axis_stencil(17, 13), {1, 1, 4});
    compare(spec, testing::axis_stencil(131, 79, 0.01), {1, 9});
    compare(spec, testing::axis_stencil(2100, 7), {3});
    if (spec.find("second") != std::string::npos) return;
    compare(spec, testing::symmetric_stencil(37, 61), {4});
    compare(spec, testing::symmetric_stencil(67, 41, 0.02), {3});
    compare(spec, testing::symmetric_bands(9, 21, 3, true), {1, 5});
    compare(spec, testing::symmetric_bands(67, 131, 9, false), {3});
    compare(spec, testing::symmetric_bands(401, 257, 9, true), {2});
    compare(spec, testing::symmetric_bands(2100, 5, 9, true), {2});
    compare(spec, System(testing::symmetric_bands(31, 21, 3, true).bands()), {3});
}

INSTANTIATE_TEST_SUITE_P(Specs, GpuDifferences,
                         ::testing::Values("s17e8,order=flux", "s23e8,order=flux,dot=fixed[13:-50]",
                                           "s12e8:rne,order=flux", "s52e11,order=flux", "double,order=flux",
                                           "s7e8,u=s23e8,row=s13e8,order=flux,dot=fixed[13:-50]",
                                           "s17e8,order=second-difference",
                                           "s7e8,u=s23e8,order=second-difference,dot=fixed[13:-50]",
                                           "s23e8:rne,order=second-difference", "s52e11,order=second-difference"),
                         named);

using GpuEngine = testing::DeviceTest;

TEST_F(GpuEngine, ProductsOfSymmetricBands) {
    for (const char* spec : {"s17e8", "s23e8,order=tree,dot=fixed[13:-50]", "s52e11"})
        compare(spec, testing::symmetric_bands(67, 131, 9, true), {3});
}

TEST_F(GpuEngine, SessionsOwnTheirSystem) {
    for (const char* spec : {"s17e8", "s52e11", "s28e11:rne"})
        for (const System& system : {stencil_system(17, 13), band_system(9, 21, 3), sparse_system(301, 5)})
            session_test::expect_session_owns_its_system(*make_gpu_engine(), system, parse_spec(spec));
}

TEST_F(GpuEngine, LargerGridManyPasses) {
    compare("s17e8,dot=fixed[13:-50]", stencil_system(257, 257), {150});
    compare("s17e8", stencil_system(257, 257), {40});
}

// So many rows that a block takes several chunks in turn.
TEST_F(GpuEngine, SparseRowsOfSeveralChunksPerBlock) {
    const System system = sparse_system(2600003, 8);
    for (const char* text : {"s17e8", "s17e8,dot=fixed[13:-50]", "s52e11"}) compare(text, system, {2});
}

// Blocks keep their vectors where rows reach little beyond a block's elements; on both sides of that.
TEST_F(GpuEngine, LongRows) {
    for (const char* text : {"s17e8", "s17e8,order=tree", "s52e11", "s17e8,dot=fixed[13:-50]", "s12e8:rne", "double"})
        for (const std::size_t columns : {766u, 767u, 768u, 769u, 2100u}) {
            compare(text, stencil_system(columns, 7), {1, 2, 6});
            compare(text, band_system(columns, 4, 5), {3});
        }
}

// Vectors that a run begins with, where the matrix has nothing as well, are as the host's.
TEST_F(GpuEngine, EveryVectorWritten) {
    for (const char* text : {"s17e8", "s52e11", "s7e8,dot=fixed[13:-50]", "s17e8:rne"}) {
        SCOPED_TRACE(text);
        const DatapathSpec spec = parse_spec(text);
        const System system = stencil_system(61, 47);
        const auto device = make_gpu_engine()->load(system, spec, {});
        const auto host = make_emulated_engine()->load(system, spec, {2, Recurrence::pipelined});
        std::mt19937_64 random(5);
        std::normal_distribution<double> normal(0.0, 0.01);
        std::vector<double> x(system.size()), got(system.size()), want(system.size());
        for (int k = 0; k < 4; ++k) {
            for (double& value : x) value = normal(random);
            device->write(static_cast<Vec>(k), 0, x);
            host->write(static_cast<Vec>(k), 0, x);
        }
        device->set_scalars(0.25, 0.5);
        host->set_scalars(0.25, 0.5);
        for (const std::uint64_t passes : {1u, 2u}) {
            const RunReport a = device->run({.passes = passes}), b = host->run({.passes = passes});
            ASSERT_EQ(a.end, b.end);
            for (int k = 0; k < 4; ++k) {
                device->read(static_cast<Vec>(k), 0, got);
                host->read(static_cast<Vec>(k), 0, want);
                ASSERT_EQ(0, std::memcmp(got.data(), want.data(), got.size() * sizeof(double))) << "vector " << k;
            }
        }
    }
}

// Floating lanes in parallel rest on bounds and checks: any formats, sizes and right-hand sides.
TEST_F(GpuEngine, FloatingLanesAtRandom) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    for (int n = 0; n < 300; ++n) {
        const bool wide = random() % 4 == 0;
        const int fraction = wide ? 4 + static_cast<int>(random() % 49) : 4 + static_cast<int>(random() % 20);
        const int accumulator = random() % 2 == 0 ? 52 : 24 + static_cast<int>(random() % 29);
        const std::string text = "s" + std::to_string(fraction) + (wide ? "e11" : "e8") + ",dot=s" +
                                 std::to_string(accumulator) + "e11/" + std::to_string(1 << random() % 7) +
                                 ",lanes=" + std::to_string(1 << random() % 3);
        const DatapathSpec spec = parse_spec(text);
        const std::size_t columns = 3 + random() % 400, rows = 3 + random() % 400;
        const System system = stencil_system(columns, rows);
        SCOPED_TRACE(text + " " + std::to_string(columns) + " x " + std::to_string(rows));
        std::vector<double> r0(system.size(), 0.0);
        const auto kind = random() % 4;
        const double scale = std::ldexp(1.0, static_cast<int>(random() % 30) - 20);
        for (std::size_t y = 1; y + 1 < rows; ++y)
            for (std::size_t x = 1; x + 1 < columns; ++x)
                r0[y * columns + x] = scale * (kind == 0   ? normal(random)
                                               : kind == 1 ? 1.0
                                               : kind == 2 ? std::sin(0.1 * static_cast<double>(x)) *
                                                                 std::cos(0.07 * static_cast<double>(y))
                                               : random() % 50 == 0 ? normal(random)
                                                                    : 0.0);
        const auto device = make_gpu_engine()->load(system, spec, {});
        const auto host = make_emulated_engine()->load(system, spec, {2, Recurrence::pipelined});
        device->write(Vec::r, 0, r0);
        host->write(Vec::r, 0, r0);
        const RunRequest request{.passes = 1 + random() % 40};
        const RunReport a = device->run(request), b = host->run(request);
        ASSERT_EQ(a.end, b.end);
        ASSERT_EQ(a.passes, b.passes);
        expect_same(spec.scalar, "rho", 0, device->scalars().rho, host->scalars().rho);
        expect_same(spec.scalar, "pq", 0, device->scalars().pq, host->scalars().pq);
        expect_same(spec.scalar, "qq", 0, device->scalars().qq, host->scalars().qq);
        std::vector<double> got(system.size()), want(system.size());
        device->read(Vec::u, 0, got);
        host->read(Vec::u, 0, want);
        for (std::size_t i = 0; i < system.size(); ++i) expect_same(spec.u, "u", i, got[i], want[i]);
    }
}

// Many chunks of several tiles; sums that begin near zero and change their binade and sign often.
TEST_F(GpuEngine, FloatingLanesOnALargeSmoothGrid) {
    constexpr std::size_t kSide = 1025;
    const System system = stencil_system(kSide, kSide);
    std::vector<double> r0(system.size(), 0.0), got(system.size()), want(system.size());
    for (std::size_t y = 1; y + 1 < kSide; ++y)
        for (std::size_t x = 1; x + 1 < kSide; ++x) {
            const double a = static_cast<double>(x) / (kSide - 1), b = static_cast<double>(y) / (kSide - 1);
            r0[y * kSide + x] = 1e-3 * (a * (1 - a) + b * (1 - b));
        }
    for (const char* text : {"s17e8", "s23e8", "s52e11"}) {
        SCOPED_TRACE(text);
        const DatapathSpec spec = parse_spec(text);
        const auto device = make_gpu_engine()->load(system, spec, {});
        const auto host = make_emulated_engine()->load(system, spec, {2, Recurrence::pipelined});
        for (Session* session : {device.get(), host.get()}) session->write(Vec::r, 0, r0);
        for (const std::uint64_t passes : {1U, 39U}) {
            ASSERT_EQ(device->run({.passes = passes}).end, host->run({.passes = passes}).end);
            expect_same(spec.scalar, "rho", 0, device->scalars().rho, host->scalars().rho);
            expect_same(spec.scalar, "pq", 0, device->scalars().pq, host->scalars().pq);
            expect_same(spec.scalar, "qq", 0, device->scalars().qq, host->scalars().qq);
        }
        device->read(Vec::u, 0, got);
        host->read(Vec::u, 0, want);
        for (std::size_t i = 0; i < system.size(); ++i) expect_same(spec.u, "u", i, got[i], want[i]);
    }
}

TEST_F(GpuEngine, WindowOverflowAndStops) {
    const System system = stencil_system(9, 9);
    const auto engine = make_gpu_engine();
    const auto small = engine->load(system, parse_spec("s17e8,dot=fixed[3:-40]"), {});
    small->write(Vec::r, 0, std::vector<double>(81, 0.5));
    const RunReport report = small->run({.passes = 5});
    EXPECT_EQ(report.end, RunEnd::window_overflow);
    EXPECT_EQ(report.passes, 1U);
    EXPECT_EQ(small->scalars().rho, 0.0);
    EXPECT_EQ(small->scalars().alpha, 0.0);
    const auto zero = engine->load(system, parse_spec("s17e8"), {});
    EXPECT_EQ(zero->run({.passes = 3}).end, RunEnd::exact);
    const auto host = make_emulated_engine()->load(system, parse_spec("s17e8"), {});
    std::vector<double> r0(81, 0.0); // nothing on the edge, which no row of the matrix reduces
    for (std::size_t y = 1; y < 8; ++y)
        for (std::size_t x = 1; x < 8; ++x) r0[9 * y + x] = 0.25;
    zero->write(Vec::r, 0, r0);
    host->write(Vec::r, 0, r0);
    const RunRequest request{.passes = 50, .rho_stop = 1e-4, .rho_stop_from = 3};
    const RunReport a = zero->run(request), b = host->run(request);
    EXPECT_EQ(a.end, RunEnd::rho_reached);
    EXPECT_EQ(a.end, b.end);
    EXPECT_EQ(a.passes, b.passes);
}

TEST_F(GpuEngine, RefusesThePlainRecurrence) {
    const System system = stencil_system(9, 9);
    EXPECT_THROW(static_cast<void>(make_gpu_engine()->load(system, parse_spec("s17e8"), {1, Recurrence::plain})),
                 InvalidInput);
}

TEST(GpuEngineAnywhere, SaysWhatIsMissing) {
    if (gpu::device_missing().empty()) GTEST_SKIP() << "a device is here";
    try {
        static_cast<void>(make_gpu_engine());
        FAIL() << "no exception";
    } catch (const InvalidInput& e) {
        EXPECT_NE(std::string(e.what()).find("engine gpu: "), std::string::npos) << e.what();
    }
}

} // namespace
} // namespace mantissa
