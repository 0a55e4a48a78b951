// Systems for the device tests of LU, and their factors as the emulated engine has them.
#pragma once

#include <random>
#include <span>
#include <vector>

#include "mantissa/lu/factor.hpp"

namespace mantissa::testing {

/// Uniform between -1/2 and 1/2.
template <class T> std::vector<T> uniform(std::size_t count, unsigned seed) {
    std::mt19937_64 bits(seed);
    std::uniform_real_distribution<double> entry(-0.5, 0.5);
    std::vector<T> a(count);
    for (T& x : a) x = static_cast<T>(entry(bits));
    return a;
}

/// LU in double with partial pivoting.
inline LuFactors reference(std::span<const double> by_columns, std::size_t n) {
    DenseMatrix a(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) a(i, j) = by_columns[i + j * n];
    return mantissa::factor(parse_lu_spec("lu:s52e11:rne:subnormals,order=right,pivot=partial"), a, 1);
}

} // namespace mantissa::testing
