#include "patches.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "../../multilevel/rows.hpp"

namespace mantissa::detail {

namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

/// Neighbours of nodes, by the pattern of each node's first unknown.
struct NodeGraph {
    const ComplexBlocks& a;
    const Nodes& nodes;
    std::vector<std::uint32_t> node_of; ///< an unknown's; empty where each is a node itself

    NodeGraph(const ComplexBlocks& matrix, const Nodes& of) : a(matrix), nodes(of) {
        if (nodes.count() == a.block_rows()) return;
        node_of.resize(a.block_rows());
        for (std::uint32_t k = 0; k < nodes.count(); ++k)
            std::fill(node_of.begin() + nodes.begin[k], node_of.begin() + nodes.begin[k + 1], k);
    }
    /// visit(neighbour) of each, some more than once, the node itself too; until it returns false.
    template <class Visit> bool around(std::uint32_t node, const Visit& visit) const {
        const std::uint32_t row = nodes.begin[node];
        for (std::uint32_t k = a.row_begin[row]; k < a.row_begin[row + 1]; ++k)
            if (!visit(node_of.empty() ? a.column[k] : node_of[a.column[k]])) return false;
        return true;
    }
    template <class Visit> bool within(std::uint32_t node, int distance, const Visit& visit) const {
        if (distance == 1) return around(node, visit);
        return around(node, [&](std::uint32_t other) { return around(other, visit); });
    }
};

/// Eigenvalues, descending, and vectors (columns) of a symmetric 3 x 3 matrix, by Jacobi's rotations.
struct Axes {
    std::array<double, 3> value{};
    std::array<std::array<double, 3>, 3> vector{}; ///< [k] belongs to value[k]
};
Axes axes_of(std::array<std::array<double, 3>, 3> m) {
    std::array<std::array<double, 3>, 3> v{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int sweep = 0; sweep < 12; ++sweep)
        for (std::size_t p = 0; p < 2; ++p)
            for (std::size_t q = p + 1; q < 3; ++q) {
                if (m[p][q] == 0) continue;
                const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
                const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                for (std::size_t k = 0; k < 3; ++k) {
                    const double kp = m[k][p], kq = m[k][q];
                    m[k][p] = c * kp - s * kq;
                    m[k][q] = s * kp + c * kq;
                }
                for (std::size_t k = 0; k < 3; ++k) {
                    const double pk = m[p][k], qk = m[q][k];
                    m[p][k] = c * pk - s * qk;
                    m[q][k] = s * pk + c * qk;
                    const double vp = v[k][p], vq = v[k][q];
                    v[k][p] = c * vp - s * vq;
                    v[k][q] = s * vp + c * vq;
                }
                m[p][q] = m[q][p] = 0;
            }
    std::array<std::size_t, 3> order{0, 1, 2};
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return m[i][i] > m[j][j]; });
    Axes axes;
    for (std::size_t k = 0; k < 3; ++k) {
        axes.value[k] = m[order[k]][order[k]];
        for (std::size_t i = 0; i < 3; ++i) axes.vector[k][i] = v[i][order[k]];
    }
    return axes;
}

/// The functions of one patch: a column for each, of as many values as the patch has unknowns.
struct PatchBasis {
    std::size_t kept = 0;
    std::vector<std::array<double, 4>> values;   ///< an unknown's, `kept` of them
    std::array<std::array<double, 4>, 4> next{}; ///< [k]: the four functions' coefficients of kept function k

    void make(const std::vector<std::array<double, 4>>& functions, const std::vector<std::uint32_t>& unknowns) {
        constexpr double kThin = 0.2;
        values.assign(unknowns.size(), {});
        double norm = 0;
        for (const std::uint32_t i : unknowns) norm += functions[i][0] * functions[i][0];
        norm = std::sqrt(norm);
        for (std::size_t i = 0; i < unknowns.size(); ++i) values[i][0] = functions[unknowns[i]][0] / norm;
        std::array<double, 3> along{};
        for (std::size_t i = 0; i < unknowns.size(); ++i)
            for (std::size_t c = 0; c < 3; ++c) along[c] += values[i][0] * functions[unknowns[i]][c + 1];
        const auto rest = [&](std::size_t i, std::size_t c) {
            return functions[unknowns[i]][c + 1] - along[c] * values[i][0];
        };
        std::array<std::array<double, 3>, 3> gram{};
        for (std::size_t i = 0; i < unknowns.size(); ++i)
            for (std::size_t c = 0; c < 3; ++c)
                for (std::size_t d = 0; d < 3; ++d) gram[c][d] += rest(i, c) * rest(i, d);
        const Axes axes = axes_of(gram);
        kept = 1;
        while (kept < std::min<std::size_t>(4, unknowns.size()) && axes.value[0] > 0 &&
               axes.value[kept - 1] > kThin * kThin * axes.value[0]) {
            const double scale = 1 / std::sqrt(axes.value[kept - 1]);
            for (std::size_t i = 0; i < unknowns.size(); ++i)
                for (std::size_t c = 0; c < 3; ++c) values[i][kept] += rest(i, c) * axes.vector[kept - 1][c] * scale;
            ++kept;
        }
        next = {};
        for (std::size_t k = 0; k < kept; ++k)
            for (std::size_t i = 0; i < unknowns.size(); ++i)
                for (std::size_t f = 0; f < 4; ++f) next[k][f] += values[i][k] * functions[unknowns[i]][f];
    }
};

} // namespace

