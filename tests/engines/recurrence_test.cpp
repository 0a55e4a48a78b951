// Recurrences as values: the interpreter against the engine's sessions and against plain loops, bit for bit; what the
// definitions refuse; what is derived of them; one that only this file has.
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/recurrence/interpreter.hpp"
#include "mantissa/recurrence/ledger.hpp"
#include "mantissa/recurrence/library.hpp"
#include "mantissa/recurrence/native.hpp"
#include "reference_pass.hpp"
#include "test_systems.hpp"

namespace mantissa {
namespace {

using recurrence::Definition;
using recurrence::Interpreter;
using testing::band_system;
using testing::scattered_system;
using testing::sparse_system;
using testing::stencil_system;

constexpr const char* kSpecs[] = {
    "s52e11",
    "s17e8",
    "s23e8:rne,order=tree,lanes=2",
    "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]",
    "s10e6:rne,r=s12e7,q=s9e6,coef=s8e5,operand=s11e8,order=tree,product=s14e8:rne,dot=s28e9:rne/"
    "8,scalar=s30e9,lanes=4",
    "fx18.16",
    "fx20.18,operand=s14e8,scalar=s20e8,u=s23e8",
    "fx21.17:floor,u=fx24.20,p=fx22.18,q=fx19.14:floor,coef=fx17.13,operand=s9e7:rne,scalar=s24e9:rne",
    "fx24.20,dot=fixed[13:-40]"};

std::vector<System> systems() {
    const System scattered = scattered_system(403, 2);
    const auto& rows = std::get<CompressedRows>(scattered.matrix());
    std::vector<double> quarter = rows.value(); // so that words of few integer bits hold it
    for (double& value : quarter) value /= 4;
    return {stencil_system(17, 13), band_system(9, 21, 3), sparse_system(301, 5),
            CompressedRows(rows.row_begin(), rows.column(), std::move(quarter))};
}
std::vector<double> start_of(const System& system, const DatapathSpec& spec) {
    return spec.fixed_vectors() ? testing::random_residual(system, 0.05) : testing::random_residual(system, spec.r);
}

void expect_equal(std::span<const double> got, std::span<const double> want, const std::string& what) {
    for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(got[i]), std::bit_cast<std::uint64_t>(want[i]))
            << what << "[" << i << "]: got " << got[i] << ", want " << want[i];
}

class RecurrenceSpec : public ::testing::TestWithParam<const char*> {};

/// The definition's run beside a session's, one pass at a time, until it ends or `passes` are made.
void compare_with_session(const Definition& definition, Recurrence recurrence, EmulatedPath path, const System& system,
                          const std::string& text, int passes) {
    SCOPED_TRACE(text + " " + std::string(definition.name.view()) + " " + to_string(system.kind()));
    const DatapathSpec spec = parse_spec(text);
    const auto engine = make_emulated_engine(path);
    ASSERT_EQ(engine->refusal(spec, system, {2, recurrence}), "");
    const auto session = engine->load(system, spec, {2, recurrence});
    Interpreter interpreter(system, spec, definition, 2);
    const std::vector<double> r = start_of(system, spec);
    session->write(Vec::r, 0, r);
    interpreter.start(r);
    std::vector<double> got(system.size()), want(system.size());
    for (int pass = 1; pass <= passes; ++pass) {
        SCOPED_TRACE("pass " + std::to_string(pass));
        const RunReport a = session->run({.passes = 1}), b = interpreter.run({.passes = 1});
        ASSERT_EQ(to_string(b.end), to_string(a.end));
        ASSERT_EQ(b.passes, a.passes);
        ASSERT_EQ(b.sigma_guards, a.sigma_guards);
        ASSERT_EQ(b.words, a.words);
        const char* names[] = {"u", "r", "p", "q"};
        for (std::size_t v = 0; v < 4; ++v) {
            session->read(static_cast<Vec>(v), 0, want);
            interpreter.read(names[v], 0, got);
            expect_equal(got, want, names[v]);
            if (::testing::Test::HasFatalFailure()) return;
        }
        const Scalars s = session->scalars();
        EXPECT_EQ(interpreter.scalar("alpha"), s.alpha);
        EXPECT_EQ(interpreter.scalar("sigma"), s.sigma);
        EXPECT_EQ(interpreter.scalar("beta"), s.beta);
        EXPECT_EQ(interpreter.scalar("rho"), s.rho);
        if (a.end == RunEnd::passes) {
            EXPECT_EQ(interpreter.scalar("pq"), s.pq);
        }
        if (::testing::Test::HasFailure() || a.end != RunEnd::passes) return;
    }
}

TEST_P(RecurrenceSpec, EqualsSessions) {
    for (const System& system : systems())
        for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general}) {
            compare_with_session(recurrence::kPipelined, Recurrence::pipelined, path, system, GetParam(), 24);
            compare_with_session(recurrence::kCg, Recurrence::plain, path, system, GetParam(), 24);
        }
}

