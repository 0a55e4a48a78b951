#include "lscm_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "running/parallel.hpp"

namespace mantissa::meshes {

namespace {

/// Corners by vertex, ascending: number 3 t + k.
struct Corners {
    std::vector<std::uint32_t> begin, corner;
};

Corners corners_of(const TriangleMesh& mesh, std::span<const std::uint8_t> counts) {
    Corners c;
    c.begin.assign(mesh.points.size() + 1, 0);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (const std::uint32_t v : mesh.triangles[t]) c.begin[v + std::size_t{1}] += counts[t];
    for (std::size_t v = 0; v < mesh.points.size(); ++v) c.begin[v + 1] += c.begin[v];
    c.corner.resize(c.begin.back());
    std::vector<std::uint32_t> at(c.begin.begin(), c.begin.end() - 1);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (std::uint32_t k = 0; k < 3 && counts[t] != 0; ++k)
            c.corner[at[mesh.triangles[t][k]]++] = static_cast<std::uint32_t>(3 * t + k);
    return c;
}

/// Sums between a vertex and one of its neighbours (or itself).
struct Block {
    std::uint32_t vertex = 0;
    double uu = 0, uv = 0, vu = 0, vv = 0;
    void add(const CornerTerms& mine, const CornerTerms& other) {
        for (int row = 0; row < 2; ++row) {
            uu += mine.u[row] * other.u[row];
            uv += mine.u[row] * other.v[row];
            vu += mine.v[row] * other.u[row];
            vv += mine.v[row] * other.v[row];
        }
    }
};

class Maker {
public:
    Maker(const TriangleMesh& mesh, std::span<const TriangleTerms> terms, std::span<const std::uint8_t> counts,
          std::span<const std::uint8_t> locked, std::span<const double> values, double drop, int threads)
        : mesh_(mesh), terms_(terms), locked_(locked), values_(values), drop_(drop), threads_(threads),
          corners_(corners_of(mesh, counts)), number_(mesh.points.size(), 0) {
        for (std::uint32_t v = 0; v < mesh.points.size(); ++v)
            if (locked_[v] == 0) {
                number_[v] = static_cast<std::uint32_t>(free_.size());
                free_.push_back(v);
            }
    }

    LscmRows make() {
        form_diagonal();
        std::vector<double> b(2 * free_.size(), 0.0);
        // The rows of each piece of the vertices, then all of them in one place.
        const std::size_t pieces = std::clamp<std::size_t>(free_.size() / kPiece, 1, 1024);
        const auto first = [&](std::size_t piece) { return free_.size() * piece / pieces; };
        std::vector<Part> parts(pieces);
        for_each(pieces, [&](std::size_t k) {
            std::vector<Block> around;
            for (std::size_t i = first(k); i < first(k + 1); ++i) {
                add_up(free_[i], around);
                put_rows(i, around, parts[k]);
                right_hand_side(free_[i], b[2 * i], b[2 * i + 1]);
            }
        });
        std::vector<std::size_t> begin(pieces + 1, 0);
        for (std::size_t k = 0; k < pieces; ++k) begin[k + 1] = begin[k] + parts[k].value.size();
        std::vector<std::uint64_t> row_begin(2 * free_.size() + 1, 0);
        std::vector<std::uint32_t> column(begin.back());
        std::vector<double> value(begin.back());
        for_each(pieces, [&](std::size_t k) {
            const auto at = static_cast<std::ptrdiff_t>(begin[k]);
            std::copy(parts[k].column.begin(), parts[k].column.end(), column.begin() + at);
            std::copy(parts[k].value.begin(), parts[k].value.end(), value.begin() + at);
            std::uint64_t entries = begin[k];
            for (std::size_t row = 0; row < parts[k].length.size(); ++row)
                row_begin[2 * first(k) + row + 1] = entries += parts[k].length[row];
        });
        return {{std::move(row_begin), std::move(column), std::move(value)}, std::move(b)};
    }

private:
    static constexpr std::size_t kPiece = 4096; ///< vertices of a piece
    struct Part {
        std::vector<std::uint32_t> length, column; ///< entries of each row; their columns
        std::vector<double> value;
    };

