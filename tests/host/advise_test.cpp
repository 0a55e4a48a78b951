// Which widths a matrix asks for: Lanczos against known spectra, and advice that is then run.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "advise/rows.hpp"
#include "advise/spectrum.hpp"
#include "advise/trial.hpp"
#include "expect_invalid.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/fixed_words.hpp"
#include "mantissa/host/advise.hpp"
#include "mantissa/host/scaling.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::advising;

/// Rows from (row, column, value), both halves given.
CompressedRows rows(std::size_t n,
                    const std::function<void(std::size_t, std::vector<std::pair<std::uint32_t, double>>&)>& row) {
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<std::pair<std::uint32_t, double>> entries;
        row(i, entries);
        for (const auto& [j, x] : entries) {
            column.push_back(j);
            value.push_back(x);
        }
        begin.push_back(column.size());
    }
    return {std::move(begin), std::move(column), std::move(value)};
}

CompressedRows diagonal(const std::vector<double>& d) {
    return rows(d.size(), [&](std::size_t i, auto& e) { e.emplace_back(static_cast<std::uint32_t>(i), d[i]); });
}

/// Constant diagonals from -reach to reach.
CompressedRows toeplitz(std::size_t n, const std::vector<double>& by_distance) {
    const auto reach = static_cast<std::ptrdiff_t>(by_distance.size()) - 1;
    return rows(n, [&](std::size_t i, auto& e) {
        for (std::ptrdiff_t d = -reach; d <= reach; ++d) {
            const std::ptrdiff_t j = static_cast<std::ptrdiff_t>(i) + d;
            if (j >= 0 && j < static_cast<std::ptrdiff_t>(n))
                e.emplace_back(static_cast<std::uint32_t>(j), by_distance[static_cast<std::size_t>(std::abs(d))]);
        }
    });
}

/// Two-dimensional five-point Laplacian with a coefficient of `along` one way, on n x n nodes.
CompressedRows five_point(std::size_t n, double along) {
    return rows(n * n, [&](std::size_t i, auto& e) {
        const std::size_t x = i % n, y = i / n;
        const auto put = [&](std::size_t j, double a) { e.emplace_back(static_cast<std::uint32_t>(j), a); };
        if (y > 0) put(i - n, -1);
        if (x > 0) put(i - 1, -along);
        put(i, 2 + 2 * along);
        if (x + 1 < n) put(i + 1, -along);
        if (y + 1 < n) put(i + n, -1);
    });
}

/// Springs between neighbours of a chain of points in the plane, stiffnesses over four decades: couplings of both
/// signs.
CompressedRows springs(std::size_t points) {
    std::vector<std::vector<double>> a(2 * points, std::vector<double>(2 * points, 0.0));
    for (std::size_t i = 0; i < points; ++i)
        for (std::size_t j = i + 1; j < std::min(points, i + 4); ++j) {
            const double angle = 1.7 * static_cast<double>(i + 2 * j),
                         k = std::pow(10.0, static_cast<double>((i * 7 + j) % 5) - 2);
            const double c[2] = {std::cos(angle), std::sin(angle)};
            for (std::size_t s = 0; s < 2; ++s)
                for (std::size_t t = 0; t < 2; ++t) {
                    a[2 * i + s][2 * i + t] += k * c[s] * c[t];
                    a[2 * j + s][2 * j + t] += k * c[s] * c[t];
                    a[2 * i + s][2 * j + t] -= k * c[s] * c[t];
                    a[2 * j + t][2 * i + s] -= k * c[s] * c[t];
                }
        }
    return rows(2 * points, [&](std::size_t i, auto& e) {
        for (std::size_t j = 0; j < a.size(); ++j)
            if (a[i][j] != 0 || i == j) e.emplace_back(static_cast<std::uint32_t>(j), a[i][j] + (i == j ? 1e-3 : 0));
    });
}

Problem problem(std::string name, System system) {
    std::vector<double> b(system.size(), 1.0);
    return {std::move(name), std::move(system), std::move(b), {}};
}

