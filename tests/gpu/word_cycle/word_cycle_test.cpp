// Multilevel cycles in words on the device: the reference's bits for several specs and grids, on one device and over
// parts, the same solution in every run, a true residual below the tolerance, ends and refusals.
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "../device_test.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/peers.hpp"
#include "mantissa/gpu/word_cycle.hpp"
#include "mantissa/multilevel/cycle.hpp"
#include "mantissa/nine_point.hpp"

namespace mantissa::gpu {
namespace {

using Integers = std::vector<std::int64_t>;

enum class Kind { noise, bump, small, one };

Integers defect(int n, Kind kind) {
    std::mt19937_64 random(static_cast<std::uint64_t>(n) + 7);
    const auto side = static_cast<std::size_t>(n) + 1;
    Integers d(side * side, 0);
    for (int y = 1; y < n; ++y)
        for (int x = 1; x < n; ++x) {
            const double bump = 16.0 * x * (n - x) * y * (n - y) / std::pow(n, 4);
            std::int64_t& at = d[static_cast<std::size_t>(y) * side + static_cast<std::size_t>(x)];
            switch (kind) {
            case Kind::noise:
                at = static_cast<std::int64_t>(random() >> 34) - (1 << 29);
                break;
            case Kind::bump:
                at = static_cast<std::int64_t>(1e9 * bump);
                break;
            case Kind::small:
                at = static_cast<std::int64_t>(random() % 7) - 3;
                break;
            case Kind::one:
                at = x == n / 2 + 1 && y == 1 ? -1 : 0;
                break;
            }
        }
    return d;
}

System system_of(int n, const WordStencil& a) {
    const auto side = static_cast<std::size_t>(n) + 1;
    const double c = a.corner, ew = a.east_west, ns = a.north_south;
    return System(Stencil(side, side, {c, ns, c, ew, static_cast<double>(a.centre), ew, c, ns, c}));
}

class WordCycleTest : public mantissa::testing::DeviceTest {
protected:
    static WordCycle over(int parts, int level, const WordStencil& stencil, const CycleSpec& spec) {
        return parts == 1 ? WordCycle(level, stencil, spec)
                          : WordCycle(std::make_shared<Peers>(Peers::spread(parts)), level, stencil, spec);
    }
    /// Every word, as the exact double that a cycle of the processor returns.
    static void compare(int level, const WordStencil& stencil, const CycleSpec& spec, Kind kind, bool reference,
                        int parts = 1) {
        const int n = 1 << level;
        const Integers d = defect(n, kind);
        const WordCorrection here = over(parts, level, stencil, spec).correct(d);
        const std::vector<double> given(d.begin(), d.end());
        std::vector<double> there(d.size());
        const System system = system_of(n, stencil);
        (reference ? make_reference_cycle(system, spec) : make_cycle(system, spec, 2))->correct(given, there);
        for (std::size_t i = 0; i < d.size(); ++i)
            ASSERT_EQ(std::ldexp(static_cast<double>(here.words[i]), -here.point), there[i])
                << to_string(spec) << ", level " << level << ", kind " << static_cast<int>(kind) << ", element " << i;
    }
};

TEST_F(WordCycleTest, HasTheReferencesBits) {
    for (const char* const text :
         {"b2,w=10,f=16", "b2", "b2,w=12,f=16", "b3,w=12", "b1,w=4", "b4,w=16,g=8", "v11,w=8,e=12",
          "v22,w=12/10/8,f=16", "v13,w=10", "v31,w=16,f=24,e=24", "v44,w=10", "b2,w=6,f=4,g=0"})
        for (int level = 3; level <= 8; ++level)
            for (const Kind kind : {Kind::noise, Kind::bump, Kind::small, Kind::one}) {
                const bool stretched = level % 2 == 1 && kind == Kind::bump;
                compare(level, stretched ? WordStencil{16, -3, -1, -2} : WordStencil{}, parse_cycle_spec(text), kind,
                        true);
                if (HasFatalFailure()) return;
            }
}

TEST_F(WordCycleTest, HasTheProcessorsBitsOnLargerGrids) {
    for (const char* const text : {"b2,w=10,f=16", "b2,w=12", "v11,w=8,e=12"})
        for (const int level : {9, 10, 11}) {
            compare(level, {}, parse_cycle_spec(text), level == 10 ? Kind::bump : Kind::noise, false);
            if (HasFatalFailure()) return;
        }
}

/// Of 8 to 12 levels, of which one to three are shared out.
TEST_F(WordCycleTest, HasTheSameBitsOverParts) {
    for (const char* const text : {"b2,w=10,f=16", "b2,w=12,f=16", "v11,w=8,e=12", "v13,w=10", "v31,w=16,f=24,e=24",
                                   "v44,w=10", "b1,w=4", "b4,w=16,g=8"})
        for (const int parts : {2, 3, 8})
            for (const int level : {7, 8, 11, 12}) {
                if (level > 8 && (text[0] == 'v' ? text[1] != '1' : text[1] != '2')) continue;
                const bool stretched = level == 7;
                compare(level, stretched ? WordStencil{16, -3, -1, -2} : WordStencil{}, parse_cycle_spec(text),
                        level == 8 ? Kind::bump : Kind::noise, false, parts);
                if (HasFatalFailure()) return;
            }
}

/// Poisson's equation with the solution x (1 - x) y (1 - y), times three.
Integers poisson(int n, int fraction_bits) {
    const auto side = static_cast<std::size_t>(n) + 1;
    Integers b(side * side, 0);
    const double h = 1.0 / n;
    for (int y = 1; y < n; ++y)
        for (int x = 1; x < n; ++x)
            b[static_cast<std::size_t>(y) * side + static_cast<std::size_t>(x)] = static_cast<std::int64_t>(
                std::ldexp(6 * h * h * (x * h * (1 - x * h) + y * h * (1 - y * h)), fraction_bits));
    return b;
}

/// ||b - A u|| / ||b||, each element exact.
double true_residual(const Integers& b, const Integers& u, int n) {
    const auto side = static_cast<std::ptrdiff_t>(n) + 1;
    double defect = 0, norm = 0;
    for (std::ptrdiff_t y = 1; y < n; ++y)
        for (std::ptrdiff_t x = 1; x < n; ++x) {
            const std::int64_t* const v = u.data() + y * side + x;
            std::int64_t sum = 9 * v[0];
            for (const std::ptrdiff_t row : {-side, std::ptrdiff_t{0}, side}) sum -= v[row - 1] + v[row] + v[row + 1];
            const auto right = b[static_cast<std::size_t>(y * side + x)];
            defect += std::pow(static_cast<double>(right - sum), 2);
            norm += std::pow(static_cast<double>(right), 2);
        }
    return std::sqrt(defect / norm);
}

TEST_F(WordCycleTest, SolvesToTheTolerance) {
    for (const char* const text : {"b2,w=10,f=16", "b2,w=12", "v22,w=8"})
        for (const int level : {3, 6, 9}) {
            const int n = 1 << level;
            const Integers b = poisson(n, 62);
            WordCycle cycle(level, {}, parse_cycle_spec(text));
            Integers u(b.size()), again(b.size());
            const WordSolveReport report = cycle.solve(b, {.tolerance = 1e-10, .most_cycles = 40}, u);
            EXPECT_EQ(report.end, WordSolveEnd::converged) << text << ", level " << level;
            EXPECT_LE(true_residual(b, u, n), 1.001e-10);
            EXPECT_NEAR(report.residual.back(), true_residual(b, u, n), 1e-12);
            static_cast<void>(cycle.solve(b, {.tolerance = 1e-10, .most_cycles = 40}, again));
            EXPECT_EQ(u, again);
        }
}

TEST_F(WordCycleTest, SolvesOverPartsAsOnOne) {
    for (const char* const text : {"b2,w=10,f=16", "v22,w=8", "v12,w=10,f=16"})
        for (const int level : {7, 9, 12}) {
            const Integers b = poisson(1 << level, 62);
            Integers u(b.size()), v(b.size());
            const WordSolveReport one = over(1, level, {}, parse_cycle_spec(text)).solve(b, {}, u);
            for (const int parts : {2, 3}) {
                WordCycle cycle = over(parts, level, {}, parse_cycle_spec(text));
                const WordSolveReport several = cycle.solve(b, {}, v, 2);
                EXPECT_EQ(several.end, one.end);
                EXPECT_EQ(several.cycles, one.cycles);
                EXPECT_EQ(several.rebuilt, one.rebuilt);
                EXPECT_EQ(several.residual, one.residual);
                EXPECT_EQ(u, v) << text << ", level " << level << ", " << parts << " parts";
                static_cast<void>(cycle.solve(b, {}, v));
                EXPECT_EQ(u, v);
            }
        }
}

/// In double the sum of squares depends on its order, u on the number of cycles alone.
TEST_F(WordCycleTest, InDoubleItIsTheSameOverParts) {
    const int level = 8;
    const Integers b = poisson(1 << level, 62);
    const std::vector<double> real(b.begin(), b.end());
    std::vector<double> u(b.size()), v(b.size());
    for (const char* const text : {"b2,w=double", "v22,w=double"}) {
        const auto one = over(1, level, {}, parse_cycle_spec(text)).solve(real, {}, u);
        const auto several = over(3, level, {}, parse_cycle_spec(text)).solve(real, {}, v);
        EXPECT_EQ(several.end, WordSolveEnd::converged);
        EXPECT_EQ(several.cycles, one.cycles);
        EXPECT_EQ(u, v);
    }
}

TEST_F(WordCycleTest, NeedsNoMoreCyclesThanInDouble) {
    const int level = 8, n = 1 << level;
    const Integers b = poisson(n, 62);
    const std::vector<double> real(b.begin(), b.end());
    Integers u(b.size());
    std::vector<double> v(b.size());
    const auto words = WordCycle(level, {}, parse_cycle_spec("b2,w=12")).solve(b, {}, u);
    const auto doubles = WordCycle(level, {}, parse_cycle_spec("b2,w=double")).solve(real, {}, v);
    EXPECT_EQ(doubles.end, WordSolveEnd::converged);
    EXPECT_LE(words.cycles, doubles.cycles + 1);
}

TEST_F(WordCycleTest, EndsAtTheLimitAndOnZero) {
    const int level = 5, n = 1 << level;
    WordCycle cycle(level, {}, parse_cycle_spec("b2"));
    Integers u(cycle.nodes());
    const auto some = cycle.solve(poisson(n, 62), {.tolerance = 1e-10, .most_cycles = 3}, u);
    EXPECT_EQ(some.end, WordSolveEnd::cycles);
    EXPECT_EQ(some.cycles, 3);
    const Integers none(u.size(), 0);
    EXPECT_EQ(cycle.solve(none, {}, u).end, WordSolveEnd::converged);
    EXPECT_EQ(u, none);
    Integers large = poisson(n, 62);
    for (std::int64_t& x : large) x *= 64;
    EXPECT_EQ(cycle.solve(large, {}, u).end, WordSolveEnd::overflow);
    EXPECT_EQ(over(2, level, {}, parse_cycle_spec("b2")).solve(large, {}, u).end, WordSolveEnd::overflow);
}

TEST_F(WordCycleTest, RefusesWhatItCannotTake) {
    const CycleSpec spec = parse_cycle_spec("b2");
    EXPECT_THROW(WordCycle(2, {}, spec), InvalidInput);
    EXPECT_THROW(WordCycle(5, {4, -1, -1, 0}, spec), InvalidInput);
    EXPECT_THROW(WordCycle(5, {8, -5, 3, -1}, spec), InvalidInput); // indefinite
    EXPECT_THROW(WordCycle(5, {}, parse_cycle_spec("b2,w=double")).correct(Integers(33 * 33)), InvalidInput);
    EXPECT_EQ(WordCycle::most_parts(5), 2);
    EXPECT_THROW(over(3, 5, {}, spec), InvalidInput);
}

} // namespace
} // namespace mantissa::gpu
