#include "pictures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace mantissa::meshes {

namespace {

constexpr double kSize = 800; // of a drawing, in user units
constexpr std::size_t kMostDrawn = 150'000;

/// Maps a rectangle of points into kSize, y upwards.
class Frame {
public:
    void take(double x, double y) {
        low_[0] = std::min(low_[0], x);
        low_[1] = std::min(low_[1], y);
        high_[0] = std::max(high_[0], x);
        high_[1] = std::max(high_[1], y);
    }
    [[nodiscard]] std::string at(double x, double y) const {
        return fmt::format("{:.1f} {:.1f}", 4 + (x - low_[0]) * scale(), 4 + (high_[1] - y) * scale());
    }
    [[nodiscard]] double width() const { return 8 + (high_[0] - low_[0]) * scale(); }
    [[nodiscard]] double height() const { return 8 + (high_[1] - low_[1]) * scale(); }

private:
    [[nodiscard]] double scale() const {
        const double side = std::max(high_[0] - low_[0], high_[1] - low_[1]);
        return side > 0 ? kSize / side : 1;
    }
    static constexpr double kFar = std::numeric_limits<double>::max();
    Point2 low_{kFar, kFar}, high_{-kFar, -kFar};
};

std::string begin_picture(double width, double height) {
    return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
                       "height=\"{1:.0f}\"><rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                       width, height);
}

/// A surface as grey triangles, the far ones first.
std::string surface(const TriangleMesh& mesh, const std::array<std::size_t, 3>& axes, const Frame& frame) {
    const auto [x, y, depth] = axes;
    // The view keeps left and right: an odd order of axes would mirror the mesh.
    const double side = (x == 0 && y == 1) || (x == 1 && y == 2) || (x == 2 && y == 0) ? 1 : -1;
    struct Face {
        double depth, light;
        std::uint32_t triangle;
    };
    std::vector<Face> faces;
    const std::size_t step = mesh.triangles.size() / kMostDrawn + 1;
    for (std::uint32_t t = 0; t < mesh.triangles.size(); t += static_cast<std::uint32_t>(step)) {
        const auto& [i, j, k] = mesh.triangles[t];
        const Point3 &a = mesh.points[i], &b = mesh.points[j], &c = mesh.points[k];
        Point3 e{}, f{};
        for (std::size_t n = 0; n < 3; ++n) {
            e[n] = b[n] - a[n];
            f[n] = c[n] - a[n];
        }
        const Point3 normal{e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]};
        const double length = std::hypot(normal[0], normal[1], normal[2]);
        if (!(length > 0)) continue;
        const double front = side * normal[depth] / length;
        if (front <= 0) continue; // it looks away
        const double light = 0.25 + 0.6 * front + 0.15 * normal[y] / length;
        faces.push_back({side * (a[depth] + b[depth] + c[depth]), std::clamp(light, 0.0, 1.0), t});
    }
    std::sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) {
        return a.depth != b.depth ? a.depth < b.depth : a.triangle < b.triangle;
    });
    std::string out;
    for (const Face& face : faces) { // (a stroke of its own colour closes the seam to its neighbours)
        const auto& t = mesh.triangles[face.triangle];
        const auto at = [&](std::uint32_t v) { return frame.at(side * mesh.points[v][x], mesh.points[v][y]); };
        const int grey = static_cast<int>(255 * face.light);
        const std::string colour = fmt::format("#{0:02x}{0:02x}{1:02x}", grey, std::min(255, grey + 8));
        out += fmt::format("<path d=\"M{0}L{1}L{2}Z\" fill=\"{3}\" stroke=\"{3}\" stroke-width=\"0.5\"/>\n", at(t[0]),
                           at(t[1]), at(t[2]), colour);
    }
    return out;
}

} // namespace

std::string picture_of_map(const TriangleMesh& mesh, const std::vector<Point2>& uv) {
    Frame frame;
    for (const auto& t : mesh.triangles)
        for (const std::uint32_t v : t) frame.take(uv[v][0], uv[v][1]);
    const std::size_t step = mesh.triangles.size() / kMostDrawn + 1;
    std::string plain, flipped;
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
        const auto& [a, b, c] = mesh.triangles[i];
        const Point2 &p = uv[a], &q = uv[b], &r = uv[c];
        const bool up = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]) > 0;
        if (up && i % step != 0) continue;
        (up ? plain : flipped) +=
            fmt::format("M{}L{}L{}Z", frame.at(p[0], p[1]), frame.at(q[0], q[1]), frame.at(r[0], r[1]));
    }
    std::string out = begin_picture(frame.width(), frame.height());
    if (step > 1) out += fmt::format("<title>one of {} triangles is drawn, and every flipped one</title>\n", step);
    out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#24527a\" stroke-width=\"0.4\"/>\n", plain);
    if (!flipped.empty()) out += fmt::format("<path d=\"{}\" fill=\"#d62728\" stroke=\"#d62728\"/>\n", flipped);
    return out + "</svg>\n";
}

std::string picture_of_surfaces(const TriangleMesh& before, const TriangleMesh& after) {
    Point3 low, high;
    low.fill(std::numeric_limits<double>::max());
    high.fill(-std::numeric_limits<double>::max());
    for (const auto& t : before.triangles)
        for (const std::uint32_t v : t)
            for (std::size_t k = 0; k < 3; ++k) {
                low[k] = std::min(low[k], before.points[v][k]);
                high[k] = std::max(high[k], before.points[v][k]);
            }
    // Along the shortest axis; y stays up where it can.
    std::size_t depth = 2;
    for (const std::size_t k : {0U, 1U})
        if (high[k] - low[k] < high[depth] - low[depth]) depth = k;
    const std::size_t y = depth == 1 ? 2 : 1, x = 3 - depth - y;
    const double side = (x == 0 && y == 1) || (x == 1 && y == 2) || (x == 2 && y == 0) ? 1 : -1;
    Frame frame;
    for (const auto& t : before.triangles)
        for (const std::uint32_t v : t) frame.take(side * before.points[v][x], before.points[v][y]);
    std::string out = begin_picture(2 * frame.width() + 20, frame.height());
    out += surface(before, {x, y, depth}, frame);
    out += fmt::format("<g transform=\"translate({:.0f} 0)\">\n", frame.width() + 20);
    out += surface(after, {x, y, depth}, frame);
    return out + "</g></svg>\n";
}

} // namespace mantissa::meshes
