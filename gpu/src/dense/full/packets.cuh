// Packets of 16 bytes that carry their own tag between blocks, and the arithmetic of the dense kernels, each operation
// rounded by itself.
#pragma once

#include <cstdint>

namespace mantissa::gpu::dense {

struct alignas(16) Packet16 {
    unsigned long long low, high;
};

/// A pivot's place among equal candidates: column, then row, 16 bits each; the lower counts.
__host__ __device__ constexpr unsigned place_of(int row, int column) {
    return static_cast<unsigned>(column) << 16 | static_cast<unsigned>(row);
}

#ifdef __CUDACC__

__device__ __forceinline__ void put(Packet16* to, unsigned long long low, unsigned long long high) {
    asm volatile("{ .reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.gpu.global.b128 [%0], t; }" ::"l"(to), "l"(low),
                 "l"(high)
                 : "memory");
}
__device__ __forceinline__ Packet16 get(const Packet16* from) {
    Packet16 p;
    asm volatile("{ .reg .b128 t; ld.relaxed.gpu.global.b128 t, [%2]; mov.b128 {%0, %1}, t; }"
                 : "=l"(p.low), "=l"(p.high)
                 : "l"(from)
                 : "memory");
    return p;
}

template <class T> struct Word;
template <> struct Word<float> {
    static constexpr int kPerPacket = 3;
    static constexpr unsigned long long kInfinity = 0x7F800000;
    static __device__ __forceinline__ float abs(float x) { return fabsf(x); }
    static __device__ __forceinline__ unsigned long long bits(float x) { return __float_as_uint(x); }
    static __device__ __forceinline__ float of(unsigned long long b) {
        return __uint_as_float(static_cast<unsigned>(b));
    }
    static __device__ __forceinline__ float max(float m, float x) { return fmaxf(m, fabsf(x)); }
    static __device__ __forceinline__ float divide(float a, float b) { return __fdiv_rn(a, b); }
    /// a - l u
    static __device__ __forceinline__ float update(float a, float l, float u) { return __fsub_rn(a, __fmul_rn(l, u)); }
    static __device__ __forceinline__ float warp_max(float m) {
        return __uint_as_float(__reduce_max_sync(~0u, __float_as_uint(m)));
    }
};
template <> struct Word<double> {
    static constexpr int kPerPacket = 1;
    static constexpr unsigned long long kInfinity = 0x7FF0000000000000;
    static __device__ __forceinline__ double abs(double x) { return fabs(x); }
    static __device__ __forceinline__ unsigned long long bits(double x) { return __double_as_longlong(x); }
    static __device__ __forceinline__ double of(unsigned long long b) { return __longlong_as_double(b); }
    static __device__ __forceinline__ double max(double m, double x) {
        const double y = fabs(x);
        return y > m ? y : m;
    }
    static __device__ __forceinline__ double divide(double a, double b) { return __ddiv_rn(a, b); }
    static __device__ __forceinline__ double update(double a, double l, double u) {
        return __dsub_rn(a, __dmul_rn(l, u));
    }
    static __device__ __forceinline__ double warp_max(double m) {
        const unsigned high = __double2hiint(m), low = __double2loint(m);
        const unsigned h = __reduce_max_sync(~0u, high);
        const unsigned l = __reduce_max_sync(~0u, high == h ? low : 0u);
        return __hiloint2double(static_cast<int>(h), static_cast<int>(l));
    }
};

/// The words of a group of `C` in packets, `stride` packets apart.
template <class T, int C> struct Words {
    static constexpr int kPackets = (C + Word<T>::kPerPacket - 1) / Word<T>::kPerPacket;

    static __device__ __forceinline__ void publish(const T (&v)[C], Packet16* to, int stride, unsigned tag) {
        const unsigned long long high = static_cast<unsigned long long>(tag) << 32;
#pragma unroll
        for (int j = 0; j < kPackets; ++j) {
            if constexpr (Word<T>::kPerPacket == 3) {
                const auto word = [&](int i) { return i < C ? Word<T>::bits(v[i]) : 0ull; };
                put(to + j * stride, word(3 * j) | word(3 * j + 1) << 32, word(3 * j + 2) | high);
            } else put(to + j * stride, Word<T>::bits(v[j]), high);
        }
    }
    struct Asked {
        Packet16 p[kPackets];
    };
    /// The first look at them.
    static __device__ __forceinline__ Asked ask(const Packet16* from, int stride) {
        Asked asked;
#pragma unroll
        for (int j = 0; j < kPackets; ++j) asked.p[j] = get(from + j * stride);
        return asked;
    }
    /// False where they did not come in time.
    static __device__ __forceinline__ bool collect(T (&v)[C], Asked& asked, const Packet16* from, int stride,
                                                   unsigned tag, int spins) {
        Packet16(&p)[kPackets] = asked.p;
        bool here = true;
#pragma unroll
        for (int j = 0; j < kPackets; ++j) {
            int spin = 0;
            while (static_cast<unsigned>(p[j].high >> 32) != tag && ++spin < spins) p[j] = get(from + j * stride);
            here &= spin < spins;
        }
#pragma unroll
        for (int i = 0; i < C; ++i) {
            if constexpr (Word<T>::kPerPacket == 3) {
                const Packet16& q = p[i / 3];
                v[i] = Word<T>::of(i % 3 == 0 ? q.low & 0xFFFFFFFF : i % 3 == 1 ? q.low >> 32 : q.high & 0xFFFFFFFF);
            } else v[i] = Word<T>::of(p[i].low);
        }
        return here;
    }
    static __device__ __forceinline__ bool collect(T (&v)[C], const Packet16* from, int stride, unsigned tag,
                                                   int spins) {
        Asked asked = ask(from, stride);
        return collect(v, asked, from, stride, tag, spins);
    }
};

/// A block's best element: its magnitude's bits, the sign in the highest bit; its place.
struct Key {
    unsigned long long value;
    unsigned place;
    int block;

