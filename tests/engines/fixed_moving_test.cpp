// Fixed-point words whose binary point moves, against a reference of exact rationals, bit for bit: every matrix kind,
// word lengths, threads, scalars that move the point far, overflow of q, and the way home.
#include <random>

#include <gtest/gtest.h>

#include "mantissa/engine.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/moving_point.hpp"
#include "reference_moving.hpp"
#include "symmetric_systems.hpp"
#include "test_systems.hpp"

namespace mantissa {
namespace {

using testing::band_system;
using testing::ReferenceMoving;
using testing::sparse_system;
using testing::stencil_system;

std::vector<double> random_values(const System& system, double size, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(-size, size);
    std::vector<double> values(system.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = uniform(random);
        values[i] = system.on_edge(i) ? 0 : x;
    }
    return values;
}

struct Run {
    EmulatedPath path = EmulatedPath::fastest;
    int threads = 1;
    int passes = 8;
    double size = 0.1;          ///< of the elements of r, p and q
    double alpha = 0, beta = 0; ///< of the first pass; p and q are written where one is not zero
};

struct Outcome {
    int overflows = 0, least = 0, most = 0; ///< runs that overflowed; where the point was
};

/// Session and reference in step. A run that cannot go on is followed by others all the same.
class Pair {
public:
    Pair(const DatapathSpec& spec, const System& system, const Run& run)
        : session_(make_emulated_engine(run.path)->load(system, spec, {run.threads, Recurrence::pipelined})),
          reference_(system, spec), size_(system.size()) {}

    void write(Vec v, const std::vector<double>& values) {
        session_->write(v, 0, values);
        reference_.write(v, values);
    }
    void set_scalars(double alpha, double beta) {
        session_->set_scalars(alpha, beta);
        reference_.scalars = {};
        reference_.scalars.alpha = alpha;
        reference_.scalars.beta = beta;
    }
    void home() {
        for (const Vec v : {Vec::q, Vec::r, Vec::p}) session_->clear(v);
        reference_.home();
    }
    /// False when something differs.
    bool pass(Outcome& outcome) {
        const RunReport report = session_->run({.passes = 1});
        const testing::ReferenceStep step = reference_.pass();
        EXPECT_EQ(to_string(report.end), to_string(step.end));
        outcome.overflows += report.end == RunEnd::window_overflow ? 1 : 0;
        outcome.least = std::min(outcome.least, reference_.moved());
        outcome.most = std::max(outcome.most, reference_.moved());
        std::vector<double> got(size_);
        for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) {
            session_->read(v, 0, got);
            const std::vector<double> want = reference_.read(v);
            for (std::size_t i = 0; i < size_; ++i)
                if (got[i] != want[i]) {
                    ADD_FAILURE() << "vector " << static_cast<int>(v) << "[" << i << "]: got " << got[i] << ", want "
                                  << want[i] << " with the point moved by " << reference_.moved();
                    return false;
                }
        }
        const Scalars s = session_->scalars();
        for (const auto field :
             {&Scalars::rho, &Scalars::pq, &Scalars::qq, &Scalars::alpha, &Scalars::sigma, &Scalars::beta})
            EXPECT_EQ(s.*field, step.scalars.*field);
        return !::testing::Test::HasFailure();
    }
    [[nodiscard]] Session& session() { return *session_; }

private:
    std::unique_ptr<Session> session_;
    ReferenceMoving reference_;
    std::size_t size_;
};

Outcome compare(const std::string& text, const System& system, const Run& run) {
    const DatapathSpec spec = parse_spec(text);
    SCOPED_TRACE(to_string(spec) + " " + to_string(system.kind()) + " of " + std::to_string(system.size()) +
                 (run.path == EmulatedPath::general ? " general" : " fastest") + " threads " +
                 std::to_string(run.threads) + " size " + std::to_string(run.size) + " alpha " +
                 std::to_string(run.alpha) + " beta " + std::to_string(run.beta));
    Outcome outcome;
    Pair pair(spec, system, run);
    pair.write(Vec::r, random_values(system, run.size, 1));
    if (run.alpha != 0 || run.beta != 0) {
        pair.write(Vec::p, random_values(system, run.size, 2));
        pair.write(Vec::q, random_values(system, run.size, 3));
        pair.set_scalars(run.alpha, run.beta);
    }
    for (int pass = 1; pass <= run.passes; ++pass) {
        SCOPED_TRACE("pass " + std::to_string(pass));
        if (!pair.pass(outcome)) return outcome;
    }
    return outcome;
}

std::vector<System> systems() {
    return {stencil_system(17, 13), band_system(9, 21, 3), sparse_system(211, 5),
            testing::symmetric_bands(11, 13, 2, true)};
}

class Moving : public ::testing::TestWithParam<const char*> {};

TEST_P(Moving, EqualsReferencePass) {
    int most = 0;
    for (const System& system : systems())
        for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general})
            for (const int threads : {1, 2, 3})
                most = std::max(most, compare(GetParam(), system, {path, threads, 16}).most);
    EXPECT_GT(most, 4); // the residual falls and the point rises
}