/// Steps written out as loops, element by element.
struct Loops {
    using Vector = std::vector<double>;
    testing::ReferenceSession session;
    const DatapathSpec& spec = session.spec;

    Vector product(const Vector& x) {
        session.vec(Vec::p) = x;
        return session.rows();
    }
    [[nodiscard]] double dot(const Vector& a, const Vector& b) const { return session.dot(a, b).value; }
    void step(const Format& f, Vector& out, const Vector& x, double s, const Vector& y, bool minus = false) const {
        const double operand = exact::convert(spec.operand, s);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double along = exact::mul(f, operand, y[i]);
            out[i] = minus ? exact::sub(f, x[i], along) : exact::add(f, x[i], along);
        }
    }
    [[nodiscard]] double mul(double a, double b) const { return exact::mul(spec.scalar, a, b); }
    [[nodiscard]] double div(double a, double b) const { return exact::div(spec.scalar, a, b); }
    [[nodiscard]] Vector start(const Vector& b) const {
        Vector r;
        for (const double x : b) r.push_back(exact::convert(spec.r, x));
        return r;
    }
};

/// Chronopoulos and Gear's, or with a product more Ghysels and Vanroose's; u after `steps` iterations.
std::vector<double> one_wait(Loops loops, const std::vector<double>& b, int steps, bool hidden) {
    std::vector<double> r = loops.start(b), u(b.size()), p(u), s(u), z(u), w = loops.product(r);
    double alpha = 0, before = 0;
    for (int k = 0; k < steps; ++k) {
        const double rho = loops.dot(r, r), delta = loops.dot(r, w);
        double beta = 0, denominator = delta;
        if (k > 0) {
            beta = loops.div(rho, before);
            denominator = exact::sub(loops.spec.scalar, delta, loops.div(loops.mul(beta, rho), alpha));
        }
        const std::vector<double> n = hidden ? loops.product(w) : std::vector<double>();
        alpha = loops.div(rho, denominator);
        loops.step(loops.spec.p, p, r, beta, p);
        loops.step(loops.spec.q, s, w, beta, s);
        loops.step(loops.spec.u, u, u, alpha, p);
        loops.step(loops.spec.r, r, r, alpha, s, true);
        if (hidden) {
            loops.step(loops.spec.q, z, n, beta, z);
            loops.step(loops.spec.q, w, w, alpha, z, true);
        } else {
            w = loops.product(r);
        }
        before = rho;
    }
    return u;
}

std::vector<double> bicgstab(Loops loops, const std::vector<double>& b, int steps) {
    std::vector<double> r = loops.start(b), u(b.size()), p(u), v(u), t(u);
    const std::vector<double> shadow = r;
    double rho = loops.dot(shadow, r), omega = 0, beta = 0;
    for (int k = 0; k < steps; ++k) {
        loops.step(loops.spec.p, p, p, omega, v, true);
        loops.step(loops.spec.p, p, r, beta, p);
        v = loops.product(p);
        const double alpha = loops.div(rho, loops.dot(shadow, v));
        loops.step(loops.spec.u, u, u, alpha, p);
        loops.step(loops.spec.r, r, r, alpha, v, true);
        t = loops.product(r);
        omega = loops.div(loops.dot(t, r), loops.dot(t, t));
        loops.step(loops.spec.u, u, u, omega, r);
        loops.step(loops.spec.r, r, r, omega, t, true);
        const double next = loops.dot(shadow, r);
        beta = loops.mul(loops.div(next, rho), loops.div(alpha, omega));
        rho = next;
    }
    return u;
}

std::vector<double> flexible(Loops loops, const std::vector<double>& b, int steps) {
    std::vector<double> r = loops.start(b), u(b.size()), p(u);
    double rho = loops.dot(r, r), beta = 0;
    for (int k = 0; k < steps; ++k) {
        loops.step(loops.spec.p, p, r, beta, p);
        const std::vector<double> q = loops.product(p);
        const double alpha = loops.div(rho, loops.dot(p, q));
        loops.step(loops.spec.u, u, u, alpha, p);
        loops.step(loops.spec.r, r, r, alpha, q, true);
        beta = -loops.div(loops.mul(alpha, loops.dot(r, q)), rho);
        rho = loops.dot(r, r);
    }
    return u;
}

