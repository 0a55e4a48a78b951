// CG in double over parts: the bits do not depend on the parts, and the answer is the answer.
#include "mantissa/partition/parted_cg.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/errors.hpp"
#include "mantissa/partition/order_free_sum.hpp"

namespace mantissa {
namespace {

double sum_of(const std::vector<double>& a, const std::vector<double>& b) {
    OrderFreeSum sum;
    sum.add_products(a, b);
    return sum.total();
}

TEST(OrderFreeSum, IsTheSumWhateverTheOrderAndTheCuts) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (const int spread : {0, 10, 39, 40, 41, 120, 300}) {
        std::vector<double> a(5000), b(a.size());
        long double plain = 0, magnitudes = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i] = std::ldexp(unit(random), static_cast<int>(random() % (2 * spread + 1)) - spread);
            b[i] = unit(random);
            plain += static_cast<long double>(a[i] * b[i]);
            magnitudes += static_cast<long double>(std::abs(a[i] * b[i]));
        }
        const double want = sum_of(a, b);
        EXPECT_NEAR(want, static_cast<double>(plain), 1e-15 * static_cast<double>(magnitudes)) << spread;
        for (int trial = 0; trial < 6; ++trial) {
            std::vector<std::size_t> order(a.size());
            for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
            std::shuffle(order.begin(), order.end(), random);
            const std::size_t parts = 1 + random() % 7;
            std::vector<OrderFreeSum> part(parts);
            for (std::size_t p = 0; p < parts; ++p) {
                std::vector<double> x, y;
                for (std::size_t i = p; i < order.size(); i += parts) {
                    x.push_back(a[order[i]]);
                    y.push_back(b[order[i]]);
                }
                part[p].add_products(x, y);
            }
            std::shuffle(part.begin(), part.end(), random);
            for (std::size_t p = 1; p < parts; ++p) part[0].merge(part[p]);
            EXPECT_EQ(part[0].total(), want) << spread;
        }
    }
}

TEST(OrderFreeSum, EdgesOfItsBinsAndOfDoublePrecision) {
    // 2^39 and its neighbours are where a term needs a higher bin.
    for (const double x : {std::ldexp(1.0, 39), std::nextafter(std::ldexp(1.0, 39), 0), std::ldexp(1.0, -1),
                           std::ldexp(1.0, -41), std::ldexp(3.0, 78), 1e-300, 4e-320}) {
        EXPECT_EQ(sum_of({x, 0.25 * x, x}, {1, 1, 1}), 2.25 * x) << x;
        EXPECT_EQ(sum_of({x, -x}, {1, 1}), 0.0);
        EXPECT_EQ(sum_of({x}, {1}), x);
    }
    EXPECT_EQ(sum_of({}, {}), 0.0);
    EXPECT_EQ(sum_of({0.0, -0.0}, {1, 1}), 0.0);
    EXPECT_TRUE(std::isnan(sum_of({1, HUGE_VAL}, {1, 1})));
    EXPECT_TRUE(std::isnan(sum_of({NAN, 1}, {1, 1})));
    EXPECT_TRUE(std::isnan(sum_of({1e300}, {1})));
    // Far more cancellation than a plain sum survives: 2^-30 beside 2^50.
    EXPECT_EQ(sum_of({0x1p50, 0x1p-30, -0x1p50}, {1, 1, 1}), 0x1p-30);
}

/// A grid's five-point matrix by rows, shuffled.
CompressedRows five_point(std::uint32_t side, unsigned seed) {
    std::vector<std::uint32_t> place(std::size_t{side} * side);
    for (std::uint32_t i = 0; i < place.size(); ++i) place[i] = i;
    std::mt19937 random(seed);
    std::shuffle(place.begin(), place.end(), random);
    std::vector<std::vector<std::pair<std::uint32_t, double>>> row(place.size());
    for (std::uint32_t y = 0; y < side; ++y)
        for (std::uint32_t x = 0; x < side; ++x) {
            const std::uint32_t i = place[y * side + x];
            const double scale = 1 + 0.01 * x;
            row[i].emplace_back(i, 4.1 * scale);
            const auto couple = [&](std::uint32_t j, double s) { row[i].emplace_back(j, -s); };
            if (x > 0) couple(place[y * side + x - 1], 1 + 0.01 * (x - 1));
            if (x + 1 < side) couple(place[y * side + x + 1], scale);
            if (y > 0) couple(place[(y - 1) * side + x], scale);
            if (y + 1 < side) couple(place[(y + 1) * side + x], scale);
        }
    std::vector<std::uint64_t> begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (auto& entries : row) {
        std::sort(entries.begin(), entries.end());
        for (const auto& [j, v] : entries) {
            column.push_back(j);
            value.push_back(v);
        }
        begin.push_back(column.size());
    }
    return {begin, column, value};
}

System stencil_grid(std::size_t width, std::size_t height) {
    return Stencil(width, height, {-0.25, -0.3, -0.25, -0.3, 2.3, -0.3, -0.25, -0.3, -0.25});
}
System symmetric_grid(std::size_t width, std::size_t height) {
    SymmetricBands::Array weights;
    std::mt19937 random(4);
    for (std::size_t d = 0; d < kWeights; ++d)
        for (std::size_t i = 0; i < width * height; ++i) {
            const std::size_t x = i % width, y = i / width;
            const bool inside = (d == 0 || y + 1 < height) && (d == 1 ? x > 0 : d == 2 || x + 1 < width);
            weights[d].push_back(inside ? 0.5 + static_cast<double>(random() % 128) / 100 : 0.0);
        }
    return SymmetricBands(width, std::move(weights), std::vector<double>(width * height, 0.07));
}

