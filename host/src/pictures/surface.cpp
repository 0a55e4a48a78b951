#include "surface.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

namespace mantissa::pictures {

namespace {

constexpr double kFar = std::numeric_limits<double>::max();

double dot(const Point3& a, const Point3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Point3 minus(const Point3& a, const Point3& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Point3 cross(const Point3& a, const Point3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Point3 unit(const Point3& a) {
    const double length = std::sqrt(dot(a, a));
    return length > 0 ? Point3{a[0] / length, a[1] / length, a[2] / length} : Point3{0, 0, 1};
}

/// Places in the picture, with the depth towards the eye.
using Corners = std::array<Point3, 3>;

/// A picture with twice the squares on each side and the depth of what each shows.
class Canvas {
public:
    Canvas(const Point2& low, const Point2& high, std::size_t size) : low_(low), high_(high) {
        const double wide = high[0] - low[0], tall = high[1] - low[1], side = std::max(wide, tall);
        scale_ = side > 0 ? 2 * static_cast<double>(size) / side : 1;
        const auto squares = [&](double length) {
            return 2 * std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(length * scale_ / 2)));
        };
        image_ = Image(squares(wide), squares(tall));
        depth_.assign(image_.width * image_.height, -kFar);
    }
    [[nodiscard]] double scale() const { return scale_; }

    /// Draws a triangle where it is nearest; `colour` of the weights of its corners.
    void draw(const Corners& given, const std::function<Colour(const Point3&)>& colour) {
        Corners c;
        for (std::size_t k = 0; k < 3; ++k)
            c[k] = {(given[k][0] - low_[0]) * scale_, (high_[1] - given[k][1]) * scale_, given[k][2]};
        const double area = (c[1][0] - c[0][0]) * (c[2][1] - c[0][1]) - (c[1][1] - c[0][1]) * (c[2][0] - c[0][0]);
        if (!(std::abs(area) > 0)) return;
        const auto range = [&](std::size_t axis, std::size_t squares) {
            const auto [lo, hi] = std::minmax({c[0][axis], c[1][axis], c[2][axis]});
            const double last = static_cast<double>(squares) - 1;
            return std::pair(static_cast<std::size_t>(std::clamp(std::floor(lo), 0.0, last)),
                             static_cast<std::size_t>(std::clamp(std::ceil(hi), 0.0, last)));
        };
        const auto [left, right] = range(0, image_.width);
        const auto [top, bottom] = range(1, image_.height);
        for (std::size_t y = top; y <= bottom; ++y)
            for (std::size_t x = left; x <= right; ++x) {
                const double px = static_cast<double>(x) + 0.5, py = static_cast<double>(y) + 0.5;
                Point3 w;
                for (std::size_t k = 0; k < 3; ++k) {
                    const Point3 &a = c[(k + 1) % 3], &b = c[(k + 2) % 3];
                    w[k] = ((a[0] - px) * (b[1] - py) - (a[1] - py) * (b[0] - px)) / area;
                }
                if (w[0] < 0 || w[1] < 0 || w[2] < 0) continue;
                const double depth = w[0] * c[0][2] + w[1] * c[1][2] + w[2] * c[2][2];
                double& nearest = depth_[y * image_.width + x];
                if (depth <= nearest) continue;
                nearest = depth;
                image_.set(x, y, colour(w));
            }
    }
    [[nodiscard]] Image finished() const { return halved(image_); }

private:
    Point2 low_, high_;
    double scale_ = 1;
    Image image_{0, 0};
    std::vector<double> depth_;
};

Colour times(const Colour& colour, double factor) {
    return {colour[0] * factor, colour[1] * factor, colour[2] * factor};
}
Colour between(const Colour& a, const Colour& b, double part) {
    return {a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1]), a[2] + part * (b[2] - a[2])};
}

/// A key light from the upper left, a weak one from the right, and what is everywhere.
double light_on(const Point3& normal) {
    static const Point3 key = unit({-0.45, 0.55, 0.7}), fill = unit({0.8, 0.1, 0.5});
    return 0.22 + 0.68 * std::max(0.0, dot(normal, key)) + 0.16 * std::max(0.0, dot(normal, fill));
}

constexpr Colour kClay{0.93, 0.90, 0.86}, kBehind{0.80, 0.55, 0.40}, kDarkSquare{0.16, 0.36, 0.62};
constexpr Colour kKept{0.93, 0.95, 0.98}, kLost{0.85, 0.47, 0.10}, kFlipped{0.80, 0.05, 0.10}, kEdge{0.2, 0.25, 0.35};
constexpr double kSquares = 40; ///< of the chessboard, on a side of a square of the map's area

/// The smaller of the map's singular values and their ratio; infinite where it collapses, negative where it flips.
double stretch_ratio(const TriangleMesh& mesh, const std::vector<Point2>& uv, std::size_t t) {
    const auto& [i, j, k] = mesh.triangles[t];
    const Point3 e = minus(mesh.points[j], mesh.points[i]), f = minus(mesh.points[k], mesh.points[i]);
    const double a = std::sqrt(dot(e, e));
    if (!(a > 0)) return 1;
    const double c = dot(e, f) / a, d = std::sqrt(std::max(0.0, dot(f, f) - c * c));
    if (!(d > 0)) return 1;
    const Point2 p{uv[j][0] - uv[i][0], uv[j][1] - uv[i][1]}, q{uv[k][0] - uv[i][0], uv[k][1] - uv[i][1]};
    // J of the map from the triangle's own plane: J (a,0) = p, J (c,d) = q.
    const double ux = p[0] / a, vx = p[1] / a, uy = (q[0] - c * ux) / d, vy = (q[1] - c * vx) / d;
    const double turn = std::hypot(ux + vy, vx - uy) / 2, skew = std::hypot(ux - vy, vx + uy) / 2;
    return turn > skew ? (turn + skew) / (turn - skew) : -1;
}

} // namespace

