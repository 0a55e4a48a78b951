// Rows of differences, and of symmetric bands: the emulated engine's loops against the reference pass, bit for bit.
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine_compare.hpp"
#include "mantissa/block_algebra.hpp"
#include "mantissa/row_forms.hpp"
#include "session_owns.hpp"
#include "symmetric_systems.hpp"

namespace mantissa {
namespace {

using testing::axis_stencil;
using testing::symmetric_bands;
using testing::symmetric_stencil;

/// Grids of which the largest lie over several of the chunks (4096 elements, or four rows) that passes go by and
/// threads share, with rows shorter and longer than the kernels' tiles (512).
struct Grid {
    std::size_t columns, rows;
};
constexpr Grid kSmall[] = {{3, 3}, {3, 29}, {17, 13}, {130, 7}};
constexpr Grid kLarge[] = {{131, 97}, {515, 33}, {1201, 17}};

/// What `order` takes, on a grid.
std::vector<System> systems(RowOrder order, const Grid& g) {
    if (order == RowOrder::second_difference)
        return {axis_stencil(g.columns, g.rows), axis_stencil(g.columns, g.rows, 0.25)};
    std::vector<System> all = {symmetric_bands(g.columns, g.rows, 3, false),
                               symmetric_bands(g.columns, g.rows, 4, true)};
    if (order == RowOrder::flux) {
        all.push_back(symmetric_bands(g.columns, g.rows, 5, true).bands());
        all.push_back(symmetric_stencil(g.columns, g.rows));
        all.push_back(symmetric_stencil(g.columns, g.rows, 0.25));
    }
    return all;
}

class RowForm : public ::testing::TestWithParam<const char*> {
protected:
    [[nodiscard]] static RowOrder order() { return parse_spec(GetParam()).order; }
};

void compare(const std::string& text, const System& system, EmulatedPath path, int threads, std::size_t passes) {
    testing::compare_with_reference(*make_emulated_engine(path), text, system, passes,
                                    testing::random_residual(system, parse_spec(text).r), {.threads = threads});
}

TEST_P(RowForm, MatchesTheReferencePass) {
    for (const Grid& g : kSmall)
        for (const System& system : systems(order(), g)) {
            const std::size_t passes = g.columns * g.rows < 20 ? 1 : 4;
            for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general})
                compare(GetParam(), system, path, 1, passes);
        }
}

TEST_P(RowForm, MatchesTheReferencePassAcrossChunksAndThreads) {
    for (const Grid& g : kLarge)
        for (const System& system : systems(order(), g)) {
            for (const int threads : {1, 3}) compare(GetParam(), system, EmulatedPath::fastest, threads, 2);
            compare(GetParam(), system, EmulatedPath::general, 2, 1);
        }
}

TEST_P(RowForm, PlainRecurrenceIsTheSameFusedAndGeneral) {
    const DatapathSpec spec = parse_spec(GetParam());
    for (const Grid& g : {Grid{131, 97}, Grid{1201, 17}})
        for (const System& system : systems(order(), g))
            for (const int threads : {1, 2}) {
                const auto fused = make_emulated_engine()->load(system, spec, {threads, Recurrence::plain});
                const auto general =
                    make_emulated_engine(EmulatedPath::general)->load(system, spec, {1, Recurrence::plain});
                const std::vector<double> r0 = testing::random_residual(system, spec.r);
                std::vector<double> a(system.size()), b(system.size());
                for (Session* const s : {fused.get(), general.get()}) {
                    s->write(Vec::r, 0, r0);
                    ASSERT_EQ(s->run({.passes = 3}).end, RunEnd::passes);
                }
                for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) {
                    fused->read(v, 0, a);
                    general->read(v, 0, b);
                    EXPECT_EQ(a, b);
                }
                EXPECT_EQ(fused->scalars().alpha, general->scalars().alpha);
                EXPECT_EQ(fused->scalars().beta, general->scalars().beta);
            }
}

TEST_P(RowForm, SessionsOwnTheirSystem) {
    for (const System& system : systems(order(), {17, 13}))
        for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general})
            session_test::expect_session_owns_its_system(*make_emulated_engine(path), system, parse_spec(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Specs, RowForm,
                         ::testing::Values("s17e8,order=flux", "s17e8,order=second-difference", "s17e8",
                                           "s17e8,order=tree", "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50],order=flux",
                                           "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50],order=second-difference",
                                           "s23e8,order=second-difference,lanes=4", "s23e8:rne,order=flux",
                                           "s23e8:rne,order=second-difference", "s52e11:rne,order=flux",
                                           "double,order=second-difference", "double,order=flux", "s36e11,order=flux",
                                           "s36e11,order=second-difference", "s17e8:rne,order=flux",
                                           "s12e8:rne:subnormals,order=second-difference", "s10e5,row=s12e5,order=flux",
                                           "s20e8,coef=s10e8,operand=s12e8,order=second-difference",
                                           "s20e8,coef=s10e8,q=s15e8,order=flux"),
                         [](const auto& test) { return testing::test_name(test.param); });

// An infinite p spreads to the rows whose definition names it, times weights of zero too; what lies in front of the
// vector adds nothing.
TEST(RowForms, InfinitiesSpreadAsTheDefinitionSays) {
    for (const char* text : {"s17e8,order=flux", "s17e8,order=second-difference", "double,order=flux"})
        for (const System& system : systems(parse_spec(text).order, {9, 7}))
            for (const std::size_t at : {0, 8, 9, 17, 31, 45, 62})
                for (const double large : {0x1.8p127, std::numeric_limits<double>::infinity()})
                    for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general}) {
                        std::vector<double> r(system.size(), 0.5);
                        r[at] = large;
                        testing::compare_with_reference(*make_emulated_engine(path), text, system, 1, r);
                    }
}

