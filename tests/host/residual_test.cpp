#include <cmath>
#include <compare>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "expect_invalid.hpp"
#include "mantissa/dyadic.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/residual.hpp"

namespace {

using namespace mantissa;

std::vector<double> random_vector(std::size_t size, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> v(size);
    for (double& x : v) x = uniform(random);
    return v;
}

/// The definition, one element at a time: products added in band order, nothing fused.
double row_sum(const System& s, std::size_t i, const std::vector<double>& u) {
    volatile double sum = 0; // volatile: no contraction, no reassociation, whatever the flags
    if (s.kind() == System::Kind::sparse) {
        for (auto k = std::get<CompressedRows>(s.matrix()).row_begin()[i];
             k < std::get<CompressedRows>(s.matrix()).row_begin()[i + 1]; ++k) {
            const volatile double product =
                std::get<CompressedRows>(s.matrix()).value()[k] * u[std::get<CompressedRows>(s.matrix()).column()[k]];
            sum = sum + product;
        }
        return sum;
    }
    if (s.kind() == System::Kind::stencil && s.on_edge(i)) return 0;
    for (int b = 0; b < kBands; ++b) {
        const auto j = static_cast<std::ptrdiff_t>(i) + band_offset(b, s.row_length());
        if (j < 0 || j >= static_cast<std::ptrdiff_t>(s.size())) continue;
        const auto band = static_cast<std::size_t>(b);
        const double c = s.kind() == System::Kind::stencil ? std::get<Stencil>(s.matrix()).coefficients()[band]
                                                           : std::get<Bands>(s.matrix()).band(band)[i];
        const volatile double product = c * u[static_cast<std::size_t>(j)];
        sum = sum + product;
    }
    return sum;
}

TEST(Defect, EqualsTheDefinitionBitForBitOnAnyNumberOfThreads) {
    for (const char* text :
         {"poisson2d:level=1", "poisson2d:level=5,anisotropy=3", "poisson2d:level=9", "diffusion2d:level=2",
          "diffusion2d:level=9,field=jump", "poisson3d:level=2", "poisson3d:level=6"}) {
        const Problem p = make_problem(text);
        const auto u = random_vector(p.system.size(), 1), b = random_vector(p.system.size(), 2);
        std::vector<double> d(p.system.size(), -7);
        for (const int threads : {1, 2, 5}) {
            defect(p.system, u, b, d, threads);
            for (std::size_t i = 0; i < d.size(); ++i)
                ASSERT_EQ(d[i], b[i] - row_sum(p.system, i, u)) << text << ' ' << i;
        }
        std::vector<double> in_place = b;
        defect(p.system, u, in_place, in_place, 2);
        EXPECT_EQ(in_place, d) << text;
    }
}

// Rows of symmetric bands are fluxes in double: engine.hpp's definition, written out, on any number of threads.
TEST(Defect, SymmetricBandsFormFluxes) {
    for (const char* text : {"diffusion2d:level=3,field=smooth", "diffusion2d:level=6,field=jump"}) {
        const Problem p = make_problem(text);
        const Bands& nine = std::get<Bands>(p.system.matrix());
        std::vector<double> sums = random_vector(p.system.size(), 3);
        const SymmetricBands m(nine.row_length(), SymmetricBands::from(nine).weights(), sums);
        const auto n = static_cast<std::ptrdiff_t>(m.row_length()), size = static_cast<std::ptrdiff_t>(m.size());
        const auto u = random_vector(m.size(), 1), b = random_vector(m.size(), 2);
        const auto flux = [&](std::size_t k, std::ptrdiff_t i) {
            const std::ptrdiff_t offset[] = {1, n - 1, n, n + 1};
            if (i < 0) return 0.0;
            const std::ptrdiff_t j = i + offset[k];
            const volatile double difference =
                u[static_cast<std::size_t>(i)] - (j < size ? u[static_cast<std::size_t>(j)] : 0);
            return m.weight(k)[static_cast<std::size_t>(i)] * difference;
        };
        for (const int threads : {1, 3}) {
            std::vector<double> d(m.size());
            defect(m, u, b, d, threads);
            for (std::ptrdiff_t i = 0; i < size; ++i) {
                const volatile double up = (flux(1, i) + flux(2, i)) + flux(3, i);
                const volatile double down = (flux(3, i - n - 1) + flux(2, i - n)) + flux(1, i - n + 1);
                const volatile double along = flux(0, i) - flux(0, i - 1);
                const auto at = static_cast<std::size_t>(i);
                const volatile double reaction = m.row_sums()[at] * u[at];
                ASSERT_EQ(d[at], b[at] - ((along + (up - down)) + reaction)) << text << ' ' << i;
            }
        }
        std::vector<double> d(m.size()), e(m.size());
        defect(m, u, b, d, 1);
        defect(m.bands(), u, b, e, 1);
        for (std::size_t i = 0; i < d.size(); ++i) EXPECT_NEAR(d[i], e[i], 1e-10 * std::abs(m.diagonal(i)));
        // Far from the range where squares are plain the terms are those of nine bands.
        std::vector<double> tiny = b, small = u;
        for (double& x : tiny) x = std::ldexp(x, -1000);
        for (double& x : small) x = std::ldexp(x, -1000);
        EXPECT_NEAR(relative_residual(m, small, tiny, 1) / relative_residual(m, u, b, 1), 1, 1e-10);
    }
}

TEST(Defect, BandsAtTheEndsOfTheVector) {
    // Every band filled where its neighbour exists on the grid, so first and last rows count.
    Bands::Array bands;
    const std::size_t size = 12;
    for (auto& band : bands) band.assign(size, 0.0);
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t b = 0; b < 9; ++b) {
            const auto column = static_cast<std::ptrdiff_t>(i % 4) + static_cast<std::ptrdiff_t>(b % 3) - 1;
            const auto row = static_cast<std::ptrdiff_t>(i / 4) + static_cast<std::ptrdiff_t>(b / 3) - 1;
            if (column >= 0 && column < 4 && row >= 0 && row < 3)
                bands[b][i] = 0.1 * static_cast<double>(9 * i + b + 1);
        }
    const System s = Bands(4, bands);
    const auto u = random_vector(size, 3), b = random_vector(size, 4);
    std::vector<double> d(size);
    defect(s, u, b, d, 1);
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(d[i], b[i] - row_sum(s, i, u)) << i;
}

