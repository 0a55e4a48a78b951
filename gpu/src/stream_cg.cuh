// Pipelined CG for grids that stream through memory: one persistent launch, one pass over the vectors per iteration.
//
// A warp walks down (odd passes: up) a strip of columns, V to a lane, with the lanes at its edges as halo. Row by row
// it recomputes q = A p from the old p, forms r', p' and u', and q' = A p' one row behind, which only the dot products
// see: q is never stored. r and p alternate between two buffers, so neighbours still find the old values.
//
//     constant stencil, per row and iteration:  read u r p, write u' r' p'        24 B in float, 48 B in double,
//                                                                                28 B with 40-bit r and p, 32 B with 48
//     nine bands:                               and nine coefficients             + 36 B in float, + 72 B in double
//
// Walking up and down in turn meets the rows that the last pass left in L2.
#pragma once

#include "cg_control.cuh"
#include "storage.cuh"

namespace mantissa::gpu {

struct StreamParams {
    int columns, rows;       ///< points
    int strips, segments;    ///< warps across and down
    int segment_rows;
    int fine_strips, fine_segments, fine_segment_rows; ///< the same for the double-precision defect
    long long pitch, origin; ///< element (x, y) is at origin + y * pitch + x; elements outside the grid are zero
    double centre, east, north, diagonal;
    const void* band[9];     ///< nine bands, laid out like a vector
    const double* fine_band[9];
    const double* b;
    double* x;               ///< mixed: the iterate
    void* u;
    Stored r[2], p[2];
    Packet* slots;
    Tag first_tag;
    ControlParams ask;
    ControlResult* result;
    int* current;            ///< which of the two buffers holds the last p
};

#ifdef __CUDACC__

/// q = A p of a constant stencil, by rows: push(row y+1) gives q of row y. Differences first: see resident_cg.cuh.
template <class T, int V> struct StencilWindow {
    T row[V + 2], below[V]; ///< below: weighted differences between rows y and y-1
    T csum, cside, cn, cd;

    __device__ __forceinline__ explicit StencilWindow(const StreamParams& a)
        : csum(static_cast<T>(a.centre + 2 * a.east + 2 * a.north + 4 * a.diagonal)),
          cside(static_cast<T>(a.east + 2 * a.diagonal)), cn(static_cast<T>(a.north)),
          cd(static_cast<T>(a.diagonal)) {
#pragma unroll
        for (int k = 0; k < V + 2; ++k) row[k] = 0;
#pragma unroll
        for (int k = 0; k < V; ++k) below[k] = 0;
    }
    __device__ __forceinline__ void push(const T (&next)[V + 2], T (&q)[V]) {
        T d[V + 2];
#pragma unroll
        for (int k = 0; k < V + 2; ++k) d[k] = next[k] - row[k];
#pragma unroll
        for (int k = 0; k < V; ++k) {
            const T above = cd * (d[k] + d[k + 2]) + cn * d[k + 1];
            q[k] = csum * row[k + 1] +
                   (cside * ((row[k + 2] - row[k + 1]) - (row[k + 1] - row[k])) + (above - below[k]));
            below[k] = above;
        }
#pragma unroll
        for (int k = 0; k < V + 2; ++k) row[k] = next[k];
    }
};

/// A row with its two neighbours across the lanes.
template <class T, int V> __device__ __forceinline__ void widen(const T (&x)[V], T (&row)[V + 2]) {
    row[0] = __shfl_up_sync(~0u, x[V - 1], 1);
    row[V + 1] = __shfl_down_sync(~0u, x[0], 1);
#pragma unroll
    for (int k = 0; k < V; ++k) row[k + 1] = x[k];
}

/// One pass of this warp. Storage: how r and p are kept; U: the type of u's elements.
template <class Storage, class U, int V, bool Mixed>
__device__ __forceinline__ void stream_pass(const StreamParams& a, const PassScalars& s, int from, bool up,
                                            double (&sum)[kSums]) {
    using T = typename Storage::Compute;
    constexpr int kWidth = 30 * V;
    const int lane = threadIdx.x & 31;
    // Block-major numbering keeps the warps of a block side by side.
    const int task = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (task >= a.strips * a.segments) return;
    const int strip = task % a.strips, segment = task / a.strips;
    const int column = strip * kWidth + (lane - 1) * V;
    const int begin = segment * a.segment_rows, end = min(begin + a.segment_rows, a.rows);
    if (begin >= end) return;
    const bool there = column >= 0 && column < a.columns;
    const bool inner = there && lane != 0 && lane != 31;
    unsigned mask = 0; // columns of the grid
#pragma unroll
    for (int k = 0; k < V; ++k) mask |= (there && column + k < a.columns) ? 1u << k : 0u;
    const bool ragged = __any_sync(~0u, mask != (1u << V) - 1);

    const T alpha = static_cast<T>(s.alpha), beta = static_cast<T>(s.beta), gamma = static_cast<T>(s.gamma);
    const Stored r_old = a.r[from], p_old = a.p[from], r_new = a.r[from ^ 1], p_new = a.p[from ^ 1];
    const bool fresh_u = s.first;

    // Step t works on row(t); rows are numbered along the walk, outside of 0..rows-1 they hold zeros.
    const int first = up ? end - 1 : begin, step = up ? -1 : 1, count = end - begin;
    const long long stride = step * a.pitch;
    long long at = a.origin + static_cast<long long>(first) * a.pitch + column; // element of the row behind p's
    using RawV = typename Storage::template Raw<V>;
    using RawU = Vector<U, V>;
    const auto row_in = [&](int t) { // t: rows walked past the first
        const int y = first + step * t;
        return y >= 0 && y < a.rows;
    };
    const auto load_p = [&](int t) {
        return there && row_in(t) ? Storage::template load<V>(p_old, at + t * stride) : Storage::template zero<V>();
    };
    const auto load_r = [&](int t) {
        return there && row_in(t) ? Storage::template load<V>(r_old, at + t * stride) : Storage::template zero<V>();
    };
    const auto load_u = [&](int t) {
        RawU v = {};
        if (inner && !fresh_u && t >= 0 && t < count) v = *reinterpret_cast<const RawU*>(static_cast<const U*>(a.u) + at + t * stride);
        return v;
    };

    StencilWindow<T, V> old_p(a), new_p(a);
    T row[V + 2], x[V], q[V];
    {
        Storage::template unpack<V>(load_p(-2), x);
        widen<T, V>(x, row);
        old_p.push(row, q);
        Storage::template unpack<V>(load_p(-1), x);
        widen<T, V>(x, row);
        old_p.push(row, q);
    }
    RawV p_next = load_p(0), r_next = load_r(-1);
    RawU u_next = load_u(-1);
    // At step t: p of row t arrives, r' p' u' of row t-1 are formed, q' of row t-2.
    for (int t = 0; t <= count + 1; ++t) {
        const RawV p_raw = p_next, r_raw = r_next;
        const RawU u_raw = u_next;
        if (t <= count) {
            p_next = load_p(t + 1);
            r_next = load_r(t);
            u_next = load_u(t);
        }
        T p[V], r[V], pn[V];
#pragma unroll
        for (int k = 0; k < V; ++k) p[k] = old_p.row[k + 1]; // row t-1
        Storage::template unpack<V>(p_raw, x);
        widen<T, V>(x, row);
        old_p.push(row, q);
        const bool row_ok = row_in(t - 1);
        if (ragged || !row_ok) {
#pragma unroll
            for (int k = 0; k < V; ++k)
                if (!row_ok || !((mask >> k) & 1)) q[k] = 0;
        }
        Storage::template unpack<V>(r_raw, r);
        const bool mine = inner && t >= 1 && t <= count;
        const long long here = at + (t - 1) * stride;
#pragma unroll
        for (int k = 0; k < V; ++k) r[k] -= alpha * q[k];
        Storage::template store<V>(r_new, here, r, mine);
#pragma unroll
        for (int k = 0; k < V; ++k) pn[k] = (Mixed ? gamma * r[k] : r[k]) + beta * p[k];
        Storage::template store<V>(p_new, here, pn, mine);
        if (mine) {
            RawU v;
            T rr = 0;
#pragma unroll
            for (int k = 0; k < V; ++k) {
                v.x[k] = static_cast<U>(static_cast<T>(u_raw.x[k]) + alpha * p[k]);
                rr += r[k] * r[k];
            }
            *reinterpret_cast<RawU*>(static_cast<U*>(a.u) + here) = v;
            sum[0] += rr;
        }
        T middle[V];
#pragma unroll
        for (int k = 0; k < V; ++k) middle[k] = new_p.row[k + 1]; // p' of row t-2
        widen<T, V>(pn, row);
        new_p.push(row, q);
        if (inner && t >= 2) {
            T pq = 0, qq = 0;
#pragma unroll
            for (int k = 0; k < V; ++k) {
                const T v = !ragged || ((mask >> k) & 1) ? q[k] : T(0);
                pq += middle[k] * v;
                qq += v * v;
            }
            sum[1] += pq;
            sum[2] += qq;
        }
    }
}

/// x += scale (u + alpha p).
template <class Storage, class U, int V>
__device__ __forceinline__ void add_correction(const StreamParams& a, const PassScalars& s, int from) {
    const long long vectors = (static_cast<long long>(a.rows) * a.pitch) / V;
    const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; j < vectors; j += threads) {
        const long long i = a.origin + j * V;
        typename Storage::Compute p[V];
        Storage::template unpack<V>(Storage::template load<V>(a.p[from], i), p);
        const Vector<U, V> u = *reinterpret_cast<const Vector<U, V>*>(static_cast<const U*>(a.u) + i);
        auto* const to = reinterpret_cast<Vector<double, V>*>(a.x + i);
        Vector<double, V> x = *to;
#pragma unroll
        for (int k = 0; k < V; ++k) x.x[k] += s.scale * (static_cast<double>(u.x[k]) + s.alpha * static_cast<double>(p[k]));
        *to = x;
    }
}

