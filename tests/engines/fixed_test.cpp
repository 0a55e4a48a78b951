// The emulated engine's fixed-point sessions against the reference pass, bit for bit: 32-bit and general loops, every
// matrix kind, mixed formats, overflow, threads.
#include <random>

#include <gtest/gtest.h>

#include "mantissa/engine.hpp"
#include "reference_fixed.hpp"
#include "test_systems.hpp"

namespace mantissa {
namespace {

using testing::band_system;
using testing::ReferenceFixed;
using testing::scattered_system;
using testing::sparse_system;
using testing::stencil_system;

std::vector<double> random_values(std::size_t n, double size, unsigned seed = 1) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(-size, size);
    std::vector<double> values(n);
    for (double& x : values) x = uniform(random);
    return values;
}

void zero_edge(const System& system, std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (system.on_edge(i)) values[i] = 0;
}

/// Rows of nearly one length, so that the fastest session slices them: five entries, now and then fewer.
System even_rows(std::size_t size, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0.05, 0.3);
    std::vector<std::uint64_t> row_begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::size_t i = 0; i < size; ++i) {
        for (const std::size_t j : {i - 7, i - 1, i, i + 1, i + 7}) { // (wraps below 0: not a column)
            if (j >= size || (j != i && random() % 16 == 0)) continue;
            column.push_back(static_cast<std::uint32_t>(j));
            value.push_back(j == i ? 1.25 : -uniform(random));
        }
        row_begin.push_back(value.size());
    }
    return CompressedRows(std::move(row_begin), std::move(column), std::move(value));
}

struct Run {
    EmulatedPath path = EmulatedPath::fastest;
    int threads = 1;
    std::size_t passes = 6;
    double size = 0.1; ///< of the elements of r
    double alpha = 0, beta = 0;
};

/// How the run ended.
RunEnd compare(const std::string& text, const System& system, const Run& run) {
    const DatapathSpec spec = parse_spec(text);
    SCOPED_TRACE(to_string(spec) + " " + to_string(system.kind()) + " of " + std::to_string(system.size()) +
                 (run.path == EmulatedPath::general ? " general" : " fastest") + " threads " +
                 std::to_string(run.threads) + " size " + std::to_string(run.size));
    const auto session = make_emulated_engine(run.path)->load(system, spec, {run.threads, Recurrence::pipelined});
    ReferenceFixed reference(system, spec);
    std::vector<double> start = random_values(system.size(), run.size);
    zero_edge(system, start);
    session->write(Vec::r, 0, start);
    reference.write(Vec::r, start);
    if (run.alpha != 0 || run.beta != 0) {
        std::vector<double> p = random_values(system.size(), run.size, 2),
                            q = random_values(system.size(), run.size, 3);
        zero_edge(system, p);
        session->write(Vec::p, 0, p);
        session->write(Vec::q, 0, q);
        reference.write(Vec::p, p);
        reference.write(Vec::q, q);
        session->set_scalars(run.alpha, run.beta);
        reference.set_scalars(run.alpha, run.beta);
    }
    RunEnd end = RunEnd::passes;
    std::vector<double> values(system.size());
    for (std::size_t pass = 1; pass <= run.passes && end == RunEnd::passes; ++pass) {
        const RunReport report = session->run({.passes = 1});
        const testing::ReferenceStep step = reference.pass();
        end = report.end;
        EXPECT_EQ(to_string(report.end), to_string(step.end)) << "pass " << pass;
        for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) {
            session->read(v, 0, values);
            const std::vector<double> want = reference.read(v);
            for (std::size_t i = 0; i < values.size(); ++i)
                if (values[i] != want[i]) {
                    ADD_FAILURE() << "vector " << static_cast<int>(v) << "[" << i << "] after pass " << pass << ": got "
                                  << values[i] << ", want " << want[i];
                    return end;
                }
        }
        const Scalars got = session->scalars(), want = step.scalars;
        for (const auto field :
             {&Scalars::rho, &Scalars::pq, &Scalars::qq, &Scalars::alpha, &Scalars::sigma, &Scalars::beta})
            EXPECT_EQ(got.*field, want.*field) << "pass " << pass;
        if (::testing::Test::HasFailure()) return end;
    }
    return end;
}

class FixedSpec : public ::testing::TestWithParam<const char*> {};

TEST_P(FixedSpec, EqualsReferencePass) {
    for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general})
        for (const int threads : {1, 2, 3}) {
            EXPECT_EQ(compare(GetParam(), stencil_system(17, 13), {path, threads}), RunEnd::passes);
            compare(GetParam(), band_system(9, 21, 3), {path, threads}); // these may be solved exactly
            compare(GetParam(), sparse_system(301, 5), {path, threads});
        }
}

