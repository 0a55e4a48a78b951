// GMRES(m) against its definition, operation by operation, and by what it promises.
#include "mantissa/recurrence/gmres.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cyclic_shift.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/spec.hpp"

namespace {

using namespace mantissa;
using Vector = std::vector<double>;

std::vector<std::uint64_t> bits(std::span<const double> v) {
    std::vector<std::uint64_t> b;
    for (const double x : v) b.push_back(std::bit_cast<std::uint64_t>(x));
    return b;
}

/// Some six entries a row at random places, the diagonal among them; not symmetric.
CompressedRows random_rows(std::size_t n, std::uint64_t seed, double diagonal) {
    std::mt19937_64 random(seed);
    const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (i != j && unit() > 5.0 / static_cast<double>(n)) continue;
            column.push_back(static_cast<std::uint32_t>(j));
            value.push_back(i == j ? diagonal : 2 * unit() - 1);
        }
        begin.push_back(column.size());
    }
    return {std::move(begin), std::move(column), std::move(value)};
}

Vector random_vector(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Vector v(n);
    for (double& x : v) x = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
    return v;
}

/// The definition in gmres.hpp, with nothing but exact:: in it.
class Reference {
public:
    Reference(const CompressedRows& a, const DatapathSpec& spec, std::size_t restart, const Vector& b)
        : a_(a), spec_(spec), restart_(restart), b_(b), u_(b.size(), 0.0) {
        for (double& x : b_) x = exact::convert(spec.r, x);
        begin();
    }
    void step() {
        const Format &f = spec_.scalar, &q = spec_.q;
        const std::size_t j = h_.size();
        Vector w = product(v_[j]), column;
        for (std::size_t i = 0; i <= j; ++i) {
            column.push_back(dot(w, v_[i]));
            const double s = exact::convert(spec_.operand, column[i]);
            for (std::size_t k = 0; k < w.size(); ++k) w[k] = exact::sub(q, w[k], exact::mul(q, s, v_[i][k]));
        }
        const double h = exact::sqrt(f, dot(w, w));
        column.push_back(h);
        for (std::size_t k = 0; k < j; ++k) {
            const double x = column[k], y = column[k + 1];
            column[k] = exact::add(f, exact::mul(f, c_[k], x), exact::mul(f, s_[k], y));
            column[k + 1] = exact::sub(f, exact::mul(f, c_[k], y), exact::mul(f, s_[k], x));
        }
        const double d = exact::sqrt(f, exact::add(f, exact::mul(f, column[j], column[j]), exact::mul(f, h, h)));
        c_.push_back(exact::div(f, column[j], d));
        s_.push_back(exact::div(f, h, d));
        column[j] = d;
        h_.push_back(column);
        g_.push_back(-exact::mul(f, s_[j], g_[j]));
        g_[j] = exact::mul(f, c_[j], g_[j]);
        rho_ = exact::mul(f, g_[j + 1], g_[j + 1]);
        v_.push_back(scaled(exact::div(f, 1, h), w));
        if (j + 1 == restart_) {
            u_ = iterate();
            begin();
        }
    }
    [[nodiscard]] double rho() const { return rho_; }
    [[nodiscard]] Vector iterate() const {
        const Format& f = spec_.scalar;
        const std::size_t steps = h_.size();
        Vector y(steps), u = u_;
        for (std::size_t i = steps; i-- > 0;) {
            y[i] = g_[i];
            for (std::size_t k = i + 1; k < steps; ++k) y[i] = exact::sub(f, y[i], exact::mul(f, h_[k][i], y[k]));
            y[i] = exact::div(f, y[i], h_[i][i]);
        }
        for (std::size_t i = 0; i < steps; ++i) {
            const double s = exact::convert(spec_.operand, y[i]);
            for (std::size_t k = 0; k < u.size(); ++k)
                u[k] = exact::add(spec_.u, u[k], exact::mul(spec_.u, s, v_[i][k]));
        }
        return u;
    }

private:
    void begin() {
        const Vector w = product(u_);
        Vector r = b_;
        for (std::size_t i = 0; i < r.size(); ++i) r[i] = exact::sub(spec_.r, b_[i], exact::mul(spec_.r, 1, w[i]));
        rho_ = dot(r, r);
        const double norm = exact::sqrt(spec_.scalar, rho_);
        g_ = {norm};
        v_ = {scaled(exact::div(spec_.scalar, 1, norm), r)};
        h_.clear();
        c_.clear();
        s_.clear();
    }
    [[nodiscard]] Vector scaled(double s, const Vector& x) const {
        Vector v;
        for (const double e : x)
            v.push_back(exact::add(spec_.p, 0, exact::mul(spec_.p, exact::convert(spec_.operand, s), e)));
        return v;
    }
    [[nodiscard]] Vector product(const Vector& x) const {
        Vector w;
        for (std::size_t i = 0; i < x.size(); ++i) {
            double sum = 0;
            for (auto k = a_.row_begin()[i]; k < a_.row_begin()[i + 1]; ++k) {
                const double term =
                    exact::mul(spec_.row, exact::convert(spec_.coefficient, a_.value()[k]), x[a_.column()[k]]);
                sum = k == a_.row_begin()[i] ? term : exact::add(spec_.row, sum, term);
            }
            w.push_back(exact::convert(spec_.q, sum));
        }
        return w;
    }
    [[nodiscard]] double dot(const Vector& a, const Vector& b) const {
        std::size_t n = static_cast<std::size_t>(spec_.partials());
        Vector sums(n, 0.0);
        for (std::size_t i = 0; i < a.size(); ++i) {
            const double term = spec_.dot.exact_product ? a[i] * b[i] : exact::mul(spec_.dot.product, a[i], b[i]);
            sums[i % n] = exact::add(spec_.dot.accumulator, sums[i % n], term);
        }
        for (n /= 2; n > 0; n /= 2)
            for (std::size_t j = 0; j < n; ++j) sums[j] = exact::add(spec_.dot.accumulator, sums[j], sums[j + n]);
        return exact::convert(spec_.scalar, sums[0]);
    }