std::vector<double> right_hand_side(const System& system) {
    std::mt19937 random(8);
    std::vector<double> b(system.size());
    for (std::size_t i = 0; i < b.size(); ++i)
        b[i] = system.on_edge(i) ? 0.0 : static_cast<double>(random() % 2001) / 1000 - 1;
    return b;
}

TEST(PartedCg, TheBitsAreThoseOfOnePart) {
    for (const System& system : {System(five_point(13, 2)), stencil_grid(13, 17), symmetric_grid(9, 16)})
        for (const bool jacobi : {false, true}) {
            const std::vector<double> b = right_hand_side(system);
            PartedCgOptions o;
            o.jacobi = jacobi;
            o.history = true;
            std::vector<double> alone;
            const PcgReport one = parted_cg(make_threads_space(1), system, b, alone, o);
            EXPECT_EQ(one.end, PcgEnd::reached);
            EXPECT_LE(one.true_residual, o.tolerance);
            EXPECT_GT(one.iterations, 10U);
            for (const std::uint32_t parts : {2U, 3U, 6U})
                for (const CutMethod method : {CutMethod::contiguous, CutMethod::cuthill_mckee, CutMethod::bisection})
                    for (const ExchangeWay way : {ExchangeWay::neighbours, ExchangeWay::host}) {
                        if (method == CutMethod::bisection && !has_metis()) continue;
                        if (method != CutMethod::contiguous && system.kind() != System::Kind::sparse) continue;
                        if (way == ExchangeWay::host && parts != 3) continue;
                        o.method = method;
                        o.exchange = {way, std::make_shared<ExchangeCounts>()};
                        std::vector<double> x;
                        const PcgReport many = parted_cg(make_threads_space(parts), system, b, x, o);
                        EXPECT_EQ(x, alone) << parts << " " << to_string(method);
                        EXPECT_EQ(many.iterations, one.iterations);
                        EXPECT_EQ(many.history, one.history);
                        EXPECT_EQ(many.true_residual, one.true_residual);
                        // Three an iteration, as the paper has; the start's norm and the true residual come on top.
                        EXPECT_EQ(o.exchange.counts->iterations, one.iterations);
                        EXPECT_EQ(o.exchange.counts->synchronisations, 3 * one.iterations + 3 + (jacobi ? 1 : 0));
                    }
            o.method = CutMethod::contiguous;
            o.exchange = {};
        }
}

TEST(PartedCg, EndsAndRefusals) {
    const System system = five_point(7, 1);
    const std::vector<double> b = right_hand_side(system);
    std::vector<double> x;
    const auto space = make_threads_space(3);
    PartedCgOptions o;
    o.max_iterations = 4;
    EXPECT_EQ(parted_cg(space, system, b, x, o).end, PcgEnd::limit);
    EXPECT_EQ(parted_cg(space, system, std::vector<double>(49, 0.0), x, o).end, PcgEnd::reached);
    EXPECT_EQ(x, std::vector<double>(49, 0.0));
    o.max_iterations = 100;
    o.tolerance = 1e-30;
    EXPECT_EQ(parted_cg(space, system, b, x, o).end, PcgEnd::limit);
    EXPECT_EQ(parted_cg(space, system, std::vector<double>(49, 1e200), x, {}).end, PcgEnd::not_finite);
    const CompressedRows indefinite({0, 1, 2, 3}, {0, 1, 2}, {1, -1, 1});
    EXPECT_EQ(parted_cg(space, indefinite, std::vector<double>{1, 3, 1}, x, {}).end, PcgEnd::indefinite);
    PartedCgOptions jacobi;
    jacobi.jacobi = true;
    EXPECT_THROW(parted_cg(space, indefinite, std::vector<double>{1, 3, 1}, x, jacobi), InvalidInput);
    EXPECT_THROW(parted_cg(space, system, std::vector<double>(48, 1.0), x, {}), InvalidInput);
    EXPECT_THROW(parted_cg(make_threads_space(50), system, b, x, {}), InvalidInput);
}

TEST(PartedCg, EndsOnRequestInEveryPartAtOnce) {
    const System system = five_point(13, 2);
    const std::vector<double> b = right_hand_side(system);
    PartedCgOptions o;
    o.max_iterations = 6;
    std::vector<double> limited, x;
    EXPECT_EQ(parted_cg(make_threads_space(1), system, b, limited, o).end, PcgEnd::limit);
    o.max_iterations = 100;
    o.progress = [](std::uint64_t iterations, double) { return iterations < 6; };
    for (const std::uint32_t parts : {1U, 4U})
        for (const ExchangeWay way : {ExchangeWay::neighbours, ExchangeWay::host}) {
            o.exchange.way = way;
            const PcgReport report = parted_cg(make_threads_space(parts), system, b, x, o);
            EXPECT_EQ(report.end, PcgEnd::cancelled);
            EXPECT_EQ(report.iterations, 6U);
            EXPECT_EQ(x, limited) << parts; // the iterate that was seen
        }
}

} // namespace
} // namespace mantissa
