#include "mantissa/gpu/blas1.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "dependent_launch.cuh"
#include "grid_reduce.cuh"
#include "mantissa/blas1_order.hpp"
#include "storage.cuh"

namespace mantissa::gpu {

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr int kOwn = static_cast<int>(kBlas1Lanes) / kThreads; ///< lanes of a thread, adjacent ones
constexpr int kRows = 4;                                       ///< rows of a block that are under way together
constexpr std::size_t kMostOfOneRow = 1056;                    ///< blocks of axpy that have a row each
static_assert(kOwn == 4);

/// A thread's elements of a row: 16 bytes at a time where `Aligned`.
/// `Streamed`: the cache need not keep them.
template <bool Aligned, bool Streamed = false, class T>
__device__ __forceinline__ Vector<T, kOwn> own_of_row(const T* row) {
    const T* const from = row + threadIdx.x * kOwn;
    Vector<T, kOwn> v;
    if constexpr (Aligned) {
        constexpr int kAtOnce = 16 / sizeof(T);
#pragma unroll
        for (int k = 0; k < kOwn; k += kAtOnce) {
            using Words = Vector<T, kAtOnce>;
            Words w;
            if constexpr (Streamed) {
                const int4 bits = __ldcs(reinterpret_cast<const int4*>(from + k));
                w = *reinterpret_cast<const Words*>(&bits);
            } else {
                w = *reinterpret_cast<const Words*>(from + k);
            }
#pragma unroll
            for (int j = 0; j < kAtOnce; ++j) v.x[k + j] = w.x[j];
        }
    } else {
#pragma unroll
        for (int k = 0; k < kOwn; ++k) v.x[k] = from[k];
    }
    return v;
}
/// The same of the last row, which ends at `left` elements.
template <class T> __device__ __forceinline__ Vector<T, kOwn> own_of_rest(const T* row, std::size_t left) {
    Vector<T, kOwn> v{};
#pragma unroll
    for (int k = 0; k < kOwn; ++k)
        if (threadIdx.x * kOwn + k < left) v.x[k] = row[threadIdx.x * kOwn + k];
    return v;
}

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

template <class Sum> __device__ __forceinline__ Sum from_lane(const Sum& s, int distance) {
    constexpr int kParts = sizeof(Sum) / sizeof(double);
    Sum other;
    const double* const from = reinterpret_cast<const double*>(&s);
    double* const to = reinterpret_cast<double*>(&other);
#pragma unroll
    for (int k = 0; k < kParts; ++k) to[k] = __shfl_xor_sync(~0u, from[k], distance);
    return other;
}

/// The block's lanes added up, adjacent ones first; the sum is the first thread's.
template <class Sum> __device__ __forceinline__ Sum tree(Sum (&lane)[kOwn]) {
    __shared__ double scratch[kWarps][sizeof(Sum) / sizeof(double)];
    lane[0].join(lane[1]);
    lane[2].join(lane[3]);
    lane[0].join(lane[2]);
    Sum s = lane[0];
#pragma unroll
    for (int d = 1; d < 32; d *= 2) s.join(from_lane(s, d)); // (either partner forms the same sum)
    constexpr int kParts = sizeof(Sum) / sizeof(double);
    if (threadIdx.x % 32 == 0)
        for (int k = 0; k < kParts; ++k) scratch[threadIdx.x / 32][k] = reinterpret_cast<const double*>(&s)[k];
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int k = 0; k < kParts; ++k) reinterpret_cast<double*>(&s)[k] = scratch[threadIdx.x % kWarps][k];
#pragma unroll
        for (int d = 1; d < kWarps; d *= 2) s.join(from_lane(s, d));
    }
    __syncthreads(); // the scratch is free again
    return s;
}

/// Whether all of these squares go to DoubleSquares::middle, told by exponents: 2^-511 <= |x| < 2^486.
template <int N> __device__ __forceinline__ bool all_in_the_middle(const Vector<double, kOwn> (&x)[N]) {
    unsigned farthest = 0;
#pragma unroll
    for (int r = 0; r < N; ++r)
#pragma unroll
        for (int k = 0; k < kOwn; ++k)
            farthest = max(farthest, (static_cast<unsigned>(__double2hiint(x[r].x[k])) & 0x7FFFFFFFU) - (512U << 20));
    return farthest < (997U << 20);
}

