// The gpu engine over several parts against the emulated engine, bit for bit. Parts share one device where there are
// not enough: the kernels, the flags and the sums are the same.
#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "device_test.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/gpu/engine.hpp"
#include "session_owns.hpp"
#include "symmetric_systems.hpp"
#include "test_systems.hpp"

namespace mantissa {
namespace {

using PartedGpuEngine = testing::DeviceTest;

void expect_same_state(const Session& a, const Session& b, std::size_t size) {
    std::vector<double> x(size), y(size);
    const auto same = [](double s, double t) {
        return std::bit_cast<std::uint64_t>(s) == std::bit_cast<std::uint64_t>(t);
    };
    for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) {
        a.read(v, 0, x);
        b.read(v, 0, y);
        EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin(), same)) << "vector " << static_cast<int>(v);
    }
    const Scalars s = a.scalars(), t = b.scalars();
    EXPECT_TRUE(same(s.rho, t.rho) && same(s.pq, t.pq) && same(s.qq, t.qq) && same(s.alpha, t.alpha) &&
                same(s.sigma, t.sigma) && same(s.beta, t.beta));
}

/// Runs of both from the same start, written in two pieces that meet inside a part.
void compare(const Engine& parted, const std::string& text, const System& system, double largest = 0.02) {
    SCOPED_TRACE(text + " " + to_string(system.kind()) + " row length " + std::to_string(system.row_length()) +
                 " size " + std::to_string(system.size()) + " by " + parted.description());
    const DatapathSpec spec = parse_spec(text);
    const auto device = parted.load(system, spec, {});
    const auto host = make_emulated_engine()->load(system, spec, {2, Recurrence::pipelined});
    const std::vector<double> r = testing::random_residual(system, largest);
    const std::size_t half = r.size() / 2 + 3;
    for (Session* s : {device.get(), host.get()}) {
        s->write(Vec::r, 0, std::span(r).first(half));
        s->write(Vec::r, half, std::span(r).subspan(half));
        s->set_scalars(0, 0);
    }
    for (const std::uint64_t passes : {1U, 1U, 6U}) {
        const RunReport a = device->run({.passes = passes}), b = host->run({.passes = passes});
        EXPECT_EQ(a.end, b.end) << to_string(a.end) << " against " << to_string(b.end);
        EXPECT_EQ(a.passes, b.passes);
        EXPECT_EQ(a.sigma_guards, b.sigma_guards);
        EXPECT_EQ(a.words, b.words);
        expect_same_state(*device, *host, system.size());
        if (::testing::Test::HasFailure() || b.end != RunEnd::passes) return;
    }
    for (Session* s : {device.get(), host.get()}) s->clear(Vec::p);
    expect_same_state(*device, *host, system.size());
}

/// Parts on as many devices as there are, and all on the first one.
std::vector<std::vector<int>> places(int parts) {
    std::vector<std::vector<int>> all = {spread_devices(parts)};
    if (const std::vector<int> one(static_cast<std::size_t>(parts), 0); all[0] != one) all.push_back(one);
    return all;
}

System poisson(std::size_t columns, std::size_t rows) {
    return Stencil(columns, rows, {-0.125, -0.125, -0.125, -0.125, 1, -0.125, -0.125, -0.125, -0.125});
}

const char* const kSpecs[] = {"fx18.16",
                              "fx20.16",
                              "fx30.24,coef=fx18.14,u=fx53.40",
                              "fx22.18,u=s23e8",
                              "s17e8,dot=fixed[20:-40]",
                              "s7e8,dot=fixed[20:-40]",
                              "s23e8,order=tree,dot=fixed[12:-50]",
                              "s40e11,dot=fixed[12:-50]",
                              "s14e8:rne,u=s23e8,dot=fixed[13:-50]"};

