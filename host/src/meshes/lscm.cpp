#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <future>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "lscm_rows.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/mesh_systems.hpp"
#include "origin.hpp"
#include "running/parallel.hpp"

namespace mantissa {

namespace {

constexpr double kNoArea = 1e-12;

Point3 minus(const Point3& a, const Point3& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
double dot(const Point3& a, const Point3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
double length(const Point3& a) {
    return std::hypot(a[0], a[1], a[2]);
}

/// A triangle in its plane: corners at (0,0), (a,0), (c,d).
struct Flat {
    double a = 0, c = 0, d = 0;
    [[nodiscard]] bool has_area() const { return a > 0 && a * d > kNoArea * a * a; }
};

Flat flat(const TriangleMesh& mesh, const std::array<std::uint32_t, 3>& t) {
    const Point3 e1 = minus(mesh.points[t[1]], mesh.points[t[0]]), e2 = minus(mesh.points[t[2]], mesh.points[t[0]]);
    Flat f;
    f.a = length(e1);
    if (!(f.a > 0)) return f;
    const Point3 x{e1[0] / f.a, e1[1] / f.a, e1[2] / f.a};
    f.c = dot(e2, x);
    // The height by the cross product, which keeps its digits where triangles are thin.
    const Point3 cross{x[1] * e2[2] - x[2] * e2[1], x[2] * e2[0] - x[0] * e2[2], x[0] * e2[1] - x[1] * e2[0]};
    f.d = length(cross);
    return f;
}

/// The two axes along which the mesh is longest, the longest first; in the order x, y, z where they are equal.
std::array<std::size_t, 2> longest_axes(const TriangleMesh& mesh, const std::vector<std::uint8_t>& used) {
    Point3 low{}, high{};
    bool first = true;
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
        if (used[v] == 0) continue;
        for (std::size_t k = 0; k < 3; ++k) {
            low[k] = first ? mesh.points[v][k] : std::min(low[k], mesh.points[v][k]);
            high[k] = first ? mesh.points[v][k] : std::max(high[k], mesh.points[v][k]);
        }
        first = false;
    }
    std::array<std::size_t, 3> axes{0, 1, 2};
    std::stable_sort(axes.begin(), axes.end(),
                     [&](std::size_t i, std::size_t j) { return high[i] - low[i] > high[j] - low[j]; });
    return {axes[0], axes[1]};
}

double distance(const TriangleMesh& mesh, std::uint32_t v, std::uint32_t w) {
    return length(minus(mesh.points[v], mesh.points[w]));
}

/// Two far ends: the vertex farthest from the first, and the one farthest from that.
std::array<std::uint32_t, 2> far_ends(const TriangleMesh& mesh, const std::vector<std::uint32_t>& loop) {
    const auto farthest = [&](std::uint32_t from) {
        return *std::max_element(loop.begin(), loop.end(), [&](std::uint32_t v, std::uint32_t w) {
            return distance(mesh, from, v) < distance(mesh, from, w);
        });
    };
    const std::uint32_t one = farthest(loop.front());
    return {one, farthest(one)};
}

class LscmMaker {
public:
    LscmMaker(const TriangleMesh& mesh, const LscmOptions& options)
        : mesh_(mesh), options_(options), flat_(mesh.triangles.size()), used_(mesh.points.size(), 0),
          locked_(mesh.points.size(), 0), counts_(mesh.triangles.size(), 0), values_(2 * mesh.points.size()) {}

    LscmSystem make(bool by_builder) {
        running::for_pieces(options_.threads, mesh_.triangles.size(), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t t = begin; t < end; ++t) flat_[t] = flat(mesh_, mesh_.triangles[t]);
        });
        for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
            counts_[t] = flat_[t].has_area() ? 1 : 0;
            if (counts_[t] == 0) ++degenerate_;
            else
                for (const std::uint32_t v : mesh_.triangles[t]) used_[v] = 1;
        }
        if (degenerate_ == mesh_.triangles.size()) throw InvalidInput("no triangle of the mesh has an area");
        const std::array<std::uint32_t, 2> pins = hold();
        const auto isolated = static_cast<std::size_t>(std::count(used_.begin(), used_.end(), 0));
        const std::vector<double> places = values_;
        const std::vector<double> origin = move_to_origin();
        LscmSystem system{by_builder ? build() : form(), pins, degenerate_, isolated, {}};
        if (!origin.empty()) system.built.put_back({places}, {origin});
        return system;
    }

private:
    void place(std::uint32_t v, double x, double y) {
        values_[2 * std::size_t{v}] = x;
        values_[2 * std::size_t{v} + 1] = y;
    }
    /// Gives all vertices a start, and locks two and what no row will hold.
    std::array<std::uint32_t, 2> hold() {
        const auto [x, y] = longest_axes(mesh_, used_);
        std::array<std::uint32_t, 2> pins{UINT32_MAX, UINT32_MAX};
        for (std::uint32_t v = 0; v < mesh_.points.size(); ++v) {
            place(v, mesh_.points[v][x], mesh_.points[v][y]);
            if (used_[v] == 0) {
                locked_[v] = 1;
                continue;
            }
            if (pins[0] == UINT32_MAX || mesh_.points[v][x] < mesh_.points[pins[0]][x]) pins[0] = v;
            if (pins[1] == UINT32_MAX || mesh_.points[v][x] > mesh_.points[pins[1]][x]) pins[1] = v;
        }
        if (options_.pins == LscmPins::boundary) {
            std::vector<std::uint32_t> loop = boundary_loops(mesh_).front();
            std::erase_if(loop, [&](std::uint32_t v) { return used_[v] == 0; });
            if (loop.size() >= 2) pins = far_ends(mesh_, loop);
            place(pins[0], 0, 0);
            place(pins[1], distance(mesh_, pins[0], pins[1]), 0);
        }
        if (pins[0] == pins[1]) throw InvalidInput("all vertices of the mesh lie in one point");
        for (const std::uint32_t v : pins) locked_[v] = 1;
        return pins;
    }
    /// Takes the middle of the box in the plane off all values; empty where the pins lie at zero anyway.
    std::vector<double> move_to_origin() {
        if (options_.pins == LscmPins::boundary) return {};
        meshes::Box<2> box;
        for (std::size_t v = 0; v < used_.size(); ++v)
            if (used_[v] != 0) box.add({values_[2 * v], values_[2 * v + 1]});
        const Point2 middle = box.middle();
        std::vector<double> origin(values_.size());
        for (std::size_t k = 0; k < values_.size(); ++k) {
            origin[k] = middle[k % 2];
            values_[k] -= origin[k];
        }
        return origin;
    }
    [[nodiscard]] double scale_of(const Flat& f) const {
        return options_.weight == LscmWeight::area ? 1 / std::sqrt(f.a * f.d) : 1;
    }