TEST_P(RecurrenceSpec, EqualsLoops) {
    const DatapathSpec spec = parse_spec(GetParam());
    if (spec.fixed_vectors()) return; // (words: each kind of step is one that EqualsSessions has)
    for (const System& system : systems()) {
        SCOPED_TRACE(to_string(system.kind()));
        const std::vector<double> r = start_of(system, spec);
        const Loops loops{testing::ReferenceSession(system, spec)};
        std::vector<double> got(system.size());
        for (const int steps : {1, 2, 3}) {
            SCOPED_TRACE(std::to_string(steps) + " iterations");
            const auto expect = [&](const Definition& definition, const std::vector<double>& want) {
                Interpreter interpreter(system, spec, definition, 2);
                interpreter.start(r);
                const RunReport report = interpreter.run({.passes = static_cast<std::uint64_t>(steps)});
                ASSERT_EQ(to_string(report.end), "passes") << definition.name.view();
                ASSERT_EQ(report.passes, static_cast<std::uint64_t>(steps));
                interpreter.solution(0, got);
                expect_equal(got, want, std::string(definition.name.view()));
            };
            expect(recurrence::kChronopoulosGear, one_wait(loops, r, steps, false));
            expect(recurrence::kGhyselsVanroose, one_wait(loops, r, steps, true));
            expect(recurrence::kBicgstab, bicgstab(loops, r, steps));
            expect(recurrence::kFlexible, flexible(loops, r, steps));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Specs, RecurrenceSpec, ::testing::ValuesIn(kSpecs),
                         [](const auto& instance) { return "n" + std::to_string(instance.index); });

/// ||b - A u|| / ||b|| in double.
double residual(const System& system, std::span<const double> u, std::span<const double> b) {
    const auto& rows = std::get<CompressedRows>(system.matrix());
    double sum = 0, all = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        double d = b[i];
        for (auto k = rows.row_begin()[i]; k < rows.row_begin()[i + 1]; ++k) d -= rows.value()[k] * u[rows.column()[k]];
        sum += d * d;
        all += b[i] * b[i];
    }
    return std::sqrt(sum / all);
}

// In words too: what the right-hand side's words can say is gained.
TEST(Recurrence, BicgstabSolvesNonsymmetricRows) {
    const System system = sparse_system(301, 5);
    const std::vector<double> b = testing::random_residual(system, 0.05);
    double rr = 0;
    for (const double x : b) rr += x * x;
    const struct {
        const char* spec;
        double goal;
    } cases[] = {{"s52e11", 1e-12}, {"s23e8", 1e-5}, {"fx32.28", 1e-5}};
    for (const auto& [text, goal] : cases) {
        SCOPED_TRACE(text);
        Interpreter interpreter(system, parse_spec(text), recurrence::kBicgstab);
        interpreter.start(b);
        const RunReport report = interpreter.run({.passes = 200, .rho_stop = goal * goal * rr});
        EXPECT_EQ(to_string(report.end), "rho reached");
        EXPECT_LT(report.passes, 40U);
        std::vector<double> u(system.size());
        interpreter.solution(0, u);
        EXPECT_LT(residual(system, u, b), 3 * goal);
    }
}

// Three ways in which it cannot go on, each with its name; what there is then is the best that there was.
TEST(Recurrence, BicgstabSaysHowItEnded) {
    const auto run = [](std::vector<double> values, const std::vector<double>& b) {
        const System turn = CompressedRows({0, 2, 4}, {0, 1, 0, 1}, std::move(values));
        Interpreter interpreter(turn, DatapathSpec(formats::kDouble), recurrence::kBicgstab);
        interpreter.start(b);
        std::vector<double> u(2);
        const RunReport report = interpreter.run({.passes = 10});
        interpreter.solution(0, u);
        return std::pair{to_string(report.end), u};
    };
    EXPECT_EQ(run({0, 1, -1, 0}, {1, 0}).first, "breakdown"); // a quarter turn: h.v is zero
    EXPECT_EQ(run({2, 0, 0, 2}, {1, 3}), std::pair("exact" + std::string(), std::vector<double>{0.5, 1.5}));
    EXPECT_EQ(run({1, 0, 0, 1}, {0, 0}).first, "exact");
}

// One file is all that a recurrence takes.
constexpr Definition kSteepestDescent = recurrence::define("steepest-descent", R"(
vector u u
vector r r residual
vector q q
scalar rho
scalar rq
scalar alpha
solution u
needs positive-definite
iterate
q = A r
rho = r . r
rq = r . q
finite rho
exact rho
stop rho
definite rq
alpha = rho / rq
u = u + alpha r
r = r - alpha q
)");

TEST(Recurrence, OneMoreIsOneFile) {
    const System system = scattered_system(403, 2);
    const std::vector<double> b = testing::random_residual(system, 0.05);
    double rr = 0;
    for (const double x : b) rr += x * x;
    Interpreter interpreter(system, DatapathSpec(formats::kDouble), kSteepestDescent);
    interpreter.start(b);
    const RunReport report = interpreter.run({.passes = 1000, .rho_stop = 1e-16 * rr});
    EXPECT_EQ(to_string(report.end), "rho reached");
    std::vector<double> u(system.size());
    interpreter.solution(0, u);
    EXPECT_LT(residual(system, u, b), 1.1e-8);
    const recurrence::Ledger ledger = recurrence::ledger(kSteepestDescent);
    EXPECT_EQ(ledger.waits, 1);
    EXPECT_EQ(ledger.products, 1);
}

/// Diagonally dominant, and not symmetric: a diagonal, one full row, and one that is half full.
System arrow_system() {
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t i = 0; i < 8; ++i) {
        for (std::uint32_t j = 0; j < 8; ++j) {
            if (i != j && i != 5 && (i != 2 || j % 2 == 0)) continue;
            column.push_back(j);
            value.push_back(i == j ? 1.5 + 0.25 * i : 0.0625 * (j + 1.0));
        }
        begin.push_back(column.size());
    }
    return System(CompressedRows(std::move(begin), std::move(column), std::move(value)));
}

