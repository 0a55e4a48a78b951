// Sums of dot products of the fast emulated session (fused.cpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../isa/pass.hpp"
#include "mantissa/accumulate.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/spec.hpp"

namespace mantissa::detail {

/// Elements of a chunk: a multiple of any number of partial sums.
inline constexpr std::size_t kFusedChunk = 4096;
static_assert(kFusedChunk % (DotSpec::kMaxDepth * DatapathSpec::kMaxLanes) == 0);

/// The three sums of a pass.
struct FusedSums {
    std::vector<double> rr, pq, qq; ///< floating lanes
    std::vector<FixedAccumulator> fixed;
    explicit FusedSums(const DatapathSpec& s)
        : rr(s.dot.fixed ? 0 : static_cast<std::size_t>(s.partials())), pq(rr), qq(rr),
          fixed(s.dot.fixed ? 3 : 0, FixedAccumulator(s.dot.window)) {}
};

/// Adds a . b in a fixed window: by the kernels where the terms' sizes let them be exact.
template <class T, class Mask>
void add_fixed_dot(FixedAccumulator& sum, const PassKernels<T>& kernels, const DotSpec& dot, const Mask& mask,
                   const T* a, const T* b, std::size_t count) {
    const FixedWindow& w = dot.window;
    const double scale = std::ldexp(1.0, -w.lsb);
    for (std::size_t begin = 0; begin < count; begin += kFusedChunk) {
        const std::size_t n = std::min(kFusedChunk, count - begin);
        double largest = 0;
        const std::int64_t units = kernels.dot_fixed(a + begin, b + begin, mask, scale, &largest, n);
        const bool exact_terms = !dot.exact_product || largest * scale < 0x1p52;
        if (exact_terms && largest < std::ldexp(1.0, w.msb) && largest * scale * static_cast<double>(n) < 0x1p62) {
            sum.add_units(units);
            continue;
        }
        for (std::size_t i = begin; i < begin + n; ++i) {
            if (dot.exact_product) sum.add_product(a[i], b[i]);
            else sum.add(exact::mul(dot.product, a[i], b[i]));
        }
    }
}

} // namespace mantissa::detail
