// What a pass is given, and the rows of its matrix.
#pragma once

#include "engine/engine_arithmetic.cuh"
#include "engine/engine_differences.cuh"
#include "mantissa/engine.hpp"
#include "sync/binade_sums.cuh"

namespace mantissa::gpu {

inline constexpr int kEngineThreads = kBinadeThreads;
inline constexpr int kEngineWords = 8; ///< low and high of three sums, and a count of terms outside the window

/// Elements of 16 bits: the upper half of a float, for formats of eight exponent and at most seven fraction bits.
struct UpperHalf {
    std::uint16_t bits;
};
#ifdef __CUDACC__
__device__ __forceinline__ float get(const UpperHalf* v, long long i) {
    return __uint_as_float(static_cast<std::uint32_t>(v[i].bits) << 16);
}
__device__ __forceinline__ void put(UpperHalf* v, long long i, float x) {
    v[i].bits = static_cast<std::uint16_t>(__float_as_uint(x) >> 16);
}
__device__ __forceinline__ float get(const float* v, long long i) {
    return v[i];
}
__device__ __forceinline__ void put(float* v, long long i, float x) {
    v[i] = x;
}
__device__ __forceinline__ double get(const double* v, long long i) {
    return v[i];
}
__device__ __forceinline__ void put(double* v, long long i, double x) {
    v[i] = x;
}
#endif

/// How far a run has come, and how it ended.
struct EngineResult {
    Scalars scalars;
    std::uint64_t passes = 0, guards = 0;
    RunEnd end = RunEnd::passes;
};

enum class DotWay : std::uint8_t { fixed, binades, lanes };

template <class Unit, class Element> struct EngineParams {
    using T = typename Unit::Carrier;
    Unit u_unit, r_unit, p_unit, q_unit, operand, row, product;
    DoubleUnit accumulator, scalar;
    System::Kind kind;
    RowOrder order;
    bool exact_product;
    FixedWindow window;
    double window_unit, window_limit; ///< 2^-lsb and 2^(width-1)
    int partials;
    BinadePlan binades;
    long long size, row_length;
    long long chunk; ///< elements that a block takes at a time
    int chunks;
    T coefficient[kBands];
    const T* band[kBands];
    EngineDifferences<T> differences; ///< of an order that takes them
    const std::uint64_t* row_begin;
    const std::uint32_t* column;
    const T* value;
    T* u;
    Element *r, *p, *q;        ///< p has zeros around it, row_length + 1 on either side
    Element* q_odd;            ///< q of odd passes, where blocks keep their vectors (engine_near.cuh)
    unsigned long long* words; ///< [2][kEngineWords], then the barrier's counter; zero before the launch
    double* lanes;             ///< [2][3][partials]: of even and odd passes (one of them for DotWay::lanes)
    Scalars start;
    std::uint64_t passes, rho_stop_from;
    double rho_stop;
    EngineResult* result;
};

#ifdef __CUDACC__

// Kernels run through all their code once in a pass: what is used in one place of many, or seldom, is a call, lest the
// instructions come from memory every time.
template <class Unit, class Element>
__device__ __noinline__ typename Unit::Carrier engine_sparse_row(const EngineParams<Unit, Element>& a, long long i) {
    RowSum<Unit> sum(a.row, a.order == RowOrder::tree);
    for (std::uint64_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k)
        sum.add(a.row.mul(a.value[k], get(a.p, a.column[k])));
    return a.q_unit.convert(sum.total());
}

/// Row i of differences, of a stencil's inside or of bands. p_at(reach) is p[i + reach].
template <class Unit, class Element, class P>
__device__ __forceinline__ typename Unit::Carrier engine_difference_row(const EngineParams<Unit, Element>& a,
                                                                        long long i, P&& p_at) {
    const int n = static_cast<int>(a.row_length);
    return a.q_unit.convert(difference_row(a.row, a.differences, i, p_at(-n - 1), p_at(-n), p_at(-n + 1), p_at(-1),
                                           p_at(0), p_at(1), p_at(n - 1), p_at(n), p_at(n + 1)));
}
template <class Unit, class Element>
__device__ __noinline__ typename Unit::Carrier far_difference_row(const EngineParams<Unit, Element>& a, long long i) {
    return engine_difference_row(a, i, [&](int reach) { return get(a.p, i + reach); });
}

/// Row i of products, of a stencil's inside or of nine bands. p_at(reach) is p[i + reach].
template <class Unit, class Element, class P>
__device__ __forceinline__ typename Unit::Carrier engine_bands_row(const EngineParams<Unit, Element>& a, long long i,
                                                                   P&& p_at) {
    using T = typename Unit::Carrier;
    const int n = static_cast<int>(a.row_length);
    T t[kBands];
#pragma unroll
    for (int b = 0; b < kBands; ++b) {
        const T c = a.kind == System::Kind::stencil ? a.coefficient[b] : a.band[b][i];
        t[b] = a.row.mul(c, p_at(n * (b / 3 - 1) + (b % 3 - 1)));
    }
    T s;
    if (a.order == RowOrder::chain) {
        s = t[0];
#pragma unroll
        for (int b = 1; b < kBands; ++b) s = a.row.add(s, t[b]);
    } else {
        const T low = a.row.add(a.row.add(t[0], t[1]), a.row.add(t[2], t[3]));
        const T high = a.row.add(a.row.add(t[4], t[5]), a.row.add(t[6], t[7]));
        s = a.row.add(a.row.add(low, high), t[8]);
    }
    return a.q_unit.convert(s);
}

template <class Unit, class Element>
__device__ __forceinline__ typename Unit::Carrier engine_row(const EngineParams<Unit, Element>& a, long long i) {
    using T = typename Unit::Carrier;
    if (a.kind == System::Kind::sparse) return engine_sparse_row(a, i);
    if (a.kind == System::Kind::stencil) {
        const auto n = static_cast<std::uint32_t>(a.row_length);
        const auto column = static_cast<std::uint32_t>(i) % n; // size is below 2^32
        if (i < n || i >= a.size - n || column == 0 || column == n - 1) return T(0);
    }
    if (!adds_products(a.order)) return far_difference_row(a, i);
    return engine_bands_row(a, i, [&](int reach) { return get(a.p, i + reach); });
}

#endif

} // namespace mantissa::gpu
