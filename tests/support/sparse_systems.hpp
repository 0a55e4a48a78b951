// Symmetric positive definite sparse matrices for tests of the sparse core.
#pragma once

#include <cmath>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "mantissa/sparse/compressed_rows.hpp"
#include "test_systems.hpp"

namespace mantissa::testing {

/// Symmetric, n rows, some empty, and with `full` a row and column that are full; the diagonal 1, the others scaled so
/// that rows are diagonally dominant (so is the matrix positive definite). `near`: columns within so many rows.
inline CompressedRows symmetric_rows(std::size_t n, std::uint64_t seed, bool full, std::size_t near = 0,
                                     std::size_t degree = 4) {
    std::mt19937_64 random(seed);
    std::vector<bool> empty(n);
    for (std::size_t i = 0; i < n; ++i) empty[i] = n > 3 && random() % 9 == 0;
    const std::size_t hub = n / 2;
    empty[hub] = false;
    std::vector<std::map<std::uint32_t, double>> row(n);
    std::vector<double> sum(n, 0);
    const auto couple = [&](std::size_t i, std::size_t j) {
        if (i == j || empty[i] || empty[j] || row[i].contains(static_cast<std::uint32_t>(j))) return;
        const double v = -0.1 - static_cast<double>(random() % 1000) / 1000;
        row[i][static_cast<std::uint32_t>(j)] = row[j][static_cast<std::uint32_t>(i)] = v;
    };
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = random() % (degree + 1); k > 0; --k)
            couple(i, near == 0 ? random() % n : std::min(n - 1, i + 1 + random() % near));
    if (full)
        for (std::size_t i = 0; i < n; ++i) couple(hub, i);
    double most = 0;
    for (const auto& r : row) {
        double s = 0;
        for (const auto& [c, v] : r) s += std::abs(v);
        most = std::max(most, s);
    }
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::size_t i = 0; i < n; ++i) {
        if (!empty[i]) row[i][static_cast<std::uint32_t>(i)] = 1;
        for (const auto& [c, v] : row[i]) {
            column.push_back(c);
            value.push_back(c == i ? 1 : 0.9 * v / most);
        }
        begin.push_back(column.size());
    }
    return {begin, column, value};
}

/// A random residual, 0 where the row is empty: nothing would ever reduce it there.
inline std::vector<double> residual_of_rows(const System& system, double deviation) {
    std::vector<double> r = random_residual(system, deviation);
    const auto& rows = std::get<CompressedRows>(system.matrix());
    for (std::size_t i = 0; i < r.size(); ++i)
        if (rows.row_begin()[i] == rows.row_begin()[i + 1]) r[i] = 0;
    return r;
}

} // namespace mantissa::testing
