// The Chebyshev recurrence: its step lengths, the emulated engine's passes against the reference pass bit for bit, and
// solves around it.
#include <cmath>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "mantissa/chebyshev.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/partition/parted_engine.hpp"
#include "mantissa/partition/space.hpp"
#include "mantissa/recurrence/interpreter.hpp"
#include "mantissa/recurrence/library.hpp"
#include "mantissa/recurrence/native_loops.hpp"
#include "reference_fixed.hpp"
#include "reference_pass.hpp"
#include "test_systems.hpp"

namespace mantissa {
namespace {

/// Eigenvalues 1 to 9, one a row.
System diagonal(std::size_t size) {
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::size_t i = 0; i < size; ++i) {
        column.push_back(static_cast<std::uint32_t>(i));
        value.push_back(1 + 8.0 * static_cast<double>(i) / static_cast<double>(size - 1));
        begin.push_back(i + 1);
    }
    return CompressedRows(begin, column, value);
}

double of(double x, int degree) { // T_degree outside [-1, 1]
    return std::cosh(degree * std::acosh(x));
}

// What Chebyshev polynomials say of the residual: r_k = T_k((theta - lambda) / delta) / T_k(theta / delta) b.
TEST(Chebyshev, ResidualsAreChebyshevPolynomials) {
    constexpr std::size_t kSize = 33;
    const System system = diagonal(kSize);
    const SpectrumBounds bounds{1, 9};
    const auto session =
        make_emulated_engine()->load(system, DatapathSpec(formats::kDouble), {1, Recurrence::chebyshev});
    const std::vector<double> b(kSize, 1.0);
    session->write(Vec::r, 0, b);
    const std::vector<StepPair> pairs = chebyshev_pairs(bounds, 12);
    ASSERT_EQ(pairs.size(), 13U);
    EXPECT_EQ(pairs[0], StepPair{});
    std::vector<double> r(kSize), u(kSize);
    for (int k = 0; k <= 12; ++k) {
        const RunReport report =
            session->run({.passes = 1, .pairs = std::span(pairs).subspan(static_cast<std::size_t>(k))});
        ASSERT_EQ(report.end, RunEnd::passes);
        session->read(Vec::r, 0, r);
        session->read(Vec::u, 0, u);
        for (std::size_t i = 0; i < kSize; ++i) {
            const double lambda = std::get<CompressedRows>(system.matrix()).value()[i];
            const double want = std::cos(k * std::acos((5 - lambda) / 4)) / of(1.25, k);
            EXPECT_NEAR(r[i], want, 1e-13) << "step " << k << ", eigenvalue " << lambda;
            EXPECT_NEAR(u[i], (1 - want) / lambda, 1e-13); // what is left of b is A u
        }
    }
    const Scalars s = session->scalars();
    EXPECT_EQ(s.alpha, pairs[12].alpha);
    EXPECT_EQ(s.beta, pairs[12].beta);
    EXPECT_EQ(s.rho + s.pq + s.qq + s.sigma, 0.0);
}

TEST(Chebyshev, BadBoundsAreRefused) {
    for (const SpectrumBounds bad : {SpectrumBounds{0, 1}, {-1, 1}, {2, 1}, {1, 1}, {1, INFINITY}, {NAN, 1}})
        EXPECT_THROW((void)chebyshev_pairs(bad, 3), InvalidInput) << bad.low << " " << bad.high;
}

/// Pairs of every size and sign, zeros among them.
std::vector<StepPair> any_pairs(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> significand(-1, 1);
    std::vector<StepPair> pairs(count);
    for (std::size_t k = 1; k < count; ++k)
        pairs[k] = {k % 5 == 0 ? 0.0 : significand(random), k % 7 == 0 ? 0.0 : 0.5 * significand(random)};
    return pairs;
}

std::vector<double> start_of(const System& system, double size) {
    std::mt19937 random(3);
    std::vector<double> r(system.size());
    for (std::size_t i = 0; i < r.size(); ++i)
        r[i] = system.on_edge(i) ? 0.0 : size * (static_cast<double>(random() % 2001) / 1000 - 1);
    return r;
}

template <class Reference>
void compare(const Engine& engine, Reference&& reference, const std::string& text, const System& system, int threads,
             double size) {
    SCOPED_TRACE(text + " " + to_string(system.kind()) + " threads " + std::to_string(threads));
    const DatapathSpec spec = parse_spec(text);
    const auto session = engine.load(system, spec, {threads, Recurrence::chebyshev});
    const std::vector<StepPair> pairs = any_pairs(6, 9);
    const std::vector<double> r = start_of(system, size);
    session->write(Vec::r, 0, r);
    reference.write(Vec::r, r);
    std::vector<double> got(system.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        ASSERT_EQ(session->run({.passes = 1, .pairs = std::span(pairs).subspan(k, 1)}).end, RunEnd::passes);
        reference.scalars.alpha = pairs[k].alpha;
        reference.scalars.beta = pairs[k].beta;
        (void)reference.pass();
        for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) {
            session->read(v, 0, got);
            const std::vector<double> want = [&] {
                if constexpr (requires { reference.read(v); }) return reference.read(v);
                else return reference.vec(v);
            }();
            for (std::size_t i = 0; i < got.size(); ++i)
                ASSERT_EQ(encode(formats::kDouble, got[i]), encode(formats::kDouble, want[i]))
                    << "vector " << static_cast<int>(v) << "[" << i << "] after pass " << k + 1;
        }
    }
}