TEST(Defect, WrongLengthsAreRefused) {
    const Problem p = make_problem("poisson2d:level=2");
    std::vector<double> short_vector(3), d(25);
    expect_invalid([&] { defect(p.system, short_vector, p.b, d, 1); }, "as many elements");
}

TEST(Norm2, CloseToTheExactNormAndTheSameOnAnyNumberOfThreads) {
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{15}, std::size_t{4097}, std::size_t{1} << 19}) {
        const auto v = random_vector(size, 5);
        long double sum = 0;
        for (const double x : v) sum += static_cast<long double>(x) * x;
        const double one = norm2(v, 1);
        EXPECT_NEAR(one, static_cast<double>(std::sqrt(sum)), 1e-14 * one);
        EXPECT_EQ(one, norm2(v, 2));
        EXPECT_EQ(one, norm2(v, 7));
    }
}

System rows_of(std::vector<std::vector<double>> dense) {
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (const auto& row : dense) {
        for (std::size_t j = 0; j < row.size(); ++j)
            if (row[j] != 0) {
                column.push_back(static_cast<std::uint32_t>(j));
                value.push_back(row[j]);
            }
        row_begin.push_back(value.size());
    }
    return CompressedRows(std::move(row_begin), std::move(column), std::move(value));
}

TEST(RelativeResidual, IsTheQuotientOfNormsOnOrdinarySystems) {
    for (const char* text : {"poisson2d:level=4", "diffusion2d:level=4", "poisson3d:level=3"}) {
        const Problem p = make_problem(text);
        const auto u = random_vector(p.system.size(), 8);
        std::vector<double> d(u.size());
        certain_defect(p.system, u, p.b, d, 1);
        EXPECT_EQ(relative_residual(p.system, u, p.b, 1), norm2(d, 1) / norm2(p.b, 1)) << text;
    }
}