    /// All at once, vertex by vertex.
    BuiltSystem form() {
        // (A quarter of a gigabyte for a million vertices: its pages are first touched by the threads that fill it.)
        const auto made = std::make_unique_for_overwrite<meshes::TriangleTerms[]>(flat_.size());
        const std::span<meshes::TriangleTerms> terms(made.get(), flat_.size());
        std::atomic<bool> finite = true;
        running::for_pieces(options_.threads, flat_.size(), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t t = begin; t < end; ++t) {
                const Flat& f = flat_[t];
                if (counts_[t] == 0) {
                    terms[t] = {};
                    continue;
                }
                const double w = scale_of(f);
                terms[t] = {meshes::CornerTerms{{w * (f.c - f.a), w * f.d}, {w * -f.d, w * (f.c - f.a)}},
                            meshes::CornerTerms{{w * -f.c, w * -f.d}, {w * f.d, w * -f.c}},
                            meshes::CornerTerms{{w * f.a, 0}, {0, w * f.a}}};
                for (const meshes::CornerTerms& c : terms[t])
                    if (!std::isfinite(c.u[0] + c.u[1] + c.v[0] + c.v[1])) finite = false;
            }
        });
        if (!finite) return build(); // the builder has a line for each of these
        for (const double x : values_)
            if (!std::isfinite(x)) return build();
        auto [matrix, b] = meshes::lscm_rows(mesh_, terms, counts_, locked_, values_, options_.drop, options_.threads);
        std::vector<std::uint32_t> free;
        free.reserve(b.size());
        for (std::uint32_t v = 0; v < locked_.size(); ++v)
            for (std::uint32_t k = 0; k < 2 && locked_[v] == 0; ++k) free.push_back(2 * v + k);
        return {System(std::move(matrix)), {std::move(b)}, {std::move(values_)}, std::move(free)};
    }

    /// Row by row.
    BuiltSystem build() {
        SystemBuilder builder({.variables = values_.size(),
                               .systems = 1,
                               .least_squares = true,
                               .normalize_rows = false,
                               .drop = options_.drop,
                               .threads = options_.threads});
        for (std::size_t k = 0; k < values_.size(); ++k) {
            builder.set(k, values_[k]);
            if (locked_[k / 2] != 0) builder.lock(k);
        }
        builder.begin_matrix();
        for (std::size_t t = 0; t < flat_.size(); ++t)
            if (counts_[t] != 0) give_rows(builder, mesh_.triangles[t], flat_[t]);
        return builder.build();
    }
    void give_rows(SystemBuilder& builder, const std::array<std::uint32_t, 3>& t, const Flat& f) const {
        const std::size_t u0 = 2 * std::size_t{t[0]}, u1 = 2 * std::size_t{t[1]}, u2 = 2 * std::size_t{t[2]};
        builder.begin_row();
        builder.row_scaling(scale_of(f));
        builder.coefficient(u0, f.c - f.a);
        builder.coefficient(u0 + 1, -f.d);
        builder.coefficient(u1, -f.c);
        builder.coefficient(u1 + 1, f.d);
        builder.coefficient(u2, f.a);
        builder.end_row();
        builder.begin_row();
        builder.row_scaling(scale_of(f));
        builder.coefficient(u0, f.d);
        builder.coefficient(u0 + 1, f.c - f.a);
        builder.coefficient(u1, -f.d);
        builder.coefficient(u1 + 1, -f.c);
        builder.coefficient(u2 + 1, f.a);
        builder.end_row();
    }

    const TriangleMesh& mesh_;
    const LscmOptions& options_;
    std::vector<Flat> flat_;
    std::vector<std::uint8_t> used_;            ///< vertices of triangles with area
    std::vector<std::uint8_t> locked_, counts_; ///< vertices; triangles with area
    std::vector<double> values_;
    std::size_t degenerate_ = 0;
};

