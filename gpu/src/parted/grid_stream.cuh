// Pipelined CG over strips of a grid's rows, one part on each device: one persistent launch, one pass over memory per
// iteration (see ../stream_cg.cuh for the pass itself).
//
// A pass needs the two rows of p and the one row of r next to the part, as the last pass left them. Who forms them puts
// them straight into the neighbour's memory, while it forms them; the sums after the pass say that they have come. So
// an iteration has one exchange and one reduction, and they are the same wait.
//
// Points are formed by operations named one by one, and sums do not depend on their order: no bit depends on strips,
// blocks or the number of parts.
#pragma once

#include "grid_part.hpp"
#include "grid_point.cuh"
#include "part_block.cuh"
#include "schedules/storage.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

/// q = A p by rows: push(row y+1) gives q of row y, by differences.
template <class T, int V> struct PartWindow {
    T row[V + 2], below[V]; ///< below: weighted differences between rows y and y-1
    T csum, cside, cn, cd;

    __device__ __forceinline__ explicit PartWindow(const GridPart<T>& a)
        : PartWindow(a.row_sum, a.side_sum, a.north, a.diagonal) {}
    __device__ __forceinline__ PartWindow(double row_sum, double side_sum, double north, double diagonal)
        : csum(static_cast<T>(row_sum)), cside(static_cast<T>(side_sum)), cn(static_cast<T>(north)),
          cd(static_cast<T>(diagonal)) {
#pragma unroll
        for (int k = 0; k < V + 2; ++k) row[k] = 0;
#pragma unroll
        for (int k = 0; k < V; ++k) below[k] = 0;
    }
    __device__ __forceinline__ void push(const T (&next)[V + 2], T (&q)[V]) {
        T d[V + 2], across[V + 1];
#pragma unroll
        for (int k = 0; k < V + 2; ++k) d[k] = plus(next[k], -row[k]);
#pragma unroll
        for (int k = 0; k < V + 1; ++k) across[k] = plus(row[k + 1], -row[k]);
#pragma unroll
        for (int k = 0; k < V; ++k) {
            const T above = weighted_step(cn, cd, d[k], d[k + 1], d[k + 2]);
            q[k] = point_product(csum, cside, row[k + 1], across[k], across[k + 1], below[k], above);
            below[k] = above;
        }
#pragma unroll
        for (int k = 0; k < V + 2; ++k) row[k] = next[k];
    }
};

/// A row with its two neighbours across the lanes.
template <class T, int V> __device__ __forceinline__ void widen_part(const T (&x)[V], T (&row)[V + 2]) {
    row[0] = __shfl_up_sync(~0u, x[V - 1], 1);
    row[V + 1] = __shfl_down_sync(~0u, x[0], 1);
#pragma unroll
    for (int k = 0; k < V; ++k) row[k + 1] = x[k];
}

/// A warp's strip, and its lanes' columns of it. Rows are numbered along the walk, down or up.
template <class T, int V> struct PartStrip {
    int at, stride;      ///< my first element of row 0, and the step to the next row (parts have fewer than 2^31)
    int count;           ///< rows of the strip
    int lowest, highest; ///< rows of the walk that lie in the grid
    int first, step;     ///< row of the part where the walk begins, and its direction
    unsigned mask;       ///< my columns in the grid
    bool there, inner;   ///< my columns are in the grid, and mine to write
    bool ragged;         ///< columns of the warp are not
    bool edge;           ///< rows of it go to a neighbour

    __device__ __forceinline__ PartStrip(const GridPart<T>& a, int task, bool up) {
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
        first = up ? end - 1 : begin;
        step = up ? -1 : 1;
        count = end - begin;
        stride = step * static_cast<int>(a.pitch);
        at = static_cast<int>(a.origin) + first * static_cast<int>(a.pitch) + column;
        lowest = up ? first - (a.rows - 1 + a.after) : -(first + a.before);
        highest = up ? first + a.before : a.rows - 1 + a.after - first;
        edge = (begin < 2 && a.before > 0) || (end > a.rows - 2 && a.after > 0);
    }
    [[nodiscard]] __device__ __forceinline__ bool row_in(int t) const {
        return t >= lowest && t <= highest;
    }
    [[nodiscard]] __device__ __forceinline__ bool column_in(int k) const {
        return ((mask >> k) & 1) != 0;
    }
};

