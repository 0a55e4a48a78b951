#include "mantissa/gpu/blas1.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "blas1/blas1_ring.cuh"
#include "blas1/blas1_sums.cuh"
#include "sync/dependent_launch.cuh"

namespace mantissa::gpu {

namespace {

using namespace blas1;

constexpr int kRows = 4;                    ///< rows of a block that are under way together
constexpr std::size_t kMostOfOneRow = 1056; ///< blocks of axpy that have a row each
/// Up to kRows rows a block, a grid apart, and what is left of the last one. `Streamed`: vectors longer than the cache.
template <bool Aligned, bool Streamed, class T>
__global__ void __launch_bounds__(kThreads) axpy_kernel(std::size_t n, T a, const T* x, T* y) {
    let_next_kernel_start();
    const std::size_t rows = n / kBlas1Lanes;
    const auto row = [](int r) { return blockIdx.x + static_cast<std::size_t>(r) * gridDim.x; };
    AwaitEarlierKernels{}();
    Vector<T, kOwn> from[kRows], to[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r)
        if (row(r) < rows) {
            from[r] = own_of_row<Aligned, Streamed>(x + row(r) * kBlas1Lanes);
            to[r] = own_of_row<Aligned>(y + row(r) * kBlas1Lanes);
        }
#pragma unroll
    for (int r = 0; r < kRows; ++r)
        if (row(r) < rows) {
            T* const out = y + row(r) * kBlas1Lanes + threadIdx.x * kOwn;
            constexpr int kAtOnce = Aligned ? 16 / sizeof(T) : 1;
#pragma unroll
            for (int k = 0; k < kOwn; k += kAtOnce) {
                Vector<T, kAtOnce> v;
#pragma unroll
                for (int j = 0; j < kAtOnce; ++j) v.x[j] = blas1_axpy(a, from[r].x[k + j], to[r].x[k + j]);
                if constexpr (Aligned && Streamed)
                    __stcs(reinterpret_cast<int4*>(out + k), *reinterpret_cast<const int4*>(&v));
                else *reinterpret_cast<Vector<T, kAtOnce>*>(out + k) = v;
            }
        }
    if (blockIdx.x == gridDim.x - 1)
        for (std::size_t i = rows * kBlas1Lanes + threadIdx.x; i < n; i += kThreads) y[i] = blas1_axpy(a, x[i], y[i]);
}

/// A block sums one segment; the last one collects the segments' sums. (It alone waits for others, and those were
/// started before it.) `Two`: y is another vector than x.
template <class Sum, bool Two, bool Aligned, class T>
__global__ void __launch_bounds__(kThreads, 4)
    sum_kernel(std::size_t n, const T* x, const T* y, Parts<Sum> parts, T* result) {
    constexpr int kAtOnce = Two && sizeof(T) == 8 ? 2 : kRows; // as many as there are registers for
    let_next_kernel_start();
    const std::size_t end = blas1_segment_row(n, blockIdx.x + 1), full = min(end, n / kBlas1Lanes);
    std::size_t row = blas1_segment_row(n, blockIdx.x);
    constexpr unsigned kAhead = Two ? 4096 : 8192;
    look_ahead<kAhead>(x + row * kBlas1Lanes, (full - row) * kBlas1Lanes * sizeof(T));
    if constexpr (Two) look_ahead<kAhead>(y + row * kBlas1Lanes, (full - row) * kBlas1Lanes * sizeof(T));
    AwaitEarlierKernels{}();
    const Tag tag = tag_of(parts);
    Sum lane[kOwn];
    for (; row < full; row += kAtOnce) {
        const bool all = row + kAtOnce <= full;
        Vector<T, kOwn> a[kAtOnce], b[kAtOnce];
#pragma unroll
        for (int r = 0; r < kAtOnce; ++r)
            if (all || row + r < full) {
                a[r] = own_of_row<Aligned>(x + (row + r) * kBlas1Lanes);
                if constexpr (Two) b[r] = own_of_row<Aligned>(y + (row + r) * kBlas1Lanes);
            }
        if (all) {
            if constexpr (Two) take_own(lane, a, b);
            else take_own(lane, a, a);
        } else {
#pragma unroll
            for (int r = 0; r < kAtOnce - 1; ++r)
                if (row + r < full) {
                    const Vector<T, kOwn> one[1] = {a[r]}, other[1] = {Two ? b[r] : a[r]};
                    take_own(lane, one, other);
                }
        }
    }
    row = full;
    if (row < end) { // the vector's last row, which is short: zeros after its end
        const Vector<T, kOwn> a[1] = {own_of_rest(x + row * kBlas1Lanes, n - row * kBlas1Lanes)};
        const Vector<T, kOwn> b[1] = {own_of_rest(y + row * kBlas1Lanes, n - row * kBlas1Lanes)};
        take_own(lane, a, b);
    }
    hand_over(parts, tag, tree(lane), result);
}

bool aligned(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) % 16 == 0;
}

/// [sums made | packets], 16 bytes each.
template <class Sum> Parts<Sum> parts_in(unsigned char* memory) {
    return {reinterpret_cast<Tag*>(memory), reinterpret_cast<Packet*>(memory) + 1};
}

template <class Sum, bool Two, class T>
void launch_sum(std::size_t n, const T* x, const T* y, unsigned char* parts, T* result, cudaStream_t stream) {
    if (n == 0) return check(cudaMemsetAsync(result, 0, sizeof(T), stream), "cudaMemset");
    if constexpr (std::is_same_v<Sum, FloatSquares>)
        if (aligned(x) && n >= kLeastForRing) return launch_ring(n, x, parts_in<Sum>(parts), result, stream);
    const auto kernel = aligned(x) && aligned(y) ? sum_kernel<Sum, Two, true, T> : sum_kernel<Sum, Two, false, T>;
    launch(kernel, static_cast<unsigned>(blas1_segments(n)), kThreads, stream, true, n, x, y, parts_in<Sum>(parts),
           result);
}

} // namespace

