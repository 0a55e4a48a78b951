// Bits multiplied and added by a pass, against sums worked out by hand; and the totals of whole solves.
#include <gtest/gtest.h>

#include "mantissa/bit_operations.hpp"
#include "mantissa/fitted.hpp"
#include "mantissa/host/solve.hpp"

namespace mantissa {
namespace {

constexpr std::uint64_t kNodes = 9 * 9;

Stencil poisson(double scale) {
    const double c = -scale / 3, centre = 8 * scale / 3;
    return {9, 9, {c, c, c, c, centre, c, c, c, c}};
}

/// Nine bands of a constant symmetric stencil; row sums vanish only where the diagonal is the sum of the others.
Bands bands(double extra) {
    Bands::Array array;
    for (int b = 0; b < kBands; ++b)
        for (std::size_t i = 0; i < kNodes; ++i) {
            const std::size_t x = i % 9, y = i / 9;
            const bool outside =
                (b % 3 == 0 && x == 0) || (b % 3 == 2 && x == 8) || (b / 3 == 0 && y == 0) || (b / 3 == 2 && y == 8);
            array[static_cast<std::size_t>(b)].push_back(outside || b == 4 ? 0 : -1);
        }
    for (std::size_t i = 0; i < kNodes; ++i) {
        double sum = 0;
        for (std::size_t b = 0; b < kBands; ++b) sum += array[b][i];
        array[4][i] = extra - sum;
    }
    return {9, array};
}

TEST(BitOperations, ProductsOfStreamedBands) {
    // 18-bit significands: updates 3, row 9, dots 3 products of 18 x 18; sums 3 and 8 of 18 bits, 3 of 53.
    const BitOperations pass = bit_operations(parse_spec("s17e8"), bands(0));
    EXPECT_EQ(pass.multiplied, kNodes * 15 * 18 * 18);
    EXPECT_EQ(pass.added, kNodes * (11 * 18 + 3 * 53));
    // Guard bits widen the sums of a row, a window those of the dot products, u its own.
    const BitOperations guarded = bit_operations(parse_spec("s17e8,u=s23e8,row=s23e8,dot=fixed[13:-50]"), bands(0));
    EXPECT_EQ(guarded.multiplied, pass.multiplied);
    EXPECT_EQ(guarded.added, kNodes * (24 + 2 * 18 + 8 * 24 + 3 * 64));
}

TEST(BitOperations, Fluxes) {
    const BitOperations without = bit_operations(parse_spec("s17e8,order=flux"), bands(0));
    EXPECT_EQ(without.multiplied, kNodes * 10 * 18 * 18);
    EXPECT_EQ(without.added, kNodes * (14 * 18 + 3 * 53));
    const BitOperations with = bit_operations(parse_spec("s17e8,order=flux"), bands(0.5));
    EXPECT_EQ(with.multiplied, kNodes * 11 * 18 * 18);
    EXPECT_EQ(with.added, kNodes * (15 * 18 + 3 * 53));
}

TEST(BitOperations, ConstantsOfAStencil) {
    // Three times Poisson: beta = alpha = -3 are two bits, gamma = -1 is none.
    const BitOperations whole = bit_operations(parse_spec("s17e8,order=second-difference"), poisson(3));
    EXPECT_EQ(whole.multiplied, kNodes * (6 * 18 * 18 + 2 * 2 * 18));
    EXPECT_EQ(whole.added, kNodes * (11 * 18 + 3 * 53));
    // As products 8 and -1 are powers of two; thirds are full significands.
    EXPECT_EQ(bit_operations(parse_spec("s17e8"), poisson(3)).multiplied, kNodes * 6 * 18 * 18);
    EXPECT_GT(bit_operations(parse_spec("s17e8"), poisson(1)).multiplied, kNodes * 14 * 18 * 18);
}

TEST(BitOperations, FixedWords) {
    const DatapathSpec spec = parse_spec("fx18.16,u=fx32.30");
    // 81 elements: seven bits of growth. 8 and -1: words of four bits, sums of nine: four bits more.
    const BitOperations pass = bit_operations(spec, poisson(3));
    EXPECT_EQ(pass.multiplied, kNodes * (3 * 17 * 18 + 3 * 18 * 18));
    EXPECT_EQ(pass.added, kNodes * (32 + 18 + 18 + 8 * (4 + 18 + 4) + 3 * (36 + 7)));
}

TEST(BitOperations, SparseRowsCountTheirEntries) {
    const CompressedRows rows(std::vector<std::uint64_t>{0, 2, 5, 7}, std::vector<std::uint32_t>{0, 1, 0, 1, 2, 1, 2},
                              std::vector<double>{2, -1, -1, 2, -1, -1, 2});
    const BitOperations pass = bit_operations(parse_spec("s17e8"), rows);
    EXPECT_EQ(pass.multiplied, (3 * 6 + 7) * 18U * 18U);
    EXPECT_EQ(pass.added, 3 * (3 * 18 + 3 * 53) + 4 * 18U);
}

SolveResult run(const char* scheme, std::vector<ScheduleStage> schedule, const char* spec = "s17e8") {
    SolveOptions o;
    set_scheme(o, scheme);
    o.spec = schedule.empty() ? parse_spec(spec) : schedule.front().spec;
    o.schedule = std::move(schedule);
    o.history = true;
    return solve(make_problem("poisson2d:level=5"), *make_emulated_engine(), o);
}

TEST(BitOperations, ASolveAddsUpItsPasses) {
    const BitOperations pass = bit_operations(parse_spec("s17e8"), make_problem("poisson2d:level=5").system);
    const SolveResult r = run("residual-guided", {});
    EXPECT_EQ(r.bit_operations, r.inner_iterations * pass);
    EXPECT_EQ(run("direct", {}, "double").bit_operations, BitOperations{}) << "plain CG is another pass";
}

TEST(Schedule, OneStageIsTheSpecAlone) {
    const SolveResult one = run("residual-guided", {{1, parse_spec("s17e8")}}), none = run("residual-guided", {});
    EXPECT_EQ(one.inner_iterations, none.inner_iterations);
    EXPECT_EQ(one.true_residual, none.true_residual);
    // A second stage with the same datapath goes on with the same p: not a bit changes.
    const SolveResult two = run("residual-guided", {{1, parse_spec("s17e8")}, {1e-4, parse_spec("s17e8")}});
    ASSERT_EQ(two.history.size(), none.history.size());
    for (std::size_t i = 0; i < two.history.size(); ++i)
        EXPECT_EQ(two.history[i].relative_defect, none.history[i].relative_defect) << i;
    const SolveResult words = run("residual-guided", {{1, parse_spec("fx20.18")}, {1e-4, parse_spec("fx20.18")}});
    EXPECT_EQ(words.status, Status::converged);
}

TEST(Schedule, StagesTakeOverAsTheDefectFalls) {
    const DatapathSpec wide = parse_spec("s52e11"), narrow = parse_spec("s10e8,u=s23e8,order=second-difference"),
                       words = parse_spec("fx22.20");
    const Problem problem = make_problem("poisson2d:level=5");
    for (const std::vector<ScheduleStage>& schedule : {std::vector<ScheduleStage>{{1, wide}, {1e-3, narrow}},
                                                       {{1, wide}, {1e-2, words}, {1e-5, narrow}},
                                                       {{1, words}, {1e-3, wide}}}) {
        const SolveResult r = run("residual-guided", schedule);
        EXPECT_EQ(r.status, Status::converged) << r.detail;
        // What each stage did is in the history: a step belongs to the stage that its defect before asked for.
        BitOperations sum;
        std::size_t stage = 0;
        for (std::size_t i = 1; i < r.history.size(); ++i) {
            while (stage + 1 < schedule.size() && r.history[i - 1].relative_defect < schedule[stage + 1].below) ++stage;
            const auto fit = fitted(problem.system, schedule[stage].spec);
            const std::uint64_t passes = r.history[i].inner_iterations - r.history[i - 1].inner_iterations;
            sum += passes * bit_operations(schedule[stage].spec, fit ? fit->system : problem.system);
        }
        EXPECT_EQ(stage + 1, schedule.size()) << "every stage was reached";
        EXPECT_EQ(r.bit_operations, sum);
    }
}

void refuse(const char* scheme, std::vector<ScheduleStage> schedule, const char* part) {
    try {
        run(scheme, std::move(schedule));
        ADD_FAILURE() << part;
    } catch (const InvalidInput& fault) {
        EXPECT_NE(std::string(fault.what()).find(part), std::string::npos) << fault.what();
    }
}

TEST(Schedule, RefusalsSayWhatToMend) {
    const DatapathSpec s = parse_spec("s17e8");
    refuse("defect-correction", {{1, s}, {0.1, s}}, "only residual-guided");
    refuse("residual-guided", {{0.5, s}}, "write 1");
    refuse("residual-guided", {{1, s}, {0.1, s}, {0.1, s}}, "give falling numbers");
    refuse("residual-guided", {{1, s}, {0, s}}, "give falling numbers");
    SolveOptions o;
    o.schedule = {{1, s}};
    o.spec = parse_spec("s10e8");
    EXPECT_THROW(solve(make_problem("poisson2d:level=3"), *make_emulated_engine(), o), InvalidInput);
    // A later stage that the matrix has no rows for is refused before the first one's work.
    o.spec = s;
    o.schedule = {{1, s}, {1e-3, parse_spec("s17e8,order=second-difference")}};
    try {
        solve(make_problem("diffusion2d:level=3"), *make_emulated_engine(), o);
        ADD_FAILURE();
    } catch (const InvalidInput& fault) {
        EXPECT_NE(std::string(fault.what()).find("stage 2"), std::string::npos) << fault.what();
    }
}

} // namespace
} // namespace mantissa
