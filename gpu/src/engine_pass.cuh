// Pipelined-CG passes in a DatapathSpec's arithmetic: many passes in one cooperative launch, two grid barriers each
// (four with floating-point lanes).
//
//     device memory per element and pass, in elements of storage: read u p q r, write u r p; read p r, write q
//
// Fixed-point dot products are integer sums, independent of order. Floating-point lanes are kept: partial sum j adds
// elements j, j + n, j + 2n, ... one after another, so n threads do what n lanes of the hardware do.
#pragma once

#include <cooperative_groups.h>

#include "engine_arithmetic.cuh"
#include "mantissa/engine.hpp"

namespace mantissa::gpu {

inline constexpr int kEngineThreads = 512;
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

/// The end of a run, as RunEnd.
struct EngineResult {
    Scalars scalars;
    std::uint64_t passes, guards;
    RunEnd end;
};

template <class Unit, class Element> struct EngineParams {
    using T = typename Unit::Carrier;
    Unit u_unit, r_unit, p_unit, q_unit, operand, row, product;
    DoubleUnit accumulator, scalar;
    System::Kind kind;
    RowOrder order;
    bool fixed, exact_product;
    FixedWindow window;
    double window_unit, window_limit; ///< 2^-lsb and 2^(width-1)
    int partials;
    long long size, row_length;
    T coefficient[kBands];
    const T* band[kBands];
    const std::uint64_t* row_begin;
    const std::uint32_t* column;
    const T* value;
    T* u;
    Element *r, *p, *q;        ///< p has zeros around it, row_length + 1 on either side
    unsigned long long* words; ///< [2][kEngineWords], zero before the launch
    double* lanes;             ///< [3][partials]
    Scalars start;
    std::uint64_t passes, rho_stop_from;
    double rho_stop;
    EngineResult* result;
};

#ifdef __CUDACC__

template <class Unit, class Element>
__device__ __forceinline__ typename Unit::Carrier engine_row(const EngineParams<Unit, Element>& a, long long i) {
    using T = typename Unit::Carrier;
    if (a.kind == System::Kind::sparse) {
        RowSum<Unit> sum(a.row, a.order == RowOrder::tree);
        for (std::uint64_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k)
            sum.add(a.row.mul(a.value[k], get(a.p, a.column[k])));
        return a.q_unit.convert(sum.total());
    }
    const long long n = a.row_length;
    if (a.kind == System::Kind::stencil) {
        const long long column = i % n;
        if (i < n || i >= a.size - n || column == 0 || column == n - 1) return T(0);
    }
    T t[kBands];
#pragma unroll
    for (int b = 0; b < kBands; ++b) {
        const T c = a.kind == System::Kind::stencil ? a.coefficient[b] : a.band[b][i];
        t[b] = a.row.mul(c, get(a.p, i + n * (b / 3 - 1) + (b % 3 - 1)));
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

/// Adds the term x y of a fixed-point dot product.
template <class Unit, class Element>
__device__ __forceinline__ void add_term(const EngineParams<Unit, Element>& a, UnitSum& sum, typename Unit::Carrier x,
                                         typename Unit::Carrier y) {
    bool fits = true;
    long long units;
    if constexpr (sizeof(x) == 4) {
        units = a.exact_product ? window_units(a.window_unit, a.window_limit, x, y, fits)
                                : window_units(a.window_unit, a.window_limit, a.product.mul(x, y), 1.0f, fits);
    } else {
        units = a.exact_product ? window_units(a.window, x, y, fits)
                                : window_units(a.window, a.product.mul(x, y), 1.0, fits);
    }
    sum.add(units);
    sum.outside |= fits ? 0u : 1u;
}

/// Block sums of one dot product into its two words.
__device__ __forceinline__ void send(UnitSum s, unsigned long long* words, unsigned long long* outside) {
    __shared__ unsigned long long low[kEngineThreads / 32];
    __shared__ long long high[kEngineThreads / 32];
    for (int d = 16; d > 0; d >>= 1) {
        s.low += __shfl_xor_sync(~0u, s.low, d);
        s.high += __shfl_xor_sync(~0u, s.high, d);
    }
    const int any = __syncthreads_or(static_cast<int>(s.outside));
    if ((threadIdx.x & 31) == 0) {
        low[threadIdx.x >> 5] = s.low;
        high[threadIdx.x >> 5] = s.high;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < kEngineThreads / 32; ++w) {
            s.low += low[w];
            s.high += high[w];
        }
        atomicAdd(words, s.low);
        atomicAdd(words + 1, static_cast<unsigned long long>(s.high));
        if (any) atomicAdd(outside, 1ull);
    }
    __syncthreads();
}

/// One dot product's partial sums: warp `part` keeps partial sums 32 part .. 32 part + 31.
template <class Unit, class Element>
__device__ void add_lanes(const EngineParams<Unit, Element>& a, const Element* x, const Element* y, int part,
                          double* partial) {
    const int j = part * 32 + static_cast<int>(threadIdx.x & 31);
    if (j >= a.partials) return;
    constexpr int kAhead = 16;
    double sum = 0;
    const auto term = [&](long long i) -> double {
        const auto s = get(x, i), t = get(y, i);
        if (a.exact_product) return static_cast<double>(s) * static_cast<double>(t);
        return static_cast<double>(a.product.mul(s, t));
    };
    long long i = j;
    const long long n = a.partials;
    for (; i + (kAhead - 1) * n < a.size; i += kAhead * n) {
        double t[kAhead];
#pragma unroll
        for (int k = 0; k < kAhead; ++k) t[k] = term(i + k * n);
#pragma unroll
        for (int k = 0; k < kAhead; ++k) sum = a.accumulator.add(sum, t[k]);
    }
    for (; i < a.size; i += n) sum = a.accumulator.add(sum, term(i));
    partial[j] = sum;
}

template <class Unit, class Element>
__global__ void __launch_bounds__(kEngineThreads, 1) engine_run(const __grid_constant__ EngineParams<Unit, Element> a) {
    using T = typename Unit::Carrier;
    const auto grid = cooperative_groups::this_grid();
    __shared__ Scalars scalars;
    __shared__ unsigned long long previous[2][kEngineWords];
    __shared__ RunEnd end;
    __shared__ EngineResult result; // thread 0's
    const long long threads = static_cast<long long>(gridDim.x) * kEngineThreads;
    const long long me = static_cast<long long>(blockIdx.x) * kEngineThreads + threadIdx.x;
    if (threadIdx.x == 0) {
        scalars = a.start;
        end = RunEnd::passes;
        result = {};
        for (auto& buffer : previous)
            for (auto& w : buffer) w = 0;
    }
    __syncthreads();
    for (std::uint64_t pass = 1; pass <= a.passes; ++pass) {
        const T alpha = a.operand.from_double(scalars.alpha), beta = a.operand.from_double(scalars.beta);
        unsigned long long* const words = a.words + (pass & 1) * kEngineWords;
        UnitSum rr;
        for (long long i = me; i < a.size; i += threads) {
            const T p = get(a.p, i);
            a.u[i] = a.u_unit.add(a.u[i], a.u_unit.mul(alpha, p));
            const T r = a.r_unit.add(get(a.r, i), -a.r_unit.mul(alpha, get(a.q, i)));
            put(a.r, i, r);
            put(a.p, i, a.p_unit.add(r, a.p_unit.mul(beta, p)));
            if (a.fixed) add_term(a, rr, r, r);
        }
        if (a.fixed) send(rr, words, words + 6);
        grid.sync();
        UnitSum pq, qq;
        for (long long i = me; i < a.size; i += threads) {
            const T q = engine_row(a, i);
            put(a.q, i, q);
            if (a.fixed) {
                add_term(a, pq, get(a.p, i), q);
                add_term(a, qq, q, q);
            }
        }
        if (a.fixed) {
            send(pq, words + 2, words + 6);
            send(qq, words + 4, words + 6);
        } else {
            grid.sync();
            // Warps take the partial sums, spread over the blocks.
            const int parts = (a.partials + 31) / 32;
            for (int task = blockIdx.x + gridDim.x * (threadIdx.x >> 5); task < 3 * parts;
                 task += gridDim.x * (kEngineThreads / 32)) {
                const int dot = task / parts;
                add_lanes(a,
                          dot == 0   ? a.r
                          : dot == 1 ? a.p
                                     : a.q,
                          dot == 0 ? a.r : a.q, task % parts, a.lanes + dot * a.partials);
            }
            grid.sync();
            if (blockIdx.x == 0)
                for (int half = a.partials / 2; half > 0; half /= 2) {
                    for (int k = threadIdx.x; k < 3 * half; k += kEngineThreads) {
                        double* const s = a.lanes + (k / half) * a.partials + k % half;
                        *s = a.accumulator.add(*s, s[half]);
                    }
                    __syncthreads();
                }
        }
        grid.sync();
        if (threadIdx.x == 0) {
            double sum[3];
            bool overflow = false;
            if (a.fixed) {
                unsigned long long* const before = previous[pass & 1];
                unsigned long long w[7];
                for (int k = 0; k < 7; ++k) {
                    const unsigned long long now = __ldcg(words + k);
                    w[k] = now - before[k];
                    before[k] = now;
                }
                overflow = w[6] != 0;
                for (int k = 0; k < 3; ++k)
                    sum[k] = window_total(a.window, a.scalar.format, w[2 * k], w[2 * k + 1], overflow);
            } else {
                for (int k = 0; k < 3; ++k) sum[k] = a.scalar.convert(__ldcg(a.lanes + k * a.partials));
            }
            RunEnd now = RunEnd::passes;
            if (engine_scalars(a.scalar, sum[0], sum[1], sum[2], overflow, scalars, now)) ++result.guards;
            if (now == RunEnd::passes && pass >= a.rho_stop_from && scalars.rho < a.rho_stop) now = RunEnd::rho_reached;
            result.passes = pass;
            end = now;
        }
        __syncthreads();
        if (end != RunEnd::passes) break;
    }
    if (me == 0) {
        result.scalars = scalars;
        result.end = end;
        *a.result = result;
    }
}

#endif

} // namespace mantissa::gpu
