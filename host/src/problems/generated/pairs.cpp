// Matrices of weighted pairs: a lattice, a random band, rows of very unequal length.
#include <algorithm>
#include <utility>

#include "../random.hpp"
#include "generated.hpp"
#include "mantissa/sparse/reorder.hpp"

namespace mantissa::problems {

double pair_unit(std::uint64_t i, std::uint64_t j, std::uint64_t seed) {
    if (i > j) std::swap(i, j);
    SplitMix random(seed ^ (i * 0x9E3779B97F4A7C15U + j * 0xC2B2AE3D27D4EB4FU));
    return random.unit();
}

std::size_t cube_root(std::size_t n) {
    std::size_t root = 0;
    while ((root + 1) * (root + 1) * (root + 1) <= n) ++root;
    return root;
}

namespace {

/// Off the diagonal -weight, on it the row's weights and a little more: a graph's Laplacian that is held.
class Weighted {
public:
    Weighted(std::size_t rows, std::size_t entries, double held) : held_(held) {
        begin_.reserve(rows + 1);
        column_.reserve(entries);
        value_.reserve(entries);
        begin_.push_back(0);
    }
    /// Columns of a row ascend; the diagonal, which comes in its place, has no weight.
    void add(std::uint32_t column, double weight, bool diagonal) {
        if (diagonal) diagonal_ = column_.size();
        column_.push_back(column);
        value_.push_back(-weight);
        sum_ += weight;
    }
    void end_row() {
        value_[diagonal_] = sum_ + held_ * (1 + sum_);
        begin_.push_back(column_.size());
        sum_ = 0;
    }
    CompressedRows take() { return {std::move(begin_), std::move(column_), std::move(value_)}; }

private:
    double held_, sum_ = 0;
    std::size_t diagonal_ = 0;
    std::vector<std::uint64_t> begin_;
    std::vector<std::uint32_t> column_;
    std::vector<double> value_;
};

} // namespace

CompressedRows generate_nd(std::size_t n, std::uint64_t seed) {
    constexpr int kReach = 4, kSquared = 23;
    const auto side = static_cast<std::int64_t>(std::max<std::size_t>(cube_root(n), 1));
    const auto size = static_cast<std::int64_t>(n);
    Weighted rows(n, 400 * n, 1e-4);
    for (std::int64_t i = 0; i < size; ++i) {
        const std::int64_t x = i % side, y = i / side % side;
        for (int dz = -kReach; dz <= kReach; ++dz)
            for (int dy = -kReach; dy <= kReach; ++dy)
                for (int dx = -kReach; dx <= kReach; ++dx) {
                    const int d = dx * dx + dy * dy + dz * dz;
                    if (d > kSquared || x + dx < 0 || x + dx >= side || y + dy < 0 || y + dy >= side) continue;
                    const std::int64_t j = i + dx + side * (dy + side * dz);
                    if (j < 0 || j >= size) continue;
                    const double weight =
                        d == 0
                            ? 0
                            : (0.5 + pair_unit(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j), seed)) / d;
                    rows.add(static_cast<std::uint32_t>(j), weight, d == 0);
                }
        rows.end_row();
    }
    return rows.take();
}

CompressedRows generate_band(std::size_t n, std::uint64_t seed) {
    const std::size_t nodes = n / 3, band = std::max<std::size_t>(nodes / 8, 1);
    SplitMix random(seed);
    std::vector<std::vector<std::uint32_t>> near(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
        near[i].push_back(static_cast<std::uint32_t>(i));
        const std::size_t reach = std::min(i, band);
        // Few nodes have many partners: their number falls with the square of how many.
        double u = random.unit();
        double root = 1; // of u, by Newton's rule from above: the same everywhere
        for (int k = 0; k < 40; ++k) root = 0.5 * (root + u / root);
        const auto wanted = static_cast<std::size_t>(std::min(19 / (root + 0.02), 480.0));
        for (std::size_t k = 0; k < std::min(wanted, reach); ++k) {
            const auto j = static_cast<std::uint32_t>(i - 1 - random.next() % reach);
            near[i].push_back(j);
            near[j].push_back(static_cast<std::uint32_t>(i));
        }
    }
    std::size_t entries = 0;
    for (auto& list : near) {
        std::ranges::sort(list);
        list.erase(std::unique(list.begin(), list.end()), list.end());
        entries += 9 * list.size();
    }
    Weighted rows(3 * nodes, entries, 1e-4);
    for (std::size_t i = 0; i < 3 * nodes; ++i) {
        for (const std::uint32_t node : near[i / 3])
            for (std::uint32_t c = 0; c < 3; ++c) {
                const std::uint32_t j = 3 * node + c;
                rows.add(j, j == i ? 0 : 0.1 + pair_unit(i, j, seed), j == i);
            }
        rows.end_row();
    }
    return rows.take();
}

