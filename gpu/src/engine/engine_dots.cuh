// The three dot products of a pass, r.r, p.q and q.q, by what the spec says:
//     fixed     fixed-point sums are integer sums, independent of order; one grid barrier a pass
//     binades   truncating floating-point lanes in parallel, see binade_sums.cuh; two barriers
//     lanes     all other floating-point lanes one term after another: partial sum j adds elements j, j + n, j + 2n,
//               ..., so n threads do what n lanes of the hardware do; three barriers
#pragma once

#include <type_traits>

#include "engine/engine_near.cuh"
#include "engine/engine_params.cuh"
#include "sync/binade_chain.cuh"
#include "sync/binade_walk.cuh"
#include "sync/grid_barrier.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

/// work(i, stop) for my elements, kAhead at a time: i, i + kEngineThreads, ... below stop.
template <class Unit, class Element, class Work>
__device__ __forceinline__ void for_own(const EngineParams<Unit, Element>& a, Work&& work) {
    for (int c = blockIdx.x; c < a.chunks; c += gridDim.x) {
        const long long begin = c * a.chunk, stop = min(a.size, begin + a.chunk);
        for (long long i = begin + static_cast<int>(threadIdx.x); i < stop; i += kAhead * kEngineThreads) work(i, stop);
    }
}

/// In place of NearVectors, where blocks do not keep their vectors.
struct FarVectors {};
template <class Vectors> inline constexpr bool kNear = !std::is_same_v<Vectors, FarVectors>;

/// r, p and q of elements i, i + kEngineThreads, ... below stop, zeros for the others; with `fresh`, q is formed and
/// stored.
template <class Unit, class Element, class T>
__device__ __forceinline__ void load_rows(const EngineParams<Unit, Element>& a, long long i, long long stop, bool fresh,
                                          T (&r)[kAhead], T (&p)[kAhead], T (&q)[kAhead]) {
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
        const long long at = i + k * kEngineThreads;
        r[k] = p[k] = q[k] = 0;
        if (at >= stop) continue;
        r[k] = get(a.r, at);
        p[k] = get(a.p, at);
        q[k] = fresh ? engine_row(a, at) : get(a.q, at);
    }
    if (!fresh) return;
#pragma unroll
    for (int k = 0; k < kAhead; ++k)
        if (i + k * kEngineThreads < stop) put(a.q, i + k * kEngineThreads, q[k]);
}

/// Adds the term x y of a fixed-point dot product; with Exact, of the exact product.
template <bool Exact, class Unit, class Element>
__device__ __forceinline__ void add_term(const EngineParams<Unit, Element>& a, UnitSum& sum, typename Unit::Carrier x,
                                         typename Unit::Carrier y) {
    bool fits = true;
    long long units;
    if constexpr (sizeof(x) == 4) {
        units = Exact ? window_units(a.window_unit, a.window_limit, x, y, fits)
                      : window_units(a.window_unit, a.window_limit, a.product.mul(x, y), 1.0f, fits);
    } else {
        units = Exact ? window_units(a.window, x, y, fits) : window_units(a.window, a.product.mul(x, y), 1.0, fits);
    }
    sum.add(units);
    sum.outside |= fits ? 0u : 1u;
}
template <bool Exact, class Unit, class Element, class T>
__device__ __forceinline__ void add_terms(const EngineParams<Unit, Element>& a, UnitSum (&sum)[3], const T (&r)[kAhead],
                                          const T (&p)[kAhead], const T (&q)[kAhead]) {
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
        add_term<Exact>(a, sum[0], r[k], r[k]);
        add_term<Exact>(a, sum[1], p[k], q[k]);
        add_term<Exact>(a, sum[2], q[k], q[k]);
    }
}

/// Block sums of the three dot products into their words. `scratch`: [6][warps].
__device__ __forceinline__ void send(UnitSum (&sum)[3], unsigned long long* words, unsigned long long (*scratch)[16]) {
    static_assert(kEngineThreads / 32 == 16);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int d = 16; d > 0; d >>= 1)