Patches make_patches(const ComplexBlocks& a, const Nodes& nodes, int distance) {
    const NodeGraph graph(a, nodes);
    Patches p;
    p.of.assign(nodes.count(), kNone);
    for (std::uint32_t node = 0; node < nodes.count(); ++node) {
        if (p.of[node] != kNone) continue;
        if (!graph.within(node, distance, [&](std::uint32_t other) { return p.of[other] == kNone; })) continue;
        p.of[node] = p.count;
        graph.within(node, distance, [&](std::uint32_t other) {
            p.of[other] = p.count;
            return true;
        });
        ++p.count;
    }
    std::vector<std::uint32_t> of = p.of;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> votes;
    for (std::uint32_t node = 0; node < nodes.count(); ++node) {
        if (p.of[node] != kNone) continue;
        for (int far = 1; far <= distance && of[node] == kNone; ++far) {
            votes.clear();
            graph.within(node, far, [&](std::uint32_t other) {
                const std::uint32_t patch = p.of[other];
                if (patch == kNone) return true;
                const auto at =
                    std::find_if(votes.begin(), votes.end(), [&](const auto& v) { return v.first == patch; });
                if (at == votes.end()) votes.emplace_back(patch, 1);
                else ++at->second;
                return true;
            });
            if (!votes.empty())
                of[node] = std::max_element(votes.begin(), votes.end(), [](const auto& x, const auto& y) {
                               return x.second < y.second;
                           })->first;
        }
        if (of[node] == kNone) of[node] = p.count++;
    }
    p.of = std::move(of);
    return p;
}

RealRows patch_functions(const Nodes& nodes, const Patches& patches, Nodes& next, int threads) {
    // The unknowns of each patch.
    const std::size_t unknowns = nodes.functions.size();
    std::vector<std::uint32_t> begin(std::size_t{patches.count} + 1, 0), member(unknowns);
    for (std::uint32_t k = 0; k < nodes.count(); ++k)
        begin[std::size_t{patches.of[k]} + 1] += nodes.begin[k + 1] - nodes.begin[k];
    for (std::size_t p = 0; p < patches.count; ++p) begin[p + 1] += begin[p];
    std::vector<std::uint32_t> at(begin.begin(), begin.end() - 1);
    for (std::uint32_t k = 0; k < nodes.count(); ++k)
        for (std::uint32_t i = nodes.begin[k]; i < nodes.begin[k + 1]; ++i) member[at[patches.of[k]]++] = i;
    // Values of each unknown, then the columns' numbers.
    std::vector<std::array<double, 4>> value(unknowns);
    std::vector<std::uint8_t> kept(patches.count);
    std::vector<std::array<std::array<double, 4>, 4>> coarse(patches.count);
    const auto count = static_cast<std::ptrdiff_t>(patches.count);
#pragma omp parallel num_threads(threads)
    {
        PatchBasis basis;
        std::vector<std::uint32_t> own;
#pragma omp for schedule(static)
        for (std::ptrdiff_t k = 0; k < count; ++k) {
            const auto p = static_cast<std::size_t>(k);
            own.assign(member.begin() + begin[p], member.begin() + begin[p + 1]);
            basis.make(nodes.functions, own);
            kept[p] = static_cast<std::uint8_t>(basis.kept);
            coarse[p] = basis.next;
            for (std::size_t i = 0; i < own.size(); ++i) value[own[i]] = basis.values[i];
        }
    }
    next.begin.assign(std::size_t{patches.count} + 1, 0);
    next.functions.clear();
    for (std::size_t p = 0; p < patches.count; ++p) {
        next.begin[p + 1] = next.begin[p] + kept[p];
        next.functions.insert(next.functions.end(), coarse[p].begin(), coarse[p].begin() + kept[p]);
    }
    RealRows t;
    t.rows = static_cast<std::uint32_t>(unknowns);
    t.columns = next.begin.back();
    t.begin.assign(unknowns + 1, 0);
    for (std::uint32_t k = 0; k < nodes.count(); ++k)
        for (std::uint32_t i = nodes.begin[k]; i < nodes.begin[k + 1]; ++i)
            t.begin[std::size_t{i} + 1] = t.begin[i] + kept[patches.of[k]];
    t.column.resize(t.begin.back());
    t.value.resize(t.begin.back());
    for_each_row(nodes.count(), threads, [&](std::size_t k) {
        const std::uint32_t patch = patches.of[k];
        for (std::uint32_t i = nodes.begin[k]; i < nodes.begin[k + 1]; ++i)
            for (std::uint32_t f = 0; f < kept[patch]; ++f) {
                t.column[t.begin[i] + f] = next.begin[patch] + f;
                t.value[t.begin[i] + f] = value[i][f];
            }
    });
    return t;
}

} // namespace mantissa::detail
