// The resident solver of the emulated engine against resident.hpp written out in integers of any length: words of V and
// D, scalars, counts, history. Overflows, absurd headroom, tolerances out of reach, tiny grids, and that D is exact.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "mantissa/fitted.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/resident.hpp"
#include "reference_resident.hpp"
#include "test_systems.hpp"

namespace mantissa {
namespace {

using testing::ReferenceResident;
using testing::stencil_system;
using Words = std::vector<fixed::Word>;

constexpr const char* kShort = "fx18.16,u=fx25.21,operand=s14e8,scalar=s19e8:rne";
constexpr const char* kMiddle = "fx20.18,u=fx27.23,operand=s14e8:rne,scalar=s20e8";
constexpr const char* kFloor = "fx20.18:floor,u=fx40.33,operand=s13e8,scalar=s23e8";

/// Bilinear elements of the Laplacian, as an engine has them.
System laplacian(std::size_t columns, std::size_t rows, const DatapathSpec& spec) {
    const double a = 8.0 / 3, b = -1.0 / 3;
    const System given = Stencil(columns, rows, {b, b, b, b, a, b, b, b, b});
    const auto fit = fitted(given, spec);
    return fit ? fit->system : given;
}

/// Words of a right-hand side of norm 0.7 or so, 0 on the edge.
Words random_side(const System& system, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> b(system.size(), 0.0);
    double squares = 0;
    for (std::size_t i = 0; i < b.size(); ++i)
        if (!system.on_edge(i)) squares += (b[i] = uniform(random)) * b[i];
    return resident_words(b, resident_exponent(std::sqrt(squares)));
}

struct Case {
    const char* spec = kShort;
    Format iterate = Format::fixed(64, 54);
    ResidentRequest request{.max_passes = 400, .tolerance = {1, -33}};
    int threads = 1;
};

struct Result {
    ResidentReport report;
    int exact_steps = 0, saturated = 0;
};

Result compare(const System& system, const Case& c, const Words& b) {
    const DatapathSpec spec = parse_spec(c.spec);
    SCOPED_TRACE(to_string(spec) + " of " + std::to_string(system.size()) + " inner " +
                 std::to_string(c.request.inner) + " headroom " + std::to_string(c.request.headroom) + " threads " +
                 std::to_string(c.threads));
    const auto engine = make_emulated_engine();
    EXPECT_EQ(engine->resident_refusal(spec, system, c.iterate), "");
    const auto solver = engine->resident(system, spec, c.iterate, c.threads);
    ReferenceResident reference(system, spec, c.iterate);
    const ResidentReport got = solver->solve(b, c.request), want = reference.solve(b, c.request);

    EXPECT_EQ(to_string(got.end), to_string(want.end));
    EXPECT_EQ(got.passes, want.passes);
    EXPECT_EQ(got.steps, want.steps);
    EXPECT_EQ(got.formed_again, want.formed_again);
    EXPECT_EQ(got.overflows, want.overflows);
    EXPECT_EQ(got.sigma_guards, want.sigma_guards);
    EXPECT_EQ(got.headroom, want.headroom);
    EXPECT_EQ(got.e, want.e);
    EXPECT_EQ(got.rr, want.rr);
    EXPECT_EQ(got.overflow_v, want.overflow_v);
    EXPECT_EQ(got.overflow_d, want.overflow_d);
    EXPECT_EQ(got.words, want.words);
    EXPECT_EQ(got.history.size(), want.history.size());
    for (std::size_t k = 0; k < std::min(got.history.size(), want.history.size()); ++k)
        EXPECT_EQ(got.history[k], want.history[k]) << "acceptance " << k;
    Words v(system.size());
    solver->read(0, v);
    const Words d = solver->defect().value();
    for (std::size_t i = 0; i < v.size(); ++i)
        if (v[i] != reference.v[i] || d[i] != reference.d[i]) {
            ADD_FAILURE() << "element " << i << ": V " << v[i] << " and " << reference.v[i] << ", D " << d[i] << " and "
                          << reference.d[i];
            break;
        }
    if (reference.exact_steps == static_cast<int>(want.steps) && !want.overflow_v && !want.overflow_d) {
        const auto defect = reference.defect_of(b);
        EXPECT_TRUE(defect && *defect == reference.d) << "D is not b' - A V";
    }
    return {got, reference.exact_steps, reference.saturated};
}

TEST(Resident, ConvergesAsWrittenOut) {
    for (const char* text : {kShort, kMiddle, kFloor})
        for (const auto& [columns, rows] : {std::pair<std::size_t, std::size_t>{9, 9}, {17, 17}, {9, 21}, {34, 12}})
            for (const int relax : {0, 2}) {
                Case c{.spec = text};
                c.request.relax = relax;
                const System system = laplacian(columns, rows, parse_spec(text));
                const Result r = compare(system, c, random_side(system, 1));
                EXPECT_EQ(r.report.end, ResidentEnd::converged);
                EXPECT_GT(r.report.steps, 2U);
            }
}

TEST(Resident, AnyStencilInnerAndThreads) {
    // (Not symmetric: some of these solves break down or wander, all as written out.)
    const System system = stencil_system(19, 70);
    for (const std::uint64_t inner : {1, 2, 7, 20})
        for (const int threads : {1, 3}) {
            Case c{.spec = "fx18.14,u=fx25.18,coef=fx24.20,operand=s14e8,scalar=s19e8", .threads = threads};
            c.request.inner = inner;
            c.request.max_passes = 45;
            compare(system, c, random_side(system, 2));
        }
}

// Every bit of D is b' - A V while no shift loses one.
TEST(Resident, DefectIsExact) {
    const System system = laplacian(17, 17, parse_spec(kMiddle));
    Case c{.spec = kMiddle, .iterate = Format::fixed(64, 58)};
    c.request.tolerance = {1, -20};
    const Result r = compare(system, c, random_side(system, 3));
    EXPECT_EQ(r.report.end, ResidentEnd::converged);
    EXPECT_GT(r.report.steps, 2U);
    EXPECT_EQ(r.exact_steps, static_cast<int>(r.report.steps));
}

TEST(Resident, OverflowsAreRepeatedWithMoreRoom) {
    // q's and p's words are short for a norm of 2^5, and so is u.
    bool saturated = false;
    std::uint64_t overflows = 0;
    for (const char* text : {kShort, "fx18.16,u=fx19.17,operand=s14e8,scalar=s19e8:rne",
                             "fx18.12,u=fx16.15,operand=s14e8,scalar=s19e8:rne"})
        for (const int headroom : {-8, -5, -3, 0})
            for (const std::uint64_t inner : {1, 10}) {
                Case c{.spec = text};
                c.request.headroom = headroom;
                c.request.inner = inner;
                c.request.max_passes = 200;
                const System system = laplacian(17, 17, parse_spec(text));
                const Result r = compare(system, c, random_side(system, 4));
                saturated |= r.saturated > 0;
                overflows += r.report.overflows;
            }
    EXPECT_GT(overflows, 10U);
    EXPECT_TRUE(saturated);
}

TEST(Resident, AbsurdHeadroom) {
    const System system = laplacian(9, 9, parse_spec(kShort));
    Case c;
    c.request.headroom = 40; // r has no bits left
    EXPECT_EQ(compare(system, c, random_side(system, 5)).report.end, ResidentEnd::fault);
    c.request.headroom = -20; // no word holds r: bit after bit until one does
    const Result r = compare(system, c, random_side(system, 5));
    EXPECT_EQ(r.report.end, ResidentEnd::converged);
    EXPECT_GT(r.report.overflows, 15U);
    c.request.headroom = -100; // too many
    EXPECT_EQ(compare(system, c, random_side(system, 5)).report.end, ResidentEnd::window_overflow);
}

TEST(Resident, PassesRunOut) {
    const System system = laplacian(17, 17, parse_spec(kShort));
    for (const std::uint64_t most : {0, 1, 9, 10, 23}) {
        Case c;
        c.request.tolerance = {0, 0}; // never
        c.request.max_passes = most;
        const Result r = compare(system, c, random_side(system, 6));
        EXPECT_EQ(r.report.end, ResidentEnd::passes);
        EXPECT_EQ(r.report.passes, most);
    }
}

// Beyond what 60 bits of D say, r is what is left of them, and then nothing.
TEST(Resident, DefectRunsOutOfBits) {
    const System system = laplacian(9, 9, parse_spec(kMiddle));
    Case c{.spec = kMiddle, .iterate = Format::fixed(64, 58)};
    c.request.tolerance = {1, -90};
    c.request.max_passes = 600;
    const Result r = compare(system, c, random_side(system, 7));
    EXPECT_NE(r.report.end, ResidentEnd::converged);
    EXPECT_LT(r.report.e, -45);
}

TEST(Resident, NothingToDo) {
    const System system = laplacian(9, 9, parse_spec(kShort));
    const Result zero = compare(system, {}, Words(system.size(), 0));
    EXPECT_EQ(zero.report.end, ResidentEnd::exact);
    EXPECT_EQ(zero.report.passes, 0U);
    Case c;
    c.request.tolerance = {1, 1};
    const Result reached = compare(system, c, random_side(system, 8));
    EXPECT_EQ(reached.report.end, ResidentEnd::converged);
    EXPECT_EQ(reached.report.passes, 0U);
}

// r is zero at first where b is below its grid, and is looked for; where the headroom leaves it no bits that is a
// fault.
TEST(Resident, SmallSides) {
    const System system = laplacian(17, 17, parse_spec(kShort));
    for (const int down : {10, 16, 17, 20, 27}) {
        Words b = random_side(system, 15);
        for (fixed::Word& word : b) word /= fixed::Word{1} << down;
        for (const int headroom : {0, 4, 8}) {
            Case c;
            c.request.headroom = headroom;
            c.request.max_passes = 2000;
            c.request.tolerance = {1, -down - 12};
            const Result r = compare(system, c, b);
            EXPECT_EQ(r.report.end, ResidentEnd::converged) << down;
            EXPECT_GT(r.report.passes, 0U);
        }
        for (const int headroom : {17, 24, 60}) {
            Case c;
            c.request.headroom = headroom;
            EXPECT_EQ(compare(system, c, b).report.end, ResidentEnd::fault) << down << ", headroom " << headroom;
        }
    }
}

// Words of V that are too short for the tolerance: D may run out of bits, but b is not A V then, and no end says so.
TEST(Resident, ShortIterates) {
    for (const char* text : {kShort, kMiddle})
        for (const auto& [columns, rows] : {std::pair<std::size_t, std::size_t>{3, 3}, {5, 3}, {9, 9}})
            for (const int fraction : {8, 14, 20, 54}) {
                const System system = laplacian(columns, rows, parse_spec(text));
                Case c{.spec = text, .iterate = Format::fixed(64, fraction)};
                c.request.tolerance = {0, 0}; // never
                c.request.max_passes = 600;
                const Result r = compare(system, c, random_side(system, 16));
                if (r.report.end == ResidentEnd::exact) {
                    EXPECT_EQ(r.exact_steps, static_cast<int>(r.report.steps)) << fraction;
                }
            }
}

TEST(Resident, TinyGrids) {
    for (const auto& [columns, rows] : {std::pair<std::size_t, std::size_t>{3, 3}, {4, 3}, {3, 5}, {5, 5}})
        for (const int headroom : {-2, 0, 1}) {
            const System system = laplacian(columns, rows, parse_spec(kShort));
            Case c;
            c.request.headroom = headroom;
            c.request.relax = headroom == 0 ? 2 : 0;
            c.request.max_passes = 300;
            compare(system, c, random_side(system, 9));
        }
}

TEST(Resident, IndefiniteMatrix) {
    const System system = Stencil(9, 9, {0.25, 0.25, 0.25, 0.25, -2, 0.25, 0.25, 0.25, 0.25});
    const Result r = compare(system, {}, random_side(system, 10));
    EXPECT_EQ(r.report.end, ResidentEnd::indefinite);
    EXPECT_EQ(r.report.steps, static_cast<std::uint64_t>(kMostTroubles));
}

TEST(Resident, OuterWordsOverflow) {
    // A matrix that is small: its solution is beyond V.
    constexpr double kSmall = 1.0 / 64;
    const System system =
        Stencil(17, 17, {-kSmall, -kSmall, -kSmall, -kSmall, 8 * kSmall, -kSmall, -kSmall, -kSmall, -kSmall});
    Case c{.iterate = Format::fixed(64, 63)};
    Result r = compare(system, c, random_side(system, 11));
    EXPECT_EQ(r.report.end, ResidentEnd::outer_overflow);
    EXPECT_TRUE(r.report.overflow_v);
    // Far from symmetric: every step makes the defect larger.
    const System wild = Stencil(17, 17, {0, 0, 0, -3, 1, 3, 0, 0, 0});
    c.iterate = Format::fixed(64, 40);
    c.request.inner = 1;
    r = compare(wild, c, random_side(wild, 12));
    EXPECT_TRUE(r.report.overflow_d);
}

TEST(Resident, WatchStops) {
    const DatapathSpec spec = parse_spec(kShort);
    const System system = laplacian(17, 17, spec);
    const auto solver = make_emulated_engine()->resident(system, spec, Format::fixed(64, 54), 1);
    ResidentRequest request{.max_passes = 400, .tolerance = {1, -33}};
    std::size_t seen = 0;
    request.watch = [&](const ResidentPoint&) { return ++seen < 3; };
    const ResidentReport r = solver->solve(random_side(system, 13), request);
    EXPECT_EQ(r.end, ResidentEnd::stopped);
    EXPECT_EQ(r.history.size(), 3U);
    // A solver begins anew.
    request.watch = {};
    EXPECT_EQ(solver->solve(random_side(system, 13), request).end, ResidentEnd::converged);
}

TEST(Resident, Refusals) {
    const auto engine = make_emulated_engine();
    const Format iterate = Format::fixed(64, 54);
    const auto expect = [&](const char* text, const System& system, const Format& v, const char* part) {
        const std::string why = engine->resident_refusal(parse_spec(text), system, v);
        EXPECT_NE(why.find(part), std::string::npos) << text << ": " << why;
        EXPECT_THROW(static_cast<void>(engine->resident(system, parse_spec(text), v, 1)), InvalidInput);
    };
    const System grid = laplacian(9, 9, parse_spec(kShort));
    expect("s23e8", grid, iterate, "floating");
    expect("fx18.16,point=moving", grid, iterate, "moves");
    expect("fx18.16,q=fx20.16", grid, iterate, "one format");
    expect("fx18.16,u=s23e8", grid, iterate, "u is floating");
    expect("fx32.28,coef=fx20.16", grid, iterate, "at most 30");
    expect("fx18.16,dot=fixed[13:-40]", grid, iterate, "window");
    expect("fx18.16,scalar=s23e6", grid, iterate, "exponent bits");
    expect(kShort, testing::band_system(9, 9, 1), iterate, "constant stencil");
    expect(kShort, grid, Format::fixed(48, 40), "64 bits");
    expect(kShort, grid, Format::fixed(64, 54, Rounding::down), "64 bits");
    expect("fx18.16,coef=fx50.48", stencil_system(9, 9), iterate, "more than 30 bits");
    const auto solver = engine->resident(grid, parse_spec(kShort), iterate, 1);
    const Words b = random_side(grid, 14);
    EXPECT_THROW(solver->solve(Words(3), {}), InvalidInput);
    EXPECT_THROW(solver->solve(b, {.inner = 0}), InvalidInput);
    EXPECT_THROW(solver->solve(b, {.relax = 8}), InvalidInput);
    EXPECT_THROW(solver->solve(b, {.tolerance = {-1, 0}}), InvalidInput);
    EXPECT_THROW(solver->solve(b, {.tolerance = {1 + 0x1p-40, 0}}), InvalidInput);
}

TEST(Resident, WordsAndScalarsOfTheHost) {
    EXPECT_EQ(resident_exponent(1), 0);
    EXPECT_EQ(resident_exponent(1.5), 1);
    EXPECT_EQ(resident_exponent(0.5), -1);
    const std::vector<double> b = {0x1p-1000, -0x1.8p-1001, 0};
    EXPECT_EQ(resident_words(b, -999), (Words{fixed::Word{1} << 59, -(fixed::Word{3} << 57), 0}));
    EXPECT_THROW(resident_words(std::vector<double>{9}, 0), InvalidInput);
    EXPECT_THROW(resident_words(std::vector<double>{NAN}, 0), InvalidInput);
    const Format scalar = parse_format("s19e8:rne");
    const ResidentTolerance t = resident_tolerance(scalar, 0.75 * 0x1p-33);
    EXPECT_EQ(t, (ResidentTolerance{2.25, -34}));
    for (const auto& [square, k] : {std::pair{1.0, 1}, {2.0, 1}, {3.9, 1}, {4.0, 2}, {0.5, 0}, {0.25, 0}, {0.2, -1}}) {
        EXPECT_EQ(resident_magnitude(square), k) << square;
        EXPECT_LT(std::sqrt(square), std::ldexp(1.0, k));
        EXPECT_GE(std::sqrt(square), std::ldexp(1.0, k - 1));
    }
    EXPECT_EQ(resident_scaled(scalar, 1.5, 40), 1.5 * 0x1p40);
    EXPECT_EQ(resident_scaled(scalar, 1.5, -140), 0); // flushed, as the format does
}

} // namespace
} // namespace mantissa