TEST(Spectrum, TridiagonalOfKnownEigenvalues) {
    const std::size_t n = 200;
    Tridiagonal t;
    for (std::size_t i = 0; i < n; ++i) t.grow(2, -1);
    const auto value = [&](std::size_t k) {
        return 2 - 2 * std::cos(std::numbers::pi * static_cast<double>(k) / static_cast<double>(n + 1));
    };
    EXPECT_NEAR(t.smallest(), value(1), 1e-6 * value(1));
    EXPECT_NEAR(t.largest(), value(n), 1e-6 * value(n));
    for (const std::size_t k : {1, 2, 57, 200}) EXPECT_EQ(t.below(value(k) * (1 + 1e-6)), k);
    // The unit eigenvector of the smallest ends in sin(n pi / (n + 1)) sqrt(2 / (n + 1)).
    const double last = std::sin(std::numbers::pi * n / (n + 1.0)) * std::sqrt(2 / (n + 1.0));
    EXPECT_NEAR(t.last_of_smallest(), last, 1e-4 * last);
}

TEST(Spectrum, LanczosFindsTheEndsOfKnownSpectra) {
    const auto check = [](const std::string& what, const System& system, double low, double high) {
        const Extremes found = extreme_eigenvalues(system, {});
        EXPECT_TRUE(found.settled) << what;
        EXPECT_GE(found.smallest, low * (1 - 1e-6)) << what;
        EXPECT_LE(found.smallest, low * 1.02) << what;
        EXPECT_LE(found.largest, high * (1 + 1e-6)) << what;
        EXPECT_GE(found.largest, high * 0.98) << what;
    };
    const auto half = [](std::size_t n, double k) {
        const double s = std::sin(std::numbers::pi * k / (2.0 * static_cast<double>(n + 1)));
        return s * s;
    };
    std::vector<double> d(300);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = std::pow(10.0, -6.0 * static_cast<double>(i) / 299);
    check("six decades", diagonal(d), 1e-6, 1);
    check("one number", diagonal({3}), 3, 3);
    check("identity", diagonal(std::vector<double>(50, 1.0)), 1, 1);
    for (const double along : {1.0, 1e3, 1e-3}) // 4 (along sin^2 + sin^2) of each direction
        check("five point", five_point(40, along), 4 * (along + 1) * half(40, 1), 4 * (along + 1) * half(40, 40));
    // Dirichlet nodes are left out: 8/3 - (2 cx + 2 cy + 4 cx cy)/3 with cosines of pi / 2^level.
    const double c = std::cos(std::numbers::pi / 64), top = -c; // alternating signs one way, smooth the other
    check("poisson2d", make_problem("poisson2d:level=6").system, (8 - 4 * c - 4 * c * c) / 3,
          (8 - 2 * c - 2 * top - 4 * c * top) / 3);
}

TEST(Spectrum, StopsWhereAMatrixIsNotDefinite) {
    std::vector<double> d(100, 1.0);
    d[17] = -1e-3;
    const Extremes found = extreme_eigenvalues(System(diagonal(d)), {.stop_below_zero = true});
    EXPECT_LE(found.smallest, 0);
    const Advice advice = advise(problem("indefinite", toeplitz(50, {1, 0.8})), {});
    EXPECT_FALSE(advice.found());
    EXPECT_NE(advice.why_not.find("not positive definite"), std::string::npos) << advice.why_not;
}