    [[nodiscard]] __device__ __forceinline__ unsigned long long magnitude() const { return value & ~(1ull << 63); }
    template <class T> [[nodiscard]] __device__ __forceinline__ T number() const {
        const T v = Word<T>::of(magnitude());
        return value >> 63 != 0 ? -v : v;
    }
};

/// A key travels as {value, tag and ~place} to a box of each block, so that no two blocks look at one place. The
/// greater magnitude wins, of equal ones the lower place. `boxes` is [blocks][blocks]; called by all threads, one for a
/// block.
__device__ __forceinline__ void put_key(Packet16* boxes, unsigned long long value, unsigned place, unsigned tag) {
    if (threadIdx.x < gridDim.x)
        put(boxes + threadIdx.x * gridDim.x + blockIdx.x, value, static_cast<unsigned long long>(tag) << 32 | ~place);
}

/// Which lane of a warp has the best key. Ties are rare, so places are compared where there is one.
template <class T> __device__ __forceinline__ int best_lane(unsigned long long magnitude, unsigned place) {
    bool among = true;
    if constexpr (sizeof(T) == 8) {
        const unsigned high = static_cast<unsigned>(magnitude >> 32);
        among = high == __reduce_max_sync(~0u, high);
    }
    const unsigned low = among ? static_cast<unsigned>(magnitude) : 0u, most = __reduce_max_sync(~0u, low);
    unsigned lanes = __ballot_sync(~0u, among && low == most);
    if ((lanes & (lanes - 1)) != 0) {
        const bool tied = among && low == most;
        const unsigned least = __reduce_min_sync(~0u, tied ? place : ~0u);
        lanes = __ballot_sync(~0u, tied && place == least);
    }
    return __ffs(static_cast<int>(lanes)) - 1;
}

/// Called by all threads of a block of kThreads, no fewer than blocks: waits for the keys of all blocks and gives the
/// best to every thread. `scratch` has one Key a warp. False where one did not come. Meets the block's threads once.
template <class T, int kThreads>
__device__ __forceinline__ bool best_of_grid(const Packet16* boxes, unsigned tag, int spins, Key* scratch, Key& best) {
    const int blocks = static_cast<int>(gridDim.x), lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    bool late = false;
    if (warp * 32 < blocks) {
        Key mine{0, ~0u, 0};
        if (threadIdx.x < blocks) {
            const Packet16* const box = boxes + blockIdx.x * blocks + threadIdx.x;
            Packet16 p = get(box);
            for (int spin = 0; static_cast<unsigned>(p.high >> 32) != tag && !late; p = get(box)) late = ++spin > spins;
            mine = {p.low, ~static_cast<unsigned>(p.high), static_cast<int>(threadIdx.x)};
        }
        if (best_lane<T>(mine.magnitude(), mine.place) == lane) scratch[warp] = mine;
    }
    late = __syncthreads_or(late);
    const int warps = min(kThreads / 32, (blocks + 31) / 32);
    const Key theirs = lane < warps ? scratch[lane] : Key{0, ~0u, 0};
    best = scratch[best_lane<T>(theirs.magnitude(), theirs.place)];
    return !late;
}

/// Quotients by one divisor, rounded as a division rounds: from its reciprocal by Markstein's corrections, which are
/// right where nothing overflows or becomes subnormal and the divisor's significand is not all ones; else by division.
template <class T> class Divisor {
public:
    __device__ __forceinline__ explicit Divisor(T b) : b_(b) {
        const T size = Word<T>::abs(b);
        const unsigned long long ones = (1ull << (sizeof(T) == 4 ? 23 : 52)) - 1;
        plain_ = size > kSmall && size < 1 / kSmall && (Word<T>::bits(b) & ones) != ones;
        if constexpr (sizeof(T) == 4) inverse_ = __frcp_rn(b);
        else inverse_ = __drcp_rn(b);
    }
    /// a / b for |a| <= |b|.
    __device__ __forceinline__ T divide(T a) const {
        if (!plain_ || (Word<T>::abs(a) < kSmall && a != 0)) return Word<T>::divide(a, b_);
        T q = a * inverse_;
        q = fma(fma(-q, b_, a), inverse_, q);
        return fma(fma(-q, b_, a), inverse_, q);
    }

private:
    static constexpr T kSmall = sizeof(T) == 4 ? T(0x1p-60) : T(0x1p-500);
    T b_, inverse_;
    bool plain_;
};

#endif

} // namespace mantissa::gpu::dense