#pragma unroll
        for (UnitSum& s : sum) {
            s.low += __shfl_xor_sync(~0u, s.low, d);
            s.high += __shfl_xor_sync(~0u, s.high, d);
        }
    if (lane == 0)
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            scratch[2 * k][warp] = sum[k].low;
            scratch[2 * k + 1][warp] = static_cast<unsigned long long>(sum[k].high);
        }
    const int any = __syncthreads_or(static_cast<int>(sum[0].outside | sum[1].outside | sum[2].outside));
    if (threadIdx.x < 6) {
        unsigned long long total = 0;
        for (int w = 0; w < 16; ++w) total += scratch[threadIdx.x][w];
        atomicAdd(words + threadIdx.x, total);
    } else if (threadIdx.x == 6 && any != 0) {
        atomicAdd(words + 6, 1ull);
    }
}

/// This block's part of the dot products into `words`; forms q first where blocks do not keep their vectors.
template <class Unit, class Element, class Vectors>
__device__ __forceinline__ void add_fixed(const EngineParams<Unit, Element>& a, const Vectors& near,
                                          unsigned long long* words, unsigned long long (*scratch)[16]) {
    using T = typename Unit::Carrier;
    UnitSum sum[3];
    const auto add = [&](const T(&r)[kAhead], const T(&p)[kAhead], const T(&q)[kAhead]) {
        if (a.exact_product) add_terms<true>(a, sum, r, p, q);
        else add_terms<false>(a, sum, r, p, q);
    };
    if constexpr (kNear<Vectors>) {
        add(near.r, near.p, near.q);
    } else {
        for_own(a, [&](long long i, long long stop) {
            T r[kAhead], p[kAhead], q[kAhead];
            load_rows(a, i, stop, true, r, p, q);
            add(r, p, q);
        });
    }
    send(sum, words, scratch);
}

/// The dot product that lane 0, 1 or 2 forms of the grid's words; `overflow`, in all lanes, when one left the window.
/// previous: the words as the last pass but one left them. Called by a warp.
template <class Unit, class Element>
__device__ __forceinline__ double fixed_total(const EngineParams<Unit, Element>& a, const unsigned long long* words,
                                              unsigned long long* previous, bool& overflow) {
    const int lane = threadIdx.x & 31;
    double sum = 0;
    unsigned long long word = 0;
    if (lane < 7) {
        const unsigned long long now = __ldcg(words + lane);
        word = now - previous[lane];
        previous[lane] = now;
    }
    overflow = __shfl_sync(~0u, word, 6) != 0;
    const unsigned long long low = __shfl_sync(~0u, word, 2 * (lane % 3));
    const unsigned long long high = __shfl_sync(~0u, word, 2 * (lane % 3) + 1);
    bool outside = false;
    if (lane < 3) sum = window_total(a.window, a.scalar.format, low, high, outside);
    overflow = __any_sync(~0u, overflow || outside);
    return sum;
}

// Single sums from block to block need no barrier: whoever needs one waits for it. Until it is there, a NaN that no
// operation returns (it is a signalling one) stands in its place.
__device__ __forceinline__ double awaited() {
    return __longlong_as_double(0x7FF4000000000001ll);
}
__device__ __forceinline__ double await(const double* sum) {
    long long bits;
    do asm volatile("ld.relaxed.gpu.global.s64 %0, [%1];" : "=l"(bits) : "l"(sum) : "memory");
    while (bits == __double_as_longlong(awaited()));
    return __longlong_as_double(bits);
}