/// With room for the large diagonals of the test matrices.
const char* const kSparseSpecs[] = {"fx22.16,coef=fx24.18",         "fx32.24,coef=fx24.18,u=fx53.40",
                                    "fx24.18,coef=fx24.18,u=s23e8", "s17e8,dot=fixed[20:-40]",
                                    "s7e8,dot=fixed[20:-40]",       "s23e8,order=tree,dot=fixed[12:-50]",
                                    "s40e11,dot=fixed[12:-50]",     "s14e8:rne,u=s23e8,dot=fixed[13:-50]"};

TEST_F(PartedGpuEngine, GridsInStripsEqualEmulated) {
    for (const int parts : {1, 2, 3, 4, 8})
        for (const auto& devices : places(parts)) {
            const auto parted = make_parted_gpu_engine(devices);
            for (const char* spec : kSpecs) {
                compare(*parted, spec, poisson(17, 16)); // strips of two rows where there are eight
                compare(*parted, spec, poisson(130, 79));
                compare(*parted, spec, testing::stencil_system(67, 203));
                compare(*parted, spec, testing::band_system(41, 67, 9));
            }
        }
}

TEST_F(PartedGpuEngine, RowsOfDifferencesReachIntoTheStripsAround) {
    for (const int parts : {2, 3, 8}) {
        const auto parted = make_parted_gpu_engine(spread_devices(parts));
        for (const char* spec : {"s17e8,order=flux,dot=fixed[20:-40]", "fx18.14,order=flux"}) {
            compare(*parted, spec, testing::symmetric_stencil(67, 61, 0.01));
            compare(*parted, spec, testing::symmetric_bands(31, 53, 4, false));
            compare(*parted, spec, testing::symmetric_bands(31, 53, 5, true));
        }
        compare(*parted, "s17e8,order=second-difference,dot=fixed[20:-40]", testing::axis_stencil(67, 61));
    }
}

TEST_F(PartedGpuEngine, SparseRowsByAnyCutEqualEmulated) {
    const System near = testing::sparse_system(3011, 5), far = testing::scattered_system(2003, 7);
    for (const int parts : {1, 2, 3, 4, 8})
        for (const auto& devices : places(parts))
            for (const CutMethod method : {CutMethod::contiguous, CutMethod::cuthill_mckee, CutMethod::bisection}) {
                if (method == CutMethod::bisection && !has_metis()) continue;
                const auto parted = make_parted_gpu_engine(devices, method);
                for (const char* spec : kSparseSpecs)
                    for (const System* system : {&near, &far}) compare(*parted, spec, *system);
            }
}

TEST_F(PartedGpuEngine, RunsEndAlike) {
    const auto parted = make_parted_gpu_engine({0, 0, 0});
    compare(*parted, "fx18.16", poisson(33, 40), 3); // words that overflow
    compare(*parted, "s17e8,dot=fixed[-3:-40]", poisson(33, 40), 3);
}

TEST_F(PartedGpuEngine, SessionsOwnTheirSystem) {
    const auto parted = make_parted_gpu_engine({0, 0});
    for (const char* spec : {"fx18.14", "s17e8,dot=fixed[20:-40]"})
        for (const System& system : {poisson(17, 13), testing::sparse_system(301, 5)})
            session_test::expect_session_owns_its_system(*parted, system, parse_spec(spec));
}

TEST_F(PartedGpuEngine, RefusesInOneLine) {
    const auto parted = make_parted_gpu_engine({0, 0, 0});
    EXPECT_NE(parted->refusal(parse_spec("s17e8"), poisson(17, 16), {}).find("dot=fixed"), std::string::npos);
    EXPECT_NE(parted->refusal(parse_spec("fx18.16"), poisson(17, 5), {}).find("at most 2 parts"), std::string::npos);
    EXPECT_EQ(parted->refusal(parse_spec("fx18.16"), poisson(17, 6), {}), "");
    EXPECT_THROW(static_cast<void>(make_parted_gpu_engine({})), InvalidInput);
    EXPECT_THROW(static_cast<void>(make_parted_gpu_engine({0, 99})), InvalidInput);
    EXPECT_THROW(static_cast<void>(make_parted_gpu_engine(std::vector<int>(9, 0))), InvalidInput);
}

} // namespace
} // namespace mantissa
