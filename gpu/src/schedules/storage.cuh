// Vectors of floats or doubles, V elements of a thread at a time.
#pragma once

namespace mantissa::gpu {

template <class T, int N> struct alignas(sizeof(T) * N) Vector { T x[N]; };

template <class Element> struct PlainStorage {
    using Compute = Element;
    template <int V> struct Raw { Vector<Element, V> word; };
#ifdef __CUDACC__
    template <int V> static __device__ __forceinline__ Raw<V> load(const void* a, long long i) {
        return {*reinterpret_cast<const Vector<Element, V>*>(static_cast<const Element*>(a) + i)};
    }
    template <int V> static __device__ __forceinline__ Raw<V> zero() {
        return {};
    }
    template <int V> static __device__ __forceinline__ void unpack(const Raw<V>& raw, Compute* x) {
#pragma unroll
        for (int k = 0; k < V; ++k) x[k] = raw.word.x[k];
    }
    template <int V> static __device__ __forceinline__ void store(void* a, long long i, Compute* x, bool write) {
        Vector<Element, V> v;
#pragma unroll
        for (int k = 0; k < V; ++k) v.x[k] = x[k];
        if (write) *reinterpret_cast<Vector<Element, V>*>(static_cast<Element*>(a) + i) = v;
    }
#endif
};
using F32 = PlainStorage<float>;
using F64 = PlainStorage<double>;

} // namespace mantissa::gpu
