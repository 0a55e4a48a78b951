// A pass's vectors on the chip: where a block's elements are one tile and its rows reach only a little beyond them,
// threads keep u, r, p and q between passes, and r and p of the elements around. Those are updated here as by their
// owners, with the same bits, so of the vectors only q goes from block to block, and the updates need no barrier before
// the rows.
#pragma once

#include "engine/engine_arithmetic.cuh"
#include "engine/engine_params.cuh"

namespace mantissa::gpu {

inline constexpr int kNearRounds = 3;                                ///< elements around, of a thread
inline constexpr int kMostMargin = kNearRounds * kEngineThreads / 2; ///< elements around, on either side

#ifdef __CUDACC__

template <class T> struct NearRows { T s[kAhead]; };
/// A thread's rows of differences, in q's format; p: of the block's first element. One call, so that the other orders'
/// code stays as it is.
template <class Unit, class Element>
__device__ __noinline__ NearRows<typename Unit::Carrier>
near_difference_rows(const EngineParams<Unit, Element>& a, const typename Unit::Carrier* p, int begin, int count) {
    NearRows<typename Unit::Carrier> rows;
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
        const int i = static_cast<int>(threadIdx.x) + k * kEngineThreads;
        rows.s[k] = 0;
        if (i < count) rows.s[k] = engine_difference_row(a, begin + i, [&](int reach) { return p[i + reach]; });
    }
    return rows;
}