TEST(Chebyshev, EqualsReferencePass) {
    using namespace testing;
    for (const char* text : {"s17e8", "s23e8", "float", "double", "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]",
                             "s10e6:rne,r=s12e7,q=s9e6,coef=s8e5,operand=s11e8,order=tree", "s17e8,order=flux"})
        for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general})
            for (const int threads : {1, 2})
                for (const System& system : {stencil_system(17, 13), band_system(9, 21, 3), sparse_system(301, 5)}) {
                    const DatapathSpec spec = parse_spec(text);
                    const SessionOptions options{threads, Recurrence::chebyshev};
                    if (!make_emulated_engine(path)->refusal(spec, system, options).empty()) continue;
                    compare(*make_emulated_engine(path), ReferenceSession(system, spec), text, system, threads, 0.1);
                    if (HasFatalFailure()) return;
                }
}

TEST(Chebyshev, EqualsReferencePassInWords) {
    using namespace testing;
    for (const char* text : {"fx18.16", "fx20.18,operand=s14e8", "fx21.17:floor,u=fx24.20,p=fx22.18,q=fx19.14:floor",
                             "fx30.26,u=s23e8", "fx18.16,dot=fixed[20:-40]"})
        for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general})
            for (const int threads : {1, 2})
                for (const System& system : {stencil_system(17, 13), sparse_system(301, 5)}) {
                    compare(*make_emulated_engine(path), ReferenceFixed(system, parse_spec(text)), text, system,
                            threads, 0.002);
                    if (HasFatalFailure()) return;
                }
}

// A word that overflows ends the run after its pass, and the pair stays to be seen; so does a value that does not fit.
TEST(Chebyshev, OverflowEndsARun) {
    const System system = testing::stencil_system(17, 13);
    for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general}) {
        const auto session =
            make_emulated_engine(path)->load(system, parse_spec("fx18.16"), {1, Recurrence::chebyshev});
        session->write(Vec::r, 0, start_of(system, 0.1));
        const StepPair pairs[] = {{}, {0.25, 0.25}, {0.25, 8}, {0.25, 8}, {0.5, 8}, {0.5, 8}, {0.5, 8}, {0.5, 8}};
        const RunReport report = session->run({.passes = std::size(pairs), .pairs = pairs});
        EXPECT_EQ(report.end, RunEnd::window_overflow);
        ASSERT_LT(report.passes, std::size(pairs));
        EXPECT_EQ(session->scalars().alpha, pairs[report.passes - 1].alpha);
        EXPECT_EQ(session->scalars().beta, pairs[report.passes - 1].beta);
        for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) session->clear(v);
        const double far = 1e9;
        session->write(Vec::r, 40, std::span(&far, 1));
        const RunReport unfit = session->run({.passes = 2, .pairs = pairs});
        EXPECT_EQ(unfit.end, RunEnd::window_overflow);
        EXPECT_EQ(unfit.passes, 1U);
        EXPECT_THROW((void)session->run({.passes = 9, .pairs = pairs}), InvalidInput);
        const StepPair beyond[] = {{INFINITY, 0}};
        EXPECT_THROW((void)session->run({.passes = 1, .pairs = beyond}), InvalidInput);
    }
    EXPECT_NE(make_emulated_engine()->refusal(parse_spec("fx18.16,point=moving"), system, {1, Recurrence::chebyshev}),
              "");
}