TEST_P(FixedSpec, SeveralChunksAndStrips) {
    const System scattered = scattered_system(9001, 2);
    const auto& rows = std::get<CompressedRows>(scattered.matrix());
    std::vector<double> quarter = rows.value();
    for (double& value : quarter) value /= 4;
    compare(GetParam(), stencil_system(3, 3), {.passes = 2});
    for (const int threads : {2, 3}) {
        compare(GetParam(), stencil_system(131, 97), {.threads = threads, .passes = 2});
        compare(GetParam(), stencil_system(2051, 9), {.threads = threads, .passes = 2});
        compare(GetParam(), band_system(67, 191, 9), {.threads = threads, .passes = 2});
        compare(GetParam(), rows.with_values(quarter), {.threads = threads, .passes = 2});
    }
    compare(GetParam(), stencil_system(131, 97), {.passes = 3}); // one strip of several chunks
}

TEST_P(FixedSpec, RowsInSlices) {
    for (const std::size_t size : {1, 15, 16, 33, 301})
        for (const int threads : {1, 2}) compare(GetParam(), even_rows(size, 3), {.threads = threads});
    for (const int threads : {1, 3}) compare(GetParam(), even_rows(17000, 4), {.threads = threads, .passes = 3});
    for (const double size : {0.9, 1.99}) compare(GetParam(), even_rows(999, 5), {.size = size});
}

// Sums of sparse rows that move left, onto a finer grid.
TEST(Fixed, SparseRowsOnAFinerGrid) {
    for (const System& system : {even_rows(301, 3), sparse_system(301, 5)})
        compare("fx12.8,r=fx26.20,q=fx26.20,coef=fx12.9", system, {.size = 0.05});
}

// Sums of a constant stencil that take 31 bits: the most that the 32-bit loops look at.
TEST(Fixed, StencilSumsOfThirtyOneBits) {
    const System nine = Stencil(67, 61, {-1, -1, -1, -1, 8, -1, -1, -1, -1});
    bool overflowed = false;
    for (const char* spec : {"fx27.24,coef=fx5.0", "fx26.24,coef=fx5.0", "fx28.26,coef=fx5.0"})
        for (const double size : {0.1, 0.9, 1.7, 3.9})
            for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general})
                overflowed |=
                    compare(spec, nine, {.path = path, .threads = 2, .size = size}) == RunEnd::window_overflow;
    EXPECT_TRUE(overflowed);
}

// Elements so large that words overflow within a few passes: what the words then hold is defined too.
TEST_P(FixedSpec, Overflow) {
    bool overflowed = false;
    for (const double size : {0.4, 0.9, 1.7, 1.99})
        for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general})
            for (const System& system : {stencil_system(67, 61), band_system(67, 61, 1), sparse_system(4097, 5)})
                overflowed |=
                    compare(GetParam(), system, {.path = path, .threads = 2, .size = size}) == RunEnd::window_overflow;
    EXPECT_TRUE(overflowed);
}

// Scalars of any size: left shifts, shifts beyond the word, negative ones, and those the 32-bit loops leave to others.
TEST_P(FixedSpec, AnyScalars) {
    const System system = stencil_system(37, 31);
    const double betas[] = {0.0, 1e-12, 0.9, -1.1, 300.0};
    int k = 0;
    for (const double alpha : {1e-30, 3e-5, 0.3, -0.7, 5.0, 47.0, 1e4, 1e30, -1e9})
        for (const double size : {1e-3, 0.2})
            for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general})
                compare(GetParam(), system,
                        {.path = path, .passes = 2, .size = size, .alpha = alpha, .beta = betas[k++ / 2 % 5]});
}

INSTANTIATE_TEST_SUITE_P(Formats, FixedSpec,
                         ::testing::Values("fx18.16", "fx18.16:floor", "fx18.16,u=fx32.30,coef=fx19.16",
                                           "fx18.16,u=s23e8", "fx18.16,u=double", "fx18.16,u=fx40.33,operand=s10e8",
                                           "fx22.20,coef=fx20.16,operand=s20e11:rne", "fx18.16,r=fx22.20",
                                           "fx22.20,r=fx18.16,q=fx20.17,coef=fx18.15", "fx18.16,q=fx24.20:floor",
                                           "fx18.16,r=fx18.16:floor", "fx18.16,dot=fixed[12:-40]",
                                           "fx18.16,dot=fixed[3:-20]", "fx30.28,coef=fx30.26",
                                           "fx40.37,coef=fx40.36,operand=s52e11", "fx53.50,coef=fx53.50",
                                           "fx12.10,coef=fx12.9,lanes=4", "fx18.16,p=fx12.9,q=fx24.22,coef=fx26.23"));

/// Both recurrences run in fixed words; the plain one in the general loops alone.
TEST(Fixed, PlainRecurrenceKeepsWordsAndConverges) {
    const System system = stencil_system(17, 13);
    const DatapathSpec spec = parse_spec("fx30.28,coef=fx24.20,u=fx40.30");
    const auto session = make_emulated_engine()->load(system, spec, {1, Recurrence::plain});
    std::vector<double> start = random_values(system.size(), 0.1);
    zero_edge(system, start);
    session->write(Vec::r, 0, start);
    const RunReport report = session->run({.passes = 40, .rho_stop = 1e-10});
    EXPECT_EQ(report.end, RunEnd::rho_reached);
    EXPECT_GT(report.words.r, 20);
    EXPECT_LE(report.words.r, 30);
}