template <class T, int V> __device__ __forceinline__ Vector<T, V> load_vector(const T* from) {
    return *reinterpret_cast<const Vector<T, V>*>(from);
}
template <class T, int V> __device__ __forceinline__ void store_vector(T* to, const T (&x)[V]) {
    Vector<T, V> v;
#pragma unroll
    for (int k = 0; k < V; ++k) v.x[k] = x[k];
    *reinterpret_cast<Vector<T, V>*>(to) = v;
}

/// Row y's new r and p go to the neighbours that keep a copy of them.
template <class T, int V>
__device__ __forceinline__ void put_edge(const GridPart<T>& a, int to, int y, int here, const T (&r)[V],
                                         const T (&p)[V]) {
    if (y < 2 && a.before > 0) {
        store_vector(a.low_p[to] + here, p);
        if (y == 0) store_vector(a.low_r[to] + here, r);
    }
    if (y >= a.rows - 2 && a.after > 0) {
        store_vector(a.high_p[to] + here, p);
        if (y == a.rows - 1) store_vector(a.high_r[to] + here, r);
    }
}

template <class T, int V> struct PartRow { Vector<T, V> p, r, u; };

/// One pass of this warp: at step t, p of row t arrives, r' p' u' of row t-1 are formed, q' of row t-2. Outside of the
/// grid rows hold zeros. Returns whether rows went to a neighbour.
template <class T, int V, int Ahead, class Sums>
__device__ __forceinline__ void part_pass(const GridPart<T>& a, const PassScalars& s, int from, bool up, int task,
                                          Sums& sums) {
    const PartStrip<T, V> strip(a, task, up);
    const T alpha = static_cast<T>(s.alpha), beta = static_cast<T>(s.beta), gamma = static_cast<T>(s.gamma),
            carry = static_cast<T>(s.carry);
    const T *const r_old = a.r[from], *const p_old = a.p[from];
    T *const r_new = a.r[from ^ 1], *const p_new = a.p[from ^ 1], *const u = a.u;
    const bool update_u = s.update_u, read_u = update_u && !s.fresh && strip.inner;
    const auto load = [&](const T* v, int t) {
        return strip.there && strip.row_in(t) ? load_vector<T, V>(v + strip.at + t * strip.stride) : Vector<T, V>{};
    };
    const auto load_u = [&](int t) {
        return read_u && t >= 0 && t < strip.count ? load_vector<T, V>(u + strip.at + t * strip.stride)
                                                   : Vector<T, V>{};
    };
    const auto load_row = [&](int t) { return PartRow<T, V>{load(p_old, t), load(r_old, t - 1), load_u(t - 1)}; };

    PartWindow<T, V> old_p(a), new_p(a);
    T row[V + 2], q[V];
    PartRow<T, V> next[Ahead];
    {
        const auto first_p = load(p_old, -2), second_p = load(p_old, -1);
#pragma unroll
        for (int i = 0; i < Ahead; ++i) next[i] = load_row(i);
        widen_part<T, V>(first_p.x, row);
        old_p.push(row, q);
        widen_part<T, V>(second_p.x, row);
        old_p.push(row, q);
    }
    for (int t0 = 0; t0 <= strip.count + 1; t0 += Ahead)
#pragma unroll
        for (int i = 0; i < Ahead; ++i) {
            const int t = t0 + i;
            if (Ahead > 1 && t > strip.count + 1) break;
            const PartRow<T, V> raw = next[i];
            if (t + Ahead <= strip.count + 1) next[i] = load_row(t + Ahead);
            T p[V], r[V], pn[V];
#pragma unroll
            for (int k = 0; k < V; ++k) p[k] = old_p.row[k + 1]; // row t-1
            widen_part<T, V>(raw.p.x, row);
            old_p.push(row, q);
            const bool row_ok = strip.row_in(t - 1);
            if (strip.ragged || !row_ok) {
#pragma unroll
                for (int k = 0; k < V; ++k)
                    if (!row_ok || !strip.column_in(k)) q[k] = 0;
            }
            const bool mine = strip.inner && t >= 1 && t <= strip.count;
            const int here = strip.at + (t - 1) * strip.stride;
            if (update_u && mine) {
                T un[V];
#pragma unroll
                for (int k = 0; k < V; ++k) un[k] = next_u(raw.u.x[k], carry, alpha, p[k], raw.r.x[k]);
                store_vector(u + here, un);
            }
#pragma unroll
            for (int k = 0; k < V; ++k) {
                r[k] = fused(-alpha, q[k], raw.r.x[k]);
                pn[k] = next_p(beta, p[k], gamma, r[k]);
            }
            if (mine) {
                store_vector(r_new + here, r);
                store_vector(p_new + here, pn);
                if (strip.edge) put_edge<T, V>(a, from ^ 1, strip.first + (t - 1) * strip.step, here, r, pn);
#pragma unroll
                for (int k = 0; k < V; ++k) sums.add(0, r[k], r[k]);
            }
            T middle[V];
#pragma unroll
            for (int k = 0; k < V; ++k) middle[k] = new_p.row[k + 1]; // p' of row t-2
            widen_part<T, V>(pn, row);
            new_p.push(row, q);
            if (strip.inner && t >= 2) {
#pragma unroll
                for (int k = 0; k < V; ++k)
                    if (!strip.ragged || strip.column_in(k)) {
                        sums.add(1, middle[k], q[k]);
                        sums.add(2, q[k], q[k]);
                    }
            }
        }
}