TEST(Rounding, BoundsAndWords) {
    // -1/3 in four bits is -5/16: off by 1/48 in each coupling.
    const RoundedMatrix r = rounded(System(toeplitz(10, {1, -1.0 / 3})), 4);
    EXPECT_NEAR(r.row_bound, 2.0 / 48, 1e-15);
    EXPECT_EQ(r.word_bits, 5); // the diagonal, 1 = 16/16, has one bit more
    EXPECT_EQ(rounded(System(toeplitz(10, {1, -0.5})), 4).row_bound, 0);
    // +1 off the diagonal needs a word more than -1 does.
    EXPECT_EQ(rounded(System(toeplitz(10, {1, 0.999})), 4).word_bits, 6);
    EXPECT_EQ(rounded(System(toeplitz(10, {1, -0.999})), 4).word_bits, 5);
    // On grids the diagonal moves so that row sums stay.
    const System grid = make_problem("diffusion2d:level=3,field=jump,contrast=10").system;
    const RoundedMatrix g = rounded(grid, 3);
    const auto& before = std::get<Bands>(grid.matrix());
    const auto& after = std::get<Bands>(g.system.matrix());
    for (std::size_t i = 0; i < grid.size(); ++i) {
        double sum = 0, kept = 0;
        for (std::size_t b = 0; b < kBands; ++b) {
            sum += before.band(b)[i];
            kept += after.band(b)[i];
        }
        EXPECT_NEAR(kept, sum, 1.0 / 16 + 1e-12) << i;
    }
    const System half_way = moved(grid, g.system, 0.5);
    EXPECT_DOUBLE_EQ(std::get<Bands>(half_way.matrix()).band(5)[40], (before.band(5)[40] + after.band(5)[40]) / 2);
}

TEST(Rounding, MovesEnergies) {
    // diag(4, 1) rounded to no fraction bits where it was diag(4.25, 0.75): of (1, 0) a part of -1/17, of (1, 1) 0.
    const System a(diagonal({4.25, 0.75})), b(diagonal({4, 1}));
    EXPECT_DOUBLE_EQ(energy_moved(a, b, std::vector<std::vector<double>>{{1, 0}}), 1.0 / 17);
    EXPECT_DOUBLE_EQ(energy_moved(a, b, std::vector<std::vector<double>>{{1, 1}, {3, 0}, {0, 3}}), 1.0 / 3);
    EXPECT_DOUBLE_EQ(energy_moved(a, b, std::vector<std::vector<double>>{{1, 1}}), 0);
    EXPECT_EQ(energy_moved(a, b, {}), 0);
    const System grid = make_problem("diffusion2d:level=3").system; // symmetric bands beside nine
    EXPECT_GT(energy_moved(grid, rounded(grid, 2).system,
                           std::vector<std::vector<double>>{std::vector<double>(grid.size(), 1.0)}),
              0);
}

/// Where the double run's directions exclude a width, Lanczos finds that the rounding, taken `margin` times, makes the
/// matrix indefinite with one sign or the other; and they exclude all but the last few that do not hold.
TEST(Rounding, DirectionsExcludeWidthsThatDoNotHold) {
    int excluded = 0;
    for (const Problem& p : {problem("springs", springs(60)), problem("network", five_point(20, 1.0 / 3)),
                             make_problem("diffusion2d:level=4,field=jump,contrast=1000")}) {
        const ScaledProblem scaled = jacobi_scaled(p);
        const System& a = scaled.problem.system;
        const Trial trial = run_trial(p, scaled, {});
        ASSERT_TRUE(trial.reached) << p.name;
        ASSERT_GE(trial.directions.size(), 2U);
        const auto holds = [&](const System& b, double margin) {
            return extreme_eigenvalues(moved(a, b, margin), {}).smallest > 0 &&
                   extreme_eigenvalues(moved(a, b, -margin), {}).smallest > 0;
        };
        for (const double margin : {4.0, 60.0}) {
            int longest_excluded = 0, longest_failing = 0;
            for (int bits = 2; bits <= 24; ++bits) {
                const System b = rounded(a, bits).system;
                const bool out = margin * energy_moved(a, b, trial.directions) > 1;
                if (!holds(b, margin)) longest_failing = bits;
                else EXPECT_FALSE(out) << p.name << ' ' << bits << " bits, margin " << margin;
                if (out) longest_excluded = bits;
                excluded += out;
            }
            EXPECT_LE(longest_failing - longest_excluded, 5) << p.name << ", margin " << margin;
        }
    }
    EXPECT_GT(excluded, 20);
}