/// r = (b - A x) / scale, with the sums r.r and r.p.
template <class Storage>
__device__ __forceinline__ void form_defect(const StreamParams& a, double scale, int from, double (&sum)[kSums]) {
    constexpr int V = 2, kWidth = 60;
    const int lane = threadIdx.x & 31;
    const int task = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    const int strip = task % a.fine_strips, segment = task / a.fine_strips;
    const int column = strip * kWidth + (lane - 1) * V;
    const int begin = segment * a.fine_segment_rows, end = min(begin + a.fine_segment_rows, a.rows);
    if (segment >= a.fine_segments || begin >= end) return;
    const bool there = column >= 0 && column < a.columns, inner = there && lane != 0 && lane != 31;
    const double inverse = 1 / scale;
    StencilWindow<double, V> window(a);
    const auto load = [&](const double* v, int y) {
        Vector<double, V> x = {};
        if (there && y >= 0 && y < a.rows)
            x = *reinterpret_cast<const Vector<double, V>*>(v + a.origin + y * a.pitch + column);
        return x;
    };
    double row[V + 2], q[V];
    Vector<double, V> next = load(a.x, begin - 1);
    widen<double, V>(next.x, row);
    window.push(row, q);
    next = load(a.x, begin);
    for (int y = begin; y <= end; ++y) { // x of row y arrives, the defect of row y-1 is formed
        const Vector<double, V> now = next;
        if (y < end) next = load(a.x, y + 1);
        widen<double, V>(now.x, row);
        window.push(row, q);
        if (y == begin || !inner) continue;
        const long long i = a.origin + (y - 1) * a.pitch + column;
        const Vector<double, V> b = *reinterpret_cast<const Vector<double, V>*>(a.b + i);
        typename Storage::Compute r[V], p[V];
        Storage::template unpack<V>(Storage::template load<V>(a.p[from], i), p);
#pragma unroll
        for (int k = 0; k < V; ++k)
            r[k] = column + k < a.columns ? static_cast<typename Storage::Compute>((b.x[k] - q[k]) * inverse) : 0;
        Storage::template store<V>(a.r[from], i, r, true);
#pragma unroll
        for (int k = 0; k < V; ++k) {
            sum[0] += static_cast<double>(r[k]) * static_cast<double>(r[k]);
            sum[1] += static_cast<double>(r[k]) * static_cast<double>(p[k]);
        }
    }
}