/// x += scale (u + carry (p - r) + alpha p); its rows at the part's ends go to the neighbours.
template <class T>
__device__ __forceinline__ void part_correction(const GridPart<T>& a, const PassScalars& s, int from) {
    for (int y = static_cast<int>(blockIdx.x); y < a.rows; y += static_cast<int>(gridDim.x))
        for (int c = static_cast<int>(threadIdx.x); c < a.columns; c += static_cast<int>(blockDim.x)) {
            const long long i = a.origin + y * a.pitch + c;
            const double p = a.p[from][i], r = s.carry != 0 ? static_cast<double>(a.r[from][i]) : 0.0;
            const double x = corrected(a.x[i], s, s.fresh ? 0.0 : static_cast<double>(a.u[i]), p, r);
            a.x[i] = x;
            if (y == 0 && a.before > 0) a.low_x[i] = x;
            if (y == a.rows - 1 && a.after > 0) a.high_x[i] = x;
        }
}

/// r = (b - A x) / scale, with the sums r.r and r.p; r's rows at the part's ends go to the neighbours.
template <class T>
__device__ __forceinline__ void part_defect(const GridPart<T>& a, double scale, int from, int task,
                                            OrderFree<T>& sums) {
    constexpr int V = 2, kWidth = 60;
    const int lane = threadIdx.x & 31;
    const int strip = task % a.fine_strips, segment = task / a.fine_strips;
    const int column = strip * kWidth + (lane - 1) * V;
    const int begin = segment * a.fine_segment_rows, end = min(begin + a.fine_segment_rows, a.rows);
    if (segment >= a.fine_segments || begin >= end) return;
    const bool there = column >= 0 && column < a.columns, inner = there && lane != 0 && lane != 31;
    const double inverse = 1 / scale;
    PartWindow<double, V> window(a.row_sum, a.side_sum, a.north, a.diagonal);
    const auto load = [&](int y) {
        return there && y >= -a.before && y < a.rows + a.after
                   ? load_vector<double, V>(a.x + a.origin + y * a.pitch + column)
                   : Vector<double, V>{};
    };
    double row[V + 2], q[V];
    Vector<double, V> next = load(begin - 1);
    widen_part<double, V>(next.x, row);
    window.push(row, q);
    next = load(begin);
    for (int y = begin; y <= end; ++y) { // x of row y arrives, the defect of row y-1 is formed
        const Vector<double, V> now = next;
        if (y < end) next = load(y + 1);
        widen_part<double, V>(now.x, row);
        window.push(row, q);
        if (y == begin || !inner) continue;
        const long long i = a.origin + (y - 1) * a.pitch + column;
        const Vector<double, V> b = load_vector<double, V>(a.b + i);
        const Vector<T, V> p = load_vector<T, V>(a.p[from] + i);
        T r[V];
#pragma unroll
        for (int k = 0; k < V; ++k) {
            r[k] = column + k < a.columns ? static_cast<T>(times(plus(b.x[k], -q[k]), inverse)) : T(0);
            sums.add(0, r[k], r[k]);
            sums.add(1, r[k], p.x[k]);
        }
        store_vector(a.r[from] + i, r);
        if (y - 1 == 0 && a.before > 0) store_vector(a.low_r[from] + i, r);
        if (y == a.rows && a.after > 0) store_vector(a.high_r[from] + i, r);
    }
}

#endif

} // namespace mantissa::gpu