View view_of(const TriangleMesh& mesh) {
    Point3 low{kFar, kFar, kFar}, high{-kFar, -kFar, -kFar}, faced{};
    for (const auto& t : mesh.triangles) {
        for (const std::uint32_t v : t)
            for (std::size_t k = 0; k < 3; ++k) {
                low[k] = std::min(low[k], mesh.points[v][k]);
                high[k] = std::max(high[k], mesh.points[v][k]);
            }
        const Point3 n =
            cross(minus(mesh.points[t[1]], mesh.points[t[0]]), minus(mesh.points[t[2]], mesh.points[t[0]]));
        for (std::size_t k = 0; k < 3; ++k) faced[k] += n[k] / 2;
    }
    View view;
    if (mesh.triangles.empty()) return view;
    std::size_t depth = 2;
    for (const std::size_t k : {0U, 1U})
        if (high[k] - low[k] < high[depth] - low[depth]) depth = k;
    const std::size_t y = depth == 1 ? 2 : 1;
    Point3 eye{}, up{};
    // (The area vectors of a closed surface add up to rounding errors.)
    const double surface = (high[0] - low[0]) * (high[1] - low[1]) + (high[1] - low[1]) * (high[2] - low[2]);
    eye[depth] = faced[depth] < -0.02 * surface ? -1 : 1;
    up[y] = 1;
    const Point3 right = cross(up, eye);
    const double turn = 25 * std::numbers::pi / 180, rise = 12 * std::numbers::pi / 180;
    for (std::size_t k = 0; k < 3; ++k) {
        view.axes[0][k] = std::cos(turn) * right[k] - std::sin(turn) * eye[k];
        view.axes[2][k] =
            std::cos(rise) * (std::cos(turn) * eye[k] + std::sin(turn) * right[k]) + std::sin(rise) * up[k];
    }
    view.axes[1] = cross(view.axes[2], view.axes[0]);
    view.low = {kFar, kFar};
    view.high = {-kFar, -kFar};
    for (const auto& t : mesh.triangles)
        for (const std::uint32_t v : t)
            for (std::size_t k = 0; k < 2; ++k) {
                const double at = dot(view.axes[k], mesh.points[v]);
                view.low[k] = std::min(view.low[k], at);
                view.high[k] = std::max(view.high[k], at);
            }
    return view;
}

