// Whole solves in words: the fast ones have the reference's bits, the defect that is kept is b - S u, the ends.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa/multilevel/word_solve.hpp"
#include "word_solves.hpp"

namespace mantissa::multilevel {
namespace {

using test::word_grid, test::word_norm, test::word_right_hand_side;
using Words = std::vector<std::int64_t>;

/// b - S u, exact.
Words defect_of(const GridWords& grid, const Words& b, const Words& u) {
    const std::size_t n = grid.row_length;
    Words d(b.size(), 0);
    for (std::size_t j = 1; j + 1 < n; ++j)
        for (std::size_t i = j * n + 1; i + 1 < (j + 1) * n; ++i)
            d[i] = b[i] - (grid.centre * u[i] + grid.east * (u[i - 1] + u[i + 1]) + grid.north * (u[i - n] + u[i + n]) +
                           grid.corner * (u[i - n - 1] + u[i - n + 1] + u[i + n - 1] + u[i + n + 1]));
    return d;
}

class WordSolveBits : public ::testing::TestWithParam<const char*> {};

TEST_P(WordSolveBits, AreTheReferences) {
    const CycleSpec spec = parse_cycle_spec(GetParam());
    for (const std::size_t level : {3, 4, 6}) {
        const GridWords grid = word_grid(level, level == 4);
        const Words b = word_right_hand_side(grid, 50);
        const WordRequest request{word_tolerance(1e-9 * word_norm(b)), 60};
        Words expected, found;
        const WordOutcome reference = make_reference_word_solver(grid, spec)->solve(b, request, expected);
        const auto solver = make_word_solver(grid, spec);
        for (const int threads : {1, 3}) {
            solver->use(threads);
            const WordOutcome fast = solver->solve(b, request, found);
            EXPECT_EQ(found, expected) << level;
            EXPECT_EQ(fast.history, reference.history) << level;
            EXPECT_EQ(fast.end, reference.end);
        }
        EXPECT_EQ(reference.end, CycleSolveEnd::reached) << level;
        EXPECT_EQ(reference.history.size(), reference.cycles + 1);
        // What VERDICT sees of the defect is its norm to a few bits.
        const double true_norm = word_norm(defect_of(grid, b, expected));
        EXPECT_NEAR(reference.history.back().norm() / true_norm, 1, 0.01);
        EXPECT_LT(true_norm, 1e-9 * word_norm(b) * 1.01);
    }
}
INSTANTIATE_TEST_SUITE_P(Specs, WordSolveBits, ::testing::ValuesIn(test::kCycleSpecs));

/// A cycle alone: the corrections of make_cycle(), of the machine in words and of the definition.
TEST_P(WordSolveBits, OfACycleAloneAreTheCycles) {
    const CycleSpec spec = parse_cycle_spec(GetParam());
    for (const std::size_t level : {3, 4, 6}) {
        const GridWords grid = word_grid(level, level == 4);
        const double c = grid.corner, e = grid.east, n = grid.north;
        const System system(
            Stencil(grid.row_length, grid.row_length, {c, n, c, e, static_cast<double>(grid.centre), e, c, n, c}));
        const auto expected = make_cycle(system, spec, 1),
                   found = make_cycle_of_words(grid, spec, make_word_solver(grid, spec)),
                   defined = make_cycle_of_words(grid, spec, make_reference_word_solver(grid, spec));
        for (const int scale : {-300, 0, 200}) { // (as the defects of a solve do, over many powers of two)
            std::vector<double> d, c1(system.size()), c2(system.size());
            for (const std::int64_t word : word_right_hand_side(grid, 52, level))
                d.push_back(std::ldexp(static_cast<double>(word), scale));
            expected->correct(d, c1);
            found->correct(d, c2);
            EXPECT_EQ(c2, c1) << level << ", " << scale;
            defined->correct(d, c2);
            EXPECT_EQ(c2, c1) << level << ", " << scale;
        }
    }
}

TEST(WordSolve, ACycleAloneEnds) {
    const GridWords grid = word_grid(6);
    const auto solver = make_word_solver(grid, parse_cycle_spec("b2,w=10"));
    const WordRequest alone{.tolerance = {}, .alone = true};
    Words u;
    const WordOutcome nothing = solver->solve(Words(65 * 65, 0), alone, u);
    EXPECT_EQ(nothing.end, CycleSolveEnd::reached);
    EXPECT_EQ(nothing.cycles, 0u);
    const WordOutcome one = solver->solve(word_right_hand_side(grid, 40), alone, u);
    EXPECT_EQ(one.end, CycleSolveEnd::limit);
    EXPECT_EQ(one.cycles, 1u);
    EXPECT_TRUE(one.history.empty());
    EXPECT_EQ(solver->solve(word_right_hand_side(grid, 60), alone, u).end, CycleSolveEnd::overflow);
    // Then a correction is no number, and CG says that.
    class Full final : public WordSolver {
        WordOutcome solve(std::span<const std::int64_t>, const WordRequest&, Words& words) override {
            words.assign(65 * 65, 1);
            return {.end = end_, .cycles = 1, .history = {}, .clocks = {}};
        }

    public:
        explicit Full(CycleSolveEnd end) : end_(end) {}
        CycleSolveEnd end_;
    };
    for (const CycleSolveEnd end : {CycleSolveEnd::overflow, CycleSolveEnd::fault}) {
        std::vector<double> d(65 * 65, 1.0), c(d.size());
        make_cycle_of_words(grid, parse_cycle_spec("b2,w=10"), std::make_unique<Full>(end))->correct(d, c);
        EXPECT_TRUE(std::isnan(c[66]));
    }
}

TEST(WordSolve, Ends) {
    const GridWords grid = word_grid(4);
    const auto solver = make_word_solver(grid, parse_cycle_spec("b2,w=10"));
    Words u, b = word_right_hand_side(grid, 50);
    const WordTolerance tight = word_tolerance(1e-9 * word_norm(b));
    EXPECT_EQ(solver->solve(b, {tight, 3}, u).end, CycleSolveEnd::limit);
    EXPECT_EQ(solver->solve(Words(b.size(), 0), {tight, 3}, u).end, CycleSolveEnd::reached);
    EXPECT_EQ(u, Words(b.size(), 0));
    // u is some 2^6 times b on this grid: it leaves its words.
    const GridWords larger = word_grid(6);
    EXPECT_EQ(make_word_solver(larger, parse_cycle_spec("b2,w=10"))
                  ->solve(word_right_hand_side(larger, 60), {tight, 60}, u)
                  .end,
              CycleSolveEnd::overflow);
    EXPECT_EQ(solver->solve(b, {tight, 60}, u).end, CycleSolveEnd::reached);
}

TEST(WordSolve, LimitsFollowTheScale) {
    const WordTolerance tolerance = word_tolerance(std::ldexp(1.5, 20));
    for (const int x : {10, 15, 20, 25, 30, 40}) {
        const double exact = std::ldexp(2.25, 40 + 2 * (kVerdictBits - x));
        EXPECT_NEAR(static_cast<double>(tolerance.limit(x)), std::min(exact, 0x1p62), 1 + 1e-12 * exact) << x;
    }
    EXPECT_EQ(word_tolerance(0).limit(5), 0u);
}

TEST(WordSolve, TheEmulatedEngineRefusesInOneLine) {
    const auto engine = make_emulated_engine();
    constexpr double off = -1.0 / 3;
    const std::array<double, kBands> poisson{off, off, off, off, 8.0 / 3, off, off, off, off};
    const System good(Stencil(17, 17, poisson)), odd(Stencil(16, 16, poisson)), small(Stencil(5, 5, poisson));
    const CycleSpec spec = parse_cycle_spec("b2,w=10");
    EXPECT_EQ(engine->cycles_refusal(good, spec, {}), "");
    EXPECT_NE(engine->cycles_refusal(odd, spec, {}).find("2^n + 1 nodes"), std::string::npos);
    EXPECT_NE(engine->cycles_refusal(small, spec, {}).find("2^3 + 1"), std::string::npos);
    EXPECT_NE(engine->cycles_refusal(good, parse_cycle_spec("b2,w=double"), {}).find("bits"), std::string::npos);
    EXPECT_NE(engine->cycles_refusal(good, spec, {Format::fixed(32, 30)}).find("64 bits"), std::string::npos);
    EXPECT_THROW(static_cast<void>(engine->cycles(odd, spec, {})), InvalidInput);
}

} // namespace
} // namespace mantissa::multilevel