/// Everything that a session holds after some passes.
std::vector<double> state(const std::string& text, const System& system, int threads) {
    const auto session = make_emulated_engine()->load(system, parse_spec(text), {threads, Recurrence::pipelined});
    std::vector<double> start = random_values(system.size(), 0.1);
    zero_edge(system, start);
    session->write(Vec::r, 0, start);
    session->run({.passes = 5});
    std::vector<double> all, values(system.size());
    for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) {
        session->read(v, 0, values);
        all.insert(all.end(), values.begin(), values.end());
    }
    const Scalars s = session->scalars();
    all.insert(all.end(), {s.rho, s.pq, s.qq, s.alpha, s.sigma, s.beta});
    return all;
}

// Sums are exact: products, fluxes and second differences, lanes and threads leave the same words.
TEST(Fixed, EveryOrderGivesTheSameWords) {
    const Stencil poisson(131, 97, {-1, -1, -1, -1, 8, -1, -1, -1, -1});
    const Stencil long_coefficients(131, 97, {-0.07, -0.31, -0.07, -0.23, 1.36, -0.23, -0.07, -0.31, -0.07});
    const auto bands = [](const Stencil& s) { // the stencil's inside as bands: row sums at the edge
        Bands::Array array;
        for (std::size_t b = 0; b < kBands; ++b) {
            array[b].resize(s.size());
            for (std::size_t i = 0; i < s.size(); ++i) {
                const auto j = static_cast<std::ptrdiff_t>(i) + band_offset(static_cast<int>(b), s.row_length());
                const bool inside = !s.on_edge(i) && !s.on_edge(static_cast<std::size_t>(j));
                array[b][i] = inside ? s.coefficients()[b] : 0.0;
            }
        }
        return Bands(s.row_length(), std::move(array));
    };
    for (const char* base :
         {"fx18.14,coef=fx20.15", "fx22.18,coef=fx24.19,u=fx40.22", "fx40.36,coef=fx40.34,u=double"}) {
        for (const Stencil& stencil : {poisson, long_coefficients}) {
            const std::string text = base;
            const std::vector<double> want = state(text, stencil, 1);
            for (const char* order : {"tree", "flux", "second-difference"})
                EXPECT_EQ(state(text + ",order=" + order, stencil, 2), want) << text << " " << order;
            EXPECT_EQ(state(text + ",lanes=4", stencil, 3), want) << text;
            const Bands nine = bands(stencil);
            const std::vector<double> banded = state(text, nine, 1);
            for (const char* order : {"tree", "flux"})
                EXPECT_EQ(state(text + ",order=" + order, nine, 2), banded) << text << " bands " << order;
            EXPECT_EQ(state(text + ",order=flux", SymmetricBands::from(nine), 1), banded) << text;
        }
    }
}

TEST(Fixed, WordsThatDoNotFitEndTheNextRun) {
    for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general}) {
        const System system = stencil_system(17, 13);
        const auto session = make_emulated_engine(path)->load(system, parse_spec("fx18.16"), {});
        std::vector<double> values(system.size(), 0.0);
        values[40] = 2.5;
        session->write(Vec::r, 0, values);
        session->read(Vec::r, 0, values);
        EXPECT_EQ(values[40], 2 - 0x1p-16);
        EXPECT_EQ(session->run({.passes = 3}).end, RunEnd::window_overflow);
        values.assign(values.size(), 0.0);
        values[40] = 0.5;
        session->clear(Vec::p);
        session->clear(Vec::q);
        session->write(Vec::r, 0, values);
        session->set_scalars(0, 0);
        EXPECT_EQ(session->run({.passes = 1}).end, RunEnd::passes);
    }
}

TEST(Fixed, CoefficientsThatDoNotFitAreNamed) {
    const auto refusal = [](const char* spec, const System& system) {
        return make_emulated_engine()->refusal(parse_spec(spec), system, {});
    };
    const System bands = band_system(9, 9, 1);
    EXPECT_NE(refusal("fx18.17", bands).find("coefficient (1, 1)"), std::string::npos) << refusal("fx18.17", bands);
    EXPECT_NE(refusal("fx18.17", bands).find("does not fit 19 bits"), std::string::npos);
    EXPECT_EQ(refusal("fx18.16", bands), "");
    EXPECT_THROW((void)make_emulated_engine()->load(bands, parse_spec("fx18.17"), {}), InvalidInput);
    EXPECT_EQ(refusal("fx18.17", stencil_system(9, 9)), ""); // a stencil's coefficients are constants
}

} // namespace
} // namespace mantissa