    const CompressedRows& a_;
    DatapathSpec spec_;
    std::size_t restart_;
    Vector b_, u_, g_, c_, s_;
    std::vector<Vector> v_, h_;
    double rho_ = 0;
};

TEST(Gmres, HasTheBitsOfItsDefinition) {
    const CompressedRows a = random_rows(150, 3, 5);
    const Vector b = random_vector(150, 4);
    for (const char* text : {"double", "s17e8", "s23e8:rne", "s14e8,u=s23e8,row=s20e8,operand=s16e11,scalar=s36e11",
                             "s17e8,u=s23e8,r=s23e8,p=s14e8,q=s18e8,dot=s23e8/4,lanes=2"}) {
        const DatapathSpec spec = parse_spec(text);
        Reference reference(a, spec, 7, b);
        GmresSolver solver(a, spec, 7);
        solver.start(b);
        for (int step = 1; step <= 18; ++step) {
            reference.step();
            const RunReport report = solver.run({.passes = 1});
            ASSERT_EQ(report.end, RunEnd::passes) << text;
            // (In front of a cycle the reference has begun the next one already.)
            if (step % 7 != 0) {
                ASSERT_EQ(bits({{solver.rho()}}), bits({{reference.rho()}})) << text << ' ' << step;
            }
            ASSERT_EQ(bits(solver.solution()), bits(reference.iterate())) << text << ' ' << step;
        }
    }
}

/// The processor's own arithmetic, threads and runs of other lengths change no bit.
TEST(Gmres, PathsThreadsAndRunsHaveTheSameBits) {
    for (const char* problem : {"convection2d:n=75,peclet=200", "convection3d:n=17,difference=central",
                                "poisson2d:level=5", "diffusion2d:level=5"}) {
        const Problem p = make_problem(problem);
        std::vector<std::uint64_t> expected;
        for (const GmresPath path : {GmresPath::general, GmresPath::fastest})
            for (const int threads : {1, 3})
                for (const std::uint64_t run : {37, 5, 1}) {
                    GmresSolver solver(p.system, DatapathSpec(formats::kDouble), 10, threads, path);
                    solver.start(p.b);
                    for (std::uint64_t done = 0; done < 37; done += run)
                        solver.run({.passes = std::min<std::uint64_t>(run, 37 - done)});
                    const auto got = bits(solver.solution());
                    if (expected.empty()) expected = got;
                    EXPECT_EQ(got, expected) << problem << ' ' << threads << ' ' << run;
                }
    }
}