Image surface_image(const TriangleMesh& mesh, const View& view, std::size_t size, const std::vector<Point2>* uv) {
    Canvas canvas(view.low, view.high, size);
    double area = 0;
    if (uv != nullptr)
        for (const auto& [a, b, c] : mesh.triangles) {
            const Point2 &p = (*uv)[a], &q = (*uv)[b], &r = (*uv)[c];
            area += std::abs((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])) / 2;
        }
    const double square = area > 0 ? std::sqrt(area) / kSquares : 1;
    for (const auto& t : mesh.triangles) {
        Corners corners;
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t axis = 0; axis < 3; ++axis) corners[k][axis] = dot(view.axes[axis], mesh.points[t[k]]);
        Point3 normal = unit(cross(minus(corners[1], corners[0]), minus(corners[2], corners[0])));
        const bool behind = normal[2] < 0;
        if (behind) normal = {-normal[0], -normal[1], -normal[2]};
        const double light = light_on(normal);
        const Colour plain = times(behind ? kBehind : kClay, light), dark = times(kDarkSquare, light + 0.1);
        canvas.draw(corners, [&](const Point3& w) {
            if (uv == nullptr) return plain;
            double u = 0, v = 0;
            for (std::size_t k = 0; k < 3; ++k) {
                u += w[k] * (*uv)[t[k]][0];
                v += w[k] * (*uv)[t[k]][1];
            }
            const double sum = std::floor(u / square) + std::floor(v / square);
            return std::fmod(std::abs(sum), 2.0) >= 1 ? dark : plain;
        });
    }
    return canvas.finished();
}

Image map_image(const TriangleMesh& mesh, const std::vector<Point2>& uv, std::size_t size) {
    Point2 low{kFar, kFar}, high{-kFar, -kFar};
    for (const auto& t : mesh.triangles)
        for (const std::uint32_t v : t)
            for (std::size_t k = 0; k < 2; ++k) {
                low[k] = std::min(low[k], uv[v][k]);
                high[k] = std::max(high[k], uv[v][k]);
            }
    Canvas canvas(low, high, size);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const double ratio = stretch_ratio(mesh, uv, t);
        const bool flipped = ratio < 0;
        const Colour fill = flipped ? kFlipped : between(kKept, kLost, std::min(1.0, (ratio - 1) / (kWorstShown - 1)));
        Corners corners; // flipped triangles lie on top
        for (std::size_t k = 0; k < 3; ++k) {
            const Point2& p = uv[mesh.triangles[t][k]];
            corners[k] = {p[0], p[1], flipped ? 1.0 : 0.0};
        }
        // Edges are a square wide; where triangles are small they fade away.
        Point3 height{};
        for (std::size_t k = 0; k < 3; ++k) {
            const Point3 &a = corners[(k + 1) % 3], &b = corners[(k + 2) % 3], &c = corners[k];
            const double length = std::hypot(b[0] - a[0], b[1] - a[1]);
            const double twice = std::abs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
            height[k] = length > 0 ? twice / length * canvas.scale() : 0;
        }
        const double smallest = std::min({height[0], height[1], height[2]});
        const double line = std::clamp((smallest - 4) / 12, 0.0, 0.6);
        const Colour edge = between(fill, kEdge, line);
        canvas.draw(corners, [&](const Point3& w) {
            for (std::size_t k = 0; k < 3; ++k)
                if (w[k] * height[k] < 0.7) return edge;
            return fill;
        });
    }
    return canvas.finished();
}

} // namespace mantissa::pictures
