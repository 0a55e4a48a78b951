// Verdicts on random systems with entries from 1e-300 to 1e300, judged by residuals in MPFR that share no code with
// the program. MANTISSA_VERDICT_SYSTEMS in the environment sets how many systems are tried (100).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mpfr.h>
#include <nlohmann/json.hpp>

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

/// Rounding in a row of k terms: |d_i - (b - A u)_i| <= g (|b_i| + sum |a||u|), g = (k + 2) eps / (1 - (k + 2) eps) with
/// eps = 2^-53 (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1); the norms and the quotient add
/// less than (n + 10) eps relative to the result.
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
    constexpr std::array kSpecs = {"s17e8",  "s23e8",      "double",     "s10e8",
                                   "s40e11", "s52e11:rne", "s17e8:sat", "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]"};
    constexpr std::array kSchemes = {"direct",           "pipelined",       "chronopoulos-gear",
                                     "ghysels-vanroose", "residual-guided", "defect-correction"};
    SolveOptions o;
    o.scheme = parse_scheme(kSchemes[random.below(kSchemes.size())]);
    o.spec = parse_spec(kSpecs[random.below(kSpecs.size())]);
    o.jacobi = !random.one_in(3);
    o.inner = random.one_in(2) ? 10 : 50;
    if (random.one_in(3)) o.digits = random.uniform(0.5, 4);
    if (o.scheme == Scheme::defect_correction && random.one_in(4)) o.middle = {parse_format("s36e11")};
    if (o.scheme == Scheme::defect_correction && random.one_in(4)) o.inner_recurrence = Recurrence::plain;
    o.tolerance = std::pow(10.0, -random.uniform(4, 13));
    o.max_iterations = random.one_in(5) ? 1 + random.below(20) : 1500;
    o.keep_solution = true;
    return o;
}

std::string words(const SolveOptions& o, const SolveResult& r, const Judged& j) {
    return fmt::format("{} {} jacobi {} tolerance {:.3e}: {} ({}), said {:.6e}, is {:.6e} +- {:.1e}",
                       to_string(o.scheme), to_string(o.spec), o.jacobi, o.tolerance, to_string(r.status), r.detail,
                       r.true_residual, j.residual, j.bound);
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
                                        problem, to_string(o.scheme), to_string(o.spec), o.tolerance, o.max_iterations,
                                        o.jacobi ? " --jacobi" : "");
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
            const bool plain = o.middle.empty() && o.inner_recurrence == Recurrence::pipelined;
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

} // namespace