void refuse_no_disk(const Topology& topology) {
    if (const std::string why = why_no_disk(topology); !why.empty()) throw InvalidInput(why);
}

LscmSystem make(const TriangleMesh& mesh, const LscmOptions& options, bool by_builder) {
    std::optional<LscmSystem> system;
    const auto form = [&] { system.emplace(LscmMaker(mesh, options).make(by_builder)); };
    Topology topology;
    if (options.topology != nullptr || options.threads < 2 || options.pins == LscmPins::boundary) {
        topology = options.topology != nullptr ? *options.topology : topology_of(mesh);
        refuse_no_disk(topology);
        form();
    } else { // it needs the mesh to be a disk only in what it means, so both go on beside each other
        std::future<Topology> found = std::async(std::launch::async, [&] { return topology_of(mesh); });
        std::exception_ptr fault;
        try {
            form();
        } catch (...) {
            fault = std::current_exception();
        }
        topology = found.get();
        refuse_no_disk(topology);
        if (fault) std::rethrow_exception(fault);
    }
    system->topology = topology;
    return std::move(*system);
}

} // namespace

LscmSystem make_lscm(const TriangleMesh& mesh, const LscmOptions& options) {
    return make(mesh, options, !(options.drop >= 0 && options.drop < 1)); // zeros too, or a refusal: the builder's
}
LscmSystem meshes::make_lscm_by_builder(const TriangleMesh& mesh, const LscmOptions& options) {
    return make(mesh, options, true);
}

std::vector<Point2> uv_of(const LscmSystem& system, std::span<const double> x) {
    const std::vector<double> all = system.built.values(x);
    std::vector<Point2> uv(all.size() / 2);
    for (std::size_t v = 0; v < uv.size(); ++v) uv[v] = {all[2 * v], all[2 * v + 1]};
    return uv;
}

MapQuality map_quality(const TriangleMesh& mesh, const std::vector<Point2>& uv) {
    MapQuality q;
    double sum = 0, areas = 0;
    for (const auto& t : mesh.triangles) {
        const Flat f = flat(mesh, t);
        if (!f.has_area()) continue;
        ++q.triangles;
        // The map's Jacobian J = [U1 - U0, U2 - U0] [[a, c], [0, d]]^-1
        const Point2 &p = uv[t[0]], &r = uv[t[1]], &s = uv[t[2]];
        const double ux = (r[0] - p[0]) / f.a, vx = (r[1] - p[1]) / f.a;
        const double uy = (s[0] - p[0] - f.c * ux) / f.d, vy = (s[1] - p[1] - f.c * vx) / f.d;
        const double determinant = ux * vy - uy * vx;
        if (determinant < 0) ++q.flipped;
        else if (!(determinant > 0)) ++q.collapsed;
        else {
            // Singular values from the conformal and the other part of J.
            const double conformal = std::hypot(ux + vy, vx - uy), other = std::hypot(ux - vy, vx + uy);
            // (Their difference, which is 4 determinant / their sum, would cancel where a triangle is nearly flat.)
            const double ratio = 0.25 * (conformal + other) * ((conformal + other) / determinant);
            sum += ratio * f.a * f.d;
            areas += f.a * f.d;
            q.most_distortion = std::max(q.most_distortion, ratio);
        }
    }
    q.mean_distortion = areas > 0 ? sum / areas : 0;
    return q;
}

} // namespace mantissa
