#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "mantissa/errors.hpp"
#include "mantissa/host/flow.hpp"
#include "problems/random.hpp"

namespace mantissa {

namespace {

constexpr double kPi = std::numbers::pi;

double distance(const Point2& a, const Point2& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1]);
}

/// Normals at the points of a circle.
std::vector<Point2> normals(std::uint32_t points) {
    std::vector<Point2> n(points);
    for (std::uint32_t j = 0; j < points; ++j) {
        const double angle = 2 * kPi * j / points;
        n[j] = {std::cos(angle), std::sin(angle)};
    }
    return n;
}

double dot(const Point2& a, const Point2& b) {
    return a[0] * b[0] + a[1] * b[1];
}

void check_cell(const BubbleCell& cell) {
    if (cell.points < 3) throw InvalidInput(fmt::format("{} points on a circle: give 3 or more", cell.points));
    if (!(cell.radius > 0 && std::isfinite(cell.radius)))
        throw InvalidInput(fmt::format("bubbles of radius {}: give a number above 0", cell.radius));
    for (std::size_t i = 0; i < cell.centres.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (!(distance(cell.centres[i], cell.centres[j]) > 2 * cell.radius))
                throw InvalidInput(fmt::format("bubbles {} and {} of radius {:.4g} touch: their centres are {:.4g} "
                                               "apart; give a smaller share of bubbles",
                                               j, i, cell.radius, distance(cell.centres[i], cell.centres[j])));
}

} // namespace

std::vector<Point2> bubble_centres(std::size_t count, std::uint64_t seed) {
    constexpr int kThrows = 1000;
    problems::SplitMix random(seed);
    double apart = 0.7 / std::sqrt(static_cast<double>(count));
    std::vector<Point2> centres;
    for (int failed = 0; centres.size() < count;) {
        const double x = random.unit();
        const Point2 thrown{x, random.unit()};
        bool free = true;
        for (const Point2& c : centres) free = free && distance(c, thrown) >= apart;
        if (free) centres.push_back(thrown);
        failed = free ? 0 : failed + 1;
        if (failed == kThrows) {
            apart *= 0.9;
            failed = 0;
        }
    }
    return centres;
}

std::vector<Point2> square_centres(std::size_t count) {
    const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(count))));
    if (side * side != count)
        throw InvalidInput(fmt::format("{} bubbles in a square arrangement: give a square number", count));
    std::vector<Point2> centres;
    for (std::size_t i = 0; i < count; ++i)
        centres.push_back({(static_cast<double>(i % side) + 0.5) / static_cast<double>(side),
                           (static_cast<double>(i / side) + 0.5) / static_cast<double>(side)});
    return centres;
}

double bubble_radius(std::size_t count, double fraction) {
    return std::sqrt(fraction / (kPi * static_cast<double>(count)));
}

double greatest_radius(std::span<const Point2> centres) {
    double least = 2 * 0.3 / 0.9;
    for (std::size_t i = 0; i < centres.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) least = std::min(least, distance(centres[i], centres[j]));
    return 0.9 * least / 2;
}

DenseProblem bubble_system(const BubbleCell& cell, bool own_circle) {
    check_cell(cell);
    const std::size_t k = cell.points, m = cell.centres.size();
    const double a = cell.radius, h = 2 * kPi * a / static_cast<double>(k);
    const std::vector<Point2> n = normals(cell.points);
    DenseProblem p{"bubbles", DenseMatrix(m * k), std::vector<double>(m * k)};
    for (std::size_t i = 0; i < m * k; ++i) {
        const std::size_t own = i / k;
        const Point2 &ni = n[i % k], &ci = cell.centres[own];
        const std::span<double> row = p.a.row(i);
        double sum = -a / 2 * dot(cell.drive, ni);
        for (std::size_t l = 0; l < m; ++l) {
            const Point2& cl = cell.centres[l];
            for (std::size_t e = 0; e < k; ++e) {
                if (l == own) {
                    row[l * k + e] = own_circle ? 1 / (2 * static_cast<double>(k)) : 0;
                    continue;
                }
                // x_j - x_i, by centres and normals: nothing cancels.
                const Point2 d{cl[0] - ci[0] + a * (n[e][0] - ni[0]), cl[1] - ci[1] + a * (n[e][1] - ni[1])};
                const double square = dot(d, d);
                row[l * k + e] = h / (2 * kPi) * dot(d, n[e]) / square;
                sum += h / (4 * kPi) * std::log(square) * dot(cell.drive, n[e]);
            }
        }
        row[i] += 0.5;
        p.b[i] = sum;
    }
    return p;
}

Point2 mean_flow(const BubbleCell& cell, std::span<const double> q) {
    const std::vector<Point2> n = normals(cell.points);
    const double h = 2 * kPi * cell.radius / cell.points;
    Point2 sum{0, 0};
    for (std::size_t j = 0; j < q.size(); ++j)
        for (std::size_t c = 0; c < 2; ++c) sum[c] -= h * n[j % cell.points][c] * q[j];
    return sum;
}

double bubble_potential(const BubbleCell& cell, std::span<const double> q, const Point2& x) {
    const std::vector<Point2> n = normals(cell.points);
    const double a = cell.radius, h = 2 * kPi * a / cell.points;
    double sum = 0;
    for (std::size_t j = 0; j < q.size(); ++j) {
        const Point2 &nj = n[j % cell.points], &c = cell.centres[j / cell.points];
        const Point2 d{c[0] + a * nj[0] - x[0], c[1] + a * nj[1] - x[1]};
        const double square = dot(d, d);
        sum += h / (4 * kPi) * std::log(square) * dot(cell.drive, nj) - h / (2 * kPi) * dot(d, nj) / square * q[j];
    }
    return sum;
}

} // namespace mantissa