// Words of every size in front of the first pass: it moves far, and q overflows where it is short.
TEST_P(Moving, FirstPassesMoveFar) {
    int least = 0, most = 0;
    for (const System& system : systems())
        for (const double size : {1.9, 0.4, 1e-3, 4e-5, 0.0}) {
            const Outcome outcome = compare(GetParam(), system, {.threads = 2, .passes = 12, .size = size});
            least = std::min(least, outcome.least);
            most = std::max(most, outcome.most);
        }
    EXPECT_LT(least, 0);
    EXPECT_GT(most, 4);
}

// Scalars of any size: the point falls far, to its limit and beyond it, where words of r and p overflow.
TEST_P(Moving, AnyScalars) {
    const System system = stencil_system(13, 11);
    int least = 0;
    for (const double alpha : {0.0, 1e-200, 1e-30, 3e-5, 0.25, -0.7, 47.0, 1e30, -1e70, 1e90, 1e250})
        for (const double beta : {0.0, 1e-12, 0.9, -1.1, 512.0, 1e80, -1e300})
            for (const double size : {1e-3, 0.4})
                least = std::min(
                    least,
                    compare(GetParam(), system, {.passes = 2, .size = size, .alpha = alpha, .beta = beta}).least);
    EXPECT_EQ(least, -256);
}

INSTANTIATE_TEST_SUITE_P(Formats, Moving,
                         ::testing::Values("fx18.16,q=fx19.16,u=fx31.21,point=moving",
                                           "fx18.16,u=s23e8,point=moving,operand=s16e11",
                                           "fx12.10,q=fx16.10,u=fx24.12,coef=fx12.9,point=moving",
                                           "fx14.12,q=fx15.12,u=double,coef=fx14.9,point=moving,operand=s10e11:rne",
                                           "fx18.16:floor,u=fx40.33,coef=fx20.16,point=moving",
                                           "fx20.18,p=fx22.18,coef=fx20.16,point=moving",
                                           "fx30.28,q=fx32.28,u=fx50.30,coef=fx30.26,point=moving",
                                           "fx50.48,q=fx53.48,coef=fx40.36,operand=s52e11,point=moving",
                                           "fx8.6,coef=fx12.9,point=moving"));

/// q overflows; each time the guard grows, and then q fits.
TEST(MovingPoint, OverflowOfQTakesABitFromTheOthers) {
    const System system = Stencil(33, 33, {-1, -1, -1, -1, 8, -1, -1, -1, -1});
    std::vector<double> rough(system.size());
    for (std::size_t i = 0; i < rough.size(); ++i)
        rough[i] = system.on_edge(i) ? 0 : (i % 33 + i / 33) % 2 == 0 ? 1.0 : -0.9; // a row sum of 8 to 16 p
    Pair pair(parse_spec("fx18.16,coef=fx18.14,point=moving"), system, {});
    Outcome outcome;
    int passes = 0;
    for (int before = -1; before != outcome.overflows && passes < 20; ++passes) {
        before = outcome.overflows;
        pair.home();
        pair.write(Vec::r, rough);
        pair.set_scalars(0, 0);
        ASSERT_TRUE(pair.pass(outcome));
    }
    EXPECT_GE(outcome.overflows, 2);
    EXPECT_LT(passes, 6);
    EXPECT_EQ(pair.session().run({.passes = 4}).end, RunEnd::passes);
}

TEST(MovingPoint, WritesWantAPointAtHome) {
    const System system = stencil_system(17, 13);
    for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general}) {
        const auto session = make_emulated_engine(path)->load(system, parse_spec("fx18.16,point=moving"), {});
        std::vector<double> values = random_values(system, 1e-4, 1);
        session->write(Vec::r, 0, values);
        ASSERT_EQ(session->run({.passes = 2}).end, RunEnd::passes);
        for (const Vec v : {Vec::r, Vec::p, Vec::q}) EXPECT_THROW(session->write(v, 0, values), InvalidInput);
        EXPECT_NO_THROW(session->write(Vec::u, 0, values));
        session->clear(Vec::p);
        session->clear(Vec::r);
        EXPECT_THROW(session->write(Vec::r, 0, values), InvalidInput);
        session->clear(Vec::q);
        session->write(Vec::r, 0, values);
        session->read(Vec::r, 0, values);
        for (const double x : values) ASSERT_EQ(x, std::ldexp(std::nearbyint(std::ldexp(x, 16)), -16));
    }
}

