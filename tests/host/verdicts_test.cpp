// Verdicts on random systems with entries from 1e-300 to 1e300, judged by residuals in MPFR that share no code with
// the program. MANTISSA_VERDICT_SYSTEMS in the environment sets how many systems are tried (100).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <mpfr.h>
#include <nlohmann/json.hpp>

#include "expect_invalid.hpp"
#include "mantissa/checked_engine.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/solve.hpp"
#include "random_matrix.hpp"
#include "scratch.hpp"

namespace {

using namespace mantissa;

/// A number with 640 bits and, for these ends, no bound on its exponent.
class Real {
public:
    Real() {
        mpfr_init2(value_, 640);
        mpfr_set_zero(value_, 1);
    }
    Real(const Real&) = delete;
    Real& operator=(const Real&) = delete;
    ~Real() { mpfr_clear(value_); }
    mpfr_ptr operator*() { return value_; }

private:
    mpfr_t value_;
};

struct Judged {
    double residual = 0; ///< ||b - A u|| / ||b||, exact but for the last rounding
    double bound = 0;    ///< by how much a double-precision evaluation may differ
};

/// Rounding in a row of k terms: |d_i - (b - A u)_i| <= g (|b_i| + sum |a||u|), g = (k + 2) eps / (1 - (k + 2) eps)
/// with eps = 2^-53 (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1); the norms and the quotient
/// add less than (n + 10) eps relative to the result.
Judged judge(const RandomSystem& s, const std::vector<double>& u) {
    const std::size_t n = s.b.size();
    Real squares, squares_b, squares_sizes, d, size, x, y;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        mpfr_set_d(*d, s.b[i], MPFR_RNDN);
        mpfr_abs(*size, *d, MPFR_RNDN);
        mpfr_sqr(*x, *d, MPFR_RNDN);
        mpfr_add(*squares_b, *squares_b, *x, MPFR_RNDN);
        std::size_t terms = 0;
        for (auto it = s.entries.lower_bound({i, 0}); it != s.entries.end() && it->first.first == i; ++it, ++terms) {
            mpfr_set_d(*x, it->second, MPFR_RNDN);
            mpfr_mul_d(*y, *x, u[it->first.second], MPFR_RNDN);
            mpfr_sub(*d, *d, *y, MPFR_RNDN);
            mpfr_abs(*y, *y, MPFR_RNDN);
            mpfr_add(*size, *size, *y, MPFR_RNDN);
        }
        longest = std::max(longest, terms);
        mpfr_sqr(*x, *d, MPFR_RNDN);
        mpfr_add(*squares, *squares, *x, MPFR_RNDN);
        mpfr_sqr(*x, *size, MPFR_RNDN);
        mpfr_add(*squares_sizes, *squares_sizes, *x, MPFR_RNDN);
    }
    if (mpfr_zero_p(*squares_b)) return {mpfr_zero_p(*squares) ? 0 : std::numeric_limits<double>::infinity(), 0};
    const auto relative = [&](Real& sum) {
        mpfr_div(*x, *sum, *squares_b, MPFR_RNDN);
        mpfr_sqrt(*x, *x, MPFR_RNDN);
        return mpfr_get_d(*x, MPFR_RNDN);
    };
    constexpr double kEps = 0x1p-53;
    const double g = static_cast<double>(longest + 2) * kEps / (1 - static_cast<double>(longest + 2) * kEps);
    Judged j;
    j.residual = relative(squares);
    j.bound = 1.001 * g * relative(squares_sizes) + static_cast<double>(n + 10) * kEps * j.residual;
    return j;
}

SolveOptions random_options(RandomSystems& random) {
    constexpr std::array kSpecs = {"s17e8",  "s23e8",      "double",    "s10e8",
                                   "s40e11", "s52e11:rne", "s17e8:sat", "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]"};
    constexpr std::array kSchemes = {"direct",          "pipelined",         "chronopoulos-gear", "ghysels-vanroose",
                                     "residual-guided", "defect-correction", "inexact-pcg"};
    SolveOptions o;
    set_scheme(o, kSchemes[random.below(kSchemes.size())]);
    o.spec = parse_spec(kSpecs[random.below(kSpecs.size())]);
    o.jacobi = !random.one_in(3);
    o.inner = random.one_in(2) ? 10 : 50;
    if (random.one_in(3)) o.digits = random.uniform(0.5, 4);
    if (o.scheme == Scheme::defect_correction && random.one_in(4)) o.middle = {parse_format("s36e11")};
    if (o.scheme == Scheme::defect_correction && random.one_in(4)) o.recurrence = RecurrenceChoice::cg;
    o.tolerance = std::pow(10.0, -random.uniform(4, 13));
    o.max_iterations = random.one_in(5) ? 1 + random.below(20) : 1500;
    o.keep_solution = true;
    return o;
}