/// Both proposals converge when they are run; the advised one in at most `times` the iterations of double precision.
void expect_converging(const Problem& p, double times, double tolerance = 1e-10) {
    AdviceOptions options;
    options.tolerance = tolerance;
    const Advice advice = advise(p, options);
    ASSERT_TRUE(advice.found()) << p.name << ": " << advice.why_not;
    const auto run = [&](const Proposal& proposal) {
        const SolveResult r = solve(p, *make_emulated_engine(), proposal.options);
        EXPECT_EQ(r.status, Status::converged)
            << p.name << ' ' << to_string(proposal.options.spec) << ": " << r.detail << ", " << r.true_residual;
        EXPECT_LT(r.true_residual, tolerance * 1.001) << p.name;
        EXPECT_EQ(r.overflows, 0U) << p.name << ' ' << to_string(proposal.options.spec);
        EXPECT_EQ(r.inner_iterations, proposal.tried) << p.name; // the trial was this solve
        return static_cast<double>(r.inner_iterations);
    };
    EXPECT_LT(run(*advice.advised), times * static_cast<double>(advice.measured.double_iterations)) << p.name;
    run(*advice.fewest);
    const auto bits = [](const AdvisedWidths& w) { return w.vector + w.coefficient + w.iterate; };
    EXPECT_LE(bits(advice.fewest->widths), bits(advice.advised->widths));
    const DatapathSpec& spec = advice.advised->options.spec;
    EXPECT_TRUE(spec.u.is_fixed()); // as every core has it
    for (const Format& f : {spec.r, spec.p, spec.q, spec.coefficient}) EXPECT_GE(f.word_bits, 3) << to_string(spec);
    // Its own text reads back as the spec.
    EXPECT_EQ(parse_spec(to_string(advice.advised->options.spec)), advice.advised->options.spec);
    EXPECT_NE(advice_text(p, advice).find(advised_command(p, *advice.advised)), std::string::npos);
}

TEST(Advice, ConvergesOnProblemsOfItsOwn) {
    for (const char* text :
         {"poisson2d:level=5", "poisson2d:level=5,anisotropy=1000", "diffusion2d:level=5,field=smooth",
          "diffusion2d:level=5,field=jump,contrast=10000", "poisson3d:level=3"})
        expect_converging(make_problem(text), 5);
}

TEST(Advice, ConvergesOnMatricesOfManyKinds) {
    expect_converging(problem("path", toeplitz(400, {2, -1})), 6);
    expect_converging(problem("mass", toeplitz(500, {4, 1})), 3);
    // (In double precision it ends with the 40 unknowns, which no rounding survives.)
    expect_converging(problem("fourth differences", toeplitz(40, {6, -4, 1})), 60, 1e-8);
    expect_converging(problem("anisotropic", five_point(30, 1e4)), 6);
    expect_converging(problem("springs", springs(40)), 10);
}

TEST(Advice, SaysWhenADoubleDefectCannotReachTheTolerance) {
    // A beam of 200 elements: the solution is 10^8 times the right-hand side.
    const Advice advice = advise(problem("beam", toeplitz(200, {6, -4, 1})), {});
    EXPECT_FALSE(advice.found());
    EXPECT_GT(advice.measured.floor, 1e-10);
    EXPECT_NE(advice.why_not.find("--tolerance"), std::string::npos) << advice.why_not;
    EXPECT_NE(advice_text(problem("beam", diagonal({1})), advice).find("No datapath within 52 bits"),
              std::string::npos);
}

/// The search ends in time, counted outside of it: of the whole process, whatever there is to try.
TEST(Advice, TakesNoMoreProcessorTimeThanItHas) {
    const auto used = [] {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        const auto seconds = [](const timeval& t) {
            return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
        };
        return seconds(usage.ru_utime) + seconds(usage.ru_stime);
    };
    for (const char* name : {"poisson2d:level=7,anisotropy=1000", "poisson3d:level=5", "diffusion2d:level=7"})
        for (const int threads : {1, 3}) {
            const Problem p = make_problem(name);
            AdviceOptions options;
            options.seconds = 0.4;
            options.threads = threads;
            const double begin = used();
            const Advice advice = advise(p, options);
            const double took = used() - begin, budget = std::max(options.seconds, 3 * advice.measured.double_seconds);
            EXPECT_TRUE(advice.found()) << name << ": " << advice.why_not;
            EXPECT_GT(advice.trials, 0) << name;
            EXPECT_GT(advice.seconds, 0.5 * budget) << name; // there was more to try
            EXPECT_LE(took, 1.05 * budget) << name << ", " << threads << " threads";
            EXPECT_NEAR(advice.seconds, took, 0.05 * budget) << name;
        }
}