    template <class Work> void for_each(std::size_t pieces, const Work& work) const {
        // (Pieces are large: each counts as many elements of for_pieces() as it takes to be worth a thread.)
        running::for_pieces(threads_, pieces * running::kParallelGrain, running::kParallelGrain,
                            [&](std::size_t begin, std::size_t end) {
                                for (std::size_t k = begin / running::kParallelGrain;
                                     k < (end + running::kParallelGrain - 1) / running::kParallelGrain; ++k)
                                    work(k);
                            });
    }
    [[nodiscard]] const CornerTerms& terms_of(std::uint32_t corner) const { return terms_[corner / 3][corner % 3]; }
    [[nodiscard]] std::span<const std::uint32_t> corners_at(std::uint32_t v) const {
        return std::span(corners_.corner).subspan(corners_.begin[v], corners_.begin[v + 1] - corners_.begin[v]);
    }

    /// sqrt of the diagonal, which `drop` is relative to.
    void form_diagonal() {
        root_.assign(2 * free_.size(), 0.0);
        running::for_pieces(threads_, free_.size(), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                double u = 0, v = 0;
                for (const std::uint32_t corner : corners_at(free_[i]))
                    for (int row = 0; row < 2; ++row) {
                        const CornerTerms& c = terms_of(corner);
                        u += c.u[row] * c.u[row];
                        v += c.v[row] * c.v[row];
                    }
                root_[2 * i] = std::sqrt(u);
                root_[2 * i + 1] = std::sqrt(v);
            }
        });
    }
    /// The blocks of a vertex, by neighbour.
    void add_up(std::uint32_t v, std::vector<Block>& around) const {
        around.clear();
        for (const std::uint32_t corner : corners_at(v)) {
            const std::uint32_t t = corner / 3;
            for (std::uint32_t k = 0; k < 3; ++k) {
                const std::uint32_t other = mesh_.triangles[t][k];
                if (locked_[other] != 0) continue;
                auto at = std::find_if(around.begin(), around.end(), [&](const Block& b) { return b.vertex == other; });
                if (at == around.end()) at = around.insert(around.end(), Block{.vertex = other});
                at->add(terms_of(corner), terms_[t][k]);
            }
        }
        std::sort(around.begin(), around.end(), [](const Block& a, const Block& b) { return a.vertex < b.vertex; });
    }
    void put_rows(std::size_t i, const std::vector<Block>& around, Part& part) const {
        for (std::size_t half = 0; half < 2; ++half) {
            const std::size_t row = 2 * i + half, before = part.value.size();
            for (const Block& block : around) {
                const std::size_t column = 2 * std::size_t{number_[block.vertex]};
                put(row, column, half == 0 ? block.uu : block.vu, part);
                put(row, column + 1, half == 0 ? block.uv : block.vv, part);
            }
            part.length.push_back(static_cast<std::uint32_t>(part.value.size() - before));
        }
    }
    void put(std::size_t row, std::size_t column, double v, Part& part) const {
        const bool dropped =
            row != column && (v == 0 || (drop_ > 0 && std::abs(v) <= drop_ * root_[std::min(row, column)] *
                                                                         root_[std::max(row, column)]));
        if (dropped) return;
        part.column.push_back(static_cast<std::uint32_t>(column));
        part.value.push_back(v);
    }
    /// b_i -= a_i S for the rows of each triangle, S what its locked corners give.
    void right_hand_side(std::uint32_t vertex, double& u, double& v) const {
        for (const std::uint32_t corner : corners_at(vertex)) {
            const auto& triangle = mesh_.triangles[corner / 3];
            if (std::none_of(triangle.begin(), triangle.end(), [&](std::uint32_t w) { return locked_[w] != 0; }))
                continue;
            for (int row = 0; row < 2; ++row) {
                double rest = -0.0;
                for (std::size_t k = 0; k < 3; ++k) {
                    const std::uint32_t w = triangle[k];
                    if (locked_[w] == 0) continue;
                    const CornerTerms& c = terms_[corner / 3][k];
                    rest += c.u[row] * values_[2 * std::size_t{w}];
                    rest += c.v[row] * values_[2 * std::size_t{w} + 1];
                }
                u -= terms_of(corner).u[row] * rest;
                v -= terms_of(corner).v[row] * rest;
            }
        }
    }

    const TriangleMesh& mesh_;
    std::span<const TriangleTerms> terms_;
    std::span<const std::uint8_t> locked_;
    std::span<const double> values_;
    double drop_;
    int threads_;
    Corners corners_;
    std::vector<std::uint32_t> number_, free_; ///< of a free vertex among them; the free vertices
    std::vector<double> root_;
};

} // namespace

LscmRows lscm_rows(const TriangleMesh& mesh, std::span<const TriangleTerms> terms, std::span<const std::uint8_t> counts,
                   std::span<const std::uint8_t> locked, std::span<const double> values, double drop, int threads) {
    return Maker(mesh, terms, counts, locked, values, drop, threads).make();
}

} // namespace mantissa::meshes