/// One term of a dot product into floating-point sums.
template <bool Exact, class Unit, class Element>
__device__ __forceinline__ double lane_term(const EngineParams<Unit, Element>& a, typename Unit::Carrier x,
                                            typename Unit::Carrier y) {
    if constexpr (Exact) return static_cast<double>(x) * static_cast<double>(y);
    else return static_cast<double>(a.product.mul(x, y));
}
template <class Unit, class Element>
__device__ __forceinline__ double lane_term(const EngineParams<Unit, Element>& a, typename Unit::Carrier x,
                                            typename Unit::Carrier y) {
    return a.exact_product ? lane_term<true>(a, x, y) : lane_term<false>(a, x, y);
}
template <bool Exact, class Unit, class Element, class T>
__device__ __forceinline__ void lane_terms(const EngineParams<Unit, Element>& a, const T (&r)[kAhead],
                                           const T (&p)[kAhead], const T (&q)[kAhead], double (&t)[kAhead][3]) {
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
        t[k][0] = lane_term<Exact>(a, r[k], r[k]);
        t[k][1] = lane_term<Exact>(a, p[k], q[k]);
        t[k][2] = lane_term<Exact>(a, q[k], q[k]);
    }
}

/// One dot product's partial sums: warp `part` keeps partial sums 32 part .. 32 part + 31.
template <class Unit, class Element>
__device__ void add_lanes(const EngineParams<Unit, Element>& a, const Element* x, const Element* y, int part,
                          double* partial) {
    const int j = part * 32 + static_cast<int>(threadIdx.x & 31);
    if (j >= a.partials) return;
    constexpr int kDeep = 16;
    double sum = 0;
    const auto term = [&](long long i) { return lane_term(a, get(x, i), get(y, i)); };
    long long i = j;
    const long long n = a.partials;
    for (; i + (kDeep - 1) * n < a.size; i += kDeep * n) {
        double t[kDeep];
#pragma unroll
        for (int k = 0; k < kDeep; ++k) t[k] = term(i + k * n);
#pragma unroll
        for (int k = 0; k < kDeep; ++k) sum = a.accumulator.add(sum, t[k]);
    }
    for (; i < a.size; i += n) sum = a.accumulator.add(sum, term(i));
    partial[j] = sum;
}

/// All partial sums' terms, one after another, and their tree, which leaves the dot products in partial sums 0. With q
/// formed first where blocks do not keep their vectors.
template <class Unit, class Element, class Vectors>
__device__ __forceinline__ void sum_lanes(const EngineParams<Unit, Element>& a, Vectors& near, GridBarrier& barrier,
                                          Element* q_now) {
    using T = typename Unit::Carrier;
    const int tid = threadIdx.x;
    if constexpr (!kNear<Vectors>)
        for_own(a, [&](long long i, long long stop) {
            T r[kAhead], p[kAhead], q[kAhead];
            load_rows(a, i, stop, true, r, p, q);
        });
    barrier.wait();
    if constexpr (kNear<Vectors>) near.fetch(q_now);
    // Warps take the partial sums, spread over the blocks.
    const int parts = (a.partials + 31) / 32;
    for (int task = blockIdx.x + gridDim.x * (tid >> 5); task < 3 * parts; task += gridDim.x * (kEngineThreads / 32)) {
        const int dot = task / parts;
        add_lanes(a,
                  dot == 0   ? a.r
                  : dot == 1 ? a.p
                             : q_now,
                  dot == 0 ? a.r : q_now, task % parts, a.lanes + dot * a.partials);
    }
    barrier.wait();
    if (blockIdx.x == 0)
        for (int half = a.partials / 2; half > 0; half /= 2) {
            for (int k = tid; k < 3 * half; k += kEngineThreads) {
                double* const s = a.lanes + (k / half) * a.partials + k % half;
                *s = a.accumulator.add(*s, s[half]);
            }
            __syncthreads();
        }
    barrier.wait();
}

/// Where the partial sums of a pass go, with DotWay::binades.
template <class Unit, class Element>
__device__ __forceinline__ double* lanes_of(const EngineParams<Unit, Element>& a, std::uint64_t pass) {
    return a.lanes + (pass & 1) * 3 * a.partials;
}

