// Is a matrix of doubles singular? Its determinant modulo large primes.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "balance.hpp"

namespace mantissa::dense {

namespace {

__extension__ using Product = unsigned __int128;

/// Whole numbers modulo 2^61 - C.
template <std::uint64_t C> struct Residue {
    static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - C;

    static std::uint64_t reduced(Product x) {
        constexpr Product kLow = (Product{1} << 61) - 1;
        for (int turn = 0; turn < 2; ++turn) x = (x >> 61) * C + (x & kLow);
        auto r = static_cast<std::uint64_t>(x);
        while (r >= kPrime) r -= kPrime;
        return r;
    }
    static std::uint64_t times(std::uint64_t x, std::uint64_t y) { return reduced(Product{x} * y); }
    static std::uint64_t power(std::uint64_t x, std::uint64_t e) {
        std::uint64_t result = 1;
        for (; e != 0; e >>= 1, x = times(x, x))
            if ((e & 1) != 0) result = times(result, x);
        return result;
    }
    static std::uint64_t inverse(std::uint64_t x) { return power(x, kPrime - 2); }

    /// x 2^by, which has no fraction. (Each row has one `by`, so that the determinant gains a power of two alone.)
    static std::uint64_t of(double x, int by) {
        if (x == 0) return 0;
        int e = 0;
        const auto whole = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &e), 53));
        const std::uint64_t m = reduced(static_cast<Product>(whole < 0 ? -whole : whole));
        const std::uint64_t value = times(m, power(2, static_cast<std::uint64_t>(e - 53 + by)));
        return whole < 0 && value != 0 ? kPrime - value : value;
    }

    static bool singular(const DenseMatrix& a, [[maybe_unused]] int threads) {
        constexpr int kBelowAll = 1200; // 2^-1127 divides every double that frexp and 53 bits take apart
        const std::size_t n = a.size();
        std::vector<std::vector<std::uint64_t>> w(n);
        for (std::size_t i = 0; i < n; ++i)
            for (const double x : a.row(i)) w[i].push_back(of(x, kBelowAll));
        for (std::size_t k = 0; k < n; ++k) {
            std::size_t p = k;
            while (p < n && w[p][k] == 0) ++p;
            if (p == n) return true;
            std::swap(w[p], w[k]);
            const std::uint64_t reciprocal = inverse(w[k][k]);
            const auto last = static_cast<std::ptrdiff_t>(n);
#pragma omp parallel for schedule(static) num_threads(threads) if (n > 64)
            for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(k) + 1; at < last; ++at) {
                auto& row = w[static_cast<std::size_t>(at)];
                if (row[k] == 0) continue;
                const std::uint64_t factor = kPrime - times(row[k], reciprocal);
                for (std::size_t j = k; j < n; ++j) row[j] = reduced(Product{factor} * w[k][j] + row[j]);
            }
        }
        return false;
    }
};

} // namespace

Singular examine(const DenseMatrix& a, int threads) {
    if (a.size() > kMostExamined) return Singular::unknown;
    for (const double x : a.values())
        if (!std::isfinite(x)) return Singular::unknown;
    if (!Residue<1>::singular(a, threads)) return Singular::no;
    return Residue<31>::singular(a, threads) ? Singular::yes : Singular::no;
}

} // namespace mantissa::dense