// Of eight unknowns sums have one term a lane, here and there: then native loops have the interpreter's numbers, to the
// end, with what they put off and however they end.
template <const Definition& D> void compare_native(const std::vector<double>& given = {}) {
    SCOPED_TRACE(std::string(D.name.view()));
    for (const System& system : {scattered_system(8, 3), scattered_system(7, 4), sparse_system(8, 2), arrow_system()}) {
        const std::vector<double> b = testing::random_residual(system, 0.05);
        Interpreter interpreter(system, parse_spec("double"), D);
        const recurrence::NativeRows<double> rows(std::get<CompressedRows>(system.matrix()));
        recurrence::Native<D> native(rows);
        interpreter.start(b, given);
        native.start(b, given);
        std::vector<double> got(system.size()), want(system.size());
        for (int k = 0; k < 60; ++k) {
            const RunReport a = interpreter.run({.passes = 1, .rho_stop = 1e-30});
            const RunReport n = native.run({.passes = 1, .rho_stop = 1e-30});
            ASSERT_EQ(to_string(n.end), to_string(a.end)) << k;
            ASSERT_EQ(n.passes, a.passes);
            ASSERT_EQ(n.sigma_guards, a.sigma_guards);
            if (k % 3 == 0 || a.end != RunEnd::passes) {
                interpreter.solution(0, want);
                native.solution(got);
                ASSERT_EQ(got, want) << k;
            }
            ASSERT_EQ(native.square(), interpreter.square());
            if (a.end != RunEnd::passes) break;
        }
    }
}

TEST(Recurrence, NativeLoopsFollowTheDefinition) {
    compare_native<recurrence::kPipelined>();
    compare_native<recurrence::kCg>();
    compare_native<recurrence::kChronopoulosGear>();
    compare_native<recurrence::kGhyselsVanroose>();
    compare_native<recurrence::kFlexible>();
    compare_native<recurrence::kBicgstab>();
    compare_native<recurrence::kRightBicgstab>();
    compare_native<recurrence::kChebyshev>({1.75, 1.25});
    compare_native<kSteepestDescent>();
}

TEST(Recurrence, NativeLoopsDoNotDependOnThreads) {
    const System system = scattered_system(9001, 2);
    const std::vector<double> b = testing::random_residual(system, 0.05);
    std::vector<std::vector<double>> solutions;
    const recurrence::NativeRows<double> rows(std::get<CompressedRows>(system.matrix()));
    for (const int threads : {1, 3}) {
        recurrence::Native<recurrence::kBicgstab> native(rows, threads);
        native.start(b);
        EXPECT_EQ(to_string(native.run({.passes = 200, .rho_stop = 1e-20}).end), "rho reached");
        native.solution(solutions.emplace_back(b.size()));
    }
    EXPECT_EQ(solutions[0], solutions[1]);
    EXPECT_LT(residual(system, solutions[0], b), 1e-9);
}

