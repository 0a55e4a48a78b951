#include "bubbles.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "mantissa/errors.hpp"
#include "problems/random.hpp"

namespace mantissa::dense {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kMostFilled = 0.3;

double distance(const Vector2& x, const Vector2& y) {
    return std::hypot(x[0] - y[0], x[1] - y[1]);
}

/// As many centres as find a place, each at least `apart` from the others; every bubble is drawn 2000 times at most.
std::vector<Vector2> draw_centres(std::size_t bubbles, double radius, double apart, std::uint64_t seed) {
    problems::SplitMix random(seed);
    std::vector<Vector2> centres;
    const double room = 1 - 2 * radius;
    for (std::size_t draw = 0; draw < 2000 && centres.size() < bubbles; ++draw) {
        const double x = radius + room * random.unit(), y = radius + room * random.unit();
        bool free = true;
        for (const Vector2& other : centres) free = free && distance(other, {x, y}) >= apart;
        if (!free) continue;
        centres.push_back({x, y});
        draw = 0;
    }
    return centres;
}

} // namespace

Vector2 BubbleCell::normal(std::size_t i) const {
    const double angle = 2 * kPi * static_cast<double>(i % points) / static_cast<double>(points);
    return {std::cos(angle), std::sin(angle)};
}

Vector2 BubbleCell::place(std::size_t i) const {
    const Vector2 n = normal(i), &centre = centres[i / points];
    return {centre[0] + radius * n[0], centre[1] + radius * n[1]};
}

double BubbleCell::step() const {
    return 2 * kPi * radius / static_cast<double>(points);
}

BubbleCell place_bubbles(std::size_t bubbles, std::size_t points, double phi, std::uint64_t seed) {
    if (!(phi > 0 && phi <= kMostFilled))
        throw InvalidInput(fmt::format("bubbles: phi={} of the cell filled: above 0 and up to {}", phi, kMostFilled));
    BubbleCell cell;
    cell.points = points;
    if (bubbles == 0) return cell;
    cell.radius = std::sqrt(phi / (kPi * static_cast<double>(bubbles)));
    for (double apart = 4; apart > 2.2; apart *= 0.9) {
        cell.centres = draw_centres(bubbles, cell.radius, apart * cell.radius, seed);
        if (cell.centres.size() == bubbles) return cell;
    }
    throw InvalidInput(fmt::format("bubbles: {} bubbles do not fit a cell of which they fill {}; take a smaller phi or "
                                   "another seed",
                                   bubbles, phi));
}

DenseMatrix bubble_matrix(const BubbleCell& cell, bool own) {
    const std::size_t n = cell.size(), k = cell.points;
    const double h = cell.step();
    std::vector<Vector2> x(n), normal(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = cell.place(i);
        normal[i] = cell.normal(i);
    }
    DenseMatrix a(n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (i / k == j / k) {
                a(i, j) = own ? 0.5 / static_cast<double>(k) : 0;
                continue;
            }
            const double dx = x[j][0] - x[i][0], dy = x[j][1] - x[i][1];
            a(i, j) = h * (dx * normal[j][0] + dy * normal[j][1]) / (2 * kPi * (dx * dx + dy * dy));
        }
        a(i, i) += 0.5;
    }
    return a;
}

std::vector<double> bubble_right_hand_side(const BubbleCell& cell, std::span<const Vector2> velocities) {
    const std::size_t n = cell.size(), k = cell.points;
    if (velocities.size() != cell.centres.size())
        throw InvalidInput(
            fmt::format("bubbles: {} velocities for {} bubbles", velocities.size(), cell.centres.size()));
    const double h = cell.step();
    std::vector<Vector2> x(n);
    std::vector<double> out(n), b(n); // out: v.n
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = cell.place(i);
        const Vector2 normal = cell.normal(i), v = velocities[i / k];
        out[i] = v[0] * normal[0] + v[1] * normal[1];
    }
    for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < n; ++j)
            if (i / k != j / k) sum += std::log(distance(x[i], x[j])) * out[j];
        b[i] = h / (2 * kPi) * sum - cell.radius / 2 * out[i];
    }
    return b;
}

Vector2 bubble_drift(const BubbleCell& cell, std::span<const double> q) {
    if (q.size() != cell.size())
        throw InvalidInput(fmt::format("bubbles: {} potentials for {} points", q.size(), cell.size()));
    Vector2 sum{0, 0};
    for (std::size_t i = 0; i < q.size(); ++i) {
        const Vector2 normal = cell.normal(i);
        sum[0] += normal[0] * q[i];
        sum[1] += normal[1] * q[i];
    }
    const double scale = -cell.step() / (cell.side * cell.side);
    return {scale * sum[0], scale * sum[1]};
}

} // namespace mantissa::dense
