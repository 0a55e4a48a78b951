// How a solver stores its vectors, apart from the type it computes in.
//
//     F32   float, computed in float
//     F64   double, computed in double
//     S31   40 bits, s31e8: a float (toward zero) and the eight fraction bits behind it; computed in double
//     S39   48 bits, s39e8: a float and sixteen bits
//
// A stored array is a `hi` array and, for S31 and S39, a `lo` array beside it. Values are rounded to nearest (halves
// away from zero) as they are stored.
#pragma once

#include <cstdint>

namespace mantissa::gpu {

template <class T, int N> struct alignas(sizeof(T) * N) Vector { T x[N]; };

struct Stored {
    void* hi;
    void* lo;
};

template <class Element> struct PlainStorage {
    using Compute = Element;
    using Hi = Element;
    static constexpr int kBytes = sizeof(Element), kLo = 0;
    template <int V> struct Raw { Vector<Element, V> hi; };
#ifdef __CUDACC__
    template <int V> static __device__ __forceinline__ Raw<V> load(Stored a, long long i) {
        return {*reinterpret_cast<const Vector<Element, V>*>(static_cast<const Element*>(a.hi) + i)};
    }
    template <int V> static __device__ __forceinline__ Raw<V> zero() {
        return {};
    }
    template <int V> static __device__ __forceinline__ void unpack(const Raw<V>& raw, Compute* x) {
#pragma unroll
        for (int k = 0; k < V; ++k) x[k] = raw.hi.x[k];
    }
    /// Rounds x to what the storage holds, in place, and stores it if `write`.
    template <int V> static __device__ __forceinline__ void store(Stored a, long long i, Compute* x, bool write) {
        Vector<Element, V> v;
#pragma unroll
        for (int k = 0; k < V; ++k) v.x[k] = x[k];
        if (write) *reinterpret_cast<Vector<Element, V>*>(static_cast<Element*>(a.hi) + i) = v;
    }
#endif
};
using F32 = PlainStorage<float>;
using F64 = PlainStorage<double>;

template <class Tail> struct SplitStorage {
    using Compute = double;
    using Hi = float;
    static constexpr int kLo = sizeof(Tail), kBytes = 4 + kLo, kShift = 29 - 8 * kLo;
    template <int V> struct Raw {
        Vector<float, V> hi;
        Vector<Tail, V> lo;
    };
#ifdef __CUDACC__
    template <int V> static __device__ __forceinline__ Raw<V> load(Stored a, long long i) {
        return {*reinterpret_cast<const Vector<float, V>*>(static_cast<const float*>(a.hi) + i),
                *reinterpret_cast<const Vector<Tail, V>*>(static_cast<const Tail*>(a.lo) + i)};
    }
    template <int V> static __device__ __forceinline__ Raw<V> zero() {
        return {};
    }
    static __device__ __forceinline__ double join(float hi, Tail lo) {
        return __longlong_as_double(__double_as_longlong(static_cast<double>(hi)) |
                                    (static_cast<long long>(lo) << kShift));
    }
    template <int V> static __device__ __forceinline__ void unpack(const Raw<V>& raw, Compute* x) {
#pragma unroll
        for (int k = 0; k < V; ++k) x[k] = join(raw.hi.x[k], raw.lo.x[k]);
    }
    template <int V> static __device__ __forceinline__ void store(Stored a, long long i, Compute* x, bool write) {
        Vector<float, V> hi;
        Vector<Tail, V> lo;
#pragma unroll
        for (int k = 0; k < V; ++k) {
            long long bits = __double_as_longlong(x[k]) + (1LL << (kShift - 1));
            hi.x[k] = __double2float_rz(__longlong_as_double(bits));
            // Below float's range the float part is zero, and so must be the tail.
            if (fabsf(hi.x[k]) < 1.17549435e-38f) {
                hi.x[k] = 0.0f;
                bits = 0;
            }
            lo.x[k] = static_cast<Tail>(bits >> kShift);
            x[k] = __longlong_as_double(bits & ~((1LL << kShift) - 1));
        }
        if (write) {
            *reinterpret_cast<Vector<float, V>*>(static_cast<float*>(a.hi) + i) = hi;
            *reinterpret_cast<Vector<Tail, V>*>(static_cast<Tail*>(a.lo) + i) = lo;
        }
    }
#endif
};
using S31 = SplitStorage<std::uint8_t>;
using S39 = SplitStorage<std::uint16_t>;

} // namespace mantissa::gpu
