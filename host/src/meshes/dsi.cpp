#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "half_edges.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/mesh_systems.hpp"
#include "origin.hpp"

namespace mantissa {

namespace {

double mu_of(DsiWeight weight, std::size_t neighbours) {
    const auto n = static_cast<double>(neighbours);
    return weight == DsiWeight::harmonic ? 1 : 1 / (n * n);
}

class DsiMaker {
public:
    DsiMaker(const TriangleMesh& mesh, const DsiOptions& options)
        : mesh_(mesh), options_(options), coupled_(options.coupled || !options.constraints.empty()),
          around_(neighbours_of(mesh)), builder_({.variables = mesh.points.size() * (coupled_ ? 3 : 1),
                                                  .systems = coupled_ ? std::size_t{1} : 3,
                                                  .least_squares = true,
                                                  .normalize_rows = false,
                                                  .drop = 0,
                                                  .threads = options.threads}) {}

    DsiSystem make() {
        check();
        find_origins();
        for (std::uint32_t v = 0; v < mesh_.points.size(); ++v)
            for (std::size_t c = 0; c < 3; ++c) builder_.set(variable(v, c), place(v, c), coupled_ ? 0 : c);
        for (std::uint32_t v = 0; v < mesh_.points.size(); ++v)
            if (around_.count(v) == 0) lock(v);
        for (const std::uint32_t v : options_.hard) lock(v);
        builder_.begin_matrix();
        const std::size_t coordinates = coupled_ ? 3 : 1;
        for (std::uint32_t v = 0; v < mesh_.points.size(); ++v)
            for (std::size_t c = 0; c < coordinates && around_.count(v) != 0; ++c) roughness_row(v, c);
        for (const std::uint32_t v : options_.fuzzy)
            for (std::size_t c = 0; c < coordinates; ++c) fuzzy_row(v, c);
        for (const DsiConstraint& constraint : options_.constraints) constraint_row(constraint);
        DsiSystem system{builder_.build(), coupled_};
        system.built.put_back(by_variable(mesh_.points), by_variable(origin_));
        return system;
    }

private:
    [[nodiscard]] std::size_t variable(std::uint32_t v, std::size_t c) const {
        return coupled_ ? 3 * std::size_t{v} + c : v;
    }
    /// Parts of the mesh do not know of each other, so each has an origin of its own: the middle of its box.
    void find_origins() {
        const std::size_t n = mesh_.points.size();
        meshes::Sets parts = parts_of();
        std::vector<meshes::Box<3>> boxes(n);
        for (std::uint32_t v = 0; v < n; ++v) boxes[parts.find(v)].add(mesh_.points[v]);
        origin_.reserve(n);
        for (std::uint32_t v = 0; v < n; ++v) origin_.push_back(boxes[parts.find(v)].middle());
    }
    [[nodiscard]] meshes::Sets parts_of() const {
        meshes::Sets parts(mesh_.points.size());
        for (const auto& t : mesh_.triangles) {
            parts.join(t[0], t[1]);
            parts.join(t[1], t[2]);
        }
        return parts;
    }
    /// A coordinate from the origin on.
    [[nodiscard]] double place(std::uint32_t v, std::size_t c) const { return mesh_.points[v][c] - origin_[v][c]; }
    /// Coordinates as the builder's variables have them: by system, then variable.
    [[nodiscard]] std::vector<std::vector<double>> by_variable(const std::vector<Point3>& points) const {
        std::vector<std::vector<double>> lists(coupled_ ? 1 : 3,
                                               std::vector<double>(points.size() * (coupled_ ? 3 : 1)));
        for (std::uint32_t v = 0; v < points.size(); ++v)
            for (std::size_t c = 0; c < 3; ++c) lists[coupled_ ? 0 : c][variable(v, c)] = points[v][c];
        return lists;
    }
    /// An ulp of the smallest diagonal entry of the roughness: less does not change the matrix.
    [[nodiscard]] double least_weight() const {
        double least = std::numeric_limits<double>::infinity();
        for (const std::uint32_t v : options_.fuzzy) {
            const auto n = static_cast<double>(around_.count(v));
            double diagonal = mu_of(options_.weight, around_.count(v)) * n * n;
            for (std::uint64_t k = around_.begin[v]; k < around_.begin[v + 1]; ++k)
                diagonal += mu_of(options_.weight, around_.count(around_.vertex[k]));
            least = std::min(least, diagonal);
        }
        return least * std::numeric_limits<double>::epsilon();
    }
    void lock(std::uint32_t v) {
        for (std::size_t c = 0; c < (coupled_ ? std::size_t{3} : 1); ++c) builder_.lock(variable(v, c));
    }
    void check_vertex(std::uint32_t v) const {
        if (v >= mesh_.points.size())
            throw InvalidInput(
                fmt::format("vertex {} of {}: it does not exist", v + std::uint64_t{1}, mesh_.points.size()));
        if (around_.count(v) == 0)
            throw InvalidInput(fmt::format("vertex {} is in no triangle: leave it out", v + std::uint64_t{1}));
    }
    /// Every part of the mesh must be held, or its coordinates may be anything.
    void check() const {
        for (const std::uint32_t v : options_.hard) check_vertex(v);
        for (const std::uint32_t v : options_.fuzzy) check_vertex(v);
        if (!(options_.fuzzy_weight > 0 && std::isfinite(options_.fuzzy_weight)))
            throw InvalidInput(fmt::format("a weight of {}: give a number above 0", options_.fuzzy_weight));
        const bool by_weight = !options_.fuzzy.empty() && options_.hard.empty() && options_.constraints.empty();
        if (const double least = by_weight ? least_weight() : 0; options_.fuzzy_weight < least)
            throw InvalidInput(
                fmt::format("a weight of {}: beside the roughness double precision loses it, and nothing "
                            "holds the mesh; give {:.1g} or more",
                            options_.fuzzy_weight, 2 * least));
        for (const DsiConstraint& c : options_.constraints) {
            check_vertex(c.vertex);
            if (!(c.weight > 0 && std::isfinite(c.weight)))
                throw InvalidInput(fmt::format("a weight of {}: give a number above 0", c.weight));
        }
        meshes::Sets parts = parts_of();
        std::vector<std::vector<Point3>> held(mesh_.points.size());
        const auto hold = [&](std::uint32_t v, const Point3& direction) {
            auto& directions = held[parts.find(v)];
            if (directions.size() < 3) add_direction(directions, direction);
        };
        for (const auto* list : {&options_.hard, &options_.fuzzy})
            for (const std::uint32_t v : *list)
                for (const Point3& axis : {Point3{1, 0, 0}, Point3{0, 1, 0}, Point3{0, 0, 1}}) hold(v, axis);
        for (const DsiConstraint& c : options_.constraints) hold(c.vertex, c.direction);
        for (std::uint32_t v = 0; v < mesh_.points.size(); ++v)
            if (around_.count(v) != 0 && held[parts.find(v)].size() < 3)
                throw InvalidInput(fmt::format("nothing holds the part of the mesh with vertex {}: give it a control "
                                               "node, or constraints in three directions",
                                               v + std::uint64_t{1}));
    }
    /// Keeps directions that are independent (Gram and Schmidt).
    static void add_direction(std::vector<Point3>& known, Point3 d) {
        const auto dot = [](const Point3& a, const Point3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
        const double whole = std::sqrt(dot(d, d));
        for (const Point3& k : known) {
            const double along = dot(d, k);
            for (std::size_t c = 0; c < 3; ++c) d[c] -= along * k[c];
        }
        const double left = std::sqrt(dot(d, d));
        if (!(left > 1e-9 * whole)) return;
        for (double& x : d) x /= left;
        known.push_back(d);
    }
    void roughness_row(std::uint32_t v, std::size_t c) {
        builder_.begin_row();
        builder_.row_scaling(std::sqrt(mu_of(options_.weight, around_.count(v))));
        builder_.coefficient(variable(v, c), -static_cast<double>(around_.count(v)));
        for (std::uint64_t k = around_.begin[v]; k < around_.begin[v + 1]; ++k)
            builder_.coefficient(variable(around_.vertex[k], c), 1);
        builder_.end_row();
    }
    void fuzzy_row(std::uint32_t v, std::size_t c) {
        builder_.begin_row();
        builder_.row_scaling(std::sqrt(options_.fuzzy_weight));
        builder_.coefficient(variable(v, c), 1);
        if (coupled_) builder_.right_hand_side(place(v, c));
        else
            for (std::size_t s = 0; s < 3; ++s) builder_.right_hand_side(place(v, s), s);
        builder_.end_row();
    }
    void constraint_row(const DsiConstraint& constraint) {
        builder_.begin_row();
        builder_.row_scaling(std::sqrt(constraint.weight));
        double target = constraint.target;
        for (std::size_t c = 0; c < 3; ++c) {
            builder_.coefficient(variable(constraint.vertex, c), constraint.direction[c]);
            target = std::fma(-constraint.direction[c], origin_[constraint.vertex][c], target);
        }
        builder_.right_hand_side(target);
        builder_.end_row();
    }

    const TriangleMesh& mesh_;
    const DsiOptions& options_;
    bool coupled_;
    Neighbours around_;
    std::vector<Point3> origin_; ///< of each vertex
    SystemBuilder builder_;
};

} // namespace

DsiSystem make_dsi(const TriangleMesh& mesh, const DsiOptions& options) {
    return DsiMaker(mesh, options).make();
}

std::vector<Point3> points_of(const DsiSystem& system, const std::vector<std::vector<double>>& x) {
    std::vector<std::vector<double>> all;
    for (std::size_t s = 0; s < system.built.systems(); ++s) all.push_back(system.built.values(x.at(s), s));
    std::vector<Point3> points(system.coupled ? all[0].size() / 3 : all[0].size());
    for (std::size_t v = 0; v < points.size(); ++v)
        for (std::size_t c = 0; c < 3; ++c) points[v][c] = system.coupled ? all[0][3 * v + c] : all[c][v];
    return points;
}

double roughness(const TriangleMesh& mesh, const Neighbours& around, DsiWeight weight) {
    double sum = 0;
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
        if (around.count(v) == 0) continue;
        Point3 d{};
        for (std::uint64_t k = around.begin[v]; k < around.begin[v + 1]; ++k)
            for (std::size_t c = 0; c < 3; ++c) d[c] += mesh.points[around.vertex[k]][c] - mesh.points[v][c];
        sum += mu_of(weight, around.count(v)) * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
    return sum;
}

} // namespace mantissa