namespace {

/// Each row with its partners, which may be there twice, and itself.
CompressedRows coupled(std::vector<std::vector<std::uint32_t>> near, std::uint64_t seed) {
    std::size_t entries = 0;
    for (std::size_t i = 0; i < near.size(); ++i) {
        near[i].push_back(static_cast<std::uint32_t>(i));
        std::ranges::sort(near[i]);
        near[i].erase(std::unique(near[i].begin(), near[i].end()), near[i].end());
        entries += near[i].size();
    }
    Weighted rows(near.size(), entries, 1e-4);
    for (std::size_t i = 0; i < near.size(); ++i) {
        for (const std::uint32_t j : near[i]) rows.add(j, j == i ? 0 : 0.1 + pair_unit(i, j, seed), j == i);
        rows.end_row();
    }
    return rows.take();
}

} // namespace

CompressedRows generate_power(std::size_t n, std::uint64_t seed) {
    SplitMix random(seed);
    std::vector<std::vector<std::uint32_t>> near(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto wanted = static_cast<std::size_t>(1 / (random.unit() + 8 / static_cast<double>(n)));
        for (std::size_t k = 0; k < wanted; ++k) {
            const std::size_t j = random.next() % n;
            near[i].push_back(static_cast<std::uint32_t>(j));
            near[j].push_back(static_cast<std::uint32_t>(i));
        }
    }
    return coupled(std::move(near), seed);
}

CompressedRows generate_arrow(std::size_t n, std::uint64_t seed) {
    std::vector<std::vector<std::uint32_t>> near(n);
    for (std::size_t i = 1; i < n; ++i)
        for (const std::size_t j : {i - 1, std::size_t{0}}) {
            near[i].push_back(static_cast<std::uint32_t>(j));
            near[j].push_back(static_cast<std::uint32_t>(i));
        }
    return coupled(std::move(near), seed);
}

namespace {

/// The side of the square that `nodes` points fill from its first row on.
std::size_t side_of(std::size_t nodes) {
    std::size_t side = 1;
    while (side * side < nodes) ++side;
    return side;
}
void join(std::vector<std::vector<std::uint32_t>>& near, std::size_t i, std::size_t j) {
    near[i].push_back(static_cast<std::uint32_t>(j));
    near[j].push_back(static_cast<std::uint32_t>(i));
}

} // namespace

CompressedRows generate_circuit(std::size_t n, std::uint64_t seed) {
    std::vector<std::vector<std::uint32_t>> near(n);
    const std::size_t side = side_of(n);
    SplitMix random(seed);
    for (std::size_t i = 0; i < n; ++i) {
        if ((i + 1) % side != 0 && i + 1 < n && random.unit() < 0.9) join(near, i, i + 1);
        if (i + side < n && random.unit() < 0.9) join(near, i, i + side);
        if (random.unit() < 0.05) join(near, i, random.next() % n);
    }
    return coupled(std::move(near), seed);
}

CompressedRows generate_supply(std::size_t n, std::uint64_t seed) {
    std::vector<std::vector<std::uint32_t>> near(n);
    const std::size_t half = n / 2, side = side_of(half);
    for (std::size_t i = 0; i < half; ++i) {
        if ((i + 1) % side != 0 && i + 1 < half) join(near, i, i + 1);
        if (i + side < half) join(near, half + i, half + i + side);
        if ((i / side + i % side) % 2 == 0) join(near, i, half + i);
    }
    if (n % 2 != 0) join(near, n - 2, n - 1);
    return coupled(std::move(near), seed);
}

CompressedRows scatter(const CompressedRows& a, std::uint64_t seed) {
    std::vector<std::uint32_t> order(a.rows());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    SplitMix random(seed ^ 0x5CA77E12EDU);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.next() % i]);
    return permuted(a, order);
}

} // namespace mantissa::problems
