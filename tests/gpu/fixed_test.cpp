// The gpu engine in fixed-point words against the emulated engine, bit for bit: words, scalars, ends, longest words.
#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <random>
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

using testing::band_system;
using testing::sparse_system;
using testing::stencil_system;

std::uint64_t bits(double x) {
    return std::bit_cast<std::uint64_t>(x);
}

/// Two sessions on one system, run side by side.
class Pair {
public:
    Pair(const std::string& text, const System& system)
        : spec_(parse_spec(text)), device_(make_gpu_engine()->load(system, spec_, {})),
          host_(make_emulated_engine()->load(system, spec_, {2, Recurrence::pipelined})), got_(system.size()),
          want_(system.size()) {}

    void write(Vec v, const std::vector<double>& values) {
        device_->write(v, 0, values);
        host_->write(v, 0, values);
    }
    void set_scalars(double alpha, double beta) {
        device_->set_scalars(alpha, beta);
        host_->set_scalars(alpha, beta);
    }
    void clear(Vec v) {
        device_->clear(v);
        host_->clear(v);
    }
    /// The end of the run, which is the same for both.
    RunEnd run(const RunRequest& request) {
        const RunReport a = device_->run(request), b = host_->run(request);
        EXPECT_EQ(a.end, b.end) << to_string(a.end) << " against " << to_string(b.end);
        EXPECT_EQ(a.passes, b.passes);
        EXPECT_EQ(a.sigma_guards, b.sigma_guards);
        EXPECT_EQ(a.words.u, b.words.u);
        EXPECT_EQ(a.words.r, b.words.r);
        EXPECT_EQ(a.words.p, b.words.p);
        EXPECT_EQ(a.words.q, b.words.q);
        passes_ = a.passes;
        expect_same_state();
        return a.end;
    }
    [[nodiscard]] std::uint64_t passes() const { return passes_; }

private:
    void expect_same_state() {
        const char* names[] = {"u", "r", "p", "q"};
        for (int k = 0; k < 4; ++k) {
            device_->read(static_cast<Vec>(k), 0, got_);
            host_->read(static_cast<Vec>(k), 0, want_);
            for (std::size_t i = 0; i < got_.size(); ++i)
                ASSERT_EQ(bits(got_[i]), bits(want_[i]))
                    << names[k] << "[" << i << "]: " << got_[i] << ", " << want_[i];
        }
        const Scalars s = device_->scalars(), t = host_->scalars();
        EXPECT_EQ(bits(s.rho), bits(t.rho));
        EXPECT_EQ(bits(s.pq), bits(t.pq));
        EXPECT_EQ(bits(s.qq), bits(t.qq));
        EXPECT_EQ(bits(s.alpha), bits(t.alpha));
        EXPECT_EQ(bits(s.sigma), bits(t.sigma));
        EXPECT_EQ(bits(s.beta), bits(t.beta));
    }

    DatapathSpec spec_;
    std::unique_ptr<Session> device_, host_;
    std::vector<double> got_, want_;
    std::uint64_t passes_ = 0;
};

void compare(const std::string& text, const System& system, const std::vector<std::uint64_t>& runs) {
    SCOPED_TRACE(text + " " + to_string(system.kind()) + " row length " + std::to_string(system.row_length()) +
                 " size " + std::to_string(system.size()));
    Pair pair(text, system);
    pair.write(Vec::r, testing::random_residual(system, 0.02));
    for (const std::uint64_t passes : runs) {
        ASSERT_EQ(pair.run({.passes = passes}), RunEnd::passes) << "a run that ends early compares less than it says";
        if (::testing::Test::HasFailure()) return;
    }
}

class GpuFixed : public testing::DeviceTest, public ::testing::WithParamInterface<const char*> {};

/// Poisson of the paper, whose rows are sums of boxes.
System poisson(std::size_t columns, std::size_t rows) {
    return Stencil(columns, rows, {-0.125, -0.125, -0.125, -0.125, 1, -0.125, -0.125, -0.125, -0.125});
}

TEST_P(GpuFixed, EqualsEmulated) {
    const char* const spec = GetParam();
    compare(spec, poisson(17, 13), {1, 1, 4});
    compare(spec, poisson(131, 79), {1, 9});
    compare(spec, poisson(513, 301), {2, 20});
    compare(spec, poisson(1027, 700), {3});
    compare(spec, testing::axis_stencil(67, 203), {1, 5});
    compare(spec, testing::symmetric_stencil(401, 37, 0.01), {4});
    compare(spec, testing::symmetric_bands(9, 21, 3, true), {1, 5});
    compare(spec, testing::symmetric_bands(131, 203, 4, false), {4});
    compare(spec, testing::symmetric_bands(300, 411, 5, true), {6});
    compare(spec, testing::symmetric_bands(700, 900, 6, false), {3});
    if (std::string(spec).find("flux") != std::string::npos) return;
    compare(spec, stencil_system(130, 611), {3});
    compare(spec, band_system(67, 131, 9), {3});
    compare(spec, sparse_system(301, 5), {1, 1});
    compare(spec, sparse_system(5003, 7), {2});
}

INSTANTIATE_TEST_SUITE_P(Specs, GpuFixed,
                         ::testing::Values("fx18.14,coef=fx18.14", "fx20.16", "fx26.20:floor",
                                           "fx22.18,operand=s13e8,scalar=s16e8:rne", "fx30.24,coef=fx18.14,u=fx53.40",
                                           "fx32.26,coef=fx24.20", "fx24.20,u=s23e8",
                                           "fx18.14,p=fx20.15,q=fx22.17,u=fx31.20",
                                           "fx28.22,operand=s40e11,u=fx40.30:floor", "fx18.14,order=flux,u=s52e11"),
                         [](const auto& test) {
                             std::string name = test.param;
                             for (char& c : name)
                                 if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                             return name;
                         });

