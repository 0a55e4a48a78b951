// Pipelined CG for grids that stream through memory: one persistent launch, one pass over the vectors per iteration.
//
// A warp walks down (odd passes: up) a strip of columns, V to a lane, with the lanes at its edges as halo. Row by row
// it recomputes q = A p from the old p, forms r', p' and u', and q' = A p' one row later, which only the dot products
// see: q is never stored. r and p alternate between two buffers, so neighbours still find the old values.
//
//     constant stencil, per row and iteration:   read r p, write r' p'; every other one: read u, write u'
//         20 B in float, 40 B in double; 28 B with r and p in 40 bits and u in double, 32 B with 48 bits
//
// Walking up and down in turn meets the rows that the last pass left in L2.
#pragma once

#include "schedules/cg_control.cuh"
#include "schedules/storage.cuh"

namespace mantissa::gpu {

struct StreamParams {
    int columns, rows;    ///< points
    int strips, segments; ///< warps across and down
    int segment_rows;
    int fine_strips, fine_segments, fine_segment_rows; ///< the same for the double-precision defect
    long long pitch, origin; ///< element (x, y) is at origin + y * pitch + x; elements outside the grid are zero
    double centre, east, north, diagonal;
    double row_sum, side_sum; ///< of all nine coefficients, and of the three to the east, each rounded once
    const double* b;
    double* x; ///< mixed: the iterate
    void* u;
    void *r[2], *p[2];
    unsigned long long* words;   ///< of GridReduce
    const ControlResult* before; ///< of the launch that this one continues, with its x and p; or null
    ControlParams ask;
    ControlResult* result;
};

#ifdef __CUDACC__

/// q = A p of a constant stencil, by rows: push(row y+1) gives q of row y. Differences first: see resident_cg.cuh.
template <class T, int V> struct StencilWindow {
    T row[V + 2], below[V]; ///< below: weighted differences between rows y and y-1
    T csum, cside, cn, cd;

    // (With row sums that are not the exact ones, each defect would give r back the smooth part that passes had not
    // seen.)
    __device__ __forceinline__ explicit StencilWindow(const StreamParams& a)
        : csum(static_cast<T>(a.row_sum)), cside(static_cast<T>(a.side_sum)), cn(static_cast<T>(a.north)),
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
            q[k] =
                csum * row[k + 1] + (cside * ((row[k + 2] - row[k + 1]) - (row[k + 1] - row[k])) + (above - below[k]));
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

/// A warp's strip, and its lanes' columns of it. Rows are numbered along the walk, down or up.
template <int V> struct WarpStrip {
    long long at, stride; ///< my first element of row 0, and the step to the next row
    int count;            ///< rows of the strip
    int lowest, highest;  ///< rows of the walk that lie in the grid
    unsigned mask;        ///< my columns in the grid
    bool there, inner;    ///< my columns are in the grid, and mine to write
    bool ragged;          ///< columns of the warp are not

    __device__ __forceinline__ WarpStrip(const StreamParams& a, int task, bool up) {
        constexpr int kWidth = 30 * V;
        const int lane = threadIdx.x & 31;
        const int strip = task % a.strips, segment = task / a.strips;
        const int column = strip * kWidth + (lane - 1) * V;
        const int begin = segment * a.segment_rows, end = min(begin + a.segment_rows, a.rows);
        there = column >= 0 && column < a.columns;
        inner = there && lane != 0 && lane != 31;
        mask = 0;
#pragma unroll
        for (int k = 0; k < V; ++k) mask |= (there && column + k < a.columns) ? 1u << k : 0u;
        ragged = __any_sync(~0u, mask != (1u << V) - 1);
        const int first = up ? end - 1 : begin, step = up ? -1 : 1;
        count = end - begin;
        stride = step * a.pitch;
        at = a.origin + static_cast<long long>(first) * a.pitch + column;
        lowest = up ? first - (a.rows - 1) : -first;
        highest = up ? first : a.rows - 1 - first;
    }
    [[nodiscard]] __device__ __forceinline__ bool row_in(int t) const {
        return t >= lowest && t <= highest;
    }
    [[nodiscard]] __device__ __forceinline__ bool column_in(int k) const {
        return ((mask >> k) & 1) != 0;
    }
};

/// r, p and u of a row as they are stored, loaded ahead of their turn.
template <class Storage, int V> struct RawRow {
    typename Storage::template Raw<V> p, r;
    typename Storage::template Raw<V> u;
};

/// One row's part of the dot products p.q and q.q.
template <class T, int V>
__device__ __forceinline__ void add_row(const WarpStrip<V>& strip, const T (&p)[V], const T (&q)[V],
                                        double (&sum)[kSums]) {
    T pq = 0, qq = 0;
#pragma unroll
    for (int k = 0; k < V; ++k) {
        const T v = !strip.ragged || strip.column_in(k) ? q[k] : T(0);
        pq += p[k] * v;
        qq += v * v;
    }
    sum[1] += pq;
    sum[2] += qq;
}

/// One pass of this warp: at step t, p of row t arrives, r' p' u' of row t-1 are formed, q' of row t-2. Outside of the
/// grid rows hold zeros. Storage: how vectors are kept; Ahead: rows loaded before their turn.
template <class Storage, int V, bool Mixed, int Ahead>
__device__ __forceinline__ void stream_pass(const StreamParams& a, const PassScalars& s, int from, bool up,
                                            double (&sum)[kSums]) {
    using T = typename Storage::Compute;
    const int task = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (task >= a.strips * a.segments) return;
    const WarpStrip<V> strip(a, task, up);
    const T alpha = static_cast<T>(s.alpha), beta = static_cast<T>(s.beta), gamma = static_cast<T>(s.gamma),
            carry = static_cast<T>(s.carry);
    void *const r_old = a.r[from], *const p_old = a.p[from], *const r_new = a.r[from ^ 1], *const p_new = a.p[from ^ 1];
    const bool update_u = s.update_u, read_u = update_u && !s.fresh && strip.inner;
    const auto load = [&](const void* v, int t) {
        return strip.there && strip.row_in(t) ? Storage::template load<V>(v, strip.at + t * strip.stride)
                                              : Storage::template zero<V>();
    };
    const auto load_u = [&](int t) {
        return read_u && t >= 0 && t < strip.count ? Storage::template load<V>(a.u, strip.at + t * strip.stride)
                                                   : Storage::template zero<V>();
    };
    const auto load_row = [&](int t) { return RawRow<Storage, V>{load(p_old, t), load(r_old, t - 1), load_u(t - 1)}; };

    StencilWindow<T, V> old_p(a), new_p(a);
    T row[V + 2], x[V], q[V];
    RawRow<Storage, V> next[Ahead];
    {
        const auto first_p = load(p_old, -2), second_p = load(p_old, -1);
#pragma unroll
        for (int i = 0; i < Ahead; ++i) next[i] = load_row(i);
        Storage::template unpack<V>(first_p, x);
        widen<T, V>(x, row);
        old_p.push(row, q);
        Storage::template unpack<V>(second_p, x);
        widen<T, V>(x, row);
        old_p.push(row, q);
    }
    for (int t0 = 0; t0 <= strip.count + 1; t0 += Ahead)
#pragma unroll
        for (int i = 0; i < Ahead; ++i) {
            const int t = t0 + i;
            if (Ahead > 1 && t > strip.count + 1) break;
            const RawRow<Storage, V> raw = next[i];
            if (t + Ahead <= strip.count + 1) next[i] = load_row(t + Ahead);
            T p[V], r[V], pn[V];
#pragma unroll
            for (int k = 0; k < V; ++k) p[k] = old_p.row[k + 1]; // row t-1
            Storage::template unpack<V>(raw.p, x);
            widen<T, V>(x, row);
            old_p.push(row, q);
            const bool row_ok = strip.row_in(t - 1);
            if (strip.ragged || !row_ok) {
#pragma unroll
                for (int k = 0; k < V; ++k)
                    if (!row_ok || !strip.column_in(k)) q[k] = 0;
            }
            Storage::template unpack<V>(raw.r, r);
            const bool mine = strip.inner && t >= 1 && t <= strip.count;
            const long long here = strip.at + (t - 1) * strip.stride;
            if (update_u && mine) {
                typename Storage::Compute u[V];
                Storage::template unpack<V>(raw.u, u);
#pragma unroll
                for (int k = 0; k < V; ++k)
                    u[k] += static_cast<typename Storage::Compute>(carry * (p[k] - r[k]) + alpha * p[k]);
                Storage::template store<V>(a.u, here, u, true);
            }
#pragma unroll
            for (int k = 0; k < V; ++k) r[k] -= alpha * q[k];
            Storage::template store<V>(r_new, here, r, mine);
#pragma unroll
            for (int k = 0; k < V; ++k) pn[k] = (Mixed ? gamma * r[k] : r[k]) + beta * p[k];
            Storage::template store<V>(p_new, here, pn, mine);
            if (mine) {
                T rr = 0;
#pragma unroll
                for (int k = 0; k < V; ++k) rr += r[k] * r[k];
                sum[0] += rr;
            }
            T middle[V];
#pragma unroll
            for (int k = 0; k < V; ++k) middle[k] = new_p.row[k + 1]; // p' of row t-2
            widen<T, V>(pn, row);
            new_p.push(row, q);
            if (strip.inner && t >= 2) add_row(strip, middle, q, sum);
        }
}

/// x += scale (u + carry (p - r) + alpha p).
template <class Storage, int V>
__device__ __forceinline__ void add_correction(const StreamParams& a, const PassScalars& s, int from) {
    const long long vectors = (static_cast<long long>(a.rows) * a.pitch) / V;
    const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; j < vectors; j += threads) {
        const long long i = a.origin + j * V;
        typename Storage::Compute p[V], r[V];
        typename Storage::Compute u[V];
        Storage::template unpack<V>(Storage::template load<V>(a.p[from], i), p);
        Storage::template unpack<V>(s.fresh ? Storage::template zero<V>() : Storage::template load<V>(a.u, i), u);
        if (s.carry != 0) Storage::template unpack<V>(Storage::template load<V>(a.r[from], i), r);
        auto* const to = reinterpret_cast<Vector<double, V>*>(a.x + i);
        Vector<double, V> x = *to;
#pragma unroll
        for (int k = 0; k < V; ++k) {
            double d = static_cast<double>(u[k]) + s.alpha * static_cast<double>(p[k]);
            if (s.carry != 0) d += s.carry * (static_cast<double>(p[k]) - static_cast<double>(r[k]));
            x.x[k] += s.scale * d;
        }
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

/// A restart: what the inner solve has found goes to x, and r becomes the new defect.
template <class Storage, int V>
__device__ __forceinline__ void restart_stream(const StreamParams& a, ControlBlock& block, int from) {
    if (block.tag != 0) {
        add_correction<Storage, V>(a, block.scalars, from);
        block.meet();
        __syncthreads();
    }
    block.rescale();
    double sum[kSums] = {};
    form_defect<Storage>(a, block.scalars.scale, from, sum);
    block.publish(sum, true);
    if (threadIdx.x < 32) {
        block.collect(sum, true);
        if (threadIdx.x == 0) block.control.after_defect(sum, block.scalars, block.state);
    }
    block.next();
}

/// The whole solve; with Continues (and Mixed), what follows the launch `before`. The state in memory at the start: x =
/// 0, p[0] = 0, and r[0] = b when not mixed; or what that launch left.
template <class Storage, int V, bool Mixed, int Threads, int Ahead, bool Continues = false>
__global__ void __launch_bounds__(Threads, 1) stream_cg(const __grid_constant__ StreamParams a) {
    __shared__ double scratch[Threads / 32][kSums];
    __shared__ GridState state;
    __shared__ PassScalars shared;
    __shared__ Control control; // thread 0's
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    ControlBlock block{{a.words}, scratch, state, shared, control, 0};
    // Each pass takes the state from one buffer to the other.
    int from = Continues ? static_cast<int>(a.before->passes & 1) : 0;
    bool up = from != 0;
    if (threadIdx.x == 0) control.reset(a.ask, shared, state, Mixed, Continues ? a.before : nullptr);
    __syncthreads();
    while (!Continues || !shared.stop) { // a launch that failed has stopped what would follow
        if constexpr (Mixed) {
            if (shared.restart) {
                restart_stream<Storage, V>(a, block, from);
                if (shared.stop) break;
            }
        }
        double sum[kSums] = {};
        {
            const PassScalars s = shared;
            stream_pass<Storage, V, Mixed, Ahead>(a, s, from, up, sum);
        }
        from ^= 1;
        up = !up;
        block.publish(sum, true);
        if (warp == 0) {
            block.collect(sum, true);
            if (lane == 0) control.after_pass(sum, shared, state, Mixed);
        }
        block.next();
        if (shared.stop) break;
    }
    if constexpr (!Mixed) add_correction<Storage, V>(a, shared, from);
    if (blockIdx.x == 0 && threadIdx.x == 0) *a.result = control.result;
}

#endif

} // namespace mantissa::gpu