// Weights of zero leave zeros, and the sign of a zero tells in which order and from where it came.
TEST(RowForms, SignsOfZeros) {
    std::mt19937_64 random(2);
    SymmetricBands::Array weights;
    for (auto& w : weights) w.assign(12, 0.0);
    weights[0][9] = 0.5;
    const SymmetricBands m(4, weights);
    for (int k = 0; k < 2500; ++k) {
        std::vector<double> r(12);
        for (double& x : r) x = static_cast<double>(random() % 16) - 2.5;
        for (const char* text : {"s17e8,order=flux", "double,order=flux"})
            for (const EmulatedPath path : {EmulatedPath::fastest, EmulatedPath::general})
                testing::compare_with_reference(*make_emulated_engine(path), text, m, 1, r);
    }
}

// With one flux for two rows the matrix is symmetric to the bit, and each column sums to zero but for c: whatever the
// coefficients lose.
TEST(RowForms, FluxesKeepSymmetryAndSums) {
    for (const char* text :
         {"s23e8,coef=s6e8,order=flux", "s23e8:rne,coef=s9e8:rne,order=flux", "s40e11,coef=s17e8,order=flux"})
        for (const bool row_sums : {false, true}) {
            const DatapathSpec spec = parse_spec(text);
            const SymmetricBands m = testing::symmetric_bands(9, 7, 3, row_sums);
            const BlockAlgebra algebra(m, spec);
            const std::size_t size = m.size();
            std::vector<std::vector<double>> column(size, std::vector<double>(size));
            for (std::size_t j = 0; j < size; ++j) {
                std::vector<double> unit(size);
                unit[j] = 1;
                algebra.apply(unit, spec.q, column[j]);
            }
            for (std::size_t j = 0; j < size; ++j) {
                double sum = 0; // of few short numbers: exact
                for (std::size_t i = 0; i < size; ++i) {
                    EXPECT_EQ(column[j][i], column[i][j]);
                    sum += column[j][i];
                }
                EXPECT_EQ(sum, row_sums ? exact::convert(spec.coefficient, m.row_sums()[j]) : 0.0);
            }
        }
}

TEST(RowForms, StencilsAsDifferences) {
    EXPECT_EQ(second_differences(Stencil(5, 5, {-1, -1, -1, -1, 8, -1, -1, -1, -1})),
              (SecondDifferences{-3, -3, -1, 0}));
    EXPECT_EQ(second_differences(Stencil(5, 5, {0, -2, 0, -1, 7, -1, 0, -2, 0})), (SecondDifferences{-1, -2, 0, 1}));
    const std::optional<SecondDifferences> thirds = second_differences(
        Stencil(5, 5, {-1. / 3, -1. / 3, -1. / 3, -1. / 3, 8. / 3, -1. / 3, -1. / 3, -1. / 3, -1. / 3}));
    ASSERT_TRUE(thirds);
    EXPECT_EQ(thirds->c, 0); // a rounding error is no row sum
    EXPECT_FALSE(second_differences(symmetric_stencil(5, 5)));
    EXPECT_EQ(fluxes(symmetric_stencil(5, 5)), (StencilFluxes{{0.39, 0.36, 0.31, 0.26}, 0}));
    EXPECT_FALSE(fluxes(std::get<Stencil>(testing::stencil_system(5, 5).matrix())));
}

// One line that names the entry, from refusal() and from load().
TEST(RowForms, RefusedWhereTheyMeanNothing) {
    const Bands skew = std::get<Bands>(testing::band_system(5, 4, 1).matrix());
    struct Case {
        const char* order;
        System system;
        const char* line;
    };
    const Stencil only_east(5, 5, {0, -1, 0, -1, 4, -2, 0, -1, 0}), corners(5, 5, {-2, -1, -1, -1, 8, -1, -1, -1, -2});
    const Case cases[] = {
        {"flux", only_east,
         "order=flux: the stencil is not symmetric: its east coefficient is -2, its west one -1; use order=chain or "
         "tree"},
        {"flux", testing::sparse_system(9, 1),
         "order=flux: sparse rows have no grid to take differences on; use order=chain or tree"},
        {"second-difference", testing::sparse_system(9, 1),
         "order=second-difference: it takes a constant stencil, and this system is of kind sparse; use order=chain or "
         "tree"},
        {"second-difference", testing::symmetric_bands(5, 4, 1, false),
         "order=second-difference: it takes a constant stencil, and this system is of kind symmetric; use order=flux"},
        {"second-difference", corners,
         "order=second-difference: the stencil needs equal coefficients east and west, north and south, and at all "
         "corners: its south-east coefficient is -1, its south-west one -2; use order=flux"},
        {"second-difference", only_east,
         "order=second-difference: the stencil needs equal coefficients east and west, north and south, and at all "
         "corners: its east coefficient is -2, its west one -1; use order=chain or tree"},
        {"flux", skew, "order=flux: nine bands: element 0 (grid row 0, column 0) couples east with "},
    };
    for (const Case& c : cases)
        for (const char* base : {"s17e8", "s28e11", "fx18.12"}) {
            const DatapathSpec spec = parse_spec(std::string(base) + ",order=" + c.order);
            const std::string why = make_emulated_engine()->refusal(spec, c.system, {});
            EXPECT_TRUE(why.starts_with(c.line)) << why;
            EXPECT_EQ(why.find('\n'), std::string::npos);
            EXPECT_THROW(static_cast<void>(make_emulated_engine()->load(c.system, spec, {})), InvalidInput);
            if (spec.fixed_vectors()) continue;
            EXPECT_THROW(BlockAlgebra(c.system, spec), InvalidInput);
        }
}

} // namespace
} // namespace mantissa
