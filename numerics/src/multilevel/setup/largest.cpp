#include "largest.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "../blocked_sums.hpp"

namespace mantissa::detail {

namespace {

/// Numbers from -1 to 1 that look random (the mixer of splitmix64).
double scattered(std::uint64_t i) {
    i = (i + 1) * 0x9e3779b97f4a7c15ULL;
    i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9ULL;
    i = (i ^ (i >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<double>((i ^ (i >> 31)) >> 11) * 0x1p-52 - 1;
}

double gershgorin(const RealRows& a, const std::vector<double>& function, int threads) {
    // Blocks' largest in place of their sums.
    struct Most {
        double plain = 0, scaled = 0;
        Most& operator+=(const Most& other) {
            plain = std::max(plain, other.plain);
            scaled = std::max(scaled, other.scaled);
            return *this;
        }
    };
    const Most most = blocked_sum<Most>(a.rows, threads, [&](std::size_t row) {
        double plain = 0, scaled = 0;
        for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
            plain += std::abs(a.value[k]);
            scaled += std::abs(a.value[k] * function[a.column[k]]);
        }
        return Most{plain, scaled / std::abs(function[row])};
    });
    // A function with a zero bounds nothing.
    return std::isfinite(most.scaled) ? std::min(most.plain, most.scaled) : most.plain;
}

/// The largest eigenvalue of a symmetric tridiagonal matrix, by bisection: the pivots of T - x are all negative where x
/// is above it.
double largest_of_tridiagonal(const std::vector<double>& diagonal, const std::vector<double>& beside, double above) {
    double low = 0, high = above;
    for (int step = 0; step < 40; ++step) {
        const double x = low + (high - low) / 2;
        bool all_negative = true;
        double pivot = -1;
        for (std::size_t i = 0; i < diagonal.size() && all_negative; ++i) {
            pivot = diagonal[i] - x - (i == 0 ? 0.0 : beside[i - 1] * beside[i - 1] / pivot);
            all_negative = pivot < 0;
        }
        (all_negative ? high : low) = x;
    }
    return high;
}

} // namespace

double largest_eigenvalue(const RealRows& a, const std::vector<double>& function, int threads) {
    constexpr int kSteps = 10;
    constexpr double kMargin = 1.1;
    const double bound = gershgorin(a, function, threads);
    std::vector<double> v(a.rows), w(a.rows), before(a.rows, 0.0), diagonal, beside;
    for_each_row(a.rows, threads, [&](std::size_t i) { v[i] = scattered(i); });
    double norm = std::sqrt(blocked_sum<double>(a.rows, threads, [&](std::size_t i) { return v[i] * v[i]; }));
    for_each_row(a.rows, threads, [&](std::size_t i) { v[i] /= norm; });
    for (int step = 0; step < kSteps; ++step) {
        const double back = beside.empty() ? 0.0 : beside.back();
        const double along = blocked_sum<double>(a.rows, threads, [&](std::size_t row) {
            double s = 0;
            for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) s += a.value[k] * v[a.column[k]];
            w[row] = s - back * before[row];
            return w[row] * v[row];
        });
        diagonal.push_back(along);
        norm = std::sqrt(blocked_sum<double>(a.rows, threads, [&](std::size_t i) {
            w[i] -= along * v[i];
            return w[i] * w[i];
        }));
        if (!(norm > 1e-10 * bound)) break; // the vectors span an invariant space
        beside.push_back(norm);
        for_each_row(a.rows, threads, [&](std::size_t i) { w[i] /= norm; });
        std::swap(before, v);
        std::swap(v, w);
    }
    return std::min(bound, kMargin * largest_of_tridiagonal(diagonal, beside, bound));
}

} // namespace mantissa::detail