std::string words(const SolveOptions& o, const SolveResult& r, const Judged& j) {
    return fmt::format("{} {} jacobi {} tolerance {:.3e}: {} ({}), said {:.6e}, is {:.6e} +- {:.1e}", scheme_name(o),
                       to_string(o.spec), o.jacobi, o.tolerance, to_string(r.status), r.detail, r.true_residual,
                       j.residual, j.bound);
}

constexpr double kSlack = 1e-3; // what solve.hpp allows above the tolerance

void expect_right(const RandomSystem& s, const SolveOptions& o, const SolveResult& r) {
    EXPECT_TRUE(r.status == Status::converged || !r.detail.empty());
    if (!std::all_of(r.u.begin(), r.u.end(), [](double x) { return std::isfinite(x); })) {
        EXPECT_NE(r.status, Status::converged);
        EXPECT_TRUE(std::isinf(r.true_residual));
        return;
    }
    const Judged j = judge(s, r.u);
    if (std::isfinite(j.residual)) {
        EXPECT_LE(std::abs(r.true_residual - j.residual), j.bound) << words(o, r, j);
    } else {
        EXPECT_TRUE(std::isinf(r.true_residual)) << words(o, r, j);
    }
    if (r.status == Status::converged) {
        EXPECT_LE(j.residual, o.tolerance * (1 + kSlack) + j.bound) << words(o, r, j);
    } else {
        EXPECT_GE(j.residual, o.tolerance - j.bound) << words(o, r, j);
    }
    if (std::getenv("MANTISSA_VERDICT_WORDS") != nullptr) fmt::print("{}\n", words(o, r, j));
}