/// The whole solve. The state in memory at the start: r[0] = b, p[0] = 0 (not mixed), x = 0, p[0] = 0 (mixed).
template <class Storage, class U, int V, bool Mixed, int Threads>
__global__ void __launch_bounds__(Threads, 1) stream_cg(const __grid_constant__ StreamParams a) {
    __shared__ double scratch[Threads / 32][kSums];
    __shared__ double totals[kSums];
    __shared__ PassScalars shared;
    __shared__ Control control; // thread 0's
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    GridReduce grid{a.slots};
    Tag tag = a.first_tag;
    int from = 0;
    bool up = false;
    if (tid == 0) {
        control.reset(a.ask);
        shared = {};
        shared.gamma = 1;
        shared.first = true;
        shared.restart = Mixed;
    }
    __syncthreads();
    while (true) {
        if constexpr (Mixed) {
            if (shared.restart) {
                double sum[kSums] = {};
                if (tag != a.first_tag) {
                    add_correction<Storage, U, V>(a, shared, from);
                    grid.publish(sum, tag, scratch, true);
                    if (warp < kSums) grid.collect(sum, tag, totals, true);
                    ++tag;
                }
                __syncthreads();
                if (tid == 0) shared.scale = control.next_scale();
                __syncthreads();
                sum[0] = sum[1] = sum[2] = 0;
                form_defect<Storage>(a, shared.scale, from, sum);
                grid.publish(sum, tag, scratch, true);
                if (warp < kSums && grid.collect(sum, tag, totals, true) && lane == 0)
                    control.after_defect(sum, shared);
                ++tag;
                __syncthreads();
                if (shared.stop) break;
            }
        }
        double sum[kSums] = {};
        {
            const PassScalars s = shared;
            stream_pass<Storage, U, V, Mixed>(a, s, from, up, sum);
        }
        from ^= 1;
        up = !up;
        grid.publish(sum, tag, scratch, true);
        if (warp < kSums && grid.collect(sum, tag, totals, true) && lane == 0)
            control.after_pass(sum, shared, Mixed);
        ++tag;
        __syncthreads();
        if (shared.stop) break;
    }
    if (blockIdx.x == 0 && tid == 0) {
        *a.result = control.result;
        *a.current = from;
    }
}

#endif

} // namespace mantissa::gpu
