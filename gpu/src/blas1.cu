#include "mantissa/gpu/blas1.hpp"

#include <algorithm>
#include <cstdint>

#include "mantissa/blas1_order.hpp"
#include "storage.cuh"

namespace mantissa::gpu {

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr int kOwn = static_cast<int>(kBlas1Lanes) / kThreads; ///< lanes of a thread, adjacent ones
constexpr int kRows = 4;                                       ///< rows of a segment that are under way together
static_assert(kOwn == 4);

/// The next kernel of the stream may begin to start while this one runs, and waits in front of its first access: a
/// launch behind a launch costs 1 us otherwise.
__device__ __forceinline__ void begin_in_order() {
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

/// A thread's elements of a row: 16 bytes at a time where `Aligned`.
template <bool Aligned, class T> __device__ __forceinline__ Vector<T, kOwn> own_of_row(const T* row) {
    const T* const from = row + threadIdx.x * kOwn;
    Vector<T, kOwn> v;
    if constexpr (Aligned) {
        constexpr int kAtOnce = 16 / sizeof(T);
#pragma unroll
        for (int k = 0; k < kOwn; k += kAtOnce) {
            const auto w = *reinterpret_cast<const Vector<T, kAtOnce>*>(from + k);
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

/// Up to kRows rows a block, a grid apart, and what is left of the last one.
template <bool Aligned, class T>
__global__ void __launch_bounds__(kThreads) axpy_kernel(std::size_t n, T a, const T* x, T* y) {
    begin_in_order();
    const std::size_t rows = n / kBlas1Lanes;
    Vector<T, kOwn> from[kRows], to[kRows];
    const auto row = [](int r) { return blockIdx.x + static_cast<std::size_t>(r) * gridDim.x; };
#pragma unroll
    for (int r = 0; r < kRows; ++r)
        if (row(r) < rows) {
            from[r] = own_of_row<Aligned>(x + row(r) * kBlas1Lanes);
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
                *reinterpret_cast<Vector<T, kAtOnce>*>(out + k) = v;
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

template <class Sum, class T>
__device__ __forceinline__ void take_own(Sum (&lane)[kOwn], const Vector<T, kOwn>& x, const Vector<T, kOwn>& y) {
#pragma unroll
    for (int k = 0; k < kOwn; ++k) lane[k].take(static_cast<double>(x.x[k]), static_cast<double>(y.x[k]));
}

/// A block sums one segment; the last block to finish sums the segments' sums. `Two`: y is another vector than x.
template <class Sum, bool Two, bool Aligned, class T>
__global__ void __launch_bounds__(kThreads)
    sum_kernel(std::size_t n, const T* x, const T* y, double* parts, unsigned* finished, T* result) {
    begin_in_order();
    const std::size_t end = blas1_segment_row(n, blockIdx.x + 1), whole = n / kBlas1Lanes, full = min(end, whole);
    Sum lane[kOwn];
    std::size_t row = blas1_segment_row(n, blockIdx.x);
    for (; row + kRows <= full; row += kRows) {
        Vector<T, kOwn> a[kRows], b[kRows];
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            a[r] = own_of_row<Aligned>(x + (row + r) * kBlas1Lanes);
            if constexpr (Two) b[r] = own_of_row<Aligned>(y + (row + r) * kBlas1Lanes);
        }
#pragma unroll
        for (int r = 0; r < kRows; ++r) take_own(lane, a[r], Two ? b[r] : a[r]);
    }
    for (; row < full; ++row) {
        const auto a = own_of_row<Aligned>(x + row * kBlas1Lanes);
        take_own(lane, a, Two ? own_of_row<Aligned>(y + row * kBlas1Lanes) : a);
    }
    if (row < end) { // the vector's last row, which is short: zeros behind its end
        const auto a = own_of_rest(x + row * kBlas1Lanes, n - row * kBlas1Lanes);
        take_own(lane, a, Two ? own_of_rest(y + row * kBlas1Lanes, n - row * kBlas1Lanes) : a);
    }
    Sum s = tree(lane);
    if (gridDim.x == 1) {
        if (threadIdx.x == 0) *result = static_cast<T>(s.result());
        return;
    }
    constexpr int kParts = sizeof(Sum) / sizeof(double);
    __shared__ bool last;
    if (threadIdx.x == 0) {
        for (int k = 0; k < kParts; ++k) parts[blockIdx.x * kParts + k] = reinterpret_cast<const double*>(&s)[k];
        __threadfence();
        last = atomicAdd(finished, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last) return;
    Sum total[kOwn];
    for (unsigned p = threadIdx.x * kOwn; p < gridDim.x; p += kBlas1Lanes)
#pragma unroll
        for (int k = 0; k < kOwn; ++k) {
            Sum part;
            if (p + k < gridDim.x)
                for (int j = 0; j < kParts; ++j)
                    reinterpret_cast<double*>(&part)[j] = __ldcg(parts + (p + k) * kParts + j);
            total[k].join(part);
        }
    s = tree(total);
    if (threadIdx.x == 0) {
        *result = static_cast<T>(s.result());
        *finished = 0;
    }
}

bool aligned(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) % 16 == 0;
}

template <class... Parameters, class... Arguments>
void launch(const char* name, void (*kernel)(Parameters...), std::size_t blocks, cudaStream_t stream,
            Arguments... arguments) {
    cudaLaunchAttribute overlap{};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = static_cast<unsigned>(blocks);
    config.blockDim = kThreads;
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = 1;
    check(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...), name);
}

template <class Sum, bool Two, class T>
void launch_sum(const char* name, std::size_t n, const T* x, const T* y, double* parts, unsigned* finished, T* result,
                cudaStream_t stream) {
    if (n == 0) return check(cudaMemsetAsync(result, 0, sizeof(T), stream), name);
    const auto kernel = aligned(x) && aligned(y) ? sum_kernel<Sum, Two, true, T> : sum_kernel<Sum, Two, false, T>;
    launch(name, kernel, blas1_segments(n), stream, n, x, y, parts, finished, result);
}

} // namespace

template <class T> Blas1<T>::Blas1() {
    static_cast<void>(require_device());
    parts_.allocate(3 * kBlas1Segments);
    finished_.allocate(1);
    finished_.zero();
}
template <class T> Blas1<T>::~Blas1() = default;
template <class T> Blas1<T>::Blas1(Blas1&&) noexcept = default;

template <class T> void Blas1<T>::axpy(std::size_t n, T a, const T* x, T* y, cudaStream_t stream) const {
    if (n == 0) return;
    // A row a block while the blocks are at work together, then more.
    const std::size_t rows = n / kBlas1Lanes;
    const std::size_t blocks = std::max({std::size_t{1}, std::min(rows, kBlas1Segments), (rows + kRows - 1) / kRows});
    launch("launch of axpy", aligned(x) && aligned(y) ? axpy_kernel<true, T> : axpy_kernel<false, T>, blocks, stream, n,
           a, x, y);
}
template <class T> void Blas1<T>::dot(std::size_t n, const T* x, const T* y, T* result, cudaStream_t stream) const {
    launch_sum<DotSum, true>("launch of dot", n, x, y, parts_.data(), finished_.data(), result, stream);
}
template <class T> void Blas1<T>::nrm2(std::size_t n, const T* x, T* result, cudaStream_t stream) const {
    launch_sum<typename Blas1Squares<T>::Sum, false>("launch of nrm2", n, x, x, parts_.data(), finished_.data(), result,
                                                     stream);
}

template class Blas1<float>;
template class Blas1<double>;

} // namespace mantissa::gpu