// Scaling everything by powers of two far out of double precision's comfort changes no digit: there sums in whole
// numbers take over from doubled ones, whose norm is formed in double (1e-13 at most for so few elements).
TEST(RelativeResidual, PowersOfTwoChangeNothing) {
    for (const char* text : {"poisson2d:level=4", "diffusion2d:level=4", "poisson3d:level=3"}) {
        const Problem p = make_problem(text);
        const auto u = random_vector(p.system.size(), 8);
        const double want = relative_residual(p.system, u, p.b, 1);
        // A and u far apart, so that b = A u is at either end; with A at an end and u near one.
        const std::pair<int, int> ends[] = {{500, 510}, {-500, -510}, {1000, 8}, {-600, -400}, {1000, -1900 + 900}};
        for (const auto& [a, x] : ends) {
            const auto scaled = [a = a](auto values) {
                for (double& c : values) c = std::ldexp(c, a);
                return values;
            };
            const System s = std::visit(
                Overloaded{[&](const Stencil& m) -> System {
                               return Stencil(m.row_length(), m.rows(), scaled(m.coefficients()));
                           },
                           [&](const Bands& m) -> System {
                               Bands::Array bands = m.bands();
                               for (auto& band : bands) band = scaled(band);
                               return Bands(m.row_length(), std::move(bands));
                           },
                           [&](const SymmetricBands& m) -> System {
                               SymmetricBands::Array weights = m.weights();
                               for (auto& weight : weights) weight = scaled(weight);
                               return SymmetricBands(m.row_length(), std::move(weights), scaled(m.row_sums()));
                           },
                           [&](const CompressedRows& m) -> System { return m.with_values(scaled(m.value())); }},
                p.system.matrix());
            std::vector<double> v = u, b = p.b;
            for (double& c : v) c = std::ldexp(c, x);
            for (double& c : b) c = std::ldexp(c, a + x);
            EXPECT_NEAR(relative_residual(s, v, b, 1) / want, 1, 1e-12) << text << ' ' << a << ' ' << x;
        }
    }
}

/// Systems whose exact residuals are tiny beside their terms: (1, 1 - e; 1 - e, 1) and b = (1, -1), x = (1, -1) / e.
struct Cancelling {
    System system;
    std::vector<double> u, b;
};
Cancelling cancelling(double e, double scale) {
    return {rows_of({{scale, scale * (1 - e)}, {scale * (1 - e), scale}}), {1 / e, -1 / e}, {scale, -scale}};
}

// Every kind of matrix: each element lies within its bound of the row's sum in whole numbers, its rounding beside it;
// the bits do not depend on threads.
TEST(CertainDefect, LiesWithinItsBoundOfTheExactSum) {
    for (const char* text : {"poisson2d:level=1", "poisson2d:level=5,anisotropy=3", "diffusion2d:level=5,field=jump",
                             "diffusion2d:level=9,field=checker", "poisson3d:level=4"}) {
        const Problem p = make_problem(text);
        for (const System& system :
             p.system.kind() == System::Kind::bands
                 ? std::vector<System>{p.system, SymmetricBands::from(std::get<Bands>(p.system.matrix()))}
                 : std::vector<System>{p.system}) {
            const auto u = random_vector(system.size(), 1);
            std::vector<double> b = random_vector(system.size(), 2), d(b.size()), again(b.size());
            std::vector<double> image(b.size());
            defect(system, u, std::vector<double>(b.size(), 0.0), image, 1);
            for (std::size_t i = 0; i < b.size(); ++i) b[i] = 1e-13 * b[i] - image[i]; // so that rows cancel
            const double error = certain_defect(system, u, b, d, 1);
            for (const int threads : {2, 5}) {
                EXPECT_EQ(certain_defect(system, u, b, again, threads), error);
                EXPECT_EQ(again, d) << text;
            }
            const std::size_t step = 1 + system.size() / 997;
            for (std::size_t i = 0; i < d.size(); i += step) {
                Dyadic off = exact_defect_row(system, i, u, b[i]);
                off.add(-d[i]);
                EXPECT_LE(std::abs(off.rounded()), error + 0x1p-53 * std::abs(d[i])) << text << ' ' << i;
            }
        }
    }
}

TEST(CertainDefect, SeesWhatPlainSumsLose) {
    for (const double e : {0x1p-46, 0x1p-40, 0x1p-33})
        for (const double scale : {1.0, 0x1p300, 0x1p-200}) {
            Cancelling c = cancelling(e, scale);
            c.u[0] = std::nextafter(c.u[0], 0.0);
            std::vector<double> plain(2), doubled(2);
            defect(c.system, c.u, c.b, plain, 1);
            certain_defect(c.system, c.u, c.b, doubled, 1);
            for (std::size_t i = 0; i < 2; ++i)
                EXPECT_EQ(doubled[i], exact_defect_row(c.system, i, c.u, c.b[i]).rounded()) << e << ' ' << scale;
            EXPECT_NE(plain, doubled) << e << ' ' << scale;
        }
}

