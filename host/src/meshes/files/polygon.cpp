// A polygon as triangles.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "faces.hpp"

namespace mantissa::meshes {

namespace {

/// Twice the area below which a triangle counts as having none; a polygon's box has a side of 1.
constexpr double kNothing = 1e-14;
/// Clipping takes the square of the corners, and more where hardly any is an ear.
constexpr std::size_t kMostClipped = 4096;

double twice_area(const Point2& a, const Point2& b, const Point2& c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/// The corners from the first on, in units of the longest side of their box; empty where all are one point.
std::vector<Point3> scaled(std::span<const Point3> corners) {
    double size = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        const auto [low, high] = std::minmax_element(corners.begin(), corners.end(),
                                                     [k](const Point3& a, const Point3& b) { return a[k] < b[k]; });
        size = std::max(size, (*high)[k] - (*low)[k]);
    }
    std::vector<Point3> points;
    if (!(size > 0)) return points;
    for (const Point3& p : corners)
        points.push_back({(p[0] - corners[0][0]) / size, (p[1] - corners[0][1]) / size, (p[2] - corners[0][2]) / size});
    return points;
}

/// Seen along the mean normal (twice the area as a vector, Newell), counterclockwise; empty where there is no area.
std::vector<Point2> seen_from_the_front(std::span<const Point3> corners) {
    const std::vector<Point3> p = scaled(corners);
    Point3 n{};
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Point3 &a = p[i], &b = p[(i + 1) % p.size()];
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t y = (k + 1) % 3, z = (k + 2) % 3;
            n[k] += a[y] * b[z] - a[z] * b[y];
        }
    }
    const double length = std::hypot(n[0], n[1], n[2]);
    if (!(length > kNothing)) return {};
    for (double& x : n) x /= length;
    // Two axes across the normal: the first across the coordinate axis that it leans to least.
    const auto least = static_cast<std::size_t>(
        std::min_element(n.begin(), n.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }) - n.begin());
    const std::size_t y = (least + 1) % 3, z = (least + 2) % 3;
    const double flat = std::hypot(n[y], n[z]);
    Point3 u{};
    u[y] = -n[z] / flat;
    u[z] = n[y] / flat;
    const Point3 v{n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]};
    std::vector<Point2> seen;
    for (const Point3& a : p)
        seen.push_back({u[0] * a[0] + u[1] * a[1] + u[2] * a[2], v[0] * a[0] + v[1] * a[1] + v[2] * a[2]});
    return seen;
}

/// Does the fan from the first corner cover the polygon once, by triangles that all have an area?
bool fan_covers(const std::vector<Point2>& p) {
    double angle = 0;
    for (std::size_t i = 1; i + 1 < p.size(); ++i) {
        const double area = twice_area(p[0], p[i], p[i + 1]);
        if (!(area > kNothing)) return false;
        const double along =
            (p[i][0] - p[0][0]) * (p[i + 1][0] - p[0][0]) + (p[i][1] - p[0][1]) * (p[i + 1][1] - p[0][1]);
        angle += std::atan2(area, along);
    }
    return angle < 2 * std::numbers::pi;
}

/// Do two edges cross in a point that is inside both?
bool crosses_itself(const std::vector<Point2>& p) {
    const auto split = [](const Point2& a, const Point2& b, const Point2& c, const Point2& d) {
        const double left = twice_area(a, b, c), right = twice_area(a, b, d);
        return (left > kNothing && right < -kNothing) || (left < -kNothing && right > kNothing);
    };
    const std::size_t n = p.size();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = i + 2; k < n; ++k) {
            const Point2 &a = p[i], &b = p[i + 1], &c = p[k], &d = p[(k + 1) % n];
            if (split(a, b, c, d) && split(c, d, a, b)) return true;
        }
    return false;
}

/// Cuts triangles off until one is left. Triangles that are all counterclockwise cover each point as often as the
/// polygon winds round it, so what crosses itself the wrong way round runs out of ears.
class Clipper {
public:
    explicit Clipper(const std::vector<Point2>& points) : p_(points) {
        for (std::size_t i = 0; i < p_.size(); ++i) left_.push_back(i);
    }
    std::vector<std::array<std::size_t, 3>> clip() {
        std::vector<std::array<std::size_t, 3>> triangles;
        std::size_t at = 0, tried = 0;
        bool flat = false; // ears without area, where there is no other: corners in one place, and in line
        while (left_.size() >= 3) {
            const std::size_t n = left_.size();
            at %= n;
            if (is_ear(at, flat)) {
                triangles.push_back({left_[(at + n - 1) % n], left_[at], left_[(at + 1) % n]});
                left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(at));
                at = (at + n - 2) % (n - 1); // the corner before it may be an ear now
                tried = 0;
                flat = false;
            } else if (++at; ++tried == n) {
                if (flat) return {};
                flat = true;
                tried = 0;
            }
        }
        return triangles;
    }

private:
    [[nodiscard]] bool is_ear(std::size_t at, bool flat) const {
        const std::size_t n = left_.size();
        const Point2 &a = p_[left_[(at + n - 1) % n]], &b = p_[left_[at]], &c = p_[left_[(at + 1) % n]];
        const double area = twice_area(a, b, c);
        if (flat) return std::abs(area) <= kNothing;
        if (!(area > kNothing)) return false;
        return std::none_of(left_.begin(), left_.end(), [&](std::size_t k) {
            const Point2& q = p_[k];
            if (q == a || q == b || q == c) return false;
            return twice_area(a, b, q) >= -kNothing && twice_area(b, c, q) >= -kNothing &&
                   twice_area(c, a, q) >= -kNothing;
        });
    }

    const std::vector<Point2>& p_;
    std::vector<std::size_t> left_; ///< corners not cut off yet
};

} // namespace

PolygonTriangles triangles_of(std::span<const Point3> corners) {
    PolygonTriangles result;
    const std::vector<Point2> p = seen_from_the_front(corners);
    if (p.empty()) {
        result.fault = "has no area";
    } else if (fan_covers(p)) {
        for (std::size_t i = 1; i + 1 < p.size(); ++i) result.triangles.push_back({0, i, i + 1});
    } else if (p.size() > kMostClipped) {
        result.fault = "is not convex and has more than 4096 corners";
    } else if (crosses_itself(p)) {
        result.fault = "crosses itself";
    } else {
        result.triangles = Clipper(p).clip();
        if (result.triangles.empty()) result.fault = "crosses or touches itself";
    }
    return result;
}

} // namespace mantissa::meshes