nlohmann::json run_program(const std::string& arguments) {
    const std::string line = std::string(MANTISSA_PROGRAM) + " " + arguments;
    std::FILE* pipe = ::popen(line.c_str(), "r");
    std::string out;
    std::array<char, 4096> buffer{};
    for (std::size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        out.append(buffer.data(), got);
    ::pclose(pipe);
    return nlohmann::json::parse(out);
}

/// The program says what the library says.
void expect_same_said(const std::string& problem, const SolveOptions& o, const SolveResult& r) {
    std::string arguments = fmt::format("solve --json --threads 1 --problem {} --scheme {} --spec '{}' --tolerance {} "
                                        "--max-iterations {}{}",
                                        problem, scheme_name(o), to_string(o.spec), o.tolerance, o.max_iterations,
                                        o.jacobi ? " --jacobi" : "");
    if (refines(o.scheme)) // (others have no inner solves)
        arguments += o.digits > 0 ? fmt::format(" --digits {}", o.digits) : fmt::format(" --inner {}", o.inner);
    const auto said = run_program(arguments);
    EXPECT_EQ(said["status"], to_string(r.status));
    EXPECT_EQ(said["detail"], r.detail);
    if (std::isfinite(r.true_residual)) {
        EXPECT_EQ(said["true_residual"], r.true_residual);
    } else {
        EXPECT_TRUE(said["true_residual"].is_null());
    }
}

TEST(Verdicts, AgreeWithResidualsInMpfr) {
    const char* wanted = std::getenv("MANTISSA_VERDICT_SYSTEMS");
    const int systems = wanted != nullptr ? std::atoi(wanted) : 100;
    const auto engine = make_emulated_engine();
    RandomSystems random(20061);
    const Scratch scratch;
    int converged = 0, others = 0, refused = 0, asked = 0;
    for (int k = 0; k < systems; ++k) {
        const RandomSystem s = random.make();
        SCOPED_TRACE(fmt::format("system {}: {}", k, s.what));
        const std::string text = fmt::format("mtx:{},rhs=file:{}", scratch.write("a.mtx", s.matrix_text()),
                                             scratch.write("b.txt", s.right_side_text()));
        const Problem problem = make_problem(text);
        ASSERT_EQ(problem.b, s.b);
        for (int t = 0; t < 2; ++t) {
            const SolveOptions o = random_options(random);
            SolveResult r;
            try {
                r = solve(problem, *engine, o);
            } catch (const InvalidInput& fault) {
                // Entries that no definite matrix has.
                EXPECT_TRUE(o.jacobi && !s.definite) << fault.what();
                ++refused;
                continue;
            }
            expect_right(s, o, r);
            ++(r.status == Status::converged ? converged : others);
            const bool plain = o.middle.empty() && (!o.recurrence || o.scheme == Scheme::recurrence);
            if (plain && asked < 12 && k % 4 == 0) {
                expect_same_said(text, o, r);
                ++asked;
            }
        }
        if (HasFatalFailure()) return;
    }
    std::printf("%d solves converged, %d did not, %d were refused\n", converged, others, refused);
    // The systems are such that both verdicts are given often.
    EXPECT_GT(converged, systems / 5);
    EXPECT_GT(others, systems / 5);
}

Problem diagonal(const std::vector<double>& values, double b) {
    std::vector<std::uint64_t> row_begin(values.size() + 1);
    std::vector<std::uint32_t> column(values.size());
    std::iota(row_begin.begin(), row_begin.end(), std::uint64_t{0});
    std::iota(column.begin(), column.end(), 0U);
    return {"diagonal",
            CompressedRows(std::move(row_begin), std::move(column), values),
            std::vector<double>(values.size(), b),
            {}};
}

SolveOptions options_of(const char* scheme, const char* spec, bool jacobi) {
    SolveOptions o;
    set_scheme(o, scheme);
    o.spec = parse_spec(spec);
    o.jacobi = jacobi;
    o.keep_solution = true;
    return o;
}

constexpr std::array kAllSchemes = {"direct",          "pipelined",         "chronopoulos-gear", "ghysels-vanroose",
                                    "residual-guided", "defect-correction", "inexact-pcg"};

// Six hundred decades on the diagonal: the scaled solve goes on until every row of the problem as given is solved.
TEST(Verdicts, DiagonalOfSixHundredDecades) {
    std::vector<double> values;
    for (int e = -297; e <= 300; e += 3) values.push_back(std::pow(10.0, e));
    const Problem p = diagonal(values, 1.0);
    for (const char* scheme : kAllSchemes)
        for (const char* spec : {"s17e8", "double"}) {
            const SolveOptions o = options_of(scheme, spec, true);
            const SolveResult r = solve(p, *make_emulated_engine(), o);
            SCOPED_TRACE(std::string(scheme) + " " + spec + ": " + r.detail);
            EXPECT_EQ(r.status == Status::converged, r.true_residual < o.tolerance * (1 + kSlack));
            EXPECT_TRUE(r.status == Status::converged || !r.detail.empty());
        }
    EXPECT_EQ(solve(p, *make_emulated_engine(), options_of("residual-guided", "s17e8", true)).status,
              Status::converged);
}

// A solution of 1e597 cannot be given; one of 1e-597 neither, and what is given instead is no solution.
TEST(Verdicts, SolutionsBeyondDoublePrecision) {
    for (const bool jacobi : {true, false})
        for (const char* scheme : kAllSchemes) {
            SCOPED_TRACE(scheme);
            const Problem large = diagonal({1e-297, 1e-290}, 1e300), small = diagonal({1e297, 1e290}, 1e-300);
            const SolveResult up = solve(large, *make_emulated_engine(), options_of(scheme, "double", jacobi));
            EXPECT_NE(up.status, Status::converged);
            EXPECT_FALSE(up.detail.empty());
            EXPECT_TRUE(std::isinf(up.true_residual));
            const SolveResult down = solve(small, *make_emulated_engine(), options_of(scheme, "double", jacobi));
            EXPECT_NE(down.status, Status::converged);
            EXPECT_FALSE(down.detail.empty());
            EXPECT_GE(down.true_residual, 0.1);
        }
    const SolveResult r =
        solve(diagonal({1e-297}, 1e300), *make_emulated_engine(), options_of("direct", "double", true));
    EXPECT_EQ(r.detail, "the solution leaves the range of double precision at unknown 1");
}

TEST(Verdicts, ZeroRightHandSides) {
    const Problem p = diagonal({1e-300, 2, 1e300}, 0.0);
    for (const bool jacobi : {true, false})
        for (const char* scheme : kAllSchemes) {
            const SolveResult r = solve(p, *make_emulated_engine(), options_of(scheme, "s17e8", jacobi));
            EXPECT_EQ(r.status, Status::converged);
            EXPECT_EQ(r.true_residual, 0.0);
            EXPECT_EQ(r.u, std::vector<double>(3, 0.0));
        }
}

// p.q below zero and p.q that vanished are different things.
TEST(Verdicts, WhyARecurrenceCouldNotGoOn) {
    const auto detail = [](const Problem& p, const char* scheme, const char* spec) {
        const SolveResult r = solve(p, *make_emulated_engine(), options_of(scheme, spec, false));
        EXPECT_EQ(r.status, Status::breakdown) << scheme << ' ' << r.detail;
        return r.detail;
    };
    Problem off = diagonal({1, 1}, 1.0); // indefinite with a good diagonal
    off.system = CompressedRows({0, 2, 4}, {0, 1, 0, 1}, {1, -3, -3, 1});
    for (const char* scheme : kAllSchemes) {
        EXPECT_NE(detail(diagonal({1, -2}, 1.0), scheme, "s17e8")
                      .find("diagonal entry 2 is -2, so the matrix is not positive definite"),
                  std::string::npos)
            << scheme;
        EXPECT_NE(detail(off, scheme, "s17e8").find("p.q is below zero"), std::string::npos) << scheme;
        // Coefficients below 2^-126 are zero in eight exponent bits.
        const std::string vanished = detail(diagonal({1e-60, 1e-60}, 1.0), scheme, "s17e8");
        EXPECT_NE(vanished.find("p.q is zero"), std::string::npos) << scheme << ' ' << vanished;
        EXPECT_EQ(vanished.find("indefinite"), std::string::npos) << vanished;
    }
}

// Cycles solve a few unknowns in one step, and a recurrence in short formats leaves the solution again with the next:
// the best iterate counts. Nor is a residual that vanished a limit that was reached.
TEST(Verdicts, AFewUnknownsKeepTheirBestIterate) {
    for (const char* cycle : {"v11,w=10", "v22,w=double"})
        for (std::size_t rows = 1; rows <= 12; ++rows) {
            std::vector<std::uint64_t> begin{0};
            std::vector<std::uint32_t> column;
            std::vector<double> value;
            for (std::uint32_t i = 0; i < rows; ++i) {
                for (std::uint32_t j = i == 0 ? 0 : i - 1; j <= i + 1 && j < rows; ++j) {
                    column.push_back(j);
                    value.push_back(i == j ? 2 : -1);
                }
                begin.push_back(column.size());
            }
            Problem p = diagonal({1}, 1.0);
            p.system = CompressedRows(begin, column, value);
            p.b.assign(rows, 1.0);
            SolveOptions o = options_of("flexible", "s17e8", false);
            o.preconditioner = parse_cycle_spec(cycle);
            o.max_iterations = 10000;
            const SolveResult r = solve(p, *make_emulated_engine(), o);
            SCOPED_TRACE(fmt::format("{}, {} rows: {}", cycle, rows, r.detail));
            EXPECT_LT(r.true_residual, 1e-3);
            EXPECT_EQ(r.detail.find("limit") != std::string::npos, r.inner_iterations == o.max_iterations);
        }
}

// With Jacobi scaling the solve stops after the first outer step that has reached the tolerance, on the problem as
// given: one step less has not.
TEST(Verdicts, JacobiStopsAsSoonAsTheProblemAsGivenIsSolved) {
    const Problem p = make_problem("diffusion2d:level=6,field=jump,contrast=100000");
    for (const char* scheme : {"residual-guided", "defect-correction"})
        for (const double tolerance : {1e-4, 1e-8, 1e-11}) {
            SCOPED_TRACE(fmt::format("{} {}", scheme, tolerance));
            SolveOptions o = options_of(scheme, "s23e8", true);
            o.tolerance = tolerance;
            o.history = true;
            const SolveResult r = solve(p, *make_emulated_engine(), o);
            ASSERT_EQ(r.status, Status::converged) << r.detail;
            EXPECT_LT(r.true_residual, tolerance * (1 + kSlack));
            ASSERT_GE(r.history.size(), 3U);
            o.max_iterations = r.history[r.history.size() - 2].inner_iterations;
            const SolveResult less = solve(p, *make_emulated_engine(), o);
            EXPECT_EQ(less.status, Status::iteration_limit);
            EXPECT_GE(less.true_residual, tolerance);
        }
}

// Two schemes run in the emulated engine's arithmetic only; no other engine's name may stand beside their results.
TEST(Verdicts, SchemesThatOneEngineHasAreRefusedOnOthers) {
    class Other final : public Engine {
    public:
        [[nodiscard]] std::string name() const override { return "other"; }
        [[nodiscard]] std::string description() const override { return ""; }
        [[nodiscard]] std::string refusal(const DatapathSpec&, const System&, const SessionOptions&) const override {
            return {};
        }
        [[nodiscard]] std::unique_ptr<Session> load(const System& system, const DatapathSpec& spec,
                                                    const SessionOptions& options) const override {
            return make_emulated_engine()->load(system, spec, options);
        }
    };
    const Problem p = make_problem("poisson2d:level=3");
    const auto emulated = make_emulated_engine();
    for (const char* scheme : {"chronopoulos-gear", "ghysels-vanroose"}) {
        const auto on = [&](const Engine& engine) {
            return [&] { static_cast<void>(solve(p, engine, options_of(scheme, "double", false))); };
        };
        expect_invalid(
            on(Other{}),
            fmt::format("recurrence {}: only engine 'emulated' has it in this datapath, not 'other'", scheme));
        expect_invalid(on(*make_checked_engine(*emulated, *emulated)), "unchecked");
    }
    EXPECT_EQ(solve(p, Other{}, options_of("direct", "double", false)).status, Status::converged);
}

} // namespace
