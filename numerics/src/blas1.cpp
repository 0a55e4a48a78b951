#include "mantissa/blas1.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "mantissa/blas1_order.hpp"
#include "mantissa/format.hpp"

namespace mantissa {

namespace {

using Index = std::ptrdiff_t;

/// The lanes added up, adjacent ones first.
template <class Sum> Sum tree(std::array<Sum, kBlas1Lanes>& lane) {
    for (std::size_t width = 1; width < kBlas1Lanes; width *= 2)
        for (std::size_t k = 0; k < kBlas1Lanes; k += 2 * width) lane[k].join(lane[k + width]);
    return lane[0];
}

template <class Sum, class T> Sum segment_sum(const T* x, const T* y, std::size_t begin, std::size_t end) {
    std::array<Sum, kBlas1Lanes> lane{};
    for (std::size_t i = begin; i < end; i += kBlas1Lanes) {
        const std::size_t count = std::min(kBlas1Lanes, end - i);
#pragma omp simd
        for (std::size_t k = 0; k < count; ++k)
            lane[k].take(static_cast<double>(x[i + k]), static_cast<double>(y[i + k]));
    }
    return tree(lane);
}

template <class Sum, class T> T whole_sum(const T* x, const T* y, std::size_t n, [[maybe_unused]] int threads) {
    if (n == 0) return 0;
    const std::size_t segments = blas1_segments(n);
    std::vector<Sum> part(segments);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (Index i = 0; i < static_cast<Index>(segments); ++i) {
        const auto s = static_cast<std::size_t>(i);
        part[s] = segment_sum<Sum>(x, y, blas1_segment_row(n, s) * kBlas1Lanes,
                                   std::min(n, blas1_segment_row(n, s + 1) * kBlas1Lanes));
    }
    std::array<Sum, kBlas1Lanes> lane{};
    for (std::size_t s = 0; s < segments; ++s) lane[s % kBlas1Lanes].join(part[s]);
    return static_cast<T>(tree(lane).result());
}

void check_sizes(std::size_t x, std::size_t y) {
    if (x != y) throw InvalidInput("vectors of " + std::to_string(x) + " and " + std::to_string(y) + " elements");
}

} // namespace

template <class T> void axpy(T a, std::span<const T> x, std::span<T> y, [[maybe_unused]] int threads) {
    check_sizes(x.size(), y.size());
    const T* const from = x.data();
    T* const to = y.data();
#pragma omp parallel for simd schedule(static) num_threads(threads)
    for (Index i = 0; i < static_cast<Index>(x.size()); ++i) to[i] = blas1_axpy(a, from[i], to[i]);
}
template <class T> T dot(std::span<const T> x, std::span<const T> y, int threads) {
    check_sizes(x.size(), y.size());
    return whole_sum<DotSum>(x.data(), y.data(), x.size(), threads);
}
template <class T> T nrm2(std::span<const T> x, int threads) {
    return whole_sum<typename Blas1Squares<T>::Sum>(x.data(), x.data(), x.size(), threads);
}

template void axpy<float>(float, std::span<const float>, std::span<float>, int);
template void axpy<double>(double, std::span<const double>, std::span<double>, int);
template float dot<float>(std::span<const float>, std::span<const float>, int);
template double dot<double>(std::span<const double>, std::span<const double>, int);
template float nrm2<float>(std::span<const float>, int);
template double nrm2<double>(std::span<const double>, int);

} // namespace mantissa