template <class Sum, int N, class T>
__device__ __forceinline__ void take_own(Sum (&lane)[kOwn], const Vector<T, kOwn> (&x)[N],
                                         const Vector<T, kOwn> (&y)[N]) {
    if constexpr (std::is_same_v<Sum, DoubleSquares>) {
        if (all_in_the_middle(x)) {
#pragma unroll
            for (int r = 0; r < N; ++r)
#pragma unroll
                for (int k = 0; k < kOwn; ++k)
                    lane[k].middle = blas1_add(lane[k].middle, blas1_mul(x[r].x[k], x[r].x[k]));
            return;
        }
    }
#pragma unroll
    for (int r = 0; r < N; ++r)
#pragma unroll
        for (int k = 0; k < kOwn; ++k) lane[k].take(static_cast<double>(x[r].x[k]), static_cast<double>(y[r].x[k]));
}

/// What a sum's blocks leave for the last one.
template <class Sum> struct Parts {
    static constexpr int kOf = sizeof(Sum) / sizeof(double);
    Tag* launches; ///< sums made so far; the packets of this one carry the next number
    Packet* packet;
};

static_assert(kBlas1Segments <= kBlas1Lanes, "the segments' sums are one row");

/// The segments' sums, from the other blocks' packets and this block's first thread, added up by this block.
template <class Sum> __device__ __forceinline__ Sum collect(const Parts<Sum>& parts, Tag tag, const Sum& own) {
    constexpr unsigned kOf = Parts<Sum>::kOf, kMost = kBlas1Segments * kOf, kRounds = (kMost + kThreads - 1) / kThreads;
    __shared__ double sums[kMost];
    const unsigned others = (gridDim.x - 1) * kOf;
    Packet got[kRounds];
    bool complete = false;
    for (bool again = false; !complete; again = true) { // all loads of a round are under way together
#pragma unroll
        for (unsigned k = 0; k < kRounds; ++k) {
            const unsigned at = threadIdx.x + k * kThreads;
            if (at < others && (!again || got[k].tag != tag)) got[k] = get_packet(parts.packet + at);
        }
        complete = true;
#pragma unroll
        for (unsigned k = 0; k < kRounds; ++k)
            complete = complete && (threadIdx.x + k * kThreads >= others || got[k].tag == tag);
    }
#pragma unroll
    for (unsigned k = 0; k < kRounds; ++k)
        if (threadIdx.x + k * kThreads < others) sums[threadIdx.x + k * kThreads] = got[k].value;
    if (threadIdx.x == 0)
#pragma unroll
        for (unsigned j = 0; j < kOf; ++j) sums[others + j] = reinterpret_cast<const double*>(&own)[j];
    __syncthreads();
    Sum total[kOwn];
#pragma unroll
    for (int k = 0; k < kOwn; ++k) {
        const unsigned segment = threadIdx.x * kOwn + k;
        if (segment >= gridDim.x) continue;
        Sum part;
#pragma unroll
        for (unsigned j = 0; j < kOf; ++j) reinterpret_cast<double*>(&part)[j] = sums[segment * kOf + j];
        total[k].join(part);
    }
    return tree(total);
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
    AwaitEarlierKernels{}();
    const Tag tag = gridDim.x == 1 ? 0 : *static_cast<volatile Tag*>(parts.launches) + 1;
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
    if (row < end) { // the vector's last row, which is short: zeros behind its end
        const Vector<T, kOwn> a[1] = {own_of_rest(x + row * kBlas1Lanes, n - row * kBlas1Lanes)};
        const Vector<T, kOwn> b[1] = {own_of_rest(y + row * kBlas1Lanes, n - row * kBlas1Lanes)};
        take_own(lane, a, b);
    }
    Sum s = tree(lane);
    if (gridDim.x != 1) {
        if (blockIdx.x != gridDim.x - 1) {
            if (threadIdx.x == 0)
#pragma unroll
                for (int j = 0; j < Parts<Sum>::kOf; ++j)
                    put_packet(parts.packet + blockIdx.x * Parts<Sum>::kOf + j, reinterpret_cast<const double*>(&s)[j],
                               tag);
            return;
        }
        s = collect(parts, tag, s);
        if (threadIdx.x == 0) *parts.launches = tag; // every block has read it: their packets are here
    }
    if (threadIdx.x == 0) *result = static_cast<T>(s.result());
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