/// This block's share of the partial sums, from the chunks' pieces. Called by all threads.
template <bool Near, class Unit, class Element>
__device__ __forceinline__ void walk_lanes(const EngineParams<Unit, Element>& a, BinadeShared& shared,
                                           const Element* q_now, std::uint64_t pass) {
    const int tid = threadIdx.x, lane = tid & 31;
    double* const lanes = lanes_of(a, pass);
    constexpr int kMost = Near ? kMostBlocks : kMaxChunks;
    for (int way = blockIdx.x; way < 3 * a.partials && tid < 32; way += gridDim.x) { // a warp each
        // Those that wait for it wait in the next pass, after a barrier.
        if (lane == 0) lanes_of(a, pass + 1)[way] = awaited();
        if (walk<kMost>(a.binades, a.accumulator, shared.walk.piece, shared.walk.trail, way, lanes + way)) continue;
        const int dot = way / a.partials, mine = way % a.partials;
        const Element* const x = dot == 0 ? a.r : dot == 1 ? a.p : q_now;
        const Element* const y = dot == 0 ? a.r : q_now;
        const long long count = mine < a.size ? (a.size - mine + a.partials - 1) / a.partials : 0;
        const double exact = add_in_order(a.binades, a.accumulator, 0.0, count, [&](long long k) {
            return lane_term(a, get(x, mine + k * a.partials), get(y, mine + k * a.partials));
        });
        if (lane == 0) hand_over(exact, lanes + way);
    }
}

/// The partial sums of a pass, by binades; forms q first where blocks do not keep their vectors.
template <class Unit, class Element, class Vectors>
__device__ __forceinline__ void sum_binades(const EngineParams<Unit, Element>& a, Vectors& near, GridBarrier& barrier,
                                            BinadeShared& shared, Element* q_now, std::uint64_t pass) {
    using T = typename Unit::Carrier;
    constexpr bool kKept = kNear<Vectors>;
    const auto terms_of = [&](const T(&r)[kAhead], const T(&p)[kAhead], const T(&q)[kAhead], double(&t)[kAhead][3]) {
        if (a.exact_product) lane_terms<true>(a, r, p, q, t);
        else lane_terms<false>(a, r, p, q, t);
    };
    const auto terms = [&](bool fresh) {
        return [&, fresh](long long i, long long stop, double(&t)[kAhead][3]) {
            if constexpr (kKept) {
                terms_of(near.r, near.p, near.q, t);
            } else {
                T r[kAhead], p[kAhead], q[kAhead];
                load_rows(a, i, stop, fresh, r, p, q);
                terms_of(r, p, q, t);
            }
        };
    };
    plain_sums<kKept>(a.binades, a.size, shared, terms(true));
    barrier.wait();
    if constexpr (kKept) near.fetch(q_now);
    ChunkWays{a.binades, shared, static_cast<long long>(a.accumulator.mask)}.template run<kKept>(a.size, terms(false));
    barrier.wait();
    walk_lanes<kKept>(a, shared, q_now, pass);
}

/// The tree over a pass's partial sums, as they arrive: the dot products. Called by all threads.
template <class Unit, class Element>
__device__ __forceinline__ void close_binades(const EngineParams<Unit, Element>& a, std::uint64_t pass,
                                              double (&closing)[3]) {
    const int tid = threadIdx.x, lane = tid & 31;
    if (tid < 96) { // a warp for each dot product
        const double* const s = lanes_of(a, pass) + (tid >> 5) * a.partials;
        const TruncatingUnit accumulator(a.accumulator); // see BinadePlan::fits
        double sum = await(s + min(lane, a.partials - 1));
        if (a.partials > 32) sum = accumulator.add(sum, await(s + lane + 32));
        for (int half = min(a.partials, 32) / 2; half > 0; half /= 2)
            sum = accumulator.add(sum, __shfl_down_sync(~0u, sum, half));
        if (lane == 0) closing[tid >> 5] = a.scalar.convert(sum);
    }
    __syncthreads();
}

#endif

} // namespace mantissa::gpu