// What the definitions say of themselves, counted by hand from the kernels that there are.
TEST(Recurrence, Ledger) {
    const auto ledger = [](std::string_view name) { return recurrence::ledger(recurrence::named(name)); };
    const recurrence::Ledger cg = ledger("cg");
    // The three passes of sparse/jacobi_pcg.hpp without its diagonal: A p and p.q; r and r.r; u and p.
    EXPECT_EQ(cg.reads, 1 + 2 + 3);
    EXPECT_EQ(cg.writes, 1 + 1 + 2);
    EXPECT_EQ(cg.sweeps, 3);
    EXPECT_EQ(cg.waits, 2);
    EXPECT_EQ(ledger("pipelined").waits, 1);
    EXPECT_EQ(ledger("chronopoulos-gear").waits, 1);
    EXPECT_EQ(ledger("chronopoulos-gear").overlapped, 0);
    EXPECT_EQ(ledger("ghysels-vanroose").overlapped, 1);
    EXPECT_EQ(ledger("bicgstab").waits, 3);
    EXPECT_EQ(ledger("bicgstab").products, 2);
    EXPECT_EQ(ledger("flexible").preconditioned, 1);
    // p, r and p again; p, u and r after A p, which no sweep but its own reads.
    const recurrence::Ledger chebyshev = ledger("chebyshev");
    EXPECT_EQ(chebyshev.vectors, 3);
    EXPECT_EQ(chebyshev.reads, 2 + 3);
    EXPECT_EQ(chebyshev.writes, 1 + 2);
    EXPECT_EQ(chebyshev.sums + chebyshev.waits, 0);
    for (const recurrence::Entry& entry : recurrence::library()) {
        const recurrence::Ledger l = recurrence::ledger(*entry.definition);
        EXPECT_GT(l.reads, l.writes) << entry.definition->name.view();
        EXPECT_EQ(recurrence::find(entry.definition->name.view()), entry.definition);
    }
    EXPECT_THROW(static_cast<void>(recurrence::named("conjugate")), InvalidInput);
}

TEST(Recurrence, RefusesWhatSaysNothing) {
    const auto refused = [](const std::string& more) -> std::string {
        try {
            recurrence::define("x", "vector u u\nvector r r residual\nscalar a\nsolution u\n" + more);
        } catch (const InvalidInput& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_EQ(refused("iterate\na = r . r\nu = u + a r\nstop a"), "");
    EXPECT_NE(refused("iterate\na = r . r\nu = u + a r"), "");    // stops on nothing
    EXPECT_NE(refused("iterate\na = r . z\nstop a"), "");         // not declared
    EXPECT_NE(refused("iterate\nr = A r\nstop a"), "");           // overwrites what it needs
    EXPECT_NE(refused("iterate\nu = r\nstop a"), "");             // the solution is advanced alone
    EXPECT_NE(refused("scalar u\niterate\nstop a"), "");          // a name for two things
    EXPECT_NE(refused("vector w u\niterate\nstop a"), "");        // u's format
    EXPECT_NE(refused("iterate\nhurry a\nstop a"), "");           // no such word
    EXPECT_NE(refused("iterate\na = r . r\nstop a\nstop a"), ""); // stops twice
    const std::string step = "iterate\nu = u + a r\n";
    EXPECT_EQ(refused(step + "watch 5\na = r . r\nstop a"), "");
    EXPECT_NE(refused(step + "watch\na = r . r\nstop a"), ""); // how often?
    EXPECT_NE(refused(step + "watch 0\na = r . r\nstop a"), "");
    EXPECT_NE(refused(step + "watch 2000\na = r . r\nstop a"), "");
    EXPECT_NE(refused("watch 5\n" + step + "a = r . r\nstop a"), "");         // nothing is iterated yet
    EXPECT_NE(refused(step + "watch 5\na = r . r\nr = r - a r\nstop a"), ""); // more than sums and scalars
    EXPECT_NE(refused(step + "watch 5\na = r . r\nfinite a\na = r . r\nstop a"), "");
}

} // namespace
} // namespace mantissa