// The definition in the library makes the same steps as a session that gets the pairs: p is formed where they begin.
TEST(Chebyshev, TheDefinitionHasTheSessionsBits) {
    const SpectrumBounds bounds{0.25, 5};
    const DatapathSpec spec = parse_spec("double");
    for (const System& system : {testing::stencil_system(17, 13), testing::sparse_system(301, 5)}) {
        const auto session = make_emulated_engine()->load(system, spec, {1, Recurrence::chebyshev});
        const std::vector<double> b = start_of(system, 0.1);
        session->write(Vec::r, 0, b);
        const std::vector<StepPair> pairs = chebyshev_pairs(bounds, 40);
        recurrence::Interpreter steps(system, spec, recurrence::kChebyshev);
        const double given[] = {(bounds.high + bounds.low) / 2, (bounds.high - bounds.low) / 2};
        steps.start(b, given);
        static_cast<void>(session->run({.passes = 1, .pairs = pairs}));
        std::vector<double> want(system.size()), got(system.size());
        for (std::size_t k = 1; k <= 40; ++k) {
            ASSERT_EQ(session->run({.passes = 1, .pairs = std::span(pairs).subspan(k, 1)}).end, RunEnd::passes);
            ASSERT_EQ(to_string(steps.run({.passes = 1}).end), "passes");
            session->read(Vec::u, 0, want);
            steps.solution(0, got);
            ASSERT_EQ(got, want) << k;
            session->read(Vec::r, 0, want);
            steps.read("r", 0, got);
            ASSERT_EQ(got, want) << k;
            double square = 0;
            for (const double x : got) square += x * x;
            EXPECT_NEAR(steps.square(), square, 1e-12 * square); // looked at where a run ends
        }
    }
    EXPECT_THROW(recurrence::Interpreter(testing::stencil_system(17, 13), spec, recurrence::kChebyshev)
                     .start(std::vector<double>(17 * 13)),
                 InvalidInput); // nothing is given
}

// What is watched is formed after every 32nd iteration and at the end of a run.
TEST(Chebyshev, LooksAtItsResidualNowAndThen) {
    const System system = diagonal(33);
    const double given[] = {5, 4}, small = 1e-10; // T_k(5 / 4): 33.3 iterations for it, and another look
    recurrence::Interpreter steps(system, parse_spec("double"), recurrence::kChebyshev);
    const std::vector<double> b(33, 1.0);
    steps.start(b, given);
    const RunReport report = steps.run({.passes = 1000, .rho_stop = 33 * small * small});
    EXPECT_EQ(to_string(report.end), "rho reached");
    EXPECT_EQ(report.passes, 64U);
    steps.start(b, given);
    EXPECT_EQ(steps.run({.passes = 40, .rho_stop = 33 * small * small}).passes, 40U);
    EXPECT_LT(steps.square(), 33 * small * small);
    const auto& rows = std::get<CompressedRows>(system.matrix());
    std::vector<double> u(33);
    const auto native = recurrence::make_native_loops(recurrence::kChebyshev, rows, false, 1, given);
    EXPECT_EQ(native->run(b, small, 1000, 1000, u).iterations, 64U);
    const auto none = recurrence::make_native_loops(recurrence::kChebyshev, rows, false);
    EXPECT_THROW(none->run(b, small, 1000, 1000, u), InvalidInput);
}

/// A whole solve; `recurrence` as the option has it.
SolveResult solved(const std::string& problem, const std::string& spec, std::uint64_t inner, Scheme scheme,
                   std::optional<SpectrumBounds> bounds = {}) {
    SolveOptions o;
    o.scheme = scheme;
    o.spec = parse_spec(spec);
    o.inner = inner;
    o.recurrence = RecurrenceChoice::chebyshev;
    o.bounds = bounds;
    return solve(make_problem(problem), *make_emulated_engine(), o);
}