using GpuFixedEngine = testing::DeviceTest;

TEST_F(GpuFixedEngine, SessionsOwnTheirSystem) {
    for (const char* spec : {"fx18.14", "fx32.26,u=s23e8"})
        for (const System& system :
             {poisson(17, 13), System(testing::symmetric_bands(9, 21, 3, true)), sparse_system(301, 5)})
            session_test::expect_session_owns_its_system(*make_gpu_engine(), system, parse_spec(spec));
}

// A word that overflows keeps its low bits and ends the run; so does a value that did not fit.
TEST_F(GpuFixedEngine, Overflow) {
    for (const char* spec : {"fx18.16", "fx18.16:floor", "fx30.28,coef=fx18.14", "fx32.30,coef=fx18.14",
                             "fx18.16,u=fx18.16", "fx18.16,p=fx16.14,r=fx20.14"})
        for (const System& system : {poisson(33, 21), poisson(513, 300),
                                     System(testing::symmetric_bands(131, 203, 4, true)), sparse_system(999, 5)}) {
            SCOPED_TRACE(std::string(spec) + " " + to_string(system.kind()) + " " + std::to_string(system.size()));
            Pair pair(spec, system);
            std::mt19937_64 random(3);
            std::uniform_real_distribution<double> uniform(-1.9, 1.9);
            std::vector<double> x(system.size());
            for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) {
                for (double& value : x) value = uniform(random);
                pair.write(v, x);
            }
            pair.set_scalars(0.75, 0.8125);
            EXPECT_EQ(pair.run({.passes = 3}), RunEnd::window_overflow);
            EXPECT_EQ(pair.passes(), 1U);
            // Scalars are zero now; q overflows again, of p as it was cut.
            static_cast<void>(pair.run({.passes = 2}));
            pair.clear(Vec::p);
            pair.clear(Vec::q);
            pair.clear(Vec::r);
            x.assign(system.size(), 0.0);
            x[system.size() / 2] = 100;
            pair.write(Vec::r, x);
            EXPECT_EQ(pair.run({.passes = 3}), RunEnd::window_overflow);
            if (HasFailure()) return;
        }
}

// alpha and beta beyond the short integers of the resident kernels, in some passes and in all.
TEST_F(GpuFixedEngine, LongFactors) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    const System system = poisson(131, 77);
    for (const auto& [alpha, beta] : {std::pair{0x1p9, 0.5},
                                      {-0x1p12, 3.0},
                                      {0.4, 0x1p20},
                                      {0x1.8p40, 0.0},
                                      {0x1p-40, -0x1p-60},
                                      {-0x1.23456p-14, 0x1.7p-16},
                                      {0x1p-100, -0x1p-100}})
        for (const char* spec : {"fx18.16", "fx18.16:floor", "fx24.22,operand=s40e11"}) {
            SCOPED_TRACE(std::string(spec) + " alpha " + std::to_string(alpha) + " beta " + std::to_string(beta));
            Pair pair(spec, system);
            std::vector<double> x(system.size());
            for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) {
                for (double& value : x) value = std::ldexp(normal(random), -14);
                pair.write(v, x);
            }
            pair.set_scalars(alpha, beta);
            static_cast<void>(pair.run({.passes = 4}));
            if (HasFailure()) return;
        }
}

TEST_F(GpuFixedEngine, Stops) {
    const System system = poisson(65, 65);
    Pair zero("fx20.18", system);
    EXPECT_EQ(zero.run({.passes = 3}), RunEnd::exact);
    Pair pair("fx24.22", system);
    pair.write(Vec::r, testing::random_residual(system, 0.02));
    EXPECT_EQ(pair.run({.passes = 500, .rho_stop = 1e-3, .rho_stop_from = 7}), RunEnd::rho_reached);
    EXPECT_EQ(pair.run({.passes = 60, .rho_stop = 1e-9}), RunEnd::passes);
}

// As many passes as a solve takes, one run or many.
TEST_F(GpuFixedEngine, ManyPasses) {
    for (const char* spec : {"fx18.16", "fx20.18", "fx24.22", "fx28.26,coef=fx18.14"}) {
        SCOPED_TRACE(spec);
        const System system = poisson(513, 513);
        Pair pair(spec, system);
        std::vector<double> r(system.size(), 0.0);
        for (std::size_t i = 0; i < r.size(); ++i)
            if (!system.on_edge(i)) r[i] = 1.0 / 4096;
        pair.write(Vec::r, r);
        EXPECT_EQ(pair.run({.passes = 100}), RunEnd::passes);
        EXPECT_EQ(pair.run({.passes = 1}), RunEnd::passes);
        if (HasFailure()) return;
    }
}

TEST_F(GpuFixedEngine, Refusals) {
    const auto refusal = [](const char* spec, const System& system) {
        return make_gpu_engine()->refusal(parse_spec(spec), system, {});
    };
    const System system = poisson(9, 9);
    EXPECT_NE(refusal("fx18.16,point=moving", system).find("point=moving"), std::string::npos);
    EXPECT_NE(refusal("fx18.16,dot=fixed[13:-50]", system).find("exact"), std::string::npos);
    EXPECT_NE(refusal("s23e8,p=mxint8", system).find("engine gpu: p=mxint8: blocks of MX words"), std::string::npos);
    EXPECT_NE(refusal("fx33.20", system).find("32 bits"), std::string::npos);
    EXPECT_NE(refusal("fx18.16,coef=fx8.7", band_system(9, 9, 1)).find("does not fit"), std::string::npos);
    EXPECT_TRUE(refusal("fx18.16", system).empty());
}

} // namespace
} // namespace mantissa
