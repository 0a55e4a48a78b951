// Exact solutions to judge by: symmetric systems of doubles in numbers of 1024 bits, whose exponents have 32.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "mantissa/host/problem.hpp"

namespace judge {

using Wide = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<1024, boost::multiprecision::digit_base_2, void, std::int32_t>,
    boost::multiprecision::et_off>;
using Matrix = std::vector<std::vector<double>>;

/// A dense symmetric matrix as a problem of sparse rows; zeros are left out.
inline mantissa::Problem problem_of(const Matrix& a, std::vector<double> b) {
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (const auto& row : a) {
        for (std::size_t j = 0; j < row.size(); ++j) {
            if (row[j] == 0) continue;
            column.push_back(static_cast<std::uint32_t>(j));
            value.push_back(row[j]);
        }
        begin.push_back(column.size());
    }
    return {
        "judged", mantissa::CompressedRows(std::move(begin), std::move(column), std::move(value)), std::move(b), {}};
}

/// x with A x = b by L D L^T to 1024 bits, the condition of A lost of them; nothing where A is not positive definite.
inline std::optional<std::vector<Wide>> solution_of(const Matrix& a, const std::vector<double>& b) {
    const std::size_t n = a.size();
    std::vector<std::vector<Wide>> l(n);
    std::vector<Wide> d(n), x(b.begin(), b.end());
    for (std::size_t i = 0; i < n; ++i) {
        l[i].assign(a[i].begin(), a[i].begin() + static_cast<std::ptrdiff_t>(i));
        d[i] = a[i][i];
        for (std::size_t j = 0; j < i; ++j) {
            // (l[i][j] holds l_ij d_j until the row is done)
            for (std::size_t k = 0; k < j; ++k)
                if (l[j][k] != 0 && l[i][k] != 0) l[i][j] -= l[i][k] * l[j][k];
        }
        for (std::size_t j = 0; j < i; ++j) {
            const Wide scaled = l[i][j];
            l[i][j] = scaled / d[j];
            d[i] -= scaled * l[i][j];
        }
        if (d[i] <= 0) return std::nullopt;
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < i; ++k) x[i] -= l[i][k] * x[k];
    for (std::size_t i = 0; i < n; ++i) x[i] /= d[i];
    for (std::size_t i = n; i-- > 0;)
        for (std::size_t k = 0; k < i; ++k) x[k] -= l[i][k] * x[i];
    return x;
}

/// max |u_i - x_i|
inline Wide largest_error(const std::vector<double>& u, const std::vector<Wide>& x) {
    Wide largest = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        const Wide e = abs(Wide(u[i]) - x[i]);
        if (e > largest) largest = e;
    }
    return largest;
}
inline Wide largest_of(const std::vector<Wide>& x) {
    Wide largest = 0;
    for (const Wide& v : x)
        if (abs(v) > largest) largest = abs(v);
    return largest;
}

/// ||u - x||_A / ||x||_A
inline double energy_error(const Matrix& a, const std::vector<double>& u, const std::vector<Wide>& x) {
    const auto square = [&](const std::vector<Wide>& v) {
        Wide sum = 0;
        for (std::size_t i = 0; i < v.size(); ++i)
            for (std::size_t j = 0; j < v.size(); ++j)
                if (a[i][j] != 0) sum += v[i] * Wide(a[i][j]) * v[j];
        return sum;
    };
    std::vector<Wide> e(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) e[i] = Wide(u[i]) - x[i];
    const Wide quotient = sqrt(square(e) / square(x));
    return quotient.convert_to<double>();
}

} // namespace judge