template <class Unit, class Element> struct NearVectors {
    using T = typename Unit::Carrier;
    const EngineParams<Unit, Element>& a;
    T* around; ///< shared: p of `margin` elements, of mine, of `margin` elements
    int begin, count, margin;
    T u[kAhead], r[kAhead], p[kAhead], q[kAhead]; ///< of begin + threadIdx.x, + kEngineThreads, ...; zeros at the end
    T outer_r[kNearRounds], outer_p[kNearRounds], outer_q[kNearRounds];
    unsigned flags = 0; ///< see `is`

    __device__ __forceinline__ NearVectors(const EngineParams<Unit, Element>& params, T* shared)
        : a(params), around(shared), begin(static_cast<int>(blockIdx.x * a.chunk)),
          count(static_cast<int>(min(a.chunk, a.size - begin))), margin(static_cast<int>(a.row_length) + 1) {
        const int size = static_cast<int>(a.size), n = static_cast<int>(a.row_length);
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            const int i = begin + mine(k), column = i % n;
            u[k] = r[k] = p[k] = q[k] = 0;
            if (mine(k) >= count) continue;
            flags |= kOwn << k;
            u[k] = a.u[i];
            r[k] = get(a.r, i);
            p[k] = get(a.p, i);
            q[k] = get(a.q, i);
            if (a.kind != System::Kind::stencil || (i >= n && i < size - n && column != 0 && column != n - 1))
                flags |= kRow << k;
        }
#pragma unroll
        for (int k = 0; k < kNearRounds; ++k) {
            outer_r[k] = outer_p[k] = 0;
            if (mine(k) >= 2 * margin) continue;
            flags |= kSlot << k;
            if (begin + outer(k) < 0 || begin + outer(k) >= size) continue;
            flags |= kThere << k;
            outer_r[k] = get(a.r, begin + outer(k));
            outer_p[k] = get(a.p, begin + outer(k));
        }
        fetch(a.q);
    }

    __device__ __forceinline__ static int mine(int k) {
        return static_cast<int>(threadIdx.x) + k * kEngineThreads;
    }
    /// The elements around, in front of `begin` and after the last.
    __device__ __forceinline__ int outer(int k) const {
        return mine(k) < margin ? mine(k) - margin : mine(k) - margin + count;
    }
    /// kOwn: element k is one of mine; kRow: and its row is not the identity's, of a stencil; kSlot: there is a place
    /// around for element k; kThere: and an element.
    static constexpr unsigned kOwn = 1, kRow = 1 << 8, kSlot = 1 << 16, kThere = 1 << 24;
    __device__ __forceinline__ bool is(unsigned what, int k) const {
        return (flags & what << k) != 0;
    }

    /// q of the elements around, as their owners have stored it there.
    __device__ __forceinline__ void fetch(const Element* q_there) {
#pragma unroll
        for (int k = 0; k < kNearRounds; ++k) {
            outer_q[k] = 0;
            if (is(kThere, k)) outer_q[k] = get(q_there, begin + outer(k));
        }
    }

    /// u, r and p of the next pass.
    __device__ __forceinline__ void update(T alpha, T beta) {
#pragma unroll
        for (int k = 0; k < kNearRounds; ++k) {
            outer_r[k] = a.r_unit.add(outer_r[k], -a.r_unit.mul(alpha, outer_q[k]));
            outer_p[k] = a.p_unit.add(outer_r[k], a.p_unit.mul(beta, outer_p[k]));
            if (!is(kThere, k)) outer_p[k] = 0;
            if (is(kSlot, k)) around[margin + outer(k)] = outer_p[k];
        }
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            u[k] = a.u_unit.add(u[k], a.u_unit.mul(alpha, p[k]));
            r[k] = a.r_unit.add(r[k], -a.r_unit.mul(alpha, q[k]));
            p[k] = a.p_unit.add(r[k], a.p_unit.mul(beta, p[k]));
            if (is(kOwn, k)) around[margin + mine(k)] = p[k];
        }
        __syncthreads();
    }

    /// Rows of all my elements at once, in the order of a chain. coefficient(b, k): of band b for element k.
    template <class C> __device__ __forceinline__ void chain_rows(T (&s)[kAhead], C&& coefficient) const {
        const int n = static_cast<int>(a.row_length);
        const T* const p_here = around + margin + threadIdx.x;
#pragma unroll
        for (int b = 0; b < kBands; ++b) {
#pragma unroll
            for (int k = 0; k < kAhead; ++k) {
                const T t = a.row.mul(coefficient(b, k), p_here[n * (b / 3 - 1) + (b % 3 - 1) + k * kEngineThreads]);
                s[k] = b == 0 ? t : a.row.add(s[k], t);
            }
        }
    }

    /// q = A p, stored for the blocks around.
    __device__ __forceinline__ void rows(Element* q_there) {
        T s[kAhead];
        const bool stencil = a.kind == System::Kind::stencil;
        if (stencil && a.order == RowOrder::chain) {
            chain_rows(s, [&](int b, int) { return a.coefficient[b]; });
        } else if (a.order == RowOrder::chain) {
            chain_rows(s, [&](int b, int k) { return a.band[b][begin + min(mine(k), count - 1)]; });
        } else if (!adds_products(a.order)) {
            const NearRows<T> formed = near_difference_rows(a, around + margin, begin, count);
#pragma unroll
            for (int k = 0; k < kAhead; ++k) s[k] = formed.s[k];
        } else {
#pragma unroll
            for (int k = 0; k < kAhead; ++k) {
                const int at = margin + mine(k);
                if (is(kOwn, k))
                    s[k] = engine_bands_row(a, begin + mine(k), [&](int reach) { return around[at + reach]; });
            }
        }
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            q[k] = is(kRow, k) ? a.q_unit.convert(s[k]) : T(0);
            if (is(kOwn, k)) put(q_there, begin + mine(k), q[k]);
        }
    }

    /// r and p into device memory; with `all`, u and q as well.
    __device__ __forceinline__ void store(bool all) const {
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            if (!is(kOwn, k)) continue;
            const int i = begin + mine(k);
            put(a.r, i, r[k]);
            put(a.p, i, p[k]);
            if (!all) continue;
            a.u[i] = u[k];
            put(a.q, i, q[k]);
        }
    }
};

#endif

} // namespace mantissa::gpu