// A threshold on either side of the exact quotient, or on it: no rounding may move what is returned across.
TEST(RelativeResidual, DecidesRightBesideATie) {
    const System s = rows_of({{3, 1}, {1, 3}});
    for (const double size : {1.0, 0x1p-700, 0x1p700, 0x1p-1022}) {
        const std::vector<double> b = {3 * size, 4 * size}, u = {0, 0}; // ||b|| = 5, the quotient is 1
        for (const double at : {std::nextafter(1.0, 0.0), 1.0, std::nextafter(1.0, 2.0)})
            EXPECT_EQ(relative_residual(s, u, b, 1, at) < at, 1.0 < at) << size << ' ' << at;
    }
    std::mt19937_64 random(5);
    for (int k = 0; k < 200; ++k) {
        const auto u = random_vector(2, static_cast<unsigned>(k)),
                   b = random_vector(2, static_cast<unsigned>(k) + 1000);
        Dyadic dd, bb;
        for (std::size_t i = 0; i < 2; ++i) {
            dd.add_square(exact_defect_row(s, i, u, b[i]));
            bb.add_product(b[i], b[i]);
        }
        double at = dd.root_of_quotient(bb);
        for (int step = static_cast<int>(random() % 5); step > 0; --step)
            at = std::nextafter(at, k % 2 == 0 ? 0.0 : 9.0);
        EXPECT_EQ(relative_residual(s, u, b, 1, at) < at, std::is_lt(compare_norms(dd, bb, at))) << k;
    }
}

TEST(RelativeResidual, ProductsThatOverflowAndCancel) {
    const System s = rows_of({{1e300, -1e300}, {-1e300, 1e300}});
    const std::vector<double> u = {1e10, 1e10}, b = {3e150, 4e150};
    std::vector<double> d(2);
    defect(s, u, b, d, 1);
    EXPECT_TRUE(std::isnan(d[0]));
    EXPECT_DOUBLE_EQ(relative_residual(s, u, b, 1), 1.0); // A u = 0
}

TEST(RelativeResidual, ZerosAndWhatIsNotFinite) {
    const System s = rows_of({{2, 0}, {0, 4}});
    const double inf = std::numeric_limits<double>::infinity();
    EXPECT_EQ(relative_residual(s, std::vector<double>{0, 0}, std::vector<double>{0, 0}, 1), 0.0);
    EXPECT_EQ(relative_residual(s, std::vector<double>{1, 0}, std::vector<double>{0, 0}, 1), inf);
    EXPECT_EQ(relative_residual(s, std::vector<double>{1, inf}, std::vector<double>{1, 1}, 1), inf);
    EXPECT_EQ(relative_residual(s, std::vector<double>{1, std::nan("")}, std::vector<double>{1, 1}, 1), inf);
    EXPECT_EQ(relative_residual(s, std::vector<double>{1e308, 1e308}, std::vector<double>{5e-324, 0}, 1), inf);
    EXPECT_EQ(relative_residual(s, std::vector<double>{5e-324, 0}, std::vector<double>{1e-323, 0}, 1), 0.0);
}

TEST(Norm2, ExtremesAndSpecials) {
    EXPECT_EQ(norm2(std::vector<double>{3e300, 4e300}, 1), 5e300);
    EXPECT_NEAR(norm2(std::vector<double>{3e-300, 4e-300}, 1) / 5e-300, 1, 1e-15);
    EXPECT_EQ(norm2(std::vector<double>{5e-324}, 1), 5e-324);
    EXPECT_EQ(norm2(std::vector<double>{0.0, -0.0}, 1), 0.0);
    const double inf = std::numeric_limits<double>::infinity();
    EXPECT_EQ(norm2(std::vector<double>{1, -inf}, 1), inf);
    EXPECT_TRUE(std::isnan(norm2(std::vector<double>{1, std::nan("")}, 1)));
    EXPECT_TRUE(std::isnan(norm2(std::vector<double>{inf, std::nan("")}, 1)));
}

} // namespace