TEST(Chebyshev, SolvesInWordsAndFloats) {
    for (const char* problem : {"poisson2d:level=5", "diffusion2d:level=5"})
        for (const char* spec : {"fx18.16", "s17e8", "double"})
            for (const Scheme scheme : {Scheme::defect_correction, Scheme::inexact_pcg}) {
                SCOPED_TRACE(std::string(problem) + " " + spec + " " + to_string(scheme));
                const SolveResult r = solved(problem, spec, 40, scheme);
                EXPECT_EQ(r.status, Status::converged) << r.detail;
                ASSERT_TRUE(r.chebyshev.has_value());
                EXPECT_GT(r.chebyshev->lanczos_steps, 8U);
                EXPECT_EQ(r.inner_iterations, 40 * r.outer_iterations);
                EXPECT_EQ(r.sigma_guards, 0U);
            }
}

TEST(Chebyshev, GivenBoundsAreUsed) {
    // The bilinear Laplacian's eigenvalues lie below 4.
    const SolveResult given =
        solved("poisson2d:level=5", "s23e8", 60, Scheme::defect_correction, SpectrumBounds{0.015, 4});
    EXPECT_EQ(given.status, Status::converged) << given.detail;
    EXPECT_EQ(given.chebyshev, (ChebyshevBounds{{0.015, 4}, 0}));
    // An eigenvalue far above the upper bound grows.
    const SolveResult wrong =
        solved("poisson2d:level=5", "s23e8", 60, Scheme::defect_correction, SpectrumBounds{0.015, 1});
    EXPECT_EQ(wrong.status, Status::diverged) << wrong.detail;
}

TEST(Chebyshev, WhatCannotBeIsRefusedInOneLine) {
    const auto why = [](auto&& change) {
        SolveOptions o;
        o.scheme = Scheme::defect_correction;
        o.recurrence = RecurrenceChoice::chebyshev;
        change(o);
        return options::refusal(o);
    };
    EXPECT_EQ(why([](SolveOptions&) {}), "");
    EXPECT_NE(why([](SolveOptions& o) { o.digits = 2; }).find("leave digits out"), std::string::npos);
    EXPECT_NE(why([](SolveOptions& o) { o.scheme = Scheme::residual_guided; }).find("iterates pipelined"),
              std::string::npos);
    EXPECT_NE(why([](SolveOptions& o) { o.spec = parse_spec("fx18.16,point=moving"); }).find("point=moving"),
              std::string::npos);
    EXPECT_NE(why([](SolveOptions& o) {
                  o.recurrence = RecurrenceChoice::pipelined;
                  o.bounds = SpectrumBounds{1, 2};
              }).find("bounds"),
              std::string::npos);
    EXPECT_NE(why([](SolveOptions& o) { o.bounds = SpectrumBounds{2, 1}; }).find("smaller first"), std::string::npos);
}

// Parts of a system show what the whole does.
TEST(Chebyshev, OverParts) {
    const System system = testing::stencil_system(17, 29);
    for (const char* text : {"fx18.16", "s17e8,dot=fixed[20:-40]", "s17e8"}) {
        SCOPED_TRACE(text);
        const DatapathSpec spec = parse_spec(text);
        const auto parted = make_parted_engine(make_threads_space(3));
        const SessionOptions options{1, Recurrence::chebyshev};
        if (const std::string why = parted->refusal(spec, system, options); !why.empty()) {
            EXPECT_STREQ(text, "s17e8") << why; // floating sums have an order
            continue;
        }
        const auto a = make_emulated_engine()->load(system, spec, options), b = parted->load(system, spec, options);
        const std::vector<double> r = start_of(system, 0.05);
        const std::vector<StepPair> pairs = any_pairs(9, 5);
        for (Session* s : {a.get(), b.get()}) s->write(Vec::r, 0, r);
        const RunReport x = a->run({.passes = 9, .pairs = pairs}), y = b->run({.passes = 9, .pairs = pairs});
        EXPECT_EQ(x.end, y.end);
        EXPECT_EQ(x.passes, y.passes);
        std::vector<double> v(system.size()), w(system.size());
        for (const Vec vec : {Vec::u, Vec::r, Vec::p, Vec::q}) {
            a->read(vec, 0, v);
            b->read(vec, 0, w);
            EXPECT_EQ(v, w);
        }
    }
}

} // namespace
} // namespace mantissa
