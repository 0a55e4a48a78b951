// The normal equations of LSCM formed vertex by vertex, with the bits that SystemBuilder gives. Internal to host/.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mantissa/host/mesh.hpp"
#include "mantissa/host/mesh_systems.hpp"
#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa::meshes {

/// What corner k = 0, 1, 2 of a triangle has in its two rows, scaled: the first row holds u times u[0] and v times
/// v[0], the second u[1] and v[1].
struct CornerTerms {
    double u[2], v[2];
};
using TriangleTerms = std::array<CornerTerms, 3>;

/// A system on the vertices that are not locked, two variables each.
struct LscmRows {
    CompressedRows matrix;
    std::vector<double> b;
};
/// `terms`: of every triangle, where `counts` is not zero. `values`: u and v of every vertex, which locked ones keep.
/// `drop`: as in BuilderOptions, not below zero. Every sum is formed in the order of the triangles, first rows before
/// second ones, as a builder forms it that gets all rows in this order; so the result is its result for any `threads`.
LscmRows lscm_rows(const TriangleMesh& mesh, std::span<const TriangleTerms> terms, std::span<const std::uint8_t> counts,
                   std::span<const std::uint8_t> locked, std::span<const double> values, double drop, int threads);

/// make_lscm() by SystemBuilder, row by row: what lscm_rows() is compared with.
LscmSystem make_lscm_by_builder(const TriangleMesh& mesh, const LscmOptions& options);

} // namespace mantissa::meshes