TEST(MovingPoint, PlainRecurrenceIsRefused) {
    const auto engine = make_emulated_engine();
    const System system = stencil_system(9, 9);
    const DatapathSpec spec = parse_spec("fx18.16,point=moving");
    EXPECT_NE(engine->refusal(spec, system, {1, Recurrence::plain}).find("pipelined"), std::string::npos);
    EXPECT_EQ(engine->refusal(spec, system, {}), "");
    EXPECT_THROW((void)engine->load(system, spec, {1, Recurrence::plain}), InvalidInput);
}

struct Solved {
    SolveResult result;
    bool converged;
};
Solved solved(const std::string& spec, Scheme scheme = Scheme::residual_guided, int threads = 2) {
    SolveOptions options;
    options.spec = parse_spec(spec);
    options.scheme = scheme;
    options.threads = threads;
    options.keep_solution = true;
    Solved s{solve(make_problem("poisson2d:level=6"), *make_emulated_engine(), options), false};
    s.converged = s.result.status == Status::converged && s.result.true_residual <= 1e-10;
    return s;
}

/// 14 bits take 283 iterations with a still point whose headroom does not adapt.
TEST(MovingPoint, SolvesInShortWords) {
    const Solved eighteen = solved("fx18.16,q=fx19.16,u=fx31.21,coef=fx18.14,point=moving");
    EXPECT_TRUE(eighteen.converged);
    EXPECT_EQ(eighteen.result.overflows, 0U);
    EXPECT_LE(eighteen.result.inner_iterations, 150U);
    const Solved fourteen = solved("fx14.12,q=fx15.12,u=fx31.17,coef=fx14.10,point=moving");
    EXPECT_TRUE(fourteen.converged);
    EXPECT_LE(fourteen.result.inner_iterations, 200U);
    EXPECT_EQ(solved("fx14.12,q=fx15.12,u=fx31.17,coef=fx14.10,point=moving", Scheme::residual_guided, 1).result.u,
              fourteen.result.u);
    EXPECT_TRUE(solved("fx18.16,q=fx19.16,u=fx36.21,coef=fx18.14,point=moving", Scheme::defect_correction).converged);
}

/// An overflow costs the step: of q the session takes a bit from r and p, of u the scheme scales by more.
TEST(MovingPoint, SolvesAfterOverflows) {
    const Solved q = solved("fx18.16,q=fx15.16,u=fx36.21,coef=fx18.14,point=moving");
    EXPECT_TRUE(q.converged);
    EXPECT_GE(q.result.overflows, 1U);
    EXPECT_LE(q.result.overflows, 6U);
    EXPECT_EQ(q.result.words.q, 16); // one more than there are
    const Solved u = solved("fx18.16,q=fx19.16,u=fx24.20,coef=fx18.14,point=moving");
    EXPECT_TRUE(u.converged);
    EXPECT_GE(u.result.overflows, 1U);
    EXPECT_LE(u.result.overflows, 8U);
    EXPECT_EQ(u.result.words.u, 25);
}

/// The rise leaves room for both sums and their roundings, and one more bit would be too much by a factor below four.
TEST(MovingPoint, RiseBoundsTheSums) {
    for (const int w : {8, 12, 18, 30, 53})
        for (int r = 0; r < w; ++r)
            for (int aq = -40; aq < 60; ++aq)
                for (int bp = -40; bp < 60; bp += 3) {
                    const int d = fixed::point_rise(w, r, aq, bp);
                    using Sum =
                        long double; // three powers of two within 64 bits, or one so small that it does not count
                    const Sum sum = std::ldexp(Sum{1}, r) + std::ldexp(Sum{1}, aq) + std::ldexp(Sum{1}, bp);
                    ASSERT_LE(std::ldexp(sum, d) + 2, std::ldexp(Sum{1}, w - 1))
                        << w << " " << r << " " << aq << " " << bp;
                    if (d < 2) {
                        ASSERT_GT(std::ldexp(sum, d + 2), std::ldexp(Sum{1}, w - 1));
                    }
                }
}

} // namespace
} // namespace mantissa
