// Meshes that are made: finer ones, and ones with known answers.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "half_edges.hpp"
#include "mantissa/format.hpp"
#include "problems/random.hpp"

namespace mantissa {

namespace {

constexpr std::size_t kMostRows = 30000, kMostTimes = 12;

TriangleMesh grid(std::size_t rows) {
    if (rows < 2 || rows > kMostRows)
        throw InvalidInput(fmt::format("a grid of {} rows of vertices: give 2 to {}", rows, kMostRows));
    TriangleMesh mesh;
    const double step = 1 / static_cast<double>(rows - 1);
    for (std::size_t y = 0; y < rows; ++y)
        for (std::size_t x = 0; x < rows; ++x)
            mesh.points.push_back({static_cast<double>(x) * step, static_cast<double>(y) * step, 0});
    for (std::size_t y = 0; y + 1 < rows; ++y)
        for (std::size_t x = 0; x + 1 < rows; ++x) {
            const auto a = static_cast<std::uint32_t>(y * rows + x), b = a + 1;
            const auto c = static_cast<std::uint32_t>(a + rows), d = c + 1;
            mesh.triangles.push_back({a, b, d});
            mesh.triangles.push_back({a, d, c});
        }
    return mesh;
}

} // namespace

TriangleMesh subdivided(const TriangleMesh& mesh) {
    TriangleMesh fine;
    fine.points = mesh.points;
    const std::vector<meshes::Side> sides = meshes::sides_of(mesh);
    std::vector<std::uint32_t> middle(sides.size());
    meshes::for_edges(sides, [&](std::size_t i, std::size_t end) {
        const Point3 &a = mesh.points[sides[i].low], &b = mesh.points[sides[i].high];
        const auto n = static_cast<std::uint32_t>(fine.points.size());
        fine.points.push_back({(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2});
        for (std::size_t k = i; k < end; ++k) middle[sides[k].at] = n;
    });
    if (fine.points.size() > UINT32_MAX / 4)
        throw InvalidInput(fmt::format("{} vertices: the mesh is too fine to be divided", fine.points.size()));
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto& [a, b, c] = mesh.triangles[t];
        const std::uint32_t ab = middle[3 * t], bc = middle[3 * t + 1], ca = middle[3 * t + 2];
        for (const auto& triangle :
             std::initializer_list<std::array<std::uint32_t, 3>>{{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}})
            fine.triangles.push_back(triangle);
    }
    return fine;
}

TriangleMesh make_plane(std::size_t rows, double jitter, std::uint64_t seed) {
    if (!(jitter >= 0 && jitter < 0.3))
        throw InvalidInput(fmt::format("a plane's jitter is {}: give 0 to below 0.3", jitter));
    TriangleMesh mesh = grid(rows);
    problems::SplitMix random(seed);
    const double step = jitter / static_cast<double>(rows - 1);
    for (Point3& p : mesh.points) {
        const double dx = step * (2 * random.unit() - 1), dy = step * (2 * random.unit() - 1);
        if (p[0] > 0 && p[0] < 1 && p[1] > 0 && p[1] < 1) {
            p[0] += dx;
            p[1] += dy;
        }
    }
    return mesh;
}

TriangleMesh make_hemisphere(std::size_t rows) {
    TriangleMesh mesh = grid(rows);
    for (Point3& p : mesh.points) {
        // The square onto the disk, so that circles stay evenly spaced; the disk's radius is the angle from the pole.
        const double x = 2 * p[0] - 1, y = 2 * p[1] - 1;
        const double radius = std::max(std::abs(x), std::abs(y)), length = std::hypot(x, y);
        const double angle = radius * std::numbers::pi / 2, scale = length > 0 ? std::sin(angle) / length : 0;
        p = {x * scale, y * scale, std::cos(angle)};
    }
    return mesh;
}

TriangleMesh make_sphere(std::size_t times) {
    if (times > kMostTimes)
        throw InvalidInput(fmt::format("a sphere divided {} times: give 0 to {}", times, kMostTimes));
    TriangleMesh mesh;
    mesh.points = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    for (std::size_t k = 0; k < times; ++k) mesh = subdivided(mesh);
    for (Point3& p : mesh.points) {
        const double length = std::hypot(p[0], p[1], p[2]);
        for (double& x : p) x /= length;
    }
    return mesh;
}

TriangleMesh with_noise(const TriangleMesh& mesh, double amount, std::uint64_t seed) {
    if (!(amount >= 0 && std::isfinite(amount)))
        throw InvalidInput(fmt::format("noise of {} edge lengths: give a number from 0 on", amount));
    double length = 0;
    for (const auto& t : mesh.triangles)
        for (std::size_t k = 0; k < 3; ++k) {
            const Point3 &a = mesh.points[t[k]], &b = mesh.points[t[(k + 1) % 3]];
            length += std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        }
    if (!mesh.triangles.empty()) length /= static_cast<double>(3 * mesh.triangles.size());
    problems::SplitMix random(seed);
    TriangleMesh noisy = mesh;
    for (Point3& p : noisy.points)
        for (double& x : p) {
            double sum = -6; // of twelve deviates: variance 1
            for (int k = 0; k < 12; ++k) sum += random.unit();
            x += amount * length * sum;
        }
    return noisy;
}

double root_mean_square_distance(const TriangleMesh& a, const TriangleMesh& b) {
    double sum = 0;
    for (std::size_t v = 0; v < a.points.size(); ++v)
        for (std::size_t k = 0; k < 3; ++k) {
            const double d = a.points[v][k] - b.points[v][k];
            sum += d * d;
        }
    return a.points.empty() ? 0 : std::sqrt(sum / static_cast<double>(a.points.size()));
}

} // namespace mantissa
