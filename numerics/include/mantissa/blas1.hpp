// Level-1 vector operations on this processor: the twin of the device's kernels (mantissa/gpu/blas1.hpp), with the same
// bits for any number of threads. blas1_order.hpp has the arithmetic and the order of the sums.
#pragma once

#include <span>

namespace mantissa {

/// y = y + a x. Throws InvalidInput where x and y differ in size, here and in dot().
template <class T> void axpy(T a, std::span<const T> x, std::span<T> y, int threads = 1);
/// x.y; 0 for no elements.
template <class T> [[nodiscard]] T dot(std::span<const T> x, std::span<const T> y, int threads = 1);
/// sqrt(x.x) wherever that is a T, without overflow or underflow on the way; 0 for no elements.
template <class T> [[nodiscard]] T nrm2(std::span<const T> x, int threads = 1);

extern template void axpy<float>(float, std::span<const float>, std::span<float>, int);
extern template void axpy<double>(double, std::span<const double>, std::span<double>, int);
extern template float dot<float>(std::span<const float>, std::span<const float>, int);
extern template double dot<double>(std::span<const double>, std::span<const double>, int);
extern template float nrm2<float>(std::span<const float>, int);
extern template double nrm2<double>(std::span<const double>, int);

} // namespace mantissa