TEST(Advice, CountsWhatReadingTook) {
    const Problem p = problem("path", toeplitz(50, {2, -1}));
    AdviceOptions options;
    options.before = 100;
    const Advice advice = advise(p, options);
    EXPECT_GT(advice.seconds, 100);
    EXPECT_GT(advice.measured.double_seconds, 100); // a solve reads as well: 300 s are not over
    EXPECT_GT(advice.trials, 10);
}

/// The coefficients of CG hold the spectrum that Lanczos finds, for a right-hand side with something of every
/// eigenvector; and Lanczos ends where it is told to.
TEST(Spectrum, ConjugateGradientsKnowIt) {
    std::vector<double> d(200);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = 1 + static_cast<double>(i);
    const CompressedRows path = toeplitz(200, {2, -1});
    for (const auto& [what, matrix, low, high] :
         {std::tuple("path", path, 1 - std::cos(std::numbers::pi / 201), 1 + std::cos(std::numbers::pi / 201)),
          std::tuple("scaled away", diagonal(d), 1.0, 1.0)}) {
        Problem p = problem(what, matrix);
        for (std::size_t i = 0; i < p.b.size(); ++i) p.b[i] = 1 + 0.5 * std::sin(static_cast<double>(7 * i * i));
        const Trial trial = run_trial(p, jacobi_scaled(p), {.tolerance = 1e-12, .progress = {}});
        EXPECT_EQ(trial.ritz.size(), trial.iterations) << what;
        EXPECT_NEAR(trial.ritz.smallest(), low, 1e-3 * low) << what;
        EXPECT_NEAR(trial.ritz.largest(), high, 1e-3 * high) << what;
    }
    LanczosOptions short_of_time;
    int asked = 0;
    short_of_time.time_up = [&] { return ++asked == 5; };
    const Extremes found = extreme_eigenvalues(System(path), short_of_time);
    EXPECT_EQ(found.steps, 5U);
    EXPECT_FALSE(found.settled);
}

/// Rounding by a double's own floor is the words' rounding, ties and the smallest numbers included.
TEST(Rounding, IsThatOfWords) {
    for (const int bits : {2, 4, 20, 40}) {
        const Format format = Format::fixed(Format::kMaxWord, bits);
        for (const double units :
             {0.5, -0.5, 0.49999999999999994, -0.49999999999999994, 1.5, 2.5, -2.5, 3.0000001, 1e-300})
            for (const double value : {units * Format::power_of_two(-bits), -units * Format::power_of_two(-bits)}) {
                const RoundedMatrix found = rounded(System(toeplitz(2, {1, value})), bits);
                const auto& rows = std::get<CompressedRows>(found.system.matrix());
                EXPECT_EQ(rows.value()[1], fixed::to_double(format, fixed::from_double(format, value).word))
                    << bits << ' ' << units;
            }
    }
}

TEST(Advice, EdgeCases) {
    expect_converging(problem("one unknown", diagonal({7})), 20);
    Problem nothing = problem("zero right side", toeplitz(20, {2, -1}));
    nothing.b.assign(20, 0.0);
    EXPECT_TRUE(advise(nothing, {}).found());
    const Problem one = problem("one unknown", diagonal({7}));
    const Advice exact = advise(one, {.tolerance = 1.23456789e-7});
    EXPECT_NE(advised_command(one, *exact.advised).find("--tolerance 1.23456789e-07"), std::string::npos);
    expect_invalid([] { (void)advise(problem("negative", diagonal({1, -1})), {}); }, "diagonal entry 2");
    expect_invalid([] { (void)advise(problem("p", diagonal({1})), {.tolerance = 2}); }, "tolerance 2");
    expect_invalid([] { (void)advise(problem("p", diagonal({1})), {.inner = 0}); }, "inner");
}

} // namespace