template <class T> Blas1<T>::Blas1() {
    static_cast<void>(require_device());
    parts_.allocate(sizeof(Packet) * (1 + sizeof(DoubleSquares) / sizeof(double) * kBlas1Segments));
    parts_.zero();
}
template <class T> Blas1<T>::~Blas1() = default;
template <class T> Blas1<T>::Blas1(Blas1&&) noexcept = default;

template <class T> void Blas1<T>::axpy(std::size_t n, T a, const T* x, T* y, cudaStream_t stream) const {
    if (n == 0) return;
    // A row a block while the blocks are at work together, then more.
    const std::size_t rows = n / kBlas1Lanes;
    const std::size_t blocks = std::max({std::size_t{1}, std::min(rows, kMostOfOneRow), (rows + kRows - 1) / kRows});
    const bool streamed = 2 * n * sizeof(T) > require_device().l2;
    const auto kernel = !aligned(x) || !aligned(y) ? axpy_kernel<false, false, T>
                        : streamed                 ? axpy_kernel<true, true, T>
                                                   : axpy_kernel<true, false, T>;
    launch(kernel, static_cast<unsigned>(blocks), kThreads, stream, true, n, a, x, y);
}
template <class T> void Blas1<T>::dot(std::size_t n, const T* x, const T* y, T* result, cudaStream_t stream) const {
    launch_sum<DotSum, true>(n, x, y, parts_.data(), result, stream);
}
template <class T> void Blas1<T>::nrm2(std::size_t n, const T* x, T* result, cudaStream_t stream) const {
    launch_sum<typename Blas1Squares<T>::Sum, false>(n, x, x, parts_.data(), result, stream);
}

template class Blas1<float>;
template class Blas1<double>;

} // namespace mantissa::gpu
