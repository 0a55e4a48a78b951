// Sparse CG over parts: the same bits for any number of them, and the solutions of the solver on one device.
#include <cmath>

#include "device_test.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/parted_sparse.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/partition/cuts.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::gpu;

class PartedSparseTest : public mantissa::testing::DeviceTest {};

CompressedRows rows_of(const char* text) {
    return std::get<CompressedRows>(make_problem(text).system.matrix());
}

std::vector<int> same_device(int parts) {
    return std::vector<int>(static_cast<std::size_t>(parts), 0);
}

TEST_F(PartedSparseTest, BitsDoNotDependOnPartsOrCuts) {
    for (const char* text : {"generated:kind=thermal,n=3000", "generated:kind=nd,n=1500", "generated:kind=band,n=1500",
                             "generated:kind=scattered,n=1500", "poisson3d:level=4"}) {
        const CompressedRows a = rows_of(text);
        const std::vector<double> b(a.rows(), 1.0);
        for (const bool single : {false, true})
            for (const bool jacobi : {false, true}) {
                const auto precision = single ? SparsePrecision::single_precision : SparsePrecision::double_precision;
                const double tolerance = single ? 1e-3 : 1e-10;
                std::vector<double> one;
                SparseCgReport first;
                for (const int parts : {1, 2, 3, 4, 8}) {
                    Peers peers(same_device(parts));
                    const auto count = static_cast<std::uint32_t>(parts);
                    const Partition cut = parts == 3 ? cut_after_cuthill_mckee(a, count) : cut_contiguous(a, count);
                    PartedSparse solver(a, cut, peers, precision);
                    std::vector<double> x;
                    const SparseCgReport r = solver.solve(b, tolerance, 2000, jacobi, &x);
                    if (parts == 1) {
                        one = x;
                        first = r;
                        const SparseCgReport known =
                            SparseMatrix(a, SparseFormat::crs, precision).solve(b, tolerance, 2000, jacobi);
                        // (Where rounding ends a solve, when it does so is nobody's promise.)
                        if (known.end == CgEnd::converged) {
                            EXPECT_EQ(r.end, known.end) << text;
                            EXPECT_NEAR(r.iterations, known.iterations, 2 + 0.01 * known.iterations) << text;
                        }
                        EXPECT_LT(r.true_residual, std::max(2 * known.true_residual, 1.001 * tolerance)) << text;
                    }
                    EXPECT_EQ(x, one) << text << ' ' << parts;
                    EXPECT_EQ(r.iterations, first.iterations) << text << ' ' << parts;
                    EXPECT_EQ(r.true_residual, first.true_residual) << text << ' ' << parts;
                }
            }
    }
}

// Columns in no order: gathers that take so long that the engine's copies could overtake loads from shared memory.
TEST_F(PartedSparseTest, RunsHaveTheSameBitsWhereGathersAreSlow) {
    const CompressedRows a = rows_of("generated:kind=scattered,n=150000");
    Peers peers(same_device(1));
    const Partition cut = cut_contiguous(a, 1);
    for (const auto precision : {SparsePrecision::single_precision, SparsePrecision::double_precision}) {
        PartedSparse solver(a, cut, peers, precision);
        ASSERT_LT(solver.narrow(), 1); // columns of 32 bits
        std::vector<double> first, x;
        solver.time_iterations(50, false, &first);
        for (int run = 0; run < 20; ++run) {
            solver.time_iterations(50, false, &x);
            ASSERT_EQ(x == first, true) << run;
        }
    }
}

TEST_F(PartedSparseTest, NumberingByRankChangesNoBit) {
    const CompressedRows a = rows_of("generated:kind=thermal,n=2000");
    std::vector<std::uint32_t> rank(a.rows());
    for (std::size_t i = 0; i < rank.size(); ++i) rank[i] = static_cast<std::uint32_t>(i * 37 % rank.size());
    Peers peers(same_device(2));
    const Partition cut = cut_contiguous(a, 2);
    std::vector<double> plain, ranked;
    PartedSparse(a, cut, peers, SparsePrecision::double_precision).time_iterations(20, false, &plain);
    PartedSparse(a, cut, peers, SparsePrecision::double_precision, {.rank = rank}).time_iterations(20, false, &ranked);
    EXPECT_EQ(plain, ranked);
}

TEST_F(PartedSparseTest, BalancingBlocksChangesNoBit) {
    const CompressedRows a = rows_of("generated:kind=band,n=6000"); // rows of uneven length
    for (const int parts : {1, 3}) {
        Peers peers(same_device(parts));
        PartedSparse solver(a, cut_contiguous(a, static_cast<std::uint32_t>(parts)), peers,
                            SparsePrecision::double_precision);
        std::vector<double> equal, balanced;
        solver.time_iterations(20, false, &equal);
        EXPECT_GT(solver.balance(2, 40), 0);
        const PartedSparseTimes times = solver.time_iterations(20, false, &balanced);
        EXPECT_EQ(equal, balanced) << parts;
        // The phases make up the iteration, and each block of each part has said what its product took.
        EXPECT_NEAR(times.update + times.meet + times.product + times.ghosts + times.warps + times.reduction,
                    times.iteration, 1e-9 * times.iteration);
        EXPECT_EQ(times.block_product.size(), static_cast<std::size_t>(parts * peers.multiprocessors()));
    }
}

TEST_F(PartedSparseTest, RefusesWhatDoesNotFit) {
    const CompressedRows a = rows_of("generated:kind=thermal,n=400"), other = rows_of("generated:kind=thermal,n=300");
    Peers peers(same_device(2));
    EXPECT_THROW(PartedSparse(a, cut_contiguous(a, 3), peers, SparsePrecision::double_precision), InvalidInput);
    EXPECT_THROW(PartedSparse(a, cut_contiguous(other, 2), peers, SparsePrecision::double_precision), InvalidInput);
    PartedSparse fits(a, cut_contiguous(a, 2), peers, SparsePrecision::double_precision);
    EXPECT_THROW(fits.solve(std::vector<double>(3, 1.0), 1e-8, 10), InvalidInput);
}

} // namespace
