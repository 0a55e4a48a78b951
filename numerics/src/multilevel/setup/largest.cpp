#include "largest.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "../blocked_sums.hpp"
#include "mantissa/multilevel/aggregation.hpp"

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
double largest_of_tridiagonal(std::span<const double> diagonal, std::span<const double> beside, double above) {
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

/// Do the vectors span an invariant space?
bool is_invariant(double rest, double bound) {
    return !(rest > 1e-10 * bound);
}

} // namespace

double largest_eigenvalue(const RealRows& a, const std::vector<double>& function, int threads) {
    const double bound = gershgorin(a, function, threads);
    std::vector<double> v(a.rows), w(a.rows), before(a.rows, 0.0), diagonal, beside;
    for_each_row(a.rows, threads, [&](std::size_t i) { v[i] = scattered(i); });
    double norm = std::sqrt(blocked_sum<double>(a.rows, threads, [&](std::size_t i) { return v[i] * v[i]; }));
    for_each_row(a.rows, threads, [&](std::size_t i) { v[i] /= norm; });
    for (int step = 0; step < multilevel::kLanczosSteps; ++step) {
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
        beside.push_back(norm);
        if (is_invariant(norm, bound)) break;
        for_each_row(a.rows, threads, [&](std::size_t i) { w[i] /= norm; });
        std::swap(before, v);
        std::swap(v, w);
    }
    return multilevel::largest_by_lanczos(bound, diagonal, beside);
}

} // namespace mantissa::detail

double mantissa::multilevel::largest_by_lanczos(double bound, std::span<const double> along,
                                                std::span<const double> rest) {
    constexpr double kMargin = 1.1;
    std::size_t steps = 0;
    while (steps < along.size() && (steps == 0 || !detail::is_invariant(rest[steps - 1], bound))) ++steps;
    return std::min(bound, kMargin * detail::largest_of_tridiagonal(along.first(steps), rest, bound));
}
