// Magnitudes as whole numbers, which compare as the magnitudes do; a NaN is above infinity.
#pragma once

#include <cuda_runtime.h>

namespace mantissa::gpu::batched {

template <class T, int N> struct alignas(16) Pack { T x[N]; };
/// Elements of 16 bytes.
template <class T> inline constexpr int kVector = 16 / sizeof(T);

template <class T> struct KeyOf;
template <> struct KeyOf<float> {
    using Key = unsigned;
    static constexpr Key kInfinite = 0x7f800000U + 1U;
};
template <> struct KeyOf<double> {
    using Key = unsigned long long;
    static constexpr Key kInfinite = 0x7ff0000000000000ULL + 1ULL;
};
/// Of zero.
inline constexpr unsigned kZeroKey = 1;

/// One and above; zero is left for rows that are no candidates.
__device__ __forceinline__ unsigned magnitude_key(float x) {
    return (__float_as_uint(x) & 0x7fffffffU) + 1U;
}
__device__ __forceinline__ unsigned long long magnitude_key(double x) {
    return (static_cast<unsigned long long>(__double_as_longlong(x)) & 0x7fffffffffffffffULL) + 1ULL;
}

__device__ __forceinline__ unsigned warp_max(unsigned k) {
    return __reduce_max_sync(0xffffffffU, k);
}
__device__ __forceinline__ unsigned long long warp_max(unsigned long long k) {
    const auto high = static_cast<unsigned>(k >> 32);
    const unsigned top = __reduce_max_sync(0xffffffffU, high);
    const unsigned low = __reduce_max_sync(0xffffffffU, high == top ? static_cast<unsigned>(k) : 0U);
    return static_cast<unsigned long long>(top) << 32 | low;
}
/// The lowest position among the lanes whose key is the greatest.
template <class Key> __device__ __forceinline__ int lowest_of(Key key, Key most, int position) {
    constexpr unsigned kNone = 0x7fffffffU;
    return static_cast<int>(__reduce_min_sync(0xffffffffU, key == most ? static_cast<unsigned>(position) : kNone));
}

/// What a pivot column's greatest key says of it: 0 for a good one, column + 1 where it is zero, -(column + 1) where it
/// is not finite.
template <class T> __device__ __forceinline__ int fault_of(typename KeyOf<T>::Key most, int column) {
    return most == kZeroKey ? column + 1 : most >= KeyOf<T>::kInfinite ? -(column + 1) : 0;
}

/// Asynchronous copy of 16 bytes to shared memory; zeros where not `inside`.
__device__ __forceinline__ void copy16(void* to, const void* from, bool inside) {
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    const int bytes = inside ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes));
}
__device__ __forceinline__ void close_copies() {
    asm volatile("cp.async.commit_group;");
}
/// Waits until at most N groups of copies are under way.
template <int N> __device__ __forceinline__ void await_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N));
}

/// Brings a tile of `a` into the L2 cache, a line for each thread in turn: it is read much later.
template <class T, int BM, int BN, int THREADS>
__device__ __forceinline__ void prefetch_tile(const T* a, int lda, int rows, int cols, int t) {
    constexpr int kLine = 128 / sizeof(T), kLines = BM / kLine;
#pragma unroll
    for (int i = t; i < BN * kLines; i += THREADS) {
        const int c = i / kLines, r = i % kLines * kLine;
        if (c < cols && r < rows)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(a + static_cast<long long>(c) * lda + r));
    }
}

} // namespace mantissa::gpu::batched