/// In as many steps as there are unknowns the Krylov space is everything: the solution, in one cycle.
TEST(Gmres, OneFullCycleSolves) {
    const CompressedRows a = random_rows(24, 9, 0.3);
    const Vector b = random_vector(24, 1);
    GmresSolver solver(a, DatapathSpec(formats::kDouble), 24);
    solver.start(b);
    double before = solver.rho();
    for (int step = 0; step < 23; ++step) {
        solver.run({.passes = 1});
        EXPECT_LE(solver.rho(), before); // it minimises over ever larger spaces
        before = solver.rho();
    }
    solver.run({.passes = 1});
    const auto u = solver.solution();
    double worst = 0;
    for (std::size_t i = 0; i < 24; ++i) {
        double d = b[i];
        for (auto k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k) d -= a.value()[k] * u[a.column()[k]];
        worst = std::max(worst, std::abs(d));
    }
    EXPECT_LT(worst, 1e-11);
}

/// Every residual of a cyclic shift is as long as the first one until the last step: cycles that are shorter gain
/// nothing.
TEST(Gmres, StaysWhereACycleIsTooShort) {
    const CompressedRows shift = mantissa::testing::cyclic_shift(12);
    Vector b(12, 0.0);
    b[0] = 1;
    GmresSolver shorter(shift, parse_spec("s17e8"), 11), full(shift, parse_spec("s17e8"), 12);
    for (GmresSolver* s : {&shorter, &full}) s->start(b);
    EXPECT_EQ(shorter.run({.passes = 50, .rho_stop = 0.5}).end, RunEnd::passes);
    EXPECT_EQ(bits(shorter.solution()), bits(Vector(12, 0.0)));
    const RunReport report = full.run({.passes = 50, .rho_stop = 1e-20});
    EXPECT_EQ(report.end, RunEnd::exact);
    EXPECT_EQ(report.passes, 12u);
    Vector expected(12, 0.0);
    expected[1] = 1;
    EXPECT_EQ(bits(full.solution()), bits(expected));
}

/// What is left of a product after the basis has been taken off is rounding: a direction of it would spoil the
/// solution.
TEST(Gmres, AnExhaustedSpaceEndsTheCycle) {
    constexpr std::uint32_t kRows = 30;
    const CompressedRows shift = mantissa::testing::cyclic_shift(kRows);
    for (const char* spec : {"s17e8", "s23e8", "s23e8:rne", "s36e11"}) {
        GmresSolver solver(shift, parse_spec(spec), 30);
        solver.start(Vector(kRows, 1.0)); // A b = b: one step is exact
        solver.run({.passes = 10});
        for (const double x : solver.solution()) EXPECT_NEAR(x, 1, std::ldexp(8.0, -parse_spec(spec).p.fraction_bits));
    }
}

TEST(Gmres, EndsWhereThereIsNoStep) {
    // A b = 0: d is zero in the first step.
    const CompressedRows nilpotent({0, 1, 2}, {1, 1}, {1, 0});
    GmresSolver singular(nilpotent, DatapathSpec(formats::kDouble), 2);
    singular.start(Vector{1, 0});
    const RunReport report = singular.run({.passes = 5});
    EXPECT_EQ(report.end, RunEnd::not_finite);
    EXPECT_EQ(report.passes, 0u);
    EXPECT_EQ(bits(singular.solution()), bits(Vector{0, 0}));
    GmresSolver nothing(nilpotent, DatapathSpec(formats::kDouble), 2);
    nothing.start(Vector{0, 0});
    EXPECT_EQ(nothing.run({.passes = 5}).end, RunEnd::exact);
}

TEST(Gmres, RefusesWhatItCannotMean) {
    const CompressedRows a = random_rows(5, 1, 3);
    const auto line = [&](const char* spec, std::size_t restart) -> std::string {
        try {
            GmresSolver solver(a, parse_spec(spec), restart);
        } catch (const InvalidInput& fault) {
            return fault.what();
        }
        return "accepted";
    };
    EXPECT_TRUE(line("fx18.16", 30).starts_with("gmres on fx18.16: the entries of a basis span many powers of two"));
    EXPECT_EQ(line("double,sum=free", 30), "gmres with sum=free: its sums have an order; leave sum out");
    EXPECT_EQ(line("s17e8", 0), "gmres(0): give 1 to 1000 steps of a cycle");
    EXPECT_EQ(line("s17e8", 1001), "gmres(1001): give 1 to 1000 steps of a cycle");
}

} // namespace
